"""What kills or fills the process that decodes a file is a line in this one."""

import sys
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet

from graphtailor.io import decoder_process
from graphtailor.io.arrow_decoder import plain_places
from graphtailor.io.decoder_process import decoded_apart
from graphtailor.tables import read_table

HERE = f"import sys; sys.path[:] = {sys.path!r}\n"


def test_a_file_that_makes_arrow_abort(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"day": [1.5, 2.5], "b": [3, 4]}), path)
    content = path.read_bytes()
    # The column may have gaps; now it may have none, which its statistics deny.
    path.write_bytes(content.replace(b"%\x02\x18\x03day", b"%\x00\x18\x03day"))
    assert path.read_bytes() != content
    with pytest.raises(ValueError, match=r"a\.parquet is damaged") as error:
        read_table(str(path))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("import os; os.abort()", "ends the process that decodes it"),
        ("sys.stdout.write('x' * 10**6); sys.stdout.flush(); 1 / 0", "ends the proc"),
        ("sys.stderr.write('x' * 10**6); sys.exit(3)", r"\(exit code 3\)"),
        ("sys.exit(0)", "."),
    ],
)
def test_a_child_that_dies_or_talks_nonsense(
    end: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.feather").write_bytes(b"")
    monkeypatch.setattr(decoder_process, "_CALL", "import sys\n" + end + "#{}{}")
    with pytest.raises(ValueError, match=rf"a\.feather is damaged or not.*{words}"):
        read_table(str(tmp_path / "a.feather"))


def test_a_child_has_little_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("resource")
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"a": [1.5, 2.5]}), path)
    call = HERE + "from graphtailor.io import decoder_process as d\n"
    call += "d._DECODERS['parquet'] = lambda path: bytes(5 * 10**9)\nd.main(*{}, *{})"
    call = call.format("sys.argv[1:]", "()").replace("{", "{{").replace("}", "}}")
    monkeypatch.setattr(decoder_process, "_CALL", call + "#{}{}")
    with pytest.raises(ValueError, match="more than there is memory for"):
        decoded_apart(path, "parquet")


def test_a_module_in_the_current_folder_is_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "pyarrow.py").write_text("open('hacked', 'w')")
    (tmp_path / "signal.py").write_text("open('hacked', 'w')")
    parquet.write_table(pa.table({"a": [1.5, 2.5]}), tmp_path / "a.parquet")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert decoded_apart(Path("a.parquet"), "parquet")[0] == 2
    assert not Path("hacked").exists()


@pytest.mark.parametrize("form", ["parquet", "arrow"])
def test_all_kinds_of_columns_arrive(form: str, tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "number": [1.5, None, 2.5],
            "text": ["a", None, "a"],
            "category": pd.Categorical(["x", "y", "x"]),
            "day": pd.to_datetime(["2020-01-01", None, "2021-01-01"]),
            "list": [[1, 2], [], [3]],
            "bytes": [b"1", b"2", b"3"],
        }
    )
    table = pa.Table.from_pandas(frame)
    path = tmp_path / "a"
    if form == "parquet":
        parquet.write_table(table, path, row_group_size=2)
    else:
        with pa.ipc.new_file(path, table.schema) as file:
            file.write_table(table, max_chunksize=2)
    n_rows, schema, batches = decoded_apart(path, form)
    assert n_rows == 3
    assert schema.names == table.schema.names
    assert plain_places(schema) == [0, 1, 2, 3, 4]
    whole = pa.Table.from_batches(batches)
    assert whole.to_pydict() == table.select(range(5)).to_pydict()


def test_a_table_without_rows_or_without_plain_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"a": [b"1", b"2"]}), path)
    assert decoded_apart(path, "parquet")[0::2] == (2, [])
    parquet.write_table(pa.table({"a": pa.array([], pa.string())}), path)
    n_rows, schema, batches = decoded_apart(path, "parquet")
    assert (n_rows, schema.names) == (0, ["a"])
    assert sum(batch.num_rows for batch in batches) == 0
    with pytest.raises(ValueError, match=r"a\.parquet has no rows"):
        read_table(str(path))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_every_kind_of_text_is_read(kind: pa.DataType, tmp_path: Path) -> None:
    texts = pa.array(["ash", "oak", None, "oak"] * 5, kind)
    table = pa.table({"text": texts, "number": pa.array([1.5, 2, 3, 7.5, 2] * 4)})
    parquet.write_table(table, tmp_path / "a.parquet")
    with pa.ipc.new_file(tmp_path / "a.feather", table.schema) as file:
        file.write_table(table)
    for name in ("a.parquet", "a.feather"):
        columns = read_table(str(tmp_path / name)).columns
        assert columns[0].levels == ("oak", "ash")
