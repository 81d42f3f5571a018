"""Files of strangers: how large they may be, and what is said of bad ones.

These are all limits on what is read; each is refused before memory is taken for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# What is compressed may unpack to so many bytes in any case, and beyond that to this
# many times the size of its file. Deflate can do 1000 times, real tables 3 to 50.
ALWAYS_UNPACKED = 256 * 2**20
MOST_TIMES_UNPACKED = 200
# Arrays of an npz file, parts of a workbook.
MOST_ENTRIES = 10_000
# The description of a model (JSON), of an array (numpy's own limit).
MOST_MODEL_HEADER = 64 * 2**20
MOST_ARRAY_HEADER = 10_000
# Columns of a table that is not sparse, cells of a worksheet with the empty ones.
MOST_COLUMNS = 1_000_000
MOST_CELLS = 50_000_000
# Runs of one method on one data set in a plan: settings, seeds.
MOST_SETTINGS = 100_000
MOST_SEEDS = 100_000
# A plan, and the causes of a report.
MOST_PLAN = 10 * 2**20

_MOST_REASON = 1000


def most_unpacked(n_bytes: int) -> int:
    """To how many bytes a compressed file of so many bytes may unpack.

    Examples
    --------
    >>> most_unpacked(1000) // 2**20, most_unpacked(10**9)
    (256, 200000000000)
    """
    return max(ALWAYS_UNPACKED, MOST_TIMES_UNPACKED * n_bytes)


def refuse_bomb(n_bytes: int, n_unpacked: int) -> None:
    """Refuse what would unpack to absurdly much.

    Parameters
    ----------
    n_bytes : int
        Size of the file.
    n_unpacked : int
        What it says it holds, or what came out of it so far.
    """
    if n_unpacked > most_unpacked(n_bytes):
        raise ValueError(
            f"its {n_bytes:,} bytes unpack to {readable_size(n_unpacked)} or more, "
            f"which is over {MOST_TIMES_UNPACKED} times as much: it is taken for a "
            "bomb. If it is none, save it without compression"
        )


def readable_size(n_bytes: int) -> str:
    """A number of bytes in words.

    Examples
    --------
    >>> readable_size(3_200_000_000), readable_size(2**70)
    ('3.2 GB', '1.2e+12 GB')
    """
    if n_bytes < 10**7:
        return f"{n_bytes:,} bytes"
    gigabytes = n_bytes / 1e9
    return f"{gigabytes:.2g} GB" if gigabytes >= 1e5 else f"{gigabytes:,.1f} GB"


@contextmanager
def clear_errors(describe: Callable[[str], str]) -> Iterator[None]:
    """Turn whatever goes wrong in reading a file into one ValueError.

    Parsers raise almost anything when bytes make no sense: errors of types, of keys,
    of recursion. None of that helps the owner of the file.

    Parameters
    ----------
    describe : callable
        Makes the message, with the file's name, of what the parser said.

    Examples
    --------
    >>> with clear_errors(lambda why: f"a.npz is damaged: {why}"):
    ...     {}["X"]
    Traceback (most recent call last):
    ValueError: a.npz is damaged: 'X'
    """
    try:
        yield
    except (FileNotFoundError, PermissionError, IsADirectoryError):
        raise
    except MemoryError as error:
        reason = "it holds, or says it holds, more than there is memory for"
        raise ValueError(describe(reason)) from error
    except Exception as error:
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise ValueError(describe(reason[:_MOST_REASON])) from error


def file_size(path: str | os.PathLike[str]) -> int:
    """Size of a file in bytes."""
    return os.stat(path).st_size
