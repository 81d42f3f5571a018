"""Integers that are no quantities: names of rows and of other things, and cycles."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from graphtailor.columns.cycles import cycle_of_numbers
from graphtailor.columns.guess import CALENDAR, CODE, MAX_LEVELS, Guess

_COUNTER_ROWS = 20
# Integers that are all different are names, if as many drawn at random from their range
# would have this many pairs of equal ones.
_EXPECTED_PAIRS, _FEWEST_DIFFERENT = 1.5, 50
_ID_NAME = re.compile(r"(?:^|.*[\s_.-])(?:id|uuid|guid)|.*[a-z](?:Id|ID)", re.DOTALL)
_ROW_NAME = re.compile(
    r"unnamed: 0|(?:.*[\s_.-])?(?:row|rows|rownames?|index|idx|key|no|nr|number|pk"
    r"|customer|client|user|member|patient|employee|account|order|invoice|ticket)|",
    re.DOTALL,
)
# Integers in columns that are called so name places, customers or flights.
_CODE_NAME = re.compile(
    r"(?:.*[\s_.-])?(?:zip|plz|postal.*|flight|route|station|store|shop|region|zone"
    r"|sector|segment|branch)|.*(?:type|code)|.*[\s_.-](?:no|nr|num|number)"
)
# Dates that are spread evenly over time, as those of rows that were taken day by day:
# the largest difference between their distribution and the uniform one.
_EVENLY, _FEWEST_DATES = 0.05, 50


def guess_integers(
    name: str, n: int, present: np.ndarray, found: np.ndarray
) -> Guess | None:
    """Integers that are names of rows or of other things, or run through a cycle.

    `n` rows have the values `present`, of which those `found` are different. None for
    quantities.
    """
    is_id = _ID_NAME.fullmatch(name) or _ID_NAME.fullmatch(name.lower())
    if len(found) == n:
        first, last = found.min(), found.max()
        counts = n >= _COUNTER_ROWS and first in (0, 1) and last - first == n - 1
        pairs = n * n / (2 * (last - first + 1))
        is_odd = n >= _FEWEST_DIFFERENT and pairs >= _EXPECTED_PAIRS
        is_named = is_id or is_code_name(name) or _ROW_NAME.fullmatch(name.lower())
        if counts or is_odd or is_named:
            return Guess("id", why="counts the rows" if counts else "all different")
    elif is_id or is_code_name(name):
        return _code(len(found), present)
    kind = cycle_of_numbers(name, found)
    if kind is None:
        return None
    guess = Guess("numeric", "cycle", date_format=kind)
    return as_calendar(guess) if kind == "year day" and is_even(present) else guess


def is_code_name(name: str) -> bool:
    """Whether integers in a column that is called so name something.

    Examples
    --------
    >>> [is_code_name(name) for name in ("MOSTYPE", "flight", "train_no", "rooms")]
    [True, True, True, False]
    """
    return _CODE_NAME.fullmatch(name.lower()) is not None


def _code(n_different: int, present: np.ndarray) -> Guess:
    """Numbers that name something: a category, if there are few of them."""
    if n_different <= min(MAX_LEVELS, len(present) / 2):
        return Guess("category", "levels")
    return Guess(CODE, why=f"holds {n_different:,} codes, which are no quantities")


def is_even(days: np.ndarray) -> bool:
    """Whether dates are spread over their range as evenly as days of a calendar."""
    if len(days) < _FEWEST_DATES:
        return False
    reached = (np.sort(days) - days.min()) / np.ptp(days)
    return float(np.abs(reached - np.linspace(0, 1, len(days))).max()) <= _EVENLY


def as_calendar(guess: Guess) -> Guess:
    """Dates or days that are left out, because they only count the days."""
    why = "is spread evenly over time, so that it only counts the days"
    return replace(guess, kind=CALENDAR, form=None, why=why)
