"""A sheet of an Excel workbook, read after its XML was counted."""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn
from xml.parsers import expat

import pandas as pd
from pandas.io.parsers import TextParser

from graphtailor.columns.messages import Message, did_you_mean, listed
from graphtailor.io.limits import Budget, clear_errors, file_size
from graphtailor.io.npz import checked_entries
from graphtailor.tables.source_table import (
    RawTable,
    count_titles,
    notes_on_titles,
    stem,
)

if TYPE_CHECKING:
    from openpyxl import Workbook


# Excel's own.
MOST_ROWS = 1_048_576
# What a cell takes until it is in a column, an empty one too.
BYTES_A_CELL = 32
# What Excel writes where a formula has no result.
_ERRORS = frozenset(
    {"#N/A", "#VALUE!", "#DIV/0!", "#REF!", "#NAME?", "#NUM!", "#NULL!"}
)

# What openpyxl needs for an element of XML: little for a part of a cell or a string,
# much for a style, a name or a sheet, which become objects that stay.
_CELL_TAGS = frozenset({"row", "c", "v", "f", "is", "t", "si"})
# The same in OpenDocument.
_ODS_TAGS = frozenset({"table-row", "table-cell", "covered-table-cell", "p", "span"})
_FONT_TAGS = frozenset(
    {"r", "rPr", "rFont", "b", "i", "u", "strike", "sz", "color", "family"}
    | {"charset", "scheme", "vertAlign", "rPh", "phoneticPr"}
)
_BYTES_AN_ELEMENT = 100
_MOST_OTHER_ELEMENTS = 300_000
# A list of ranges becomes an object for each, and "A1 " is the shortest.
_BYTES_A_RANGE_LETTER = 200
# Openpyxl looks for the size of each sheet, perhaps up to the end of its part.
_BYTES_AN_ELEMENT_OF_A_SHEET = 10
_CHUNK = 1 << 20


def read_excel(path: Path, sheet: str | None = None) -> RawTable:
    """Read a sheet of an Excel workbook: the named one, or the first with a table."""
    if path.suffix.lower() == ".xls":
        raise ValueError(f"source: {path} is of the old .xls format. Save it as .xlsx.")
    try:
        from openpyxl import load_workbook
    except ImportError as error:
        raise ValueError(
            "source: Excel files need the package openpyxl: "
            "pip install 'graphtailor[cli]'."
        ) from error
    with clear_errors(lambda why: f"source: {path} is damaged or not Excel: {why}."):
        check_workbook(path)
        book = load_workbook(path, read_only=True, data_only=True, keep_links=False)
        try:
            sheets = list(book.sheetnames)
            if sheet is None or sheet in sheets:
                wanted = sheets if sheet is None else [sheet]
                read = _read_sheets(book, wanted, Budget(path))
        finally:
            book.close()
    if sheet is not None and sheet not in sheets:
        refuse_sheet(sheet, sheets)
    with clear_errors(lambda why: f"source: {path} is damaged or not Excel: {why}."):
        known = {**dict.fromkeys(sheets), **read}
        frame, notes, first = table_of_sheets(known, sheet)
    return RawTable(stem(path), frame, notes=notes, first_row=first)


def table_of_sheets(
    sheets: Mapping[str, list[list[Any]] | None], wanted: str | None
) -> tuple[pd.DataFrame, tuple[str, ...], int]:
    """The table of a workbook, notes on what was left out, the first row's number.

    Parameters
    ----------
    sheets : mapping of str to list of lists, or None
        The rows of every sheet; None for one that was not read.
    wanted : str or None
        Name of the sheet; None takes the first that has a table's shape.
    """
    tables = [name for name, rows in sheets.items() if rows and has_table(rows)]
    name = wanted or next(iter([*tables, *sheets]), "")
    rows = sheets.get(name) or []
    n_titles = count_titles(rows)
    notes = tuple(_notes(name, list(sheets), n_titles))
    return _frame(rows[n_titles:]), notes, n_titles + 2


def has_table(rows: list[list[Any]]) -> bool:
    """Whether there is more than a row, and more than a column."""
    return len(rows) > 1 and len(rows[0]) > 1


def refuse_sheet(sheet: str, sheets: list[str]) -> NoReturn:
    """Refuse the name of a sheet that is not there."""
    raise ValueError(
        Message(
            "{sheet}: there is no sheet {name!r}.{meant} The sheets are {known}.",
            name=sheet,
            meant=did_you_mean(sheet, sheets),
            known=listed(sheets),
        )
    )


def _notes(name: str, sheets: list[str], n_titles: int) -> Iterator[str]:
    if len(sheets) > 1:
        place = sheets.index(name)
        which = _PLACES[place] if place < len(_PLACES) else f"number {place + 1}"
        yield f"Only the sheet {name!r}, the {which} of {len(sheets)}, is read."
    yield from notes_on_titles(n_titles)


_PLACES = ("first", "second", "third", "fourth", "fifth")


def _read_sheets(
    book: Workbook, names: list[str], budget: Budget
) -> dict[str, list[list[Any]]]:
    """Rows of the sheets up to the first that has a table's shape."""
    read = {}
    for name in names:
        read[name] = _rows(book[name], budget)
        if has_table(read[name]):
            break
    return read


def _rows(sheet: Any, budget: Budget) -> list[list[Any]]:
    """The cells of a sheet up to the last one that is filled.

    Openpyxl gives an empty row for each that lies between two others, and a shared
    text is one object however often it stands there: so both are charged here.
    """
    sheet.reset_dimensions()
    rows: list[list[Any]] = []
    n_filled = widest = 0
    for number, values in enumerate(sheet.iter_rows(values_only=True), 1):
        if number > MOST_ROWS:
            raise ValueError(f"its sheet {sheet.title!r} has over {MOST_ROWS:,} rows")
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
            budget.spend(BYTES_A_CELL * new + n_texts)
        except ValueError as error:
            place = f"row {number:,} and column {widest:,}"
            raise ValueError(
                f"its sheet {sheet.title!r} reaches to {place}: {error}"
            ) from None
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


def check_workbook(path: Path) -> None:
    """Refuse a workbook, a zip archive of XML, which would fill the memory.

    No part of a real workbook has a document type, which is where entities that grow
    without end are declared. All parts count, whatever they say they are: a sheet
    is what another part calls one.
    """
    elements = _Elements(Budget(path))
    with zipfile.ZipFile(path) as archive:
        for entry in checked_entries(archive, file_size(path)):
            parser = elements.parser_of(entry.filename)
            # Pictures and macros are not XML, and openpyxl does not parse them.
            with archive.open(entry) as file, suppress(expat.ExpatError):
                while chunk := file.read(_CHUNK):
                    parser.Parse(chunk, False)
                    elements.check()
    n_looked_at = elements.n_sheets * elements.n_in_largest_part
    Budget(path).spend(_BYTES_AN_ELEMENT_OF_A_SHEET * n_looked_at)


class _Elements:
    """Counts the elements of XML in all parts of a workbook."""

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        self._n_cheap = self._n_other = self._n_in_part = 0
        self.n_sheets = self.n_in_largest_part = 0

    def parser_of(self, part: str) -> expat.XMLParserType:
        def refuse_doctype(*_: object) -> NoReturn:
            raise ValueError(f"its part {part!r} has a document type")

        self._n_in_part = 0
        parser = expat.ParserCreate(namespace_separator=" ")
        parser.StartDoctypeDeclHandler = refuse_doctype
        parser.StartElementHandler = self._count
        return parser

    def _count(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(" ")[2]
        self._n_in_part += 1
        if kind in _CELL_TAGS or kind in _FONT_TAGS or kind in _ODS_TAGS:
            self._n_cheap += 1
            return
        self._n_other += 1
        self.n_sheets += kind == "sheet"
        if "sqref" in attributes:
            self._budget.spend(_BYTES_A_RANGE_LETTER * len(attributes["sqref"]))
        # Openpyxl matches a format in time that grows with the square of its length.
        self._budget.spend(len(attributes.get("formatCode", "")) ** 2)

    def check(self) -> None:
        self._budget.spend(_BYTES_AN_ELEMENT * self._n_cheap)
        self._n_cheap = 0
        self.n_in_largest_part = max(self.n_in_largest_part, self._n_in_part)
        if self._n_other > _MOST_OTHER_ELEMENTS:
            raise ValueError(
                f"it has over {_MOST_OTHER_ELEMENTS:,} styles, names and other "
                "elements beside its cells. Save it as Parquet or CSV"
            )
