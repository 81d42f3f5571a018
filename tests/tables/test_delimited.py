"""Text files of many habits: delimiters, decimal marks, headers, encodings."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphtailor.tables import read_table
from graphtailor.tables.first_lines import guess_delimiter, is_header

FRAME = pd.DataFrame(
    {
        "a": [1.5, 2.5, -3.0, 0.5],
        "b": [4, 5, 6, 5],
        "k": ["x", "y", "x", "y"],
        "n": list("pqrs"),
    }
)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", [".csv", ".txt", ".csv.gz", ".tsv.xz", ".dat.bz2"])
def test_delimiter_is_guessed(tmp_path: Path, delimiter: str, ending: str) -> None:
    if ending.startswith(".tsv"):
        delimiter = "\t"
    path = tmp_path / f"table{ending}"
    FRAME.to_csv(path, sep=delimiter, index=False)
    table = read_table(str(path), label="k", id="n")
    np.testing.assert_array_equal(table.X, FRAME[["a", "b"]])
    assert (table.y.tolist(), table.ids.tolist()) == (list("xyxy"), list("pqrs"))
    assert (table.name, table.notes) == ("table", ())


@given(
    delimiter=st.sampled_from(",;\t| :~^"),
    rows=st.lists(
        st.lists(st.floats(-1e6, 1e6).map(repr), min_size=4, max_size=4), min_size=1
    ),
)
def test_guess_on_numbers(delimiter: str, rows: list[list[str]]) -> None:
    lines = [delimiter.join(row) for row in [["w", "x", "y", "z"], *rows]]
    assert guess_delimiter(lines) == delimiter


def test_words_with_blanks_are_one_column() -> None:
    assert guess_delimiter(["full name", "Ann Smith", "Bo Lind"]) == ","


def test_runs_of_blanks(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_text("  x    y\n 1.5  20\n-2.5   3\n")
    np.testing.assert_array_equal(read_table(str(path)).X, [[1.5, 20], [-2.5, 3]])


def test_quoted_delimiters_and_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "german.csv"
    path.write_text('"a;1";b;c\n1,5;"2,5";1.234,5\n-3,25;4;2\n', encoding="utf-8-sig")
    for decimal in (None, ","):
        table = read_table(str(path), decimal=decimal)
        assert table.X.columns.tolist() == ["a;1", "b", "c"]
        np.testing.assert_array_equal(table.X, [[1.5, 2.5, 1234.5], [-3.25, 4, 2]])
    assert "decimal comma" in read_table(str(path)).notes[0]


def test_a_line_of_data_on_top(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("5.1,3.5,setosa\n4.9,3.0,setosa\n5.3,2.0,other\n4.9,3.1,other\n")
    table = read_table(str(path), label="f3")
    np.testing.assert_array_equal(table.X, [[5.1, 3.5], [4.9, 3], [5.3, 2], [4.9, 3.1]])
    assert "first line is data" in table.notes[0]
    # Names that count the columns are what pandas writes for an array.
    pd.DataFrame([[5.5, 6.5], [7.5, 8.5]]).to_csv(path, index=False)
    assert read_table(str(path)).X.shape == (2, 2)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["country,1990,1995,2000", "Peru,1,2,3"], True),
        (["5,3,7", "1,2,3"], None),
        (["5,5,7", "1,2,3"], False),
        (["-5,3,7", "1,2,3"], False),
        (["a,1", "b,2"], True),
        (["a,1", "a,2"], False),
    ],
)
def test_headers_of_numbers(rows: list[str], expected: bool | None) -> None:
    fields = [row.split(",") for row in rows]
    if expected is None:
        with pytest.raises(ValueError, match="header=False"):
            is_header(Path("t.csv"), fields)
    else:
        assert is_header(Path("t.csv"), fields) is expected


@pytest.mark.parametrize("text", ["a,b\n1,2,\n3,4,\n", '"a" "b"\n"1" 1 2\n"2" 3 4\n'])
def test_a_field_more_than_names(tmp_path: Path, text: str) -> None:
    # A comma at the end of lines; and R's table, whose names of rows have no name.
    path = tmp_path / "table.txt"
    path.write_text(text)
    table = read_table(str(path))
    np.testing.assert_array_equal(table.X, [[1, 2], [3, 4]])
    assert table.X.columns.tolist() == ["a", "b"]


def test_a_longer_line_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,b\n" + "1,2\n" * 60 + "3,4,5\n")
    with pytest.raises(ValueError, match="could not be read"):
        read_table(str(path))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "towns.csv"
    text = "größe,ort\n1.5,Köln\n2.5,Lübeck\n3.5,Köln\n4.5,Lübeck\n"
    path.write_text(text, encoding=encoding)
    table = read_table(str(path))
    assert table.X.columns.tolist() == ["größe", "ort=Köln", "ort=Lübeck"]
    assert bool(table.notes) == (encoding == "cp1252")


@pytest.mark.parametrize(
    "content", [b"\x1f\x8b no", gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9]]
)
def test_damaged_gzip(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.csv.gz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="could not be read"):
        read_table(str(path))


def test_a_written_index_is_an_id_and_no_feature(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    FRAME[["a", "b"]].set_axis([1, 2, 3, 9]).to_csv(path)
    table = read_table(str(path))
    assert table.X.columns.tolist() == ["a", "b"]
    assert table.ids.tolist() == ["1", "2", "3", "9"]


def test_ids_are_kept_as_written(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    FRAME[["a"]].assign(patient_id=["007", "008", "NA", "9"]).to_csv(path, index=False)
    table = read_table(str(path), id="patient_id")
    assert table.ids.tolist() == ["007", "008", "NA", "9"]


def test_codes_keep_their_leading_zeros(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    rows = "".join(f"0{k % 3},{k * 1.5}\n" for k in range(12))
    path.write_text(f"region,width\n{rows}")
    table = read_table(str(path))
    assert table.X.columns.tolist() == ["region=00", "region=01", "region=02", "width"]
