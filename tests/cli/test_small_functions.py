"""Short functions of the command line and the benchmark, by one example each."""

import io
from dataclasses import dataclass

import numpy as np
import pytest

from graphtailor.bench import Progress
from graphtailor.bench.results.latex import escape
from graphtailor.bench.results.scores import imported, score_labels
from graphtailor.cli.bench import describe
from graphtailor.cli.results import Found, write_labels
from graphtailor.cli.show_fit import _in_general
from graphtailor.io.schema import built, whole
from graphtailor.report.row_bytes import grid_bits


def test_words():
    assert escape("50 % of a_b") == r"50 \% of a\_b"
    state = Progress(failed=3, running=2, last="PCA on iris")
    assert describe(state) == "3 failed  2 running  search  PCA on iris"
    treatment = "a number; 25 missing: in the middle, and flagged with '1960'"
    assert _in_general(treatment) == "a number; missing: in the middle, and flagged"
    assert [grid_bits(n) for n in (1000, 200_000, 1_000_000)] == [14, 13, 12]


def test_the_folder_names_several_files():
    pytest.importorskip("dask")
    from graphtailor.cli.dask import name_of

    assert name_of(["trees.parquet"]) == "trees"
    assert name_of(["forest/a.parquet", "forest/b.parquet"]) == "forest"


def test_a_metric_by_its_path():
    assert imported("sklearn.cluster:Birch").__name__ == "Birch"
    scores = score_labels([0, 0, 1], [1, 1, 0], ["ACC", "sklearn.metrics:rand_score"])
    assert scores == {"ACC": 1.0, "sklearn.metrics:rand_score": 1.0}


def test_labels_are_safe_in_a_spreadsheet():
    file = io.StringIO()
    found = Found(np.array([0, 1]), np.array([1.0, 0.5]))
    write_labels(file, ["a", "=1+1"], found)
    assert file.getvalue() == "id,label,certainty\na,0,1.0000\n'=1+1,1,0.5000\n"


def test_rules_come_from_the_types_of_a_dataclass():
    @dataclass
    class Point:
        place: tuple[float, ...]
        weight: int | None

    rule = built(Point, weight=whole(1))
    assert rule({"place": [1, 2.5], "weight": 3}, "point") == Point((1, 2.5), 3)
