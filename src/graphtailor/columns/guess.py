"""What a column was taken for."""

from __future__ import annotations

from dataclasses import dataclass

# A category has at most this number of levels; the rarest share the last one.
MAX_LEVELS = 15
# Left out, and said to be: kinds of columns that look like others and are none.
CODE, CALENDAR, REPEATED = "code", "calendar", "repeated"


@dataclass(frozen=True)
class Guess:
    """What a column was taken for."""

    # "numeric", "category", "date", "id", "code", "calendar", "constant", "text",
    # "repeated" or "empty".
    kind: str
    # "number", "date", "cycle", "order", "levels", "truth", "parts": how its values
    # become features; None leaves it out.
    form: str | None = None
    why: str = ""  # why the column was taken for this
    # How dates are written; None for columns that are not text. For a cycle, its name
    # in :data:`~graphtailor.columns.cycles.CYCLES`.
    date_format: str | None = None
    # What stands between the parts of a list, or the unit behind numbers.
    separator: str | None = None
    levels: tuple[str, ...] = ()  # levels with an order, from the least to the most


NUMBER = Guess("numeric", "number")
TRUTH = Guess("category", "truth")
