"""Columns that say the same as others, or as the clusters."""

import warnings

import numpy as np
import pandas as pd
import pytest

from graphtailor import TableBlocks, cluster_table
from graphtailor.columns.agreement import clusters_and_columns, left_out
from graphtailor.columns.column import Column
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


def test_numbers_in_the_same_order_count_once(frame: pd.DataFrame) -> None:
    """They used to count twice, and the note asked the user to drop one."""
    found = cluster_table(frame, 2, random_state=0)
    assert [column.name for column in found.read.blocks.used_] == [
        "wage",
        "other",
        "train",
    ]
    (note,) = [note for note in found.notes if note.startswith("Left out: ")]
    assert "'logwage' orders the rows like 'wage'" in note
    assert "--numeric" in command_words(note)
    both = cluster_table(frame, 2, numeric=["logwage"], random_state=0)
    assert len(both.read.blocks.used_) == 4
    assert not [note for note in both.notes if note.startswith("Left out: ")]


def test_columns_that_only_resemble_each_other_count(frame: pd.DataFrame) -> None:
    near = frame.assign(near=frame["wage"] + 0.3 * frame["other"])
    assert "near" in [column.name for column in TableBlocks().fit(near).used_]


def test_a_column_that_is_the_clusters_is_named(frame: pd.DataFrame) -> None:
    flagged = frame.assign(flag=np.where(frame["train"], 9, 0))
    used = TableBlocks(columns=["flag", "other"]).fit(flagged).used_
    labels = frame["train"].to_numpy(int)
    (note,) = clusters_and_columns(flagged, used, labels, ".")
    assert "The clusters are the column 'flag'" in note
    assert "100% of the rows" in note
    assert "--drop flag" in command_words(note)
    # Where another column says the same, both are named.
    used = TableBlocks(columns=["flag", "train", "other"]).fit(flagged).used_
    (note,) = clusters_and_columns(flagged, used, labels, ".")
    assert "one level of each of" in note
    assert "--drop train --drop flag" in command_words(note)


def test_clusters_of_many_columns_are_not_called_one(frame: pd.DataFrame) -> None:
    rng = np.random.default_rng(1)
    groups = rng.integers(0, 4, 160)
    corners = np.array([[0, 0, 0], [0, 4, 4], [4, 0, 4], [4, 4, 0]])[groups]
    table = pd.DataFrame(corners + rng.normal(size=corners.shape), columns=list("abc"))
    found = cluster_table(table, 4, random_state=0)
    assert not [note for note in found.notes if "The clusters are" in note]


def test_dates_that_only_count_days_are_left_out() -> None:
    """They used to be sliced, and the slices were called clusters by date."""
    days = pd.Series(pd.date_range("2020-01-01", periods=120))
    rng = np.random.default_rng(0)
    bursts = days.iloc[0] + pd.to_timedelta(rng.choice([0, 40, 300], 120), unit="D")
    table = pd.DataFrame({"day": days, "a": rng.random(120), "burst": bursts})
    blocks = TableBlocks().fit(table)
    assert [column.name for column in blocks.used_] == ["a", "burst"]
    (note,) = left_out(blocks.columns_)
    assert "'day' is spread evenly over time" in note
    asked = TableBlocks(numeric=["day"]).fit(table)
    assert asked.used_[0].form == "date"
    assert left_out(asked.columns_) == []


def test_slices_of_the_calendar_are_called_so() -> None:
    days = pd.Series(pd.date_range("2020-01-01", periods=120))
    table = pd.DataFrame({"day": days, "a": np.random.default_rng(0).random(120)})
    used = TableBlocks(numeric=["day"]).fit(table).used_
    slices = np.arange(120) // 40
    (note,) = clusters_and_columns(table, used, slices, ".")
    assert "The clusters are slices of the dates in 'day'" in note
    assert "--drop day" in command_words(note)
    assert clusters_and_columns(table, used, np.arange(120) % 3, ".") == []


def test_clusters_that_go_by_months_and_years_are_called_so() -> None:
    n = 240
    rng = np.random.default_rng(0)
    month = np.arange(n) % 12 + 1
    warm = (month > 4) & (month < 10)
    table = pd.DataFrame({"month": month, "sun": warm + rng.normal(0, 0.4, n)})
    table["wind"] = rng.normal(size=n)
    used = TableBlocks().fit(table).used_
    (note,) = clusters_and_columns(table, used, warm.astype(int), ".")
    assert "'month'" in note
    mixed = np.where(rng.random(n) < 0.15, ~warm, warm).astype(int)
    (note,) = clusters_and_columns(table, used, mixed, ".")
    assert "The clusters go by the calendar: " in note
    assert "found from 'month' alone" in note
    assert "--drop month" in command_words(note)
    chance = rng.integers(0, 2, n)
    assert clusters_and_columns(table, used, chance, ".") == []


def test_codes_by_their_names() -> None:
    """Flight numbers were taken for a measurement without a word."""
    n = 200
    table = pd.DataFrame({"flight": np.arange(n) * 37 % 100, "a": np.arange(n) / 7})
    table["store"] = np.arange(n) % 4
    table["rooms"] = np.arange(n) * 3 % 40
    blocks = TableBlocks().fit(table)
    assert [(c.name, c.form) for c in blocks.used_] == [
        ("a", "number"),
        ("store", "levels"),
        ("rooms", "number"),
    ]
    (note,) = left_out(blocks.columns_)
    assert "'flight' holds 100 codes" in note
    assert TableBlocks(numeric=["flight"]).fit(table).used_[0].form == "number"


def test_a_cluster_for_each_row_raises_no_warning():
    frame = pd.DataFrame({"a": np.arange(90.0), "b": np.arange(90.0) % 7})
    columns = [Column(name, "numeric", "", "number") for name in frame]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert clusters_and_columns(frame, columns, np.arange(90), ".") == []


def test_a_flag_that_splits_the_clusters_is_named() -> None:
    """NYSE: three clusters, and each of them is of the training rows or is not."""
    day = pd.Series(pd.date_range("2020-01-01", periods=120))
    table = pd.DataFrame({"day": day, "a": np.random.default_rng(0).random(120)})
    table["train"] = np.arange(120) < 80
    used = TableBlocks(numeric=["day"]).fit(table).used_
    labels = np.where(table["train"], (table["a"] > 0.5).astype(int), 2)
    (note,) = clusters_and_columns(table, used, labels, ".")
    assert "Every cluster lies within one level of 'train' (100% of the rows)" in note
    assert "--drop train" in command_words(note)


def test_numbers_that_may_be_codes_are_named(frame: pd.DataFrame) -> None:
    codes = frame.assign(origin=np.arange(120) % 3 + 1, age=np.arange(120) % 60)
    notes = cluster_table(codes, 2, random_state=0).notes
    (note,) = [note for note in notes if "may be codes" in note]
    assert "'origin'" in note
    assert "'age'" not in note
    assert "--categorical" in command_words(note)
