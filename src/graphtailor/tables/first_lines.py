"""How a text file is written: encoding, delimiter, titles, remarks and header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path

from graphtailor.columns.messages import Message
from graphtailor.tables.packed import open_unpacked
from graphtailor.tables.source_table import count_titles, notes_on_titles

_DELIMITERS = (",", ";", "\t", "|")
# These stand inside fields too: they must have numbers between them.
_WEAK_DELIMITERS = (" ", ":", "~", "^")
_LINES_LOOKED_AT = 50
_BYTES_LOOKED_AT = 1_000_000


@dataclass(frozen=True)
class FirstLines:
    """How a text file is written, and its first rows."""

    rows: list[list[str]]  # the fields of the first lines that are not blank
    # delimiter and encoding: how it is written; a delimiter " " stands for any run of
    # blanks.
    delimiter: str
    encoding: str
    notes: tuple[str, ...] = ()  # what the user should know
    n_skipped: int = 0  # lines above them, of remarks and titles


def first_lines(path: Path, delimiter: str | None = None) -> FirstLines:
    """Look at the beginning of a file, which may be compressed."""
    encoding, notes = _encoding(path)
    with io.TextIOWrapper(open_unpacked(path), encoding=encoding, newline="") as file:
        remarks, below = split_remarks(file)
        looked_at = list(islice(below, _LINES_LOOKED_AT))
    delimiter = delimiter or guess_delimiter([x for x in looked_at if x.strip()])
    n_titles = _count_title_lines(looked_at, delimiter)
    if n_titles:
        return FirstLines(
            _split([x for x in looked_at[n_titles:] if x.strip()], delimiter),
            delimiter,
            encoding,
            (*notes, *notes_on_remarks(remarks), *notes_on_titles(n_titles)),
            len(remarks) + n_titles,
        )
    rows = _split([line for line in looked_at if line.strip()], delimiter)
    last = _split(remarks[-1:], delimiter)
    if last and rows and names_columns(last[0], rows[0]):
        rows, remarks = [*last, *rows], remarks[:-1]
    notes = (*notes, *notes_on_remarks(remarks))
    return FirstLines(rows, delimiter, encoding, notes, len(remarks))


def _count_title_lines(lines: Sequence[str], delimiter: str) -> int:
    """How many lines stand above names of columns, nearly empty beside those below."""
    if delimiter in _WEAK_DELIMITERS or not lines:
        return 0
    rows = _split(lines, delimiter)
    is_whole = len(rows) == len(lines)  # no field goes on in the next line
    n_titles = count_titles(rows) if is_whole else 0
    # Without names right below, the first lines are rows with gaps.
    is_named = all(name.strip() and _as_number(name) is None for name in rows[n_titles])
    return n_titles if n_titles and is_named else 0


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
    counting are fine; an undecidable first line is refused with a question.

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
        Message(
            "{source}: the first line of {path} ({shown}, ...) looks like data, not "
            "like names of columns. Give {no_header} if it is data, or put names on "
            "top.",
            path=path,
            shown=shown,
        )
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


def _encoding(path: Path) -> tuple[str, tuple[str, ...]]:
    """UTF-8, UTF-16 by its mark, or else what Windows writes in western Europe."""
    with open_unpacked(path) as file:
        beginning = file.read(_BYTES_LOOKED_AT)
    if beginning.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16", ()
    try:
        beginning.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        # A character that is cut off at the end of the sample is not an error.
        if len(beginning) - error.start > 4 or len(beginning) < _BYTES_LOOKED_AT:
            return "cp1252", ("The file is not UTF-8: it is read as Windows-1252.",)
    return "utf-8-sig", ()


# More lines with # on top than this are data.
_MOST_REMARKS = 1000


def split_remarks(lines: Iterable[str]) -> tuple[list[str], Iterator[str]]:
    r"""Remarks, with blank lines among them, and all that comes below.

    Examples
    --------
    >>> remarks, rest = split_remarks(["# by me\n", "\n", "a,b\n", "#1,2\n"])
    >>> len(remarks), list(rest)
    (2, ['a,b\n', '#1,2\n'])
    """
    remarks: list[str] = []
    rest = iter(lines)
    for line in rest:
        is_remark = not line.strip() or line.startswith("#")
        if not is_remark or len(remarks) == _MOST_REMARKS:
            return remarks, chain([line], rest)
        remarks.append(line)
    return remarks, rest


def names_columns(remark: Sequence[str], row: Sequence[str]) -> bool:
    """Whether a remark holds the names of the columns in the row below it.

    It has a field for each of them, and either no blank behind its # or a row of data
    right below, where names would stand otherwise.

    Examples
    --------
    >>> names_columns(["#CHROM", "POS"], ["chr1", "17"])
    True
    >>> names_columns(["# metres", " no seconds"], ["length", "time"])
    False
    """
    if len(remark) != len(row) or len(row) < 2 or not remark[0].startswith("#"):
        return False
    has_number = any(_as_number(text) is not None for text in row)
    return has_number or not remark[0].startswith("# ")


def notes_on_remarks(remarks: Sequence[str]) -> tuple[str, ...]:
    """What to tell the user about what was skipped."""
    count = sum(line.startswith("#") for line in remarks)
    if count == 0:
        return ()
    lines = "A line that begins" if count == 1 else f"{count} lines that begin"
    was = "was" if count == 1 else "were"
    return (f"{lines} with # before the table {was} skipped.",)
