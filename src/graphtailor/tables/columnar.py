"""Tables in Parquet, Arrow, Feather and Excel files."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pandas as pd

from graphtailor.tables.raw import RawTable, stem


def read_parquet(path: Path) -> RawTable:
    """Read a Parquet file; an index that is no mere count holds the ids."""
    try:
        frame = pd.read_parquet(path)
    except (ValueError, OSError) as error:
        raise ValueError(f"DATA: {path} is damaged or not Parquet: {error}.") from error
    return _indexed(path, frame)


def read_arrow(path: Path) -> RawTable:
    """Read an Arrow file, also called Feather, or an Arrow stream."""
    import pyarrow as pa

    try:
        with pa.memory_map(str(path)) as file:
            try:
                frame = pa.ipc.open_file(file).read_pandas()
            except pa.ArrowInvalid:
                file.seek(0)
                frame = pa.ipc.open_stream(file).read_pandas()
    except (pa.ArrowException, ValueError, OSError) as error:
        raise ValueError(f"DATA: {path} is damaged or not Arrow: {error}.") from error
    return _indexed(path, frame)


def read_excel(path: Path) -> RawTable:
    """Read the first sheet of an Excel workbook."""
    if path.suffix.lower() == ".xls":
        raise ValueError(f"DATA: {path} is of the old .xls format. Save it as .xlsx.")
    try:
        with pd.ExcelFile(path, engine="openpyxl") as book:
            sheets = [str(name) for name in book.sheet_names]
            frame = pd.read_excel(book, sheet_name=0, na_values=["?"])
    except ImportError as error:
        raise ValueError(
            "DATA: Excel files need the package openpyxl: "
            "pip install 'graphtailor[excel]'."
        ) from error
    except (ValueError, KeyError, OSError, zipfile.BadZipFile) as error:
        raise ValueError(f"DATA: {path} is damaged or not Excel: {error}.") from error
    notes: tuple[str, ...] = ()
    if len(sheets) > 1:
        notes = (f"Only the first of {len(sheets)} sheets is read: {sheets[0]!r}.",)
    return RawTable(stem(path), frame, notes=notes)


def _indexed(path: Path, frame: pd.DataFrame) -> RawTable:
    if isinstance(frame.index, pd.RangeIndex):
        return RawTable(stem(path), frame)
    if frame.index.nlevels > 1:
        return RawTable(stem(path), frame.reset_index())
    index = str(frame.index.name or "index")
    values = frame.index.to_numpy()
    return RawTable(stem(path), frame.reset_index(drop=True), {index: values}, id=index)
