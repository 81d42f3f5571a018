"""``graphtailor cut``: a saved model with another number of clusters."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from graphtailor import GraphTailor, JointModel, load_model
from graphtailor.io.models import save_model


@pytest.fixture
def saved(graphtailor: Callable[..., Any], in_folder: Path) -> GraphTailor:
    load_iris(as_frame=True).data.to_csv("iris.csv", index=False)
    assert graphtailor("fit", "iris.csv", "-q", "-o", "out").code == 0
    return load_model("out/model.npz")


def test_the_numbers_are_compared(
    graphtailor: Callable[..., Any], saved: GraphTailor
) -> None:
    answer = graphtailor("cut", "out")
    assert answer.code == 0
    assert f"{saved.n_clusters_} clusters" in answer.out
    assert answer.out.count("taken") == 1
    assert answer.out.count("plausible too") == len(saved.suggested_n_clusters_) - 1
    found = json.loads(graphtailor("cut", "out", "--json").out)
    assert found["n_clusters"] == saved.n_clusters_
    assert [level["n_clusters"] for level in found["levels"]] == list(range(2, 21))


def test_a_model_with_another_number_predicts(
    graphtailor: Callable[..., Any], saved: GraphTailor
) -> None:
    answer = graphtailor("cut", "out", "--clusters", 4, "-o", "four.npz")
    assert answer.code == 0
    assert "4 clusters" in answer.out
    assert graphtailor("predict", "four.npz", "iris.csv", "-o", "new.csv").code == 0
    expected = saved.at(4).labels_
    np.testing.assert_array_equal(pd.read_csv("new.csv")["cluster"], expected)
    explained = graphtailor("explain", "four.npz", "--json")
    assert json.loads(explained.out)["n_clusters"] == 4


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--clusters", 0), "n_clusters=0 must be a whole number from 1"),
        (("--clusters", 1000), "from 1 to"),
        (("-o", "four.npz"), "give --clusters too"),
    ],
)
def test_mistakes(
    graphtailor: Callable[..., Any],
    saved: GraphTailor,
    arguments: tuple[Any, ...],
    words: str,
) -> None:
    answer = graphtailor("cut", "out", *arguments)
    assert answer.code == 2
    assert words in answer.err
    assert not Path("four.npz").exists()


def test_a_model_with_one_number(
    graphtailor: Callable[..., Any], in_folder: Path
) -> None:
    model = JointModel(2, n_init=1, random_state=0).fit(load_iris().data)
    save_model(model, "joint.npz")
    answer = graphtailor("cut", "joint.npz", "--clusters", 3)
    assert answer.code == 2
    assert "holds a JointModel, which has one number of clusters" in answer.err


def test_words_are_no_stronger_than_the_verdict(
    tmp_path: Path, graphtailor: Callable[..., Any]
) -> None:
    """What chance gives too is neither found nor plausible, in either command."""
    noise = np.random.default_rng(0).normal(size=(150, 4))
    model = GraphTailor(random_state=0).fit(noise)
    save_model(model, tmp_path / "noise.npz")
    for command in ("cut", "explain"):
        said = " ".join(graphtailor(command, str(tmp_path / "noise.npz")).out.split())
        assert "no clusters beyond chance" in said
        assert "come out of shuffled columns too" in said
        assert "plausible" not in said
        assert "was found" not in said
