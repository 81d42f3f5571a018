"""CSV and its relatives: guess the delimiter, read, distrust a numeric header."""

from __future__ import annotations

import csv
import gzip
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

_DELIMITERS = (",", ";", "\t", "|")
_LINES_LOOKED_AT = 50


def read_delimited(
    path: Path,
    *,
    delimiter: str | None = None,
    decimal: str = ".",
    header: bool = True,
    as_text: str | None = None,
) -> pd.DataFrame:
    """Read a delimited text file.

    Parameters
    ----------
    path : Path
        The file, UTF-8, perhaps compressed by gzip.
    delimiter : str or None, default=None
        One character; guessed from the first lines if None.
    decimal : str, default="."
        Decimal mark.
    header : bool, default=True
        Whether the first line holds the names of the columns. Without, they are
        called f1, f2, ...
    as_text : str or None, default=None
        A column to keep as it is written, leading zeros included.

    Returns
    -------
    DataFrame
        Empty fields and those with ``NA``, ``NaN``, ``null`` or ``?`` are missing.
    """
    try:
        lines = _first_lines(path)
        delimiter = delimiter or guess_delimiter(lines)
        if header:
            _check_header(path, next(csv.reader(lines, delimiter=delimiter), []))
        how: dict[str, Any] = {
            "sep": delimiter,
            "header": 0 if header else None,
            "encoding": "utf-8-sig",
            "skipinitialspace": True,
            "index_col": False,
        }
        frame = pd.read_csv(path, decimal=decimal, na_values=["?"], **how)
        if not header:
            frame.columns = [f"f{j + 1}" for j in range(frame.shape[1])]
        if as_text in frame.columns:
            place = frame.columns.get_loc(as_text)
            text = pd.read_csv(path, usecols=[place], dtype=str, na_filter=False, **how)
            frame[as_text] = text.iloc[:, 0]
    except UnicodeDecodeError as error:
        raise ValueError(
            f"DATA: {path} is not UTF-8 text. Save it as UTF-8, or as Parquet."
        ) from error
    except (pd.errors.ParserError, pd.errors.EmptyDataError, csv.Error) as error:
        raise ValueError(
            f"DATA: {path} could not be read as a table: {str(error).strip()}. Check "
            "the file, or name its delimiter with --delimiter."
        ) from error
    return frame


def guess_delimiter(lines: list[str]) -> str:
    r"""The delimiter that cuts all lines into the same, largest number of fields.

    Examples
    --------
    >>> guess_delimiter(["a;b;c", "1,5;2;3"])
    ';'
    >>> guess_delimiter(["x", "1"])
    ','
    """
    widths = {}
    for delimiter in _DELIMITERS:
        counts = {len(row) for row in csv.reader(lines, delimiter=delimiter) if row}
        widths[delimiter] = counts.pop() if len(counts) == 1 else 0
    best = max(_DELIMITERS, key=lambda delimiter: widths[delimiter])
    return best if widths[best] > 1 else ","


def _first_lines(path: Path) -> list[str]:
    opener: Any = gzip.open if path.suffix.lower() == ".gz" else open
    with opener(path, "rt", encoding="utf-8-sig", newline="") as file:
        return [line for line in islice(file, _LINES_LOOKED_AT) if line.strip()]


def _check_header(path: Path, names: list[str]) -> None:
    numbers = [number for number in map(_as_number, names) if number is not None]
    counted = [float(first + k) for first in (0, 1) for k in range(len(names))]
    is_count = numbers in (counted[: len(names)], counted[len(names) :])
    if len(numbers) * 2 > len(names) and not is_count:
        shown = ", ".join(names[:4])
        raise ValueError(
            f"DATA: the first line of {path} ({shown}, ...) looks like data, not like "
            "names of columns. Give --no-header if it is data, or put names on top."
        )


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
