"""The first lines of a text file: its encoding, delimiter and header."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from graphtailor.io.limits import file_size, refuse_bomb
from graphtailor.tables.comment_lines import (
    names_columns,
    said_of_remarks,
    split_remarks,
)

OPENERS: dict[str, Any] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_DELIMITERS = (",", ";", "\t", "|")
# These stand inside fields too: they must have numbers between them.
_WEAK_DELIMITERS = (" ", ":", "~", "^")
_LINES_LOOKED_AT = 50
_BYTES_LOOKED_AT = 1_000_000


@dataclass(frozen=True)
class FirstLines:
    """How a text file is written, and its first rows.

    Attributes
    ----------
    rows : list of list of str
        The fields of the first lines that are not blank.
    delimiter, encoding : str
        How it is written; a delimiter " " stands for any run of blanks.
    notes : tuple of str
        What the user should know.
    n_skipped : int
        Lines above them, of remarks.
    """

    rows: list[list[str]]
    delimiter: str
    encoding: str
    notes: tuple[str, ...] = ()
    n_skipped: int = 0


def first_lines(path: Path, delimiter: str | None = None) -> FirstLines:
    """Look at the beginning of a file.

    Parameters
    ----------
    path : Path
        The file, perhaps compressed.
    delimiter : str or None, default=None
        Guessed if None.
    """
    encoding, notes = _encoding(path)
    with io.TextIOWrapper(open_unpacked(path), encoding=encoding, newline="") as file:
        remarks, below = split_remarks(file)
        lines = [line for line in islice(below, _LINES_LOOKED_AT) if line.strip()]
    delimiter = delimiter or guess_delimiter(lines)
    rows = _split(lines, delimiter)
    last = _split(remarks[-1:], delimiter)
    if last and rows and names_columns(last[0], rows[0]):
        rows, remarks = [*last, *rows], remarks[:-1]
    notes = (*notes, *said_of_remarks(remarks))
    return FirstLines(rows, delimiter, encoding, notes, len(remarks))


def guess_delimiter(lines: Sequence[str]) -> str:
    r"""The delimiter that cuts all lines into the same, largest number of fields.

    Examples
    --------
    >>> guess_delimiter(["a;b;c", "1,5;2;3"])
    ';'
    >>> guess_delimiter(["x", "1"])
    ','
    >>> guess_delimiter(["x  y", "1.5 2"])
    ' '
    """
    widths = dict.fromkeys((*_DELIMITERS, *_WEAK_DELIMITERS), 0)
    for delimiter in widths:
        rows = [row for row in _tried_split(lines, delimiter) if row]
        if not (delimiter in _WEAK_DELIMITERS and _no_number(rows)):
            widths[delimiter] = _common_width(rows)
    strong = max(_DELIMITERS, key=lambda delimiter: widths[delimiter])
    if widths[strong] > 1:
        return strong
    weak = max(_WEAK_DELIMITERS, key=lambda delimiter: widths[delimiter])
    return weak if widths[weak] > 1 else _most_regular(lines)


def _common_width(rows: Sequence[Sequence[str]]) -> int:
    """Fields of every line, 0 if they differ; the first may lack the rows' names."""
    if not rows:
        return 0
    first, rest = len(rows[0]), {len(row) for row in rows[1:]} or {len(rows[0])}
    width = max(rest)
    return width if len(rest) == 1 and first in (width, width - 1) else 0


def _most_regular(lines: Sequence[str]) -> str:
    """Where no delimiter cuts all lines alike: the one that cuts the most alike."""

    def regularity(delimiter: str) -> tuple[int, int]:
        counts = [len(row) for row in _tried_split(lines, delimiter)]
        common = max(set(counts), key=counts.count, default=1)
        return (counts.count(common) if common > 1 else 0, common)

    best = max(_DELIMITERS, key=regularity)
    return best if regularity(best)[0] * 2 > len(lines) else ","


def is_header(path: Path, rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first line names the columns.

    A first line that is mostly numbers is data if it has fractions, negative numbers
    or repetitions, or words that stand below it too. Columns named by years or by
    counting are fine; where it cannot be told, the user is asked.

    Examples
    --------
    >>> is_header(Path("a.csv"), [["x", "y"], ["1", "2"]])
    True
    >>> is_header(Path("a.csv"), [["5.1", "setosa"], ["4.9", "setosa"]])
    False
    """
    if not rows:
        return True
    names = rows[0]
    numbers = [number for number in map(_as_number, names) if number is not None]
    counted = [float(first + k) for first in (0, 1) for k in range(len(names))]
    is_count = numbers in (counted[: len(names)], counted[len(names) :])
    if len(numbers) * 2 < len(names) or not numbers or is_count:
        return True
    below = [set(column) for column in zip(*rows[1:], strict=False)]
    again = any(
        name in column and _as_number(name) is None
        for name, column in zip(names, below, strict=False)
    )
    twice = len(set(numbers)) < len(numbers)
    if again or twice or any(number < 0 or number % 1 for number in numbers):
        return False
    if len(numbers) * 2 == len(names) or all(1000 < n < 3000 for n in numbers):
        return True
    shown = ", ".join(names[:4])
    raise ValueError(
        f"DATA: the first line of {path} ({shown}, ...) looks like data, not like "
        "names of columns. Give --no-header if it is data, or put names on top."
    )


def _split(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    if delimiter == " ":
        lines = [line.replace("\t", " ").strip() for line in lines]
    return list(csv.reader(lines, delimiter=delimiter, skipinitialspace=True))


def _tried_split(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Nothing for a delimiter that leaves a whole line of a wide table in one piece."""
    try:
        return _split(lines, delimiter)
    except csv.Error:
        return []


def _no_number(rows: Sequence[Sequence[str]]) -> bool:
    """Whether some line after the first has no number among its fields."""
    return any(all(_as_number(field) is None for field in row) for row in rows[1:])


def _as_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its ending."""
    return path.suffix.lower() in OPENERS


def open_unpacked(path: Path) -> IO[bytes]:
    """Open a file that may be compressed; a bomb gives a ValueError when it goes off.

    Parameters
    ----------
    path : Path
        The file.

    Returns
    -------
    file
        Its bytes, unpacked.
    """
    if not is_compressed(path):
        return open(path, "rb")
    packed = OPENERS[path.suffix.lower()](path, "rb")
    return io.BufferedReader(_Unpacked(packed, file_size(path)))


class _Unpacked(io.RawIOBase):
    """The bytes of a compressed file, as long as they are not absurdly many."""

    def __init__(self, packed: Any, n_bytes: int) -> None:
        self._packed, self._n_bytes = packed, n_bytes
        self._n_unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._packed.readinto(buffer)
        self._n_unpacked += found
        refuse_bomb(self._n_bytes, self._n_unpacked)
        return found

    def close(self) -> None:
        self._packed.close()
        super().close()


def _encoding(path: Path) -> tuple[str, tuple[str, ...]]:
    """UTF-8, UTF-16 by its mark, or else what Windows writes in western Europe."""
    with open_unpacked(path) as file:
        beginning = file.read(_BYTES_LOOKED_AT)
    if beginning.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16", ()
    try:
        beginning.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # A character that was cut off at the end of what was looked at is none.
        if len(beginning) - error.start > 4 or len(beginning) < _BYTES_LOOKED_AT:
            return "cp1252", ("The file is not UTF-8: it is read as Windows-1252.",)
    return "utf-8-sig", ()
