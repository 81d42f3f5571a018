"""Limits on files from strangers, and one message for every file that is refused.

A file over a limit is refused before memory is taken for what it holds.
"""

import json
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from graphtailor.linalg.free_memory import readable_size

# A compressed file may always unpack to the first number of bytes. A larger result may
# be 200 times the size of the file: deflate reaches 1000 times, real tables 3 to 50.
ALWAYS_UNPACKED = 256 * 2**20
MOST_TIMES_UNPACKED = 200
# Arrays of an npz file, parts of a workbook.
MOST_ENTRIES = 10_000
# The description of a model (JSON), of an array (numpy's own limit).
MOST_MODEL_HEADER = 64 * 2**20
MOST_ARRAY_HEADER = 10_000
# Columns of a table that is not sparse.
MOST_COLUMNS = 1_000_000
# Runs of one method on one data set in a plan: settings, seeds.
MOST_SETTINGS = 100_000
MOST_SEEDS = 100_000
# A plan, and the causes of a report.
MOST_PLAN = 10 * 2**20

TOO_LARGE = "it holds, or says it holds, more than there is memory for"
_MOST_REASON = 1000
# A string in JSON, also one that is cut off at the end of the file.
_STRING = re.compile(rb'"(?:[^"\\]|\\.?)*+"?', re.DOTALL)
_NO_BRACKETS = re.compile(rb"[^][{}]+")


def most_unpacked(n_bytes: int) -> int:
    """Largest number of bytes to which a file of `n_bytes` bytes may unpack."""
    return max(ALWAYS_UNPACKED, MOST_TIMES_UNPACKED * n_bytes)


def refuse_bomb(n_bytes: int, n_unpacked: int) -> None:
    """Refuse a file that unpacks to more than :func:`most_unpacked`."""
    if n_unpacked > most_unpacked(n_bytes):
        raise ValueError(
            f"its {n_bytes:,} bytes unpack to {readable_size(n_unpacked)} or more, "
            f"which is over {MOST_TIMES_UNPACKED} times as much: it is taken for a "
            "bomb. If it is none, save it without compression"
        )


class Budget:
    """The bytes to which a file may unpack, spent step by step."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._n_bytes = file_size(path)
        self._spent = 0

    def spend(self, n_bytes: int) -> None:
        """Count bytes, and raise a ValueError if they are more than are left."""
        self._spent += n_bytes
        refuse_bomb(self._n_bytes, self._spent)


@contextmanager
def clear_errors(describe: Callable[[str], str]) -> Iterator[None]:
    """Turn every error in reading a file into one ValueError with one line.

    Parsers of damaged bytes raise TypeError, KeyError, RecursionError and others, and
    none of these errors says what to do about the file.
    """
    try:
        yield
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except Exception as error:
        raise ValueError(describe(reason_of(error))) from error


def reason_of(error: Exception) -> str:
    """An error of a parser in one line, without a full stop."""
    if isinstance(error, MemoryError):
        return TOO_LARGE
    reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    return reason[:_MOST_REASON]


def file_size(path: str | os.PathLike[str]) -> int:
    """Size of a file in bytes."""
    return os.stat(path).st_size


def parse_json(text: bytes, *, depth: int, values: int) -> Any:
    """Parse JSON whose nesting and number of values are counted first.

    A parsed value takes up to 40 times the bytes of its text, so that the size of a
    file says little about the memory that it needs.
    """
    bare = _STRING.sub(b"", text)
    count = 1 + sum(bare.count(mark) for mark in (b",", b":", b"[", b"{"))
    if count > values:
        raise ValueError(
            f"its JSON holds up to {count:,} values, and the limit is {values:,}"
        )
    # Too many closing brackets are an error that the parser reports itself.
    brackets = _NO_BRACKETS.sub(b"", bare)[: 2 * count]
    steps = np.where(np.isin(np.frombuffer(brackets, np.uint8), list(b"[{")), 1, -1)
    deepest = int(np.cumsum(steps).max(initial=0))
    if deepest > depth:
        raise ValueError(
            f"its JSON is nested {deepest:,} levels deep, and the limit is {depth}"
        )
    return json.loads(text)
