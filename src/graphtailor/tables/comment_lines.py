"""Lines of remarks, which begin with #, on top of a text file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

# What has more of them is no table with remarks.
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
    """Whether a remark holds the names of the columns below it.

    It has a field for each of them, and either no blank behind its # or a row of data
    right below, where names would stand otherwise.

    Parameters
    ----------
    remark, row : sequence of str
        Fields of the last remark, and of the line below it.

    Examples
    --------
    >>> names_columns(["#CHROM", "POS"], ["chr1", "17"])
    True
    >>> names_columns(["# metres", " no seconds"], ["length", "time"])
    False
    """
    if len(remark) != len(row) or len(row) < 2 or not remark[0].startswith("#"):
        return False
    return not remark[0].startswith("# ") or any(map(_is_number, row))


def said_of_remarks(remarks: Sequence[str]) -> tuple[str, ...]:
    """What to tell the user about what was skipped."""
    count = sum(line.startswith("#") for line in remarks)
    if count == 0:
        return ()
    lines = "A line that begins" if count == 1 else f"{count} lines that begin"
    was = "was" if count == 1 else "were"
    return (f"{lines} with # before the table {was} skipped.",)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
