"""Files made by an enemy are refused before they cost memory, and nothing runs."""

import bz2
import gzip
import io
import json
import lzma
import pickle
import sqlite3
import stat
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet
from scipy import sparse
from sklearn.datasets import make_blobs

from graphtailor import JointModel
from graphtailor.bench import (
    Store,
    export,
    load_plan,
    opened_results,
    parse_plan,
    run_plan,
)
from graphtailor.bench.store.store import unpack_labels
from graphtailor.cli.app import run
from graphtailor.datasets import load_dataset
from graphtailor.io.arrow_decoder import decode_parquet
from graphtailor.io.models import load_model, save_model
from graphtailor.tables import read_table
from graphtailor.tables.first_lines import guess_delimiter

X = make_blobs(40, n_features=4, centers=3, random_state=1)[0]


@pytest.fixture(autouse=True)
def little_memory() -> object:
    """An array of a gigabyte would end a test: what is refused is never allocated."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    size = int(Path("/proc/self/statm").read_text().split()[0])
    most = size * resource.getpagesize() + 10**9
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)


def npy(shape: str, descr: str = "'<f8'", content: bytes = bytes(64)) -> bytes:
    """An npy file with any header."""
    head = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}"
    head = head.ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode() + content


def archive(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(name, content)
    return path


@pytest.fixture
def low_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mebibyte is allowed in any case: bombs need not be large to be tested."""
    monkeypatch.setattr("graphtailor.io.limits.ALWAYS_UNPACKED", 2**20)


HEADERS = {
    "objects": (npy("(1,)", "'|O'"), "Python objects"),
    "huge": (npy("(1152921504606846976, 8)"), "its header says shape"),
    "larger than it is": (npy("(100, 100)"), "80,000 bytes, and there are 64"),
    "negative": (npy("(-1, 8)"), "impossible"),
    "code": (npy("(__import__('os').system('touch hacked'),)"), "header"),
    "deep": (npy("(" + "-" * 9000 + "1,)"), ""),
    "empty and absurd": (npy("(0, 1000000000000)"), "absurd"),
    "nothing a value": (npy("(1000000000000, 5)", "'|V0'"), "absurd"),
    "huge type": (npy("(2, 2)", "'<U500000000'"), "its header says shape"),
    "long header": (npy("(" + "1," * 20000 + ")"), "header"),
}


@pytest.mark.parametrize("kind", HEADERS)
def test_headers_that_lie(kind: str, tmp_path: Path) -> None:
    content, words = HEADERS[kind]
    if len(content) > 2**16:
        content = content[:8] + struct.pack("<H", 2**16 - 1) + content[10:]
    elif len(content) > 300:
        head = content.index(b"\n") + 1
        content = content[:8] + struct.pack("<H", head - 10) + content[10:]
    (tmp_path / "a.npy").write_bytes(content)
    with pytest.raises(ValueError, match=r"a\.npy is damaged") as error:
        read_table(str(tmp_path / "a.npy"))
    assert words in str(error.value)
    path = archive(tmp_path / "msra.npz", {"X.npy": content, "y.npy": npy("(8,)")})
    for load in LOADERS:
        with pytest.raises(ValueError, match=r"msra\.npz is damaged"):
            load(path)
    assert not Path("hacked").exists()


LOADERS: list[Callable[[Path], object]] = [
    lambda path: read_table(str(path)),
    lambda path: load_dataset("msra", data_home=path.parent),
    load_model,
]


@pytest.mark.parametrize("load", LOADERS, ids=["table", "data set", "model"])
def test_zip_bombs(
    load: Callable[[Path], object], tmp_path: Path, low_limit: None
) -> None:
    head = npy("(5000000, 1)", content=b"")
    path = archive(tmp_path / "msra.npz", {"X.npy": head + bytes(40_000_000)})
    assert path.stat().st_size < 100_000
    with pytest.raises(ValueError, match=r"msra\.npz .*unpack to 0\.0 GB .*bomb"):
        load(path)


def test_an_archive_that_says_it_is_large_is_not_even_opened(tmp_path: Path) -> None:
    path = archive(tmp_path / "msra.npz", {"X.npy": npy("(268435456, 1)")})
    content = path.read_bytes()
    size = struct.pack("<I", len(npy("(268435456, 1)")))
    path.write_bytes(content.replace(size, struct.pack("<I", 2**31)))
    for load in LOADERS:
        with pytest.raises(ValueError, match=r"msra\.npz .*unpack to 2\.1 GB .*bomb"):
            load(path)


def test_what_compresses_well_is_no_bomb(tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    np.savez_compressed(path, X=np.zeros((10**6, 2)))
    assert path.stat().st_size < 16 * 10**6 / 200
    assert read_table(str(path), scale="none").X.shape == (10**6, 2)


@pytest.mark.parametrize("name", ["../../x.npy", "/x.npy", "a\\..\\x.npy", "C:/x.npy"])
def test_names_that_point_outside(name: str, tmp_path: Path) -> None:
    path = archive(tmp_path / "msra.npz", {name: npy("(4, 2)")})
    for load in LOADERS:
        with pytest.raises(ValueError, match="points outside"):
            load(path)


def test_links_doubles_and_other_entries(tmp_path: Path) -> None:
    path = tmp_path / "msra.npz"
    link = zipfile.ZipInfo("X.npy")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(link, "/etc/passwd")
    with pytest.raises(ValueError, match="is a link"):
        read_table(str(path))
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("X.npy", npy("(4, 2)"))
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("X.npy", npy("(4, 2)"))
    with pytest.raises(ValueError, match="one name"):
        read_table(str(path))
    archive(path, {"X.txt": b"1 2"})
    with pytest.raises(ValueError, match="not an array"):
        read_table(str(path))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as file:
        file.writestr("X.npy", npy("(4, 2)"))
    with pytest.raises(ValueError, match="unknown way"):
        read_table(str(path))
    archive(path, {f"{i}.npy": b"" for i in range(10_001)})
    with pytest.raises(ValueError, match="10,001 entries"):
        read_table(str(path))


class Hack:
    """Touches a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.path,)


def test_no_pickle_is_ever_loaded(tmp_path: Path) -> None:
    text = pickle.dumps(Hack(tmp_path / "hacked"))
    objects = io.BytesIO()
    np.save(objects, np.array([Hack(tmp_path / "hacked")], dtype=object))
    contents = {"pickle": text, "objects": objects.getvalue()}
    for number, content in enumerate(contents.values()):
        for ending in ("npy", "npz", "parquet", "feather", "xlsx"):
            path = tmp_path / f"{number}.{ending}"
            path.write_bytes(content)
            with pytest.raises(ValueError, match=path.name):
                read_table(str(path))
        inside = archive(tmp_path / "msra.npz", {"header.npy": content, "X.npy": text})
        for load in LOADERS:
            with pytest.raises(ValueError, match=r"msra\.npz"):
                load(inside)
    assert not (tmp_path / "hacked").exists()
    np.load(io.BytesIO(objects.getvalue()), allow_pickle=True)
    assert (tmp_path / "hacked").exists()  # it would have worked


@pytest.mark.parametrize("form", ["csr", "csc", "bsr", "coo", "dia"])
def test_sparse_matrices_point_nowhere_else(form: str, tmp_path: Path) -> None:
    path = tmp_path / "a.npz"
    matrix = sparse.csr_array(np.where(X > 0, X, 0)).asformat(form)
    sparse.save_npz(path, matrix)
    found = read_table(str(path)).X
    np.testing.assert_array_equal(found.toarray(), matrix.toarray())
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["shape"] = np.array([2**40, 2])
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=r"a\.npz"):
        read_table(str(path))
    places = {"coo": "col", "dia": "offsets"}.get(form, "indices")
    arrays |= {"shape": np.array(X.shape), places: arrays[places].copy()}
    arrays[places][0] = 10**6
    np.savez(path, **arrays)
    if form == "dia":  # a diagonal outside has no entries
        assert read_table(str(path)).X.shape == X.shape
        return
    with pytest.raises(ValueError, match=r"a\.npz is damaged"):
        read_table(str(path))


@pytest.mark.parametrize("ending", ["gz", "bz2", "xz"])
def test_compressed_text_that_grows(
    ending: str, tmp_path: Path, low_limit: None
) -> None:
    path = tmp_path / f"a.csv.{ending}"
    opened = {"gz": gzip.open, "bz2": bz2.open, "xz": lzma.open}[ending]
    with opened(path, "wb") as file:
        file.write(b"a,b\n1,2\n")
        file.write(b"0,0\n" * 2**20)
    with pytest.raises(ValueError, match=rf"a\.csv\.{ending} .*taken for a bomb"):
        read_table(str(path))


def test_a_line_of_a_million_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(",".join(["1"] * 1_000_002) + "\n")
    with pytest.raises(ValueError, match="1,000,002 columns"):
        read_table(str(path))
    np.save(tmp_path / "a.npy", np.zeros((1, 1_000_001), dtype=np.int8))
    with pytest.raises(ValueError, match="1,000,001 columns"):
        read_table(str(tmp_path / "a.npy"))


def test_a_wide_line_is_no_long_field() -> None:
    """Uncut by the other delimiters it is longer than a field may be."""
    line = ",".join(["123456"] * 30_000)
    assert guess_delimiter([line, line]) == ","


def test_a_column_with_both_infinite_and_missing_values(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a,b\ninf,1.5\n,2.5\n3.5,4\n4,5.5\n")
    with pytest.raises(ValueError, match=r"a\.csv: infinite values in 'a'"):
        read_table(str(path))


def test_predicting_with_a_damaged_blocks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.npz"
    model = JointModel(3, n_init=1, random_state=0).fit(X)
    save_model(model, path)
    rewrite(path, lambda header, _: header.update(notes={"blocks": {}}))
    np.save(tmp_path / "X.npy", X)
    assert run(["predict", str(path), str(tmp_path / "X.npy")]) == 2
    assert "model.npz is damaged: model.notes.blocks lacks" in capsys.readouterr().err


def workbook(path: Path, part: str, change: Callable[[str], str]) -> Path:
    pd.DataFrame(X[:5], columns=list("abcd")).to_excel(path, index=False)
    with zipfile.ZipFile(path) as file:
        parts = {name: file.read(name) for name in file.namelist()}
    parts[part] = change(parts[part].decode()).encode()
    return archive(path, parts)


SHEET = "xl/worksheets/sheet1.xml"


def test_workbook_with_entities(tmp_path: Path) -> None:
    lines = "".join(f'<!ENTITY b{i} "{f"&b{i - 1};" * 10}">' for i in range(1, 10))
    laughs = f'<!DOCTYPE x [<!ENTITY b0 "ha">{lines}]>'
    for part in (SHEET, "xl/workbook.xml", "[Content_Types].xml"):
        path = workbook(
            tmp_path / "a.xlsx",
            part,
            lambda text: (
                laughs + text.partition("?>")[2] if "?>" in text else laughs + text
            ),
        )
        with pytest.raises(ValueError, match=r"a\.xlsx .*document type"):
            read_table(str(path))


def test_workbook_with_a_cell_far_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = '<row r="9999"><c r="XFD9999"><v>1</v></c></row></sheetData>'
    path = workbook(
        tmp_path / "a.xlsx", SHEET, lambda text: text.replace("</sheetData>", far)
    )
    with pytest.raises(ValueError, match=r"row 9,999 and column 16,384"):
        read_table(str(path))
    path = workbook(
        path, SHEET, lambda text: text.replace('<row r="2"', '<row r="99999999999"')
    )
    monkeypatch.setattr("graphtailor.tables.workbooks.MOST_ROWS", 9999)
    with pytest.raises(ValueError, match=r"over 9,999 rows"):
        read_table(str(path))
    wide = '<dimension ref="A1:XFD1048576"'
    path = workbook(
        path, SHEET, lambda text: text.replace('<dimension ref="A1:D6"', wide)
    )
    assert read_table(str(path)).X.shape == (5, 4)


def test_columns_that_no_feature_is_made_of_are_not_decoded(tmp_path: Path) -> None:
    """The bytes and the lists of nothing would take gigabytes."""
    n = 200
    bytes_once = pa.array([b"x" * 10**6])
    zeros = pa.array(np.zeros(n, np.int32))
    columns = {
        "number": pa.array(np.arange(n) % 7 / 2),
        "bytes": pa.DictionaryArray.from_arrays(zeros, bytes_once),
        "pair": pa.StructArray.from_arrays([zeros, zeros], ["first", "second"]),
        "other": pa.array(np.arange(n) % 5 / 3),
    }
    table = pa.table(columns)
    parquet.write_table(table, tmp_path / "a.parquet", compression="zstd")
    nothing = pa.Array.from_buffers(pa.null(), n * 10**7, [None])
    lists = pa.FixedSizeListArray.from_arrays(nothing, 10**7)
    with pa.ipc.new_file(
        tmp_path / "a.feather", table.append_column("empty", lists).schema
    ) as file:
        file.write_table(table.append_column("empty", lists))
    for name in ("a.parquet", "a.feather"):
        found = read_table(str(tmp_path / name))
        assert list(found.X.columns) == ["number", "other"]
        kinds = {column.name: column.treatment for column in found.columns}
        assert list(kinds)[:4] == ["number", "bytes", "pair", "other"]
        assert kinds["bytes"] == "left out: holds bytes or other objects"


def test_sizes_in_the_footer_of_parquet_are_not_believed(
    tmp_path: Path, low_limit: None
) -> None:
    path = tmp_path / "a.parquet"
    table = pa.table({"a": ["x" * 1000] * 4000})
    parquet.write_table(table, path, compression="zstd", use_dictionary=False)
    size = parquet.read_metadata(path).row_group(0).column(0).total_uncompressed_size
    content = path.read_bytes()
    begin = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    footer = content[begin:].replace(_zigzag(size), _zigzag(1_100_000))
    path.write_bytes(content[:begin] + footer)
    chunk = parquet.read_metadata(path).row_group(0).column(0)
    assert chunk.total_uncompressed_size == 1_100_000
    with pytest.raises(ValueError, match=r"unpack to 2,.*bomb"):
        decode_parquet(path)


@pytest.mark.parametrize("key", ["pandas", "PANDAS_ATTRS"])
def test_json_in_tables_that_is_nested_without_end(key: str, tmp_path: Path) -> None:
    nested = "[" * 100_000 + "]" * 100_000
    table = pa.table({"a": [1.5, 2.5, 4]}, metadata={key: nested})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pa.ipc.new_file(tmp_path / "a.feather", table.schema) as file:
        file.write_table(table)
    for name in ("a.parquet", "a.feather"):
        with pytest.raises(ValueError, match=rf"{name} is damaged.*recursion"):
            read_table(str(tmp_path / name))


def _zigzag(value: int) -> bytes:
    """A number as Thrift writes it in a Parquet file."""
    value, found = 2 * value, bytearray()
    while value >= 128:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def test_memory_that_runs_out_after_the_file_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise pa.ArrowMemoryError("malloc of size 8000000000 failed")

    module = sys.modules["graphtailor.tables.read_table"]
    monkeypatch.setattr(module, "as_frame", full)
    (tmp_path / "a.csv").write_text("a,b\n1,2\n3,4\n")
    with pytest.raises(ValueError, match=r"a\.csv: .*more than there is memory for"):
        read_table(str(tmp_path / "a.csv"))


def test_parquet_with_a_text_that_is_none(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    names = pd.DataFrame({"name": ["row one", "row two"], "x": [1.0, 2.0]})
    names.to_parquet(path, compression=None)
    path.write_bytes(path.read_bytes().replace(b"row two", b"row\xff\xfe\xf0o"))
    with pytest.raises(ValueError, match=r"a\.parquet is damaged.*UTF8"):
        read_table(str(path))


def test_parquet_and_arrow_with_absurdly_many_rows(
    tmp_path: Path, low_limit: None
) -> None:
    path = tmp_path / "a.parquet"
    rows = pa.DictionaryArray.from_arrays(pa.array(np.zeros(10**6, np.int8)), ["x"])
    parquet.write_table(pa.table({f"c{i}": rows for i in range(10)}), path)
    assert path.stat().st_size < 100_000
    with pytest.raises(ValueError, match=r"unpack to 0\.1 GB .*bomb"):
        decode_parquet(path)
    path = tmp_path / "a.feather"
    with pa.ipc.new_file(path, pa.schema({"a": pa.null()})) as file:
        nothing = pa.Array.from_buffers(pa.null(), 2**31 - 1, [None])
        file.write_batch(pa.record_batch([nothing], ["a"]))
    with pytest.raises(ValueError, match=r"a\.feather .*17\.2 GB"):
        read_table(str(path))


def test_arrow_texts_that_lie_outside(tmp_path: Path) -> None:
    path = tmp_path / "a.feather"
    with pa.ipc.new_file(path, pa.schema({"a": pa.string()})) as file:
        file.write_batch(pa.record_batch([pa.array(["a", "bcdefgh"])], ["a"]))
    right, wrong = (np.array([0, 1, n], dtype=np.int32).tobytes() for n in (8, 2**30))
    content = path.read_bytes()
    assert content.count(right) == 1
    path.write_bytes(content.replace(right, wrong))
    with pytest.raises(ValueError, match=r"a\.feather is damaged"):
        read_table(str(path))


def rewrite(path: Path, change: Callable[[dict, dict], None]) -> None:
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    header = json.loads(arrays.pop("header").tobytes())
    change(header, arrays)
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, header=text, **arrays)


def _twin_rows_without_number(header: dict, arrays: dict) -> None:
    arrays["state.rows"][:2] = np.nan


def _method(header: dict, arrays: dict) -> None:
    header["state"]["$dict"]["predict"] = 1


def _class(header: dict, arrays: dict) -> None:
    header["state"]["$dict"]["__class__"] = 1


def _scaler_method(header: dict, arrays: dict) -> None:
    header["state"]["$dict"]["scaler"]["$dict"]["transform"] = 1


def _wide_indicator(header: dict, arrays: dict) -> None:
    arrays["state.indicator"] = np.ones((40, 99))


def _narrow_samples(header: dict, arrays: dict) -> None:
    arrays["state.rows"] = arrays["state.rows"][:, :1].copy()


def _text_samples(header: dict, arrays: dict) -> None:
    arrays["state.rows"] = arrays["state.rows"].astype(str)


def _short_scale(header: dict, arrays: dict) -> None:
    arrays["state.graph.fitted._sample_scale"] = np.ones(3)


def _solver(header: dict, arrays: dict) -> None:
    header["parameters"]["$dict"]["solver"] = "no such solver"


def _no_clusters(header: dict, arrays: dict) -> None:
    header["parameters"]["$dict"]["n_clusters"] = -1


@pytest.mark.parametrize(
    "change",
    [
        _twin_rows_without_number,
        _method,
        _class,
        _scaler_method,
        _wide_indicator,
        _narrow_samples,
        _text_samples,
        _short_scale,
        _solver,
        _no_clusters,
    ],
    ids=lambda change: change.__name__,
)
def test_models_whose_parts_do_not_fit(
    change: Callable[[dict, dict], None], tmp_path: Path
) -> None:
    path = tmp_path / "model.npz"
    save_model(JointModel(3, n_init=1, random_state=0).fit(X), path)
    rewrite(path, change)
    with pytest.raises(ValueError, match=r"model\.npz is damaged"):
        load_model(path)


def test_model_header_too_deep_or_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "model.npz"
    text = b"[" * 100_000
    np.savez(path, header=np.frombuffer(text, dtype=np.uint8))
    with pytest.raises(ValueError, match=r"model\.npz"):
        load_model(path)
    monkeypatch.setattr("graphtailor.io.models.MOST_MODEL_HEADER", 1000)
    with pytest.raises(ValueError, match="its header has"):
        load_model(path)


PLANS = {
    "deep": ("a = " + "[" * 5000, "not a TOML file"),
    "seeds": ("[seeds]\nreport = { first = 0, count = 10000000000 }", "at most"),
    "seed types": (
        "[seeds]\nreport = { first = 0, count = 'x' }",
        "not like { first = 0",
    ),
    "methods": ("methods = 5", "methods is 5, not a list of names"),
    "names": ("methods = [[1]]", "methods is [[1]], not a list of names"),
    "limits": ("[limits]\nseconds = 'x'", "not a number"),
    "grid": (
        "[method.PCA.grid]\n" + "\n".join(f"a{i} = [1, 2, 3]" for i in range(30)),
        "settings. Take at most",
    ),
    "data": ("[data]\nmine = 5", "data.mine is 5, not an object"),
    "not text": ("\x00", "not a TOML file"),
}


@pytest.mark.parametrize("kind", PLANS)
def test_plans(kind: str, tmp_path: Path) -> None:
    text, words = PLANS[kind]
    path = tmp_path / "plan.toml"
    start = 'methods = ["PCA"]\n' if "methods" not in text else ""
    path.write_text(f'{start}datasets = ["iris"]\n{text}')
    with pytest.raises(ValueError, match=r"plan\.toml") as error:
        load_plan(path)
    assert words in str(error.value)


def test_a_plan_too_long_to_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphtailor.bench.plan.parse.MOST_PLAN", 10)
    (tmp_path / "plan.toml").write_text('methods = ["PCA"]')
    with pytest.raises(ValueError, match="over 10 bytes"):
        load_plan(tmp_path / "plan.toml")


def test_packed_labels_that_grow(low_limit: None) -> None:
    content = b"h" + zlib.compress(bytes(2**24), 9)
    with pytest.raises(ValueError, match="absurdly many"):
        unpack_labels(content)


def test_a_store_with_views_and_triggers(tmp_path: Path) -> None:
    with Store(tmp_path) as store:
        path = store.path
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    with sqlite3.connect(path) as db:
        db.execute("ALTER TABLE runs RENAME TO old")
        db.execute(f"CREATE VIEW runs AS {endless} SELECT * FROM old, n")
    db.close()
    with pytest.raises(ValueError, match="are not those of a benchmark"):
        Store(path)


def test_results_of_others_import_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A plan names code by "module:function"; a report runs none of it."""
    (tmp_path / "evil.py").write_text(
        "open('hacked', 'w').close()\ndef f(a, b): return 1"
    )
    seeds = {"report": {"first": 100, "count": 1}}
    plan = parse_plan({"methods": ["PCA"], "datasets": ["iris"], "seeds": seeds})
    with Store(tmp_path) as store:
        run_plan(plan, store, jobs=1)
        session = store.last_session()
        text = session.plan.replace('"ACC"', '"evil:f"')
        store.begin_session(replace(session, plan=text))
        export(store, tmp_path / "runs.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for results in ("bench.sqlite", "runs.parquet"):
        assert run(["report", results]) == 2
        told = " ".join(capsys.readouterr().err.split())
        assert "evil:f" in told
        assert results in told
    assert not (tmp_path / "hacked").exists()
    with (
        pytest.raises(ValueError, match=r"a\.parquet"),
        opened_results(_garbage(tmp_path / "a.parquet")),
    ):
        pass


def _garbage(path: Path) -> Path:
    path.write_bytes(b"PAR1" + bytes(100) + b"PAR1")
    return path
