"""Reading tables: text of many habits, Parquet, npz, and what becomes of columns."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from graphtailor.datasets import load_dataset
from graphtailor.tables import read_table
from graphtailor.tables.delimited import guess_delimiter

FRAME = pd.DataFrame(
    {"a": [1.5, 2.5, -3.0], "b": [4, 5, 6], "k": ["x", "y", "x"], "n": list("pqr")}
)


def test_bundled_set_has_names_and_classes() -> None:
    wine, bunch = read_table("wine"), load_dataset("wine")
    np.testing.assert_array_equal(wine.X, bunch.data)
    assert wine.X.columns.tolist() == bunch.feature_names
    assert wine.y.tolist() == bunch.target_names[bunch.target].tolist()
    assert wine.ids.tolist() == list(range(178))
    assert read_table("wine", label="class").label == "class"
    assert "median" in read_table("soybean").notes[0]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("ending", [".csv", ".txt", ".csv.gz"])
def test_delimiter_is_guessed(tmp_path: Path, delimiter: str, ending: str) -> None:
    path = tmp_path / f"table{ending}"
    FRAME.to_csv(path, sep=delimiter, index=False)
    table = read_table(str(path), label="k", id="n")
    np.testing.assert_array_equal(table.X, FRAME[["a", "b"]])
    assert (table.y.tolist(), table.ids.tolist()) == (["x", "y", "x"], list("pqr"))
    assert (table.name, table.notes) == ("table", ())


@given(
    delimiter=st.sampled_from(",;\t|"),
    rows=st.lists(
        st.lists(st.floats(-1e6, 1e6).map(repr), min_size=4, max_size=4), min_size=1
    ),
)
def test_guess_on_numbers(delimiter: str, rows: list[list[str]]) -> None:
    lines = [delimiter.join(row) for row in [["w", "x", "y", "z"], *rows]]
    assert guess_delimiter(lines) == delimiter


def test_quoted_delimiters_and_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "german.csv"
    path.write_text('"a;1";b\n1,5;"2,5"\n-3,25;4\n', encoding="utf-8-sig")
    table = read_table(str(path), decimal=",")
    assert table.X.columns.tolist() == ["a;1", "b"]
    np.testing.assert_array_equal(table.X, [[1.5, 2.5], [-3.25, 4.0]])


def test_a_single_column(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    path.write_text("x\n1\n2\n")
    assert read_table(str(path)).X["x"].tolist() == [1.0, 2.0]


def test_headers(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("5.1,3.5,setosa\n4.9,3.0,setosa\n")
    with pytest.raises(ValueError, match="--no-header"):
        read_table(str(path))
    table = read_table(str(path), header=False, label="f3")
    np.testing.assert_array_equal(table.X, [[5.1, 3.5], [4.9, 3.0]])
    # Names that count the columns are what pandas writes for an array.
    pd.DataFrame([[5.5, 6.5], [7.5, 8.5]]).to_csv(path, index=False)
    assert read_table(str(path)).X.shape == (2, 2)


def test_a_written_index_is_an_id_and_no_feature(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    FRAME[["a", "b"]].set_axis([1, 2, 3]).to_csv(path)
    table = read_table(str(path))
    assert table.X.columns.tolist() == ["a", "b"]
    assert table.ids.tolist() == [1, 2, 3]
    assert "counts the rows" in table.notes[0]


def test_a_named_count_is_remarked_upon(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    FRAME[["a"]].assign(patient=[1, 2, 3]).to_csv(path, index=False)
    table = read_table(str(path))
    assert table.X.shape == (3, 2)
    assert "--id patient" in table.notes[0]


def test_parquet_keeps_float32_booleans_and_index(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    small = pd.DataFrame({"a": [1.0, 2.0], "b": [0.5, 1.5]}, dtype=np.float32)
    small.index = pd.Index(["u", "v"], name="key")
    small.to_parquet(path)
    table = read_table(str(path))
    assert table.X.to_numpy().dtype == np.float32
    assert (table.ids.tolist(), table.id) == (["u", "v"], "key")
    mixed = pd.DataFrame({"a": [True, False], "b": pd.array([1, None], dtype="Int64")})
    mixed.to_parquet(path)
    with pytest.raises(ValueError, match=r"'b' \(1 of 2 rows\)"):
        read_table(str(path))
    filled = read_table(str(path), impute="mean")
    np.testing.assert_array_equal(filled.X, [[1, 1], [0, 1]])


def test_npz_dense_and_sparse(tmp_path: Path) -> None:
    X = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]])
    path = tmp_path / "data.npz"
    np.savez(path, X=X, y=[0, 1, 0], other=[5, 6, 7])
    table = read_table(str(path))
    assert isinstance(table.X, np.ndarray)
    np.testing.assert_array_equal(table.X, X)
    assert table.y.tolist() == ["0", "1", "0"]
    assert read_table(str(path), label="other").y.tolist() == ["5", "6", "7"]
    sparse.save_npz(path, sparse.csc_array(X))
    table = read_table(str(path))
    assert sparse.issparse(table.X)
    np.testing.assert_array_equal(table.X.toarray(), X)
    assert table.y is None


@pytest.mark.parametrize(
    ("impute", "expected"), [("median", 2.0), ("mean", 4.0), ("most_frequent", 1.0)]
)
def test_imputation(tmp_path: Path, impute: str, expected: float) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\n1,5\n1,5\n?,5\n3,5\n11,5\n")
    table = read_table(str(path), impute=impute)
    assert table.X["a"][2] == expected
    assert table.fill["a"] == expected
    again = read_table(str(path), features=["a"], fill={"a": 9.0})
    assert again.X["a"][2] == 9.0


def test_columns_of_a_model_are_found_by_name(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    FRAME.to_csv(path, index=False)
    table = read_table(str(path), features=["b", "a"], drop=["k"], fill={})
    assert table.X.columns.tolist() == ["b", "a"]
    assert table.notes == ("Not columns of the model, left out: 'n'.",)


def test_labels_must_be_complete(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,k\n1,x\n2,\n")
    with pytest.raises(ValueError, match="1 of 2 rows"):
        read_table(str(path), label="k")


def test_no_column_or_row_left(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,k\n1,x\n")
    with pytest.raises(ValueError, match="no column is left"):
        read_table(str(path), label="k", drop=["a"])
    path.write_text("a,b\n")
    with pytest.raises(ValueError, match="no rows"):
        read_table(str(path))
