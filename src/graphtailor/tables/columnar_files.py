"""Tables in Parquet, Arrow, Feather and Excel files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd

from graphtailor.io.limits import MOST_COLUMNS, clear_errors, file_size, refuse_bomb
from graphtailor.tables.source_table import RawTable, stem
from graphtailor.tables.workbooks import check_workbook

# What a value takes at least in a frame.
_BYTES_A_VALUE = 8


def read_parquet(path: Path) -> RawTable:
    """Read a Parquet file; an index that is no mere count holds the ids."""
    with clear_errors(lambda why: f"DATA: {path} is damaged or not Parquet: {why}."):
        return _indexed(path, parquet_frame(path))


def parquet_frame(path: Path) -> pd.DataFrame:
    """The table in a Parquet file, unless it is absurdly large for its file."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        _check_size(path, file.metadata.num_rows, file.metadata.num_columns)
        # A text that is none would be noticed much later, by whoever looks at it.
        for number in range(file.num_row_groups):
            file.read_row_group(number).validate(full=True)
    return pd.read_parquet(path)


def read_arrow(path: Path) -> RawTable:
    """Read an Arrow file, also called Feather, or an Arrow stream."""
    import pyarrow as pa

    with (
        clear_errors(lambda why: f"DATA: {path} is damaged or not Arrow: {why}."),
        pa.memory_map(str(path)) as file,
    ):
        try:
            table = pa.ipc.open_file(file).read_all()
        except pa.ArrowInvalid:
            file.seek(0)
            table = pa.ipc.open_stream(file).read_all()
        _check_size(path, table.num_rows, table.num_columns)
        # Arrow believes the places of texts that a file names; wrong ones crash it.
        table.validate(full=True)
        return _indexed(path, table.to_pandas())


def _check_size(path: Path, n_rows: int, n_columns: int) -> None:
    if n_rows < 0 or n_columns > MOST_COLUMNS:
        raise ValueError(f"it says it has {n_rows:,} rows and {n_columns:,} columns")
    refuse_bomb(file_size(path), n_rows * n_columns * _BYTES_A_VALUE)


def read_excel(path: Path) -> RawTable:
    """Read the first sheet of an Excel workbook."""
    if path.suffix.lower() == ".xls":
        raise ValueError(f"DATA: {path} is of the old .xls format. Save it as .xlsx.")
    _need_openpyxl()
    with clear_errors(lambda why: f"DATA: {path} is damaged or not Excel: {why}."):
        check_workbook(path)
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheets = [str(name) for name in book.sheet_names]
            frame: Any = pd.read_excel(book, sheet_name=0, na_values=["?"])
    notes: tuple[str, ...] = ()
    if len(sheets) > 1:
        notes = (f"Only the first of {len(sheets)} sheets is read: {sheets[0]!r}.",)
    return RawTable(stem(path), frame, notes=notes)


def _need_openpyxl() -> None:
    try:
        import openpyxl  # noqa: F401
    except ImportError as error:
        raise ValueError(
            "DATA: Excel files need the package openpyxl: "
            "pip install 'graphtailor[excel]'."
        ) from error


def _indexed(path: Path, frame: pd.DataFrame) -> RawTable:
    if isinstance(frame.index, pd.RangeIndex):
        return RawTable(stem(path), frame)
    if frame.index.nlevels > 1:
        return RawTable(stem(path), frame.reset_index())
    index = str(frame.index.name or "index")
    values = frame.index.to_numpy()
    return RawTable(stem(path), frame.reset_index(drop=True), {index: values}, id=index)
