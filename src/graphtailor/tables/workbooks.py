"""Look into an Excel workbook before it is read: no bombs, no absurd sheets."""

from __future__ import annotations

import re
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from graphtailor.io.limits import MOST_CELLS, file_size
from graphtailor.io.npz import checked_entries

# Excel's own.
_MOST_ROWS, _MOST_COLUMNS = 1_048_576, 16_384
_PLACE = re.compile(r"([A-Z]{1,4})[0-9]+")
_CHUNK = 1 << 20


def check_workbook(path: Path) -> None:
    """Refuse a workbook that would fill the memory.

    Its parts are XML in a zip archive. No part of a workbook has a document type,
    which is where entities that grow without end are declared; and a cell far from the
    others makes readers fill in all that lie between.

    Parameters
    ----------
    path : Path
        The file.

    Raises
    ------
    Exception
        A ValueError with the reason, or what zipfile raises for a damaged file.
    """
    with zipfile.ZipFile(path) as archive:
        for entry in checked_entries(archive, file_size(path)):
            part = _Part(entry.filename)
            # Pictures and macros are no XML, and so not read as such by anybody.
            with archive.open(entry) as file, suppress(expat.ExpatError):
                while not part.is_known and (chunk := file.read(_CHUNK)):
                    part.feed(chunk)


class _Part:
    """Reads a part of a workbook: the beginning, or all of it if it is a sheet."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.is_known = False
        self._row = self._column = self._widest = 0
        self._n_seen = 0
        self._parser = expat.ParserCreate(namespace_separator=" ")
        self._parser.StartDoctypeDeclHandler = self._refuse_doctype
        self._parser.StartElementHandler = self._root

    def feed(self, text: bytes) -> None:
        self._parser.Parse(text, False)

    def _refuse_doctype(self, *_: object) -> NoReturn:
        raise ValueError(f"its part {self.name!r} has a document type")

    def _root(self, tag: str, _: dict[str, str]) -> None:
        if tag.rpartition(" ")[2] == "worksheet":
            self._parser.StartElementHandler = self._element
        else:
            self.is_known = True
            self._parser.StartElementHandler = None

    def _element(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(" ")[2]
        if kind == "row":
            self._row = int(attributes.get("r", self._row + 1))
            self._column = 0
        elif kind == "c":
            self._column = _column(attributes.get("r", "")) or self._column + 1
            self._widest = max(self._widest, self._column)
            self._n_seen += 1
        else:
            return
        too_far = self._row > _MOST_ROWS or self._widest > _MOST_COLUMNS
        n_cells = max(self._row * self._widest, self._n_seen)
        if too_far or n_cells > MOST_CELLS:
            raise ValueError(
                f"its sheet {self.name!r} reaches to row {self._row:,} and column "
                f"{self._widest:,}; {MOST_CELLS:,} cells are read, with the empty ones "
                "between. Save it as Parquet or CSV"
            )


def _column(place: str) -> int:
    """The number of a cell's column, from 1; 0 if there is none.

    Examples
    --------
    >>> _column("A1"), _column("AB7"), _column("XFD1"), _column("")
    (1, 28, 16384, 0)
    """
    found = _PLACE.fullmatch(place)
    number = 0
    for letter in found[1] if found else "":
        number = 26 * number + ord(letter) - ord("A") + 1
    return number
