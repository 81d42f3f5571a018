"""A sheet of an OpenDocument spreadsheet, read after its XML was counted."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from graphtailor.io.limits import MOST_COLUMNS, Budget, clear_errors
from graphtailor.tables.source_table import RawTable, stem
from graphtailor.tables.workbooks import (
    BYTES_A_CELL,
    MOST_ROWS,
    check_workbook,
    refuse_sheet,
    table_of_sheets,
)

_NAMESPACES = "{urn:oasis:names:tc:opendocument:xmlns:%s:1.0}"
_TABLE, _OFFICE, _TEXT = (_NAMESPACES % each for each in ("table", "office", "text"))
_CELLS = (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell")


def read_ods(path: Path, sheet: str | None = None) -> RawTable:
    """Read a sheet: the named one, or the first with a table."""
    wrong = f"source: {path} is damaged or not an OpenDocument spreadsheet"
    with clear_errors(lambda why: f"{wrong}: {why}."):
        check_workbook(path)
        budget = Budget(path)
        with zipfile.ZipFile(path) as archive, archive.open("content.xml") as file:
            sheets = {name: _filled(rows) for name, rows in _sheets(file, budget)}
    if sheet is not None and sheet not in sheets:
        refuse_sheet(sheet, list(sheets))
    with clear_errors(lambda why: f"{wrong}: {why}."):
        frame, notes, first = table_of_sheets(sheets, sheet)
    return RawTable(stem(path), frame, notes=notes, first_row=first)


def _sheets(file: Any, budget: Budget) -> Iterator[tuple[str, list[list[Any]]]]:
    """Name and rows of every sheet; a row or a cell may stand for many equal ones."""
    rows: list[list[Any]] = []
    waiting = widest = 0
    for _, element in ElementTree.iterparse(file):
        if element.tag == f"{_TABLE}table-row":
            row = _row(element, budget)
            times = _repeated(element, "rows")
            if row:
                # Empty rows below the last filled one are often thousands.
                n_rows = len(rows) + waiting + times
                if n_rows > MOST_ROWS:
                    raise ValueError(f"a sheet has over {MOST_ROWS:,} rows")
                budget.spend(times * sum(map(_bytes, row)))
                # The rows before become as wide as the widest, and so does this one.
                cells = n_rows * max(widest, len(row)) - len(rows) * widest
                budget.spend(BYTES_A_CELL * cells)
                widest = max(widest, len(row))
                rows += [[] for _ in range(waiting)] + [row] * times
            waiting = 0 if row else waiting + times
            element.clear()
        elif element.tag == f"{_TABLE}table":
            yield str(element.get(f"{_TABLE}name")), rows
            rows, waiting, widest = [], 0, 0
            element.clear()


def _row(element: ElementTree.Element, budget: Budget) -> list[Any]:
    """The values of a row up to its last filled cell."""
    row: list[Any] = []
    waiting = 0
    for cell in element:
        if cell.tag not in _CELLS:
            continue
        value, times = _value(cell), _repeated(cell, "columns")
        if value == "":
            waiting += times
            continue
        if len(row) + waiting + times > MOST_COLUMNS:
            raise ValueError(f"a row has over {MOST_COLUMNS:,} cells")
        budget.spend(BYTES_A_CELL * waiting + _bytes(value) * times)
        row += [""] * waiting + [value] * times
        waiting = 0
    return row


def _bytes(value: Any) -> int:
    """What a cell takes: each of several equal texts is a text of its own later."""
    return BYTES_A_CELL + (len(value) if isinstance(value, str) else 0)


def _repeated(element: ElementTree.Element, what: str) -> int:
    return max(1, int(element.get(f"{_TABLE}number-{what}-repeated", 1)))


def _value(cell: ElementTree.Element) -> Any:
    """A number, a truth value, a date in ISO 8601, a text, or an empty one."""
    value = cell.get(f"{_OFFICE}value")
    if value is not None:
        number = float(value)
        return int(number) if number.is_integer() else number
    date = cell.get(f"{_OFFICE}date-value")
    if date is not None:
        return date.replace("T", " ")
    truth = cell.get(f"{_OFFICE}boolean-value")
    if truth is not None:
        return truth == "true"
    texts = ("".join(part.itertext()) for part in cell.iter(f"{_TEXT}p"))
    return "\n".join(texts).strip()


def _filled(rows: list[list[Any]]) -> list[list[Any]]:
    """Rows of the same length."""
    widest = max(map(len, rows), default=0)
    return [row + [""] * (widest - len(row)) for row in rows]
