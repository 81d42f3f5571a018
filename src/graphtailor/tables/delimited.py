"""Delimited text; how it is written is guessed."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd

from graphtailor.columns.messages import Message
from graphtailor.columns.parse_values import guess_decimal
from graphtailor.io.limits import MOST_COLUMNS, clear_errors
from graphtailor.tables.first_lines import FirstLines, first_lines, is_header
from graphtailor.tables.packed import is_compressed, open_unpacked
from graphtailor.tables.source_table import RawTable, stem

# What follows a delimiter at the end of each line.
_NO_COLUMN = "Unnamed: end"


def read_delimited(
    path: Path,
    *,
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
) -> RawTable:
    """Read a delimited text file: UTF-8, or what Windows writes; perhaps compressed.

    Delimiter, decimal mark and header are guessed from the first lines where they are
    None. Without a header columns are called f1, f2, ... Empty fields and those with
    ``NA``, ``NaN``, ``null`` or ``?`` are missing.
    """
    tab = "\t" if {".tsv", ".tab"} & {end.lower() for end in path.suffixes} else None
    with _clear_errors(path):
        lines = first_lines(path, delimiter or tab)
    notes = list(lines.notes)
    if header is None:
        header = is_header(path, lines.rows)
        if not header:
            notes.append("The first line is data: columns are called f1, f2, ...")
    with _clear_errors(path):
        how = _how(lines, header)
        frame = _read(path, decimal=decimal or ".", **how)
        if decimal is None:
            decimal = guess_decimal(frame[n] for n in frame if _is_text(frame[n]))
            if decimal == ",":
                frame = _read(path, decimal=",", **how)
                notes.append("Numbers are written with a decimal comma.")
    written = partial(_as_written, path, list(frame.columns), how)
    for name in _codes(frame, lines.rows[header:]):
        frame[name] = written(name, True)
    frame = frame.drop(columns=_NO_COLUMN, errors="ignore")
    return RawTable(
        stem(path),
        frame,
        decimal=decimal,
        notes=tuple(notes),
        first_row=lines.n_skipped + header + 1,
        as_written=written,
    )


@contextmanager
def _clear_errors(path: Path) -> Iterator[None]:
    with (
        clear_errors(
            lambda why: Message(
                "{source}: {path} could not be read as a table: {why}. Check the "
                "file, or name its delimiter with {delimiter}.",
                path=path,
                why=why,
            )
        ),
        warnings.catch_warnings(),
    ):
        # Of a line with more fields than columns pandas would lose the end.
        warnings.simplefilter("error", pd.errors.ParserWarning)
        try:
            yield
        except UnicodeDecodeError as error:
            raise ValueError(
                "it is not UTF-8 text. Save it as UTF-8, or as Parquet"
            ) from error


def _how(lines: FirstLines, header: bool) -> dict[str, Any]:
    """Options of pandas.read_csv."""
    names: list[str] | None = None
    width = max((len(row) for row in lines.rows), default=0)
    if width > MOST_COLUMNS:
        raise ValueError(f"it has {width:,} columns, over {MOST_COLUMNS:,}")
    if not header:
        names = [f"f{j + 1}" for j in range(width)]
    elif len(lines.rows) > 1 and len(lines.rows[0]) == len(lines.rows[1]) - 1:
        first = lines.rows[0]
        ends_open = all(not row[-1].strip() for row in lines.rows[1:])
        # A delimiter at the end of each line, or R's names of rows, which have none.
        names = [*first, _NO_COLUMN] if ends_open else ["Unnamed: 0", *first]
    how: dict[str, Any] = {
        "sep": r"\s+" if lines.delimiter == " " else lines.delimiter,
        "header": 0 if header else None,
        "encoding": lines.encoding,
        "skipinitialspace": True,
        "index_col": False,
        "na_values": ["?"],
        "skiprows": lines.n_skipped,
        # Rows that disagree about a column's type are settled once, not by chunks.
        "low_memory": False,
    }
    return how if names is None else {**how, "names": names}


def _codes(frame: pd.DataFrame, rows: list[list[str]]) -> list[str]:
    """Columns of integers that are written with leading zeros, as codes are."""
    return [
        str(name)
        for place, name in enumerate(frame.columns)
        if pd.api.types.is_integer_dtype(frame[name].dtype)
        and any(_CODE.fullmatch(row[place]) for row in rows if place < len(row))
    ]


_CODE = re.compile(r"\s*0[0-9]+\s*")


def _is_text(column: pd.Series) -> bool:
    return bool(pd.api.types.is_string_dtype(column.dtype))


def _as_written(
    path: Path, names: list[str], how: dict[str, Any], name: str, has_gaps: bool
) -> pd.Series:
    """Read one column as text, with its leading zeros; `has_gaps` keeps NA missing."""
    how = {**how, "usecols": [names.index(name)], "na_filter": has_gaps}
    with _clear_errors(path):
        return _read(path, dtype=str, **how).iloc[:, 0]


def _read(path: Path, **how: Any) -> pd.DataFrame:
    if not is_compressed(path):
        return pd.read_csv(path, **how)
    with open_unpacked(path) as file:
        return pd.read_csv(file, **how)
