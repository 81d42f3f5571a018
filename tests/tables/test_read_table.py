"""Bundled sets and binary files; what is refused."""

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from graphtailor.columns.messages import command_words
from graphtailor.datasets import load_dataset
from graphtailor.tables import read_table

MIXED = pd.DataFrame(
    {
        "size": [1.5, 2.5, -3.0, 0.5],
        "kind": ["x", "y", "x", "y"],
        "day": pd.to_datetime(["2020-01-01", "2020-01-03", "2020-01-02", "2020-01-02"]),
        "name": list("pqrs"),
    }
)


def test_bundled_set_has_names_and_classes() -> None:
    wine, bunch = read_table("wine"), load_dataset("wine")
    np.testing.assert_array_equal(wine.X, bunch.data)
    assert wine.X.columns.tolist() == bunch.feature_names
    assert wine.y.tolist() == bunch.target_names[bunch.target].tolist()
    assert wine.ids.tolist() == list(range(178))
    assert read_table("wine", label="class").label == "class"
    assert "median" in read_table("soybean").notes[0]
    assert wine.scaling == "maxabs"


def test_bundled_sets_are_taken_as_they_are() -> None:
    for name in ("ionosphere", "soybean", "yeast"):  # with constant and 0/1 columns
        np.testing.assert_array_equal(read_table(name).X, load_dataset(name).data)


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrow", ".xlsx", ".csv"])
def test_all_files_of_a_mixed_table_agree(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"mixed{ending}"
    if ending == ".parquet":
        MIXED.to_parquet(path)
    elif ending in (".feather", ".arrow"):
        MIXED.to_feather(path)
    elif ending == ".xlsx":
        MIXED.to_excel(path, index=False)
    else:
        MIXED.to_csv(path, index=False)
    table = read_table(str(path), scale="none")
    assert table.X.columns.tolist() == ["size", "kind=x", "kind=y", "day"]
    np.testing.assert_array_equal(table.X["day"], [0, 2, 1, 1])
    assert table.ids.tolist() == list("pqrs")
    assert [column.kind for column in table.columns] == [
        *("numeric", "category", "date", "id")
    ]
    assert table.frame.shape == MIXED.shape
    assert pd.api.types.is_datetime64_any_dtype(table.frame["day"].dtype)


def test_arrow_stream_and_index(tmp_path: Path) -> None:
    import pyarrow as pa

    path = tmp_path / "stream.arrow"
    content = pa.Table.from_pandas(MIXED.set_index("name")[["size"]])
    with (
        pa.OSFile(str(path), "wb") as file,
        pa.ipc.new_stream(file, content.schema) as w,
    ):
        w.write_table(content)
    table = read_table(str(path))
    assert (table.ids.tolist(), table.id) == (list("pqrs"), "name")


def test_first_sheet_of_several(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    with pd.ExcelWriter(path) as book:
        MIXED.to_excel(book, sheet_name="trees", index=False)
        MIXED.to_excel(book, sheet_name="more", index=False)
    assert "'trees'" in read_table(str(path)).notes[0]


def test_excel_without_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "book.xlsx"
    MIXED.to_excel(path, index=False)
    monkeypatch.setitem(__import__("sys").modules, "openpyxl", None)
    with pytest.raises(ValueError, match=r"pip install 'graphtailor\[cli\]'"):
        read_table(str(path))


def test_parquet_keeps_float32_booleans_and_index(tmp_path: Path) -> None:
    path = tmp_path / "table.parquet"
    small = pd.DataFrame({"a": [1.0, 2.0], "b": [0.5, 1.5]}, dtype=np.float32)
    small.index = pd.Index(["u", "v"], name="key")
    small.to_parquet(path)
    table = read_table(str(path))
    assert table.X.to_numpy().dtype == np.float32
    assert (table.ids.tolist(), table.id) == (["u", "v"], "key")
    mixed = pd.DataFrame(
        {"a": [True, False, True], "b": pd.array([1, None, 4], dtype="Int64")}
    )
    mixed.to_parquet(path)
    filled = read_table(str(path), scale="none")
    np.testing.assert_array_equal(filled.X["b"], [1, 2.5, 4])


def test_parquet_of_lists_decimals_and_dates(tmp_path: Path) -> None:
    import datetime
    import decimal

    path = tmp_path / "table.parquet"
    frame = pd.DataFrame(
        {
            "price": [decimal.Decimal("1.50"), decimal.Decimal("2.25"), None],
            "day": [datetime.date(2020, 1, day) for day in (1, 2, 5)],
            "tags": [["a"], ["b", "c"], []],
            "raw": [b"1", b"2", b"3"],
        }
    )
    frame.to_parquet(path)
    table = read_table(str(path))
    kinds = {column.name: column.kind for column in table.columns}
    assert kinds == {
        "price": "numeric",
        "day": "date",
        "tags": "category",
        "raw": "text",
    }
    np.testing.assert_allclose(
        table.X["day"].diff()[1:], np.array([1, 3]) / np.std([0, 1, 4])
    )


@pytest.mark.parametrize("ending", ["parquet", "feather", "jsonl"])
def test_lists_of_texts_are_used_by_their_parts(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"table.{ending}"
    tags = [["ash"], ["ash", "oak"], ["oak", "elm"], ["elm"]] * 6
    frame = pd.DataFrame({"a": range(24), "tags": tags})
    if ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        getattr(frame, f"to_{ending}")(path)
    X = read_table(str(path), numeric=["a"]).X
    assert (X[["tags=ash", "tags=elm", "tags=oak"]] > 0).iloc[1].tolist() == [1, 0, 1]


def test_lines_of_json_keep_every_digit(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    codes = [10**29, 10**29 + 1, 10**29, 10**29 + 1]
    lines = [f'{{"a": {0.1 + 0.2 * k!r}, "code": {c}}}' for k, c in enumerate(codes)]
    path.write_text("\n".join(lines))
    table = read_table(str(path), scale="none")
    assert table.frame is not None
    assert table.frame["a"].tolist() == [0.1 + 0.2 * k for k in range(4)]
    assert table.frame["code"].tolist() == list(map(str, codes))
    path.write_text('{"a": 1}\n[2]\n')
    with pytest.raises(ValueError, match=r"in the place of an object is \[2\]"):
        read_table(str(path))


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_of_json_objects_is_a_table(tmp_path: Path, indent: int | None) -> None:
    path = tmp_path / "t.json"
    rows = [{"a": k**2, "k": "x], [y" if k % 2 else "z"} for k in range(40)]
    path.write_text(json.dumps(rows, indent=indent) + "\n")
    table = read_table(str(path))
    assert table.frame is not None
    assert table.frame.to_dict("records") == rows
    for damaged in ('[{"a": 1}, 2]', '[{"a": 1}, {"a"', '[{"a": 1}', '[{"a": 1}] 3'):
        path.write_text(damaged)
        with pytest.raises(ValueError, match="not lines or a list of JSON objects"):
            read_table(str(path))


def test_npz_and_npy_dense_and_sparse(tmp_path: Path) -> None:
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
    path = tmp_path / "data.npy"
    np.save(path, X)
    np.testing.assert_array_equal(read_table(str(path)).X, X)
    fields = np.array([(1.5, "u"), (2.5, "v")], dtype=[("a", float), ("n", "U1")])
    np.save(path, fields)
    assert read_table(str(path)).ids.tolist() == ["u", "v"]


@pytest.mark.parametrize("ending", [".npy", ".npz"])
def test_pickles_are_never_loaded(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"evil{ending}"
    save = np.save if ending == ".npy" else np.savez
    save(path, np.array([{}, {}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="Python objects"):
        read_table(str(path))


REFUSED = {
    "no rows": "a,b\n",
    "only one row": "a,b\n1,2\n",
    "constant: 'a', 'b'": "a,b\n1,x\n1,x\n",
    "text: 'story'": "story\n"
    + "".join(f"the long tale of tree {i} and its {i} birds\n" for i in range(20)),
    "id: 'name'": "name\n" + "".join(f"tree{i}\n" for i in range(20)),
    "id: 'n'": "n\n" + "".join(f"{i}\n" for i in range(20)),
    "empty: 'a'": "a,b\n,\n,\n",
    "infinite values in 'a'": "a,b\ninf,x\n2,y\n3,y\n",
}


@pytest.mark.parametrize(("words", "text"), REFUSED.items(), ids=[*REFUSED])
def test_what_makes_no_sense_is_refused(tmp_path: Path, words: str, text: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"^source: ") as refusal:
        read_table(str(path))
    assert words in str(refusal.value)
    assert command_words(refusal.value).startswith("DATA: ")


def test_labels_with_gaps_are_those_of_some_rows(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("a,k\n1,x\n2,\n4,y\n")
    table = read_table(str(path), label="k")
    assert table.y is None
    assert table.some.to_dict() == {0: "x", 2: "y"}
    assert "2 of 3 rows have a class" in table.notes[-1]
    path.write_text("a,k\n1,\n2,\n")
    with pytest.raises(ValueError, match="label: column 'k' holds no class"):
        read_table(str(path), label="k")


def test_a_zip_of_one_text_and_lines_of_json(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.5, 2.5, 4.0, 3.5], "k": ["x", "y", "x", "y"]})
    plain, packed = tmp_path / "t.csv", tmp_path / "t.zip"
    frame.to_csv(plain, index=False)
    frame.to_csv(packed, index=False, compression={"method": "zip"})
    lines = tmp_path / "t.jsonl"
    frame.to_json(lines, orient="records", lines=True)
    expected = read_table(str(plain)).X
    for path in (packed, lines):
        pd.testing.assert_frame_equal(read_table(str(path)).X, expected)
    with zipfile.ZipFile(packed, "a") as archive:
        archive.writestr("other.csv", "a\n1\n")
    with pytest.raises(ValueError, match="holds 2 files"):
        read_table(str(packed))
    lines.write_text('{"a": 1}\n{"a": ')
    with pytest.raises(ValueError, match="is damaged or not lines or a list of JSON"):
        read_table(str(lines))


def test_rows_are_counted_as_a_spreadsheet_counts_them(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.5, 2.5, 4.0, 3.5], "k": ["x", "y", "x", "y"]})
    plain, titled, book = (tmp_path / name for name in ("t.csv", "u.csv", "t.xlsx"))
    frame.to_csv(plain, index=False)
    titled.write_text("A title\n\n" + plain.read_text())
    frame.to_excel(book, index=False, startrow=3)
    firsts = {plain: 2, titled: 4, book: 5}
    assert {path: read_table(str(path)).ids[0] for path in firsts} == firsts
    # In one table of several files a number would name two rows.
    assert read_table([str(plain), str(plain)]).ids.tolist() == list(range(8))


def test_several_files_are_one_table(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("zip;a;k\n1001;1,5;x\n1002;2,5;y\n", "utf-8")
    (tmp_path / "b.csv").write_text("k;zip;a\nx;0101;1\nz;1002;4\n", "utf-8")
    (tmp_path / "c.csv").write_text("k;zip;b\nx;1001;3\n", "utf-8")
    a, b, c = (str(tmp_path / f"{name}.csv") for name in "abc")
    table = read_table([a, b])
    assert table.name == "a"
    assert table.frame is not None
    assert table.frame["a"].tolist() == [1.5, 2.5, 1.0, 4.0]
    assert table.frame["zip"].tolist() == ["1001", "1002", "0101", "1002"]
    assert "2 files with the same columns are one table." in table.notes
    with pytest.raises(ValueError, match=r"c\.csv .*lacks 'a' and also has 'b'"):
        read_table([a, c])
    with pytest.raises(ValueError, match="wine is an array or a bundled set"):
        read_table([a, "wine"])


@pytest.mark.parametrize(
    "title", ["Sales, by me\nof Monday\n\n", "Sales,,,\n,,,\n,,,\n"]
)
def test_titles_above_the_names_of_columns(tmp_path: Path, title: str) -> None:
    path = tmp_path / "a.csv"
    rows = "".join(f"{k},{k * k},{'xy'[k % 2]},{k % 3}\n" for k in range(9))
    path.write_text(f"{title}a,b,k,d\n{rows}", "utf-8")
    table = read_table(str(path))
    assert table.frame is not None
    assert table.frame.columns.tolist() == ["a", "b", "k", "d"]
    assert len(table.frame) == 9
    assert "The 3 rows above the names of the columns were skipped." in table.notes
    # Rows with gaps are no titles.
    path.write_text(f",,,1\n{rows}", "utf-8")
    assert len(read_table(str(path), header=False).ids) == 10


_SPACES = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for name in ("office", "table", "text")
)


def ods_row(*values: object, after: str = "", times: int = 1) -> str:
    """A row of numbers and texts; `after` follows the cells."""
    cells = "".join(map(_cell, values))
    repeated = f'table:number-rows-repeated="{times}"'
    return f"<table:table-row {repeated}>{cells}{after}</table:table-row>"


def _cell(value: object) -> str:
    kind = "" if isinstance(value, str) else f' office:value="{value}"'
    return f"<table:table-cell{kind}><text:p>{value}</text:p></table:table-cell>"


def write_ods(path: Path, sheets: Mapping[str, Sequence[str]]) -> None:
    """Write sheets of rows."""
    tables = "".join(
        f'<table:table table:name="{name}">{"".join(rows)}</table:table>'
        for name, rows in sheets.items()
    )
    inside = f"<office:spreadsheet>{tables}</office:spreadsheet>"
    content = f"<office:body {_SPACES}>{inside}</office:body>"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("content.xml", content)


def test_a_sheet_of_an_open_document(tmp_path: Path) -> None:
    path = tmp_path / "a.ods"
    rows = [ods_row("Sales"), ods_row("a", "b", "k", "day")]
    for k in range(8):
        rows.append(ods_row(k, k * k / 2, "xy"[k % 2], f"2020-01-{k + 10}"))
    gap = '<table:table-cell table:number-columns-repeated="16000"/>'
    rows.append(ods_row(8, 3, after=gap, times=2))
    rows.append(ods_row(after=gap, times=1_000_000))
    write_ods(path, {"cover": [ods_row("hello")], "data": rows})
    table = read_table(str(path))
    assert table.frame is not None
    assert table.frame.shape == (10, 4)
    assert table.frame["b"].tolist()[-3:] == [24.5, 3, 3]
    assert [column.kind for column in table.columns][2:] == ["category", "date"]
    assert "Only the sheet 'data', the second of 2, is read." in table.notes
    assert "The row above the names of the columns was skipped." in table.notes
    with pytest.raises(ValueError, match=r"no sheet 'dat'\. Did you mean 'data'"):
        read_table(str(path), sheet="dat")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    text = io.TextIOWrapper(io.BytesIO(b"name,a\nx,1.5\ny,2.5\nz,4.0\n"))
    monkeypatch.setattr("sys.stdin", text)
    table = read_table("-")
    assert table.name == "stdin"
    assert table.X["a"].tolist() == [1.5, 2.5, 4.0]


def test_titles_covers_and_named_sheets(tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    frame = pd.DataFrame({"a": [1.5, 2.5, 4.0], "b": [3.0, 1.0, 7.0]})
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"About this file": ["see the other sheets"]}).to_excel(
            book, sheet_name="cover", index=False
        )
        frame.to_excel(book, sheet_name="data", index=False, startrow=3)
        book.sheets["data"]["A1"] = "Trees of 2020"
        (2 * frame).to_excel(book, sheet_name="twice", index=False)
    table = read_table(str(path))
    np.testing.assert_array_equal(table.X, frame)
    assert "sheet 'data', the second of 3" in " ".join(table.notes)
    assert "3 rows above the names of the columns" in " ".join(table.notes)
    np.testing.assert_array_equal(read_table(str(path), sheet="twice").X, 2 * frame)
    with pytest.raises(ValueError, match=r"sheet: .*'twcie'.*Did you mean 'twice'"):
        read_table(str(path), sheet="twcie")


def test_messages_name_arguments_and_the_command_line_names_options(
    tmp_path: Path,
) -> None:
    path = tmp_path / "a{label}.csv"
    path.write_text("a,b c,{label}\n1,inf,x\n2,3,y\n4,5,y\n")
    with pytest.raises(ValueError, match=r"^source: ") as error:
        read_table(str(path), label="{label}")
    assert str(error.value) == (
        f"source: {path}: infinite values in 'b c'. Correct them, or leave the columns "
        "out with drop=['b c']."
    )
    assert command_words(error.value) == (
        f"DATA: {path}: infinite values in 'b c'. Correct them, or leave the columns "
        "out with --drop 'b c'."
    )
    path.write_text("a,b\n" + "".join(f"{i},{1000 + i % 3}\n" for i in (1, 5, 2, 9)))
    (note,) = read_table(str(path)).notes
    assert note.endswith("If they should count: scale='minmax'.")
    assert command_words(note).endswith("If they should count: --scale minmax.")
