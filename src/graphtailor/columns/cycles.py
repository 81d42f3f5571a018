"""Values that come round again: hours, weekdays, months and directions."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from graphtailor.columns.parse_times import hours
from graphtailor.columns.parse_values import numbers, texts

_MONTHS = [
    "jan",
    "feb",
    "mar",
    "apr",
    "may",
    "jun",
    "jul",
    "aug",
    "sep",
    "oct",
    "nov",
    "dec",
]
_WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_COMPASS = [
    "n",
    "nne",
    "ne",
    "ene",
    "e",
    "ese",
    "se",
    "sse",
    "s",
    "ssw",
    "sw",
    "wsw",
    "w",
    "wnw",
    "nw",
    "nnw",
]
_WORD = {
    "jan": r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?"
    r"|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?",
    "mon": r"mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?"
    r"|fri(?:day)?|sat(?:urday)?|sun(?:day)?",
    "n": "|".join(_COMPASS),
}
# With fewer different words, a column may mean something else.
_FEWEST_WORDS = 3


def _word_places(words: list[str]) -> Callable[[pd.Series], np.ndarray]:
    pattern, letters = _WORD[words[0]], 3
    places = {word: float(place) for place, word in enumerate(words)}

    def read(column: pd.Series) -> np.ndarray:
        found = texts(column).str.lower().str.rstrip(".")
        found = found.where(found.str.fullmatch(pattern).fillna(False).astype(bool))
        return found.str[:letters].map(places).to_numpy(np.float64, na_value=np.nan)

    return read


def _hhmm(column: pd.Series) -> np.ndarray:
    """Times written as one number: 2359 is a minute before 0."""
    found = numbers(column)
    return np.floor(found / 100) + found % 100 / 60


@dataclass(frozen=True)
class Cycle:
    """A kind of values that come round again."""

    period: float  # after how much they are the same again
    words: str  # what they are, in words
    read: Callable[[pd.Series], np.ndarray]  # from a column to numbers
    # Expression that the column's name fits, in lower case and with _ for blanks and
    # hyphens; None for words.
    names: str | None = None
    # least and most: range of numbers that count as such.
    least: float = 0.0
    most: float = np.inf


# What a time is of, such as pickup_; calls_per_month are no month.
_OF = r"(?:(?!.*per_).*_)?"
CYCLES = {
    "clock": Cycle(24.0, "time of the day", hours),
    "month names": Cycle(12.0, "month", _word_places(_MONTHS)),
    "weekday names": Cycle(7.0, "day of the week", _word_places(_WEEKDAYS)),
    "compass": Cycle(16.0, "direction", _word_places(_COMPASS)),
    "hour": Cycle(
        24.0, "hour", numbers, rf"hours|hr|{_OF}hour(?:_?of_?(?:the_?)?day)?", 0, 24
    ),
    "minute": Cycle(60.0, "minute", numbers, r"minutes?", 0, 59),
    "month": Cycle(12.0, "month", numbers, rf"months|mnth|mo|{_OF}month", 1, 12),
    "month day": Cycle(
        31.0, "day of the month", numbers, r"day|m_?day|day_?of_?(?:the_?)?month", 1, 31
    ),
    "year day": Cycle(
        366.0, "day of the year", numbers, r"day|y_?day|day_?of_?(?:the_?)?year", 1, 366
    ),
    "weekday": Cycle(
        7.0,
        "day of the week",
        numbers,
        rf"{_OF}(?:week_?day|dow|day_?of_?(?:the_?)?week)",
        0,
        7,
    ),
    "degrees": Cycle(
        360.0,
        "direction",
        numbers,
        r"wind_?(?:dir(?:ection)?|deg(?:rees)?)|heading|bearing|azimuth",
        0,
        360,
    ),
    "hhmm": Cycle(
        24.0, "time of the day", _hhmm, r"(?:.*_)?(?:dep|arr|start|end)?_?time", 0, 2400
    ),
}
_OF_WORDS = ("month names", "weekday names", "compass")
_FEWEST_TIMES = 60


def cycle_values(column: pd.Series, kind: str) -> np.ndarray:
    """A column as numbers that run through a cycle; NaN where there is none.

    Examples
    --------
    >>> cycle_values(pd.Series(["Mon", "Sunday", "never"]), "weekday names")
    array([ 0.,  6., nan])
    """
    return CYCLES[kind].read(column)


def cycle_of_words(found: pd.Series) -> str | None:
    """The cycle that distinct texts name, if all of them do.

    Examples
    --------
    >>> cycle_of_words(pd.Series(["Jan", "Mar", "December"]))
    'month names'
    >>> cycle_of_words(pd.Series(["N", "S", "M"])) is None
    True
    """
    if len(found) < _FEWEST_WORDS or len(found) > 2 * len(_COMPASS):
        return None
    # Most columns of words are left at the first: pandas takes its time for all.
    first = str(found.iloc[0]).strip().lower().rstrip(".")
    for kind, word in zip(_OF_WORDS, ("jan", "mon", "n"), strict=True):
        is_one = re.fullmatch(_WORD[word], first) is not None
        if is_one and np.isfinite(cycle_values(found, kind)).all():
            return kind
    return None


def cycle_of_numbers(name: str, found: np.ndarray) -> str | None:
    """The cycle that whole numbers run through, by the column's name and their range.

    Examples
    --------
    >>> cycle_of_numbers("Wind direction", np.arange(0.0, 360, 10))
    'degrees'
    """
    plain = re.sub(r"[\s.-]+", "_", name.lower().strip())
    for kind, cycle in CYCLES.items():
        if cycle.names is None or not re.fullmatch(cycle.names, plain):
            continue
        if found.min() < cycle.least or found.max() > cycle.most or len(found) < 3:
            continue
        if kind != "hhmm":
            return kind
        if (found % 100 < 60).all() and len(found) >= _FEWEST_TIMES:
            return kind
    return None
