"""Remarks above a table, uncertainties behind numbers, times of the day."""

import datetime
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from graphtailor.columns.blocks import TableBlocks
from graphtailor.columns.parse_times import hours
from graphtailor.columns.parse_values import parse_numbers
from graphtailor.tables import read_table


def read(tmp_path: Path, text: str, **options):
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    return read_table(str(path), **options)


@pytest.mark.parametrize(
    ("top", "said"),
    [
        ("# one remark\n", "A line that begins with # before the table was skipped."),
        ("# a, b\n\n# more; of it\n", "2 lines that begin with #"),
        ("#\n" * 80, "80 lines that begin with #"),
    ],
)
def test_remarks_are_skipped_and_told(tmp_path, top, said):
    table = read(tmp_path, f"{top}x,kind,#\n1.5,a,2\n2.5,b,4\n0.5,a,3\n", id="kind")
    assert table.X.columns.tolist() == ["x", "#"]
    np.testing.assert_array_equal(table.X, [[1.5, 2], [2.5, 4], [0.5, 3]])
    assert table.ids.tolist() == ["a", "b", "a"]
    assert table.notes[0].startswith(said)


@pytest.mark.parametrize("names", ["#x,y", "# x,y"])
def test_names_behind_a_hash_stay_names(tmp_path, names):
    table = read(tmp_path, f"# made by hand\n{names}\n1.5,2\n2.5,4\n0.5,3\n")
    assert table.X.columns.tolist() == [names.split(",")[0], "y"]
    assert table.X.shape == (3, 2)
    assert len(table.notes) == 1


def test_a_hash_further_down_is_data(tmp_path):
    table = read(tmp_path, "x,k\n1,#a\n2,#b\n4,#a\n7,#b\n")
    assert table.X.columns.tolist() == ["x", "k=#a", "k=#b"]
    assert table.notes == ()


def test_uncertainties_in_brackets():
    written = ["1.00794(4)", "4.002602(2)", "-6.62(8)e-34", "12(1)", "(4)", "x(4)"]
    np.testing.assert_array_equal(
        parse_numbers(pd.Series(written)),
        [1.00794, 4.002602, -6.62e-34, 12, np.nan, np.nan],
    )


def test_uncertainties_are_told(tmp_path):
    table = read(tmp_path, "weight,n\n1.00794(4),1\n4.002602(2),3\n6.941(2),2\n")
    assert table.X["weight"].tolist() == [1.00794, 4.002602, 6.941]
    assert table.columns[0].kind == "numeric"
    assert "without uncertainties in brackets" in table.columns[0].treatment


def test_times_of_the_day_are_a_cycle(tmp_path):
    table = read(tmp_path, "at,n\n23:59,1\n0:01,3\n12:00,2\n6:00,7\n")
    sides = table.X[["sin at", "cos at"]].to_numpy()
    apart = np.linalg.norm(sides - sides[0], axis=1)
    # A minute before midnight is next to a minute after it.
    assert apart[1] < apart[3] / 50 < apart[2] / 50
    assert table.columns[0].treatment.startswith("time of the day, a cycle")
    # Reports show hours, and new rows are read alike, from a saved model too.
    assert table.frame["at"][2] == 12
    again = TableBlocks.from_dict(table.blocks.to_dict())
    new = pd.DataFrame({"at": ["12:00", None, "late"], "n": [1, 2, 3]})
    np.testing.assert_array_equal(again.transform(new)[0, :2], sides[2])
    np.testing.assert_array_equal(again.transform(new)[1:, :2], 0)


def test_times_of_a_spreadsheet(tmp_path):
    path = tmp_path / "table.xlsx"
    times = [datetime.time(8, 30), None, datetime.time(23, 15, 36), datetime.time(1)]
    pd.DataFrame({"at": times, "n": [3, 1, 2, 9]}).to_excel(path, index=False)
    table = read_table(str(path))
    np.testing.assert_allclose(table.frame["at"], [8.5, np.nan, 23.26, 1])
    assert table.X.loc[1, ["sin at", "cos at"]].tolist() == [0, 0]


def test_no_times():
    found = hours(pd.Series(["24:00", "7:5", "7:60", "-1:00", "7", "a7:30", "7:30 x"]))
    assert np.isnan(found).all()
