"""``graphtailor predict`` finds columns by name, and says what is wrong with them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from graphtailor import JointModel
from graphtailor.io.models import save_model


@pytest.fixture
def fitted(
    graphtailor: Callable[..., Any], in_folder: Path, table: pd.DataFrame
) -> Callable[..., Any]:
    table.to_csv("trees.csv", index=False)
    columns = ("--label", "kind", "--id", "name")
    assert graphtailor("fit", "trees.csv", *columns, "-q", "-o", "out").code == 0
    return graphtailor


def test_order_of_columns_does_not_matter_and_others_are_left_out(
    fitted: Callable[..., Any], table: pd.DataFrame
) -> None:
    table[["name", "weight", "kind", "width", "height"]].assign(note="x").to_csv(
        "shuffled.csv", index=False
    )
    arguments = ("predict", "out/model.npz", "shuffled.csv", "--id", "name")
    answer = fitted(*arguments)
    assert answer.code == 0
    assert answer.out == Path("out/labels.csv").read_text()
    # The label is known to the model and needs no mention; the note does.
    assert "'note'" in answer.err
    assert "kind" not in answer.err
    assert fitted(*arguments, "--output", "new.csv", "--quiet") == (0, "", "")
    assert Path("new.csv").read_text() == Path("out/labels.csv").read_text()


def test_json(fitted: Callable[..., Any]) -> None:
    answer = fitted("predict", "out/model.npz", "trees.csv", "--json")
    found = json.loads(answer.out)
    labels = pd.read_csv("out/labels.csv")
    assert found["labels"] == labels["label"].tolist()
    assert found["ids"] == labels["id"].tolist()


def test_without_names_columns_are_taken_by_their_place(
    fitted: Callable[..., Any], table: pd.DataFrame
) -> None:
    features = ["width", "height", "weight"]
    np.savez("plain.npz", X=table[features].to_numpy())
    answer = fitted("predict", "out/model.npz", "plain.npz")
    assert answer.code == 0
    expected = pd.read_csv("out/labels.csv")["label"].tolist()
    rows = answer.out.splitlines()[1:]
    assert [int(row.split(",")[1]) for row in rows] == expected
    np.savez("narrow.npz", X=table[features[:2]].to_numpy())
    answer = fitted("predict", "out/model.npz", "narrow.npz")
    assert answer.code == 2
    assert "2 columns" in answer.err
    assert "fitted to 3" in answer.err


def test_a_column_that_is_not_there(
    fitted: Callable[..., Any], table: pd.DataFrame
) -> None:
    table.rename(columns={"height": "heihgt"}).to_csv("typo.csv", index=False)
    answer = fitted("predict", "out/model.npz", "typo.csv")
    assert answer.code == 2
    assert "'height'" in answer.err
    assert "Did you mean 'heihgt'?" in answer.err


def test_missing_values_that_the_model_cannot_fill(
    graphtailor: Callable[..., Any], in_folder: Path, table: pd.DataFrame
) -> None:
    # A model of Python's knows of no filling.
    features = table[["width", "height", "weight"]]
    save_model(JointModel(3, n_init=1).fit(features), "model.npz")
    table.to_csv("whole.csv", index=False)
    assert graphtailor("predict", "model.npz", "whole.csv").code == 0
    table.assign(width=table["width"].where(table.index > 0)).to_csv("gaps.csv")
    answer = graphtailor("predict", "model.npz", "gaps.csv")
    assert answer.code == 2
    assert "'width'" in answer.err
    assert "graphtailor fit" in answer.err
