"""What a table on the page is made of: cells, rows, captions."""

from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import pandas as pd

from graphtailor.bench.plan.plan import Plan

CHOSEN = {
    "oracle": "settings chosen with the true labels (oracle)",
    "blind": "settings chosen without labels (blind)",
}
DAGGER = "†"


@dataclass(frozen=True)
class Cell:
    """One cell of a table: its text, what it is sorted by, its look, a remark.

    A cell of a column with marks has one, if only an empty one.
    """

    text: str
    value: float | str | None = None
    look: str = "number"
    mark: str | None = None
    remark: str = ""
    after: str = ""


@dataclass(frozen=True)
class TableView:
    """A table for the page: heads, rows, notes, and the same as CSV and LaTeX."""

    key: str
    caption: str
    groups: list[tuple[str, int]]
    heads: list[str]
    rows: list[list[Cell]]
    csv: str
    latex: str
    notes: list[str] = field(default_factory=list)

    def starts(self) -> list[int]:
        """The columns with which a group begins."""
        return list(accumulate(width for _, width in self.groups))


def number_cell(value: Any, digits: int = 3, sign: bool = False) -> Cell:
    """A number, or an empty cell for a missing one."""
    if pd.isna(value):
        return Cell("", None)
    text = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    return Cell(text.replace("-", "−"), float(value))


def name_cell(method: str, plan: Plan, look: str = "name") -> Cell:
    """A method's name, marked if its search or its repeats were reduced."""
    note = plan.notes().get(method, "")
    return Cell(method, method.lower(), look, None, note, DAGGER if note else "")


def note_lines(plan: Plan) -> list[str]:
    """What the marks beside the names mean, methods with equal notes together."""
    names: dict[str, list[str]] = {}
    for name, note in plan.notes().items():
        names.setdefault(note, []).append(name)
    return [f"{DAGGER} {', '.join(found)}: {note}" for note, found in names.items()]
