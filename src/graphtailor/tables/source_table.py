"""A table as it was found, before anything is done to its columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd


@dataclass(frozen=True)
class RawTable:
    """A table as it was found."""

    name: str  # name of the set, or of the file without its endings
    values: Any  # the columns
    # Columns that stand apart: a bundled set's classes, an npz file's other vectors.
    beside: Mapping[str, np.ndarray] = field(default_factory=dict)
    # label and id: which of them hold the classes and the ids, unless the user names
    # others.
    label: str | None = None
    id: str | None = None
    is_named: bool = True  # whether the columns have names of their own
    # Whether all columns are features for sure, so that there is nothing to guess.
    is_array: bool = False
    decimal: str = "."  # ".", ",": decimal mark of numbers that are text
    notes: tuple[str, ...] = ()  # what the user should know
    first_row: int = 0  # number of the first row, as a spreadsheet counts its rows
    # Takes the name of a column of a text file, and whether fields like NA are missing
    # values; gives the column as it is written, leading zeros included.
    as_written: Callable[[str, bool], pd.Series] | None = None


def stem(path: Path) -> str:
    """The name of a file without its endings.

    Examples
    --------
    >>> from pathlib import Path
    >>> stem(Path("data/trees.csv.gz"))
    'trees'
    """
    return path.name.split(".")[0] or path.name


def count_titles(rows: Sequence[Sequence[Any]]) -> int:
    """How many rows stand above the names of the columns: those nearly empty."""
    filled = [sum(value != "" for value in row) for row in rows]
    usual = sorted(filled)[len(filled) // 2] if filled else 0
    above = (place for place, count in enumerate(filled) if 2 * count > usual)
    return next(above, 0) if usual > 1 else 0


def notes_on_titles(n_titles: int) -> Iterator[str]:
    """What to tell the user about rows above the names of the columns."""
    if n_titles:
        rows = "row above the names of the columns was"
        if n_titles > 1:
            rows = rows.replace("row", f"{n_titles} rows", 1).replace("was", "were")
        yield f"The {rows} skipped."
