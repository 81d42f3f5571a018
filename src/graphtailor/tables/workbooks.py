"""The first sheet of an Excel workbook."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
from pandas.io.parsers import TextParser

from graphtailor.io.limits import Budget, clear_errors
from graphtailor.tables.source_table import RawTable, stem
from graphtailor.tables.unpacked_size import check_workbook

if TYPE_CHECKING:
    from openpyxl import Workbook

# Excel's own.
_MOST_ROWS = 1_048_576
# What a cell takes until it is in a column, an empty one too.
_BYTES_A_CELL = 32
# What Excel writes where a formula has no result.
_ERRORS = frozenset(
    {"#N/A", "#VALUE!", "#DIV/0!", "#REF!", "#NAME?", "#NUM!", "#NULL!"}
)


def read_excel(path: Path) -> RawTable:
    """Read the first sheet of an Excel workbook."""
    if path.suffix.lower() == ".xls":
        raise ValueError(f"DATA: {path} is of the old .xls format. Save it as .xlsx.")
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise ValueError(
            "DATA: Excel files need the package openpyxl: "
            "pip install 'graphtailor[excel]'."
        ) from error
    with clear_errors(lambda why: f"DATA: {path} is damaged or not Excel: {why}."):
        check_workbook(path)
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        try:
            rows = _rows(book, Budget(path))
            sheets = book.sheetnames
        finally:
            book.close()
        frame = _frame(rows)
    notes: tuple[str, ...] = ()
    if len(sheets) > 1:
        notes = (f"Only the first of {len(sheets)} sheets is read: {sheets[0]!r}.",)
    return RawTable(stem(path), frame, notes=notes)


def _rows(book: Workbook, budget: Budget) -> list[list[Any]]:
    """The cells of the first sheet up to the last one that is filled.

    Openpyxl gives an empty row for each that lies between two others, and a shared
    text is one object however often it stands there: so both are charged here.
    """
    sheet: Any = book.worksheets[0]
    sheet.reset_dimensions()
    rows: list[list[Any]] = []
    n_filled = widest = 0
    for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
        if number > _MOST_ROWS:
            raise ValueError(f"its first sheet has over {_MOST_ROWS:,} rows")
        row = [_value(value) for value in values]
        while row and row[-1] == "":
            row.pop()
        rows.append(row)
        n_filled = number if row else n_filled
        n_texts = sum(len(value) for value in row if isinstance(value, str))
        # The rows before become as wide as the widest.
        new = number * max(widest, len(row)) - (number - 1) * widest
        widest = max(widest, len(row))
        try:
            budget.spend(_BYTES_A_CELL * new + n_texts)
        except ValueError as error:
            place = f"row {number:,} and column {widest:,}"
            raise ValueError(f"its first sheet reaches to {place}: {error}") from None
    del rows[n_filled:]
    return [row + [""] * (widest - len(row)) for row in rows]


def _value(value: Any) -> Any:
    """A cell as pandas gives it: an empty one as text, a whole number as integer."""
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return math.nan if isinstance(value, str) and value in _ERRORS else value


def _frame(rows: list[list[Any]]) -> pd.DataFrame:
    if not rows:
        return pd.DataFrame()
    return TextParser(rows, header=0, na_values=["?"], skip_blank_lines=False).read()
