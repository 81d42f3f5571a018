"""Columns that say the same as others, or as the clusters."""

import numpy as np
import pandas as pd
import pytest

from graphtailor import TableBlocks, cluster_table
from graphtailor.columns.agreement import clusters_and_columns
from graphtailor.columns.messages import command_words


@pytest.fixture
def frame() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n = 120
    wage = rng.gamma(2, size=n)
    return pd.DataFrame(
        {
            "wage": wage,
            "logwage": np.log(wage),
            "other": rng.normal(size=n),
            "train": np.arange(n) < 80,
        }
    )


def test_numbers_in_the_same_order_are_reported(frame: pd.DataFrame) -> None:
    notes = cluster_table(frame, 2, random_state=0).notes
    (note,) = [note for note in notes if "order the rows alike" in note]
    assert "'wage', 'logwage'" in note
    assert "--drop logwage" in command_words(note)
    assert "--drop wage" not in command_words(note)


def test_a_column_that_is_the_clusters_is_named(frame: pd.DataFrame) -> None:
    by_flag = frame.assign(
        wage=0.01 * frame["wage"], flag=np.where(frame["train"], 9, 0)
    )
    notes = cluster_table(by_flag[["flag", "train", "other"]], 2, random_state=0).notes
    (note,) = [note for note in notes if "The clusters are the column" in note]
    assert "100% of the rows" in note
    assert "--drop flag" in command_words(note) or "--drop train" in command_words(note)


def test_clusters_of_many_columns_are_not_called_one(frame: pd.DataFrame) -> None:
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 4, 160)
    corners = np.array([[0, 0, 0], [0, 4, 4], [4, 0, 4], [4, 4, 0]])[groups]
    table = pd.DataFrame(corners + rng.normal(size=corners.shape), columns=list("abc"))
    found = cluster_table(table, 4, random_state=0)
    assert not [note for note in found.notes if "The clusters are" in note]


def test_slices_of_the_calendar_are_called_so() -> None:
    days = pd.Series(pd.date_range("2020-01-01", periods=120))
    table = pd.DataFrame({"day": days, "a": np.random.default_rng(0).random(120)})
    used = TableBlocks().fit(table).used_
    slices = np.arange(120) // 40
    (note,) = clusters_and_columns(table, used, slices, ".")
    assert "The clusters are slices of the dates in 'day'" in note
    assert "--drop day" in command_words(note)
    assert clusters_and_columns(table, used, np.arange(120) % 3, ".") == []


def test_a_flag_that_splits_the_clusters_is_named() -> None:
    """NYSE: three clusters, and each of them is of the training rows or is not."""
    day = pd.Series(pd.date_range("2020-01-01", periods=120))
    table = pd.DataFrame({"day": day, "a": np.random.default_rng(0).random(120)})
    table["train"] = np.arange(120) < 80
    used = TableBlocks().fit(table).used_
    labels = np.where(table["train"], (table["a"] > 0.5).astype(int), 2)
    (note,) = clusters_and_columns(table, used, labels, ".")
    assert "Every cluster lies within one level of 'train' (100% of the rows)" in note
    assert "--drop train" in command_words(note)


def test_numbers_that_may_be_codes_are_named(frame: pd.DataFrame) -> None:
    codes = frame.assign(origin=np.arange(120) % 3 + 1, age=np.arange(120) % 60)
    notes = cluster_table(codes, 2, random_state=0).notes
    (note,) = [note for note in notes if "different values" in note]
    assert "'origin'" in note
    assert "'age'" not in note
    assert "--categorical" in command_words(note)
