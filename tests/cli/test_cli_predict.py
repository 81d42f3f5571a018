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


@pytest.mark.parametrize("ending", ["csv", "xlsx", "parquet"])
def test_the_table_comes_back_with_its_clusters(
    fitted: Callable[..., Any], table: pd.DataFrame, ending: str
) -> None:
    file = f"new.{ending}"
    arguments = ("predict", "out", "trees.csv", "--id", "name", "-o", file)
    assert fitted(*arguments, "--quiet") == (0, "", "")
    read = {"csv": pd.read_csv, "xlsx": pd.read_excel, "parquet": pd.read_parquet}
    found = read[ending](file)
    added = ["cluster", "group", "certainty", "distance"]
    assert found.columns.tolist() == [*table.columns, *added]
    pd.testing.assert_frame_equal(found[table.columns], table, check_dtype=False)
    labels = pd.read_csv("out/labels.csv")
    assert found["cluster"].tolist() == labels["label"].tolist()
    assert found["distance"].tolist() == labels["distance"].tolist()


def test_odd_rows_are_reported(fitted: Callable[..., Any], table: pd.DataFrame) -> None:
    odd = table.head(10).astype({"height": object})
    odd.loc[0, "width"] *= 1000
    odd.loc[1, "height"] = "tall"
    odd.loc[2, "weight"] = None
    odd.to_csv("odd.csv", index=False)
    answer = fitted("predict", "out", "odd.csv", "-o", "found.csv")
    assert "Column 'height': 1 of 10 rows have a text where a number" in answer.err
    assert "('tall')" in answer.err
    assert "Column 'weight': 1 of 10 rows have no value" in answer.err
    assert "1 of 10 rows are more than 3 times as far" in answer.err
    distance = pd.read_csv("found.csv")["distance"]
    assert distance[0] > 100
    assert distance[3:].max() < 5
    assert fitted("predict", "out", "trees.csv", "-o", "found.csv").err == ""


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
    assert "X has 2 features" in answer.err
    assert "expecting 3 features" in answer.err


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
