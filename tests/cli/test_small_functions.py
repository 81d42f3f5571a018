"""Short functions of the command line and the benchmark, by one example each."""

import inspect
import io
from dataclasses import dataclass

import numpy as np
import pytest

from graphtailor.bench import Progress
from graphtailor.bench.results.latex import escape
from graphtailor.bench.results.scores import imported, score_labels
from graphtailor.cli import options
from graphtailor.cli.bench import describe
from graphtailor.cli.estimators import parse_clusters, parse_parameters, parse_value
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


def test_values_as_they_are_written():
    numbers = [parse_clusters(text) for text in ("3", "auto", None)]
    assert numbers == [3, "auto", None]
    values = [parse_value(text) for text in ("8", "0.5", "none", "True", "knn")]
    assert values == [8, 0.5, None, True, "knn"]
    found = parse_parameters(["n_init=8", "init=random"])
    assert found == {"n_init": 8, "init": "random"}


def test_a_command_has_the_fields_of_its_options():
    @dataclass(kw_only=True)
    class Greeting:
        name: str = options.argument("NAME", "Who is greeted.")
        times: int = options.model_option("--times", "NUMBER", "How often.", 1)

    def greet(given):
        assert given == Greeting(name="Ada", times=2)

    greet.__annotations__["given"] = Greeting
    command = options.with_options(greet)
    assert list(inspect.signature(command).parameters) == ["name", "times"]
    command(name="Ada", times=2)
