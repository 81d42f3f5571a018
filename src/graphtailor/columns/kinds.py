"""What each column of a table holds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from pandas.api import types

from graphtailor.columns.cycles import CYCLES, cycle_of_words
from graphtailor.columns.guess import MAX_LEVELS, NUMBER, TRUTH, Guess
from graphtailor.columns.integers import as_calendar, guess_integers, is_even
from graphtailor.columns.orders import order_of
from graphtailor.columns.parse_times import are_clock_times, days, guess_date_format
from graphtailor.columns.parse_values import (
    TEXT,
    are_truths,
    are_whole,
    common_unit,
    has_uncertainty,
    holds_objects,
    is_gap_word,
    numbers,
    parse_numbers,
    spaced_sample,
    texts,
    without_unit,
)
from graphtailor.columns.parts import WORDS, count_parts, find_separator, share_words

# Below this share of values a column is as good as empty.
LEAST_PRESENT = 0.05
# From this share and this number of missing values on, a feature flags them.
_ENOUGH_MISSING = 0.05
_FEWEST_MISSING = 5
_MOSTLY = 0.95
# Texts that differ in nearly all rows are their names, if they are this short.
_NEARLY_ALL, _NAME_LETTERS, _NAME_WORDS = 0.95, 60, 6
_PROSE_WORDS = 12
_TWICE_TWO, _FEWEST_ORDERED = 4, 3
# More digits than this are a code: a number keeps no more of them.
_MOST_DIGITS = 15


def guess_kind(column: pd.Series, decimal: str = ".") -> Guess:
    """Tell what a column is.

    The first rule that fits counts:

    - *empty*: fewer than 5 % of the rows have a value;
    - *category*: true and false, yes and no, or two different numbers in four rows or
      more;
    - *code*: integers of more than 15 different values that name things, because the
      column is called so (id, zip, flight, ...type, ..._no);
    - *numeric*: numbers, also as text if at least 95 % of the values are, such as $5,
      70 kg and, in seconds, 75:30;
    - *cycle*: times of the day like 12:34 or 3:05 pm, names of months, weekdays and
      directions; whole numbers in a column whose name says so, like hour or wind_dir;
    - *date*: dates, also as text if at least 95 % of the values are; *calendar* if
      they are spread evenly over time, which then tells no rows apart;
    - *constant*: one value only (if 5 % of the rows and five of them have none, a
      category: given or not);
    - *id*: texts or integers that name the rows: all different; integers only if they
      are 0 or 1 to n (20 rows or more), if some would be equal by chance, or if the
      column is called so; texts also if 95 % of them are different and they are short;
    - *category*: at most half as many levels as rows, and at most 15 of them, or of
      which the 15 commonest make up half of the rows; also codes, which have leading
      zeros or more than 15 digits, and postal codes. Levels with an order count by
      their places: ordered categoricals, scales like low, medium, high, and ranges;
    - *text*: lists, if they are more than their parts, and all else. Lists and short
      texts are used by their parts.

    Parameters
    ----------
    column : Series
        With its name, as
        :func:`~graphtailor.columns.parse_values.plain_column` gives it.
    decimal : {".", ","}, default="."
        Decimal mark of numbers that are text.

    Returns
    -------
    Guess
        The kind, and how the column is used.

    Examples
    --------
    >>> import pandas as pd
    >>> [guess_kind(pd.Series(v)).kind for v in ([1.5, 2.5], ["$3", "$4"], ["a"] * 3)]
    ['numeric', 'numeric', 'constant']
    >>> guess_kind(pd.Series(["2020-01-01", "2020-02-01"])).kind
    'date'
    """
    if holds_objects(column):
        return Guess("text", why="holds bytes or other objects")
    if isinstance(column.dtype, pd.CategoricalDtype):
        return _of_ordered(column)
    if types.is_datetime64_any_dtype(column.dtype):
        return _of_numbers(column, days(column, None), Guess("date", "date"))
    if types.is_numeric_dtype(column.dtype) and not types.is_bool_dtype(column.dtype):
        return _of_numbers(column, numbers(column), NUMBER)
    return _of_texts(column, texts(column), decimal)


def _of_ordered(column: pd.Series) -> Guess:
    """An ordered categorical: its levels that are there, in their order."""
    there = column.cat.remove_unused_categories()
    present = int(column.notna().sum())
    scarce = _scarce(present, len(column))
    if scarce is not None:
        return scarce
    levels = tuple(map(str, there.cat.categories))
    if len(levels) == 1:
        return _single(column, present)
    return _category(levels)


def _category(levels: Sequence[str]) -> Guess:
    """A category whose levels are given in their order; two levels need none."""
    if len(levels) < _FEWEST_ORDERED:
        return Guess("category", "levels")
    return Guess("category", "order", levels=tuple(levels))


def _of_numbers(column: pd.Series, values: np.ndarray, guess: Guess) -> Guess:
    present = values[~np.isnan(values)]
    scarce = _scarce(len(present), len(values))
    if scarce is not None:
        return scarce
    found = pd.unique(present)
    if len(found) == 1:
        return _single(column, len(present))
    if guess == NUMBER and len(found) == 2 and len(present) >= _TWICE_TWO:
        return TRUTH if set(found) == {0.0, 1.0} else Guess("category", "levels")
    # Numbers that were text, for a sign of money, are quantities and never ids.
    if guess == NUMBER and are_whole(present):
        return guess_integers(str(column.name), len(values), present, found) or guess
    return as_calendar(guess) if guess.form == "date" and is_even(present) else guess


def _of_texts(column: pd.Series, written: pd.Series, decimal: str) -> Guess:
    present = written.dropna()
    scarce = _scarce(len(present), len(written))
    if scarce is not None:
        return scarce
    counts = present.value_counts()
    found = pd.Series(counts.index, dtype=TEXT)
    if types.is_bool_dtype(column.dtype) or are_truths(found):
        return _single(column, len(present)) if len(found) == 1 else TRUTH
    if _are_codes(found):
        return _of_words(len(written), present, counts)
    if are_clock_times(found):
        guess = Guess("numeric", "cycle", date_format="clock")
        return _of_numbers(column, CYCLES["clock"].read(column), guess)
    if _are_numbers(found, counts.to_numpy(), decimal):
        values = numbers(column, decimal)
        example = found[np.isfinite(parse_numbers(found, decimal))].min()
        why = f"a number, read from text like {example!r}"
        if has_uncertainty(found):
            why += ", without uncertainties in brackets"
        return _of_numbers(column, values, Guess("numeric", "number", why))
    unit = common_unit(found)
    if unit and _are_numbers(without_unit(found, unit), counts.to_numpy(), decimal):
        values = numbers(without_unit(column, unit), decimal)
        why = f"a number, read from text like '{np.nanmin(values):g} {unit}'"
        return _of_numbers(
            column, values, Guess("numeric", "number", why, separator=unit)
        )
    date_format = guess_date_format(found)
    if date_format is not None:
        guess = Guess("date", "date", date_format=date_format)
        return _of_numbers(column, days(column, date_format), guess)
    if len(found) == 1:
        return _single(column, len(present))
    cycle = cycle_of_words(found)
    if cycle is not None:
        return Guess("category", "cycle", date_format=cycle)
    return _of_words(len(written), present, counts)


def _are_codes(found: pd.Series) -> bool:
    """Whether texts of digits name something: 007, or more digits than numbers keep."""
    sample = spaced_sample(found)
    if not sample.str.fullmatch(r"[0-9]+").all():
        return False
    has_zero = found.str.fullmatch(r"0[0-9]+")
    return bool(has_zero.any() or (found.str.len() > _MOST_DIGITS).any())


def _of_words(n: int, present: pd.Series, counts: pd.Series) -> Guess:
    different, separator = len(counts), find_separator(present)
    # A part that stands in several lists makes them more than their parts.
    if separator == "|" or (separator and count_parts(present, separator) < different):
        return Guess("text", "parts", separator=separator)
    sample = spaced_sample(present)
    n_words = float(sample.str.count(r"\S+").mean())
    is_short = float(sample.str.len().mean()) <= _NAME_LETTERS
    if different >= _NEARLY_ALL * n:
        if is_short and n_words <= _NAME_WORDS:
            share = "all different" if different == n else f"{different:,} different"
            return Guess("id", why=f"{share}: they name the rows")
    elif different <= max(2, len(present) / 2):
        covered = counts.iloc[:MAX_LEVELS].sum() / len(present)
        if different <= MAX_LEVELS or (covered >= 0.5 and not separator):
            # Rare levels beside a scale, such as *, are as good as missing.
            rarest = counts.iloc[::-1].cumsum().iloc[::-1]
            common = counts[rarest > (1 - _MOSTLY) * len(present)]
            levels = order_of(counts.index.tolist()) or order_of(common.index.tolist())
            return _category(levels or ())
    if separator is not None:
        return Guess("text", "parts", separator=separator)
    if _PROSE_WORDS > n_words >= 2 and share_words(present):
        return Guess("text", "parts", separator=WORDS)
    if n_words >= _PROSE_WORDS:
        return Guess("text", why=f"about {n_words:.0f} words a row")
    return Guess("text", why=f"{different:,} different values in {n:,} rows")


def _are_numbers(found: pd.Series, counts: np.ndarray, decimal: str) -> bool:
    # A sample of a thousand recognises most columns of words.
    if not np.isfinite(parse_numbers(spaced_sample(found), decimal)).any():
        return False
    is_number = np.isfinite(parse_numbers(found, decimal))
    counted = counts[~is_gap_word(found).to_numpy()].sum()
    return bool(is_number.any() and counts[is_number].sum() >= _MOSTLY * counted)


def _scarce(present: int, n: int) -> Guess | None:
    if present == 0:
        return Guess("empty", why="no value")
    if present < LEAST_PRESENT * n:
        return Guess("empty", why=f"a value in only {present:,} of {n:,} rows")
    return None


def enough_missing(count: int, n: int) -> bool:
    """Whether enough of n values are missing that a feature flags them."""
    return count >= max(_FEWEST_MISSING, _ENOUGH_MISSING * n)


def _single(column: pd.Series, present: int) -> Guess:
    if enough_missing(len(column) - present, len(column)):
        return Guess("category", "levels")
    return Guess("constant", why=f"always {texts(column).dropna().iloc[0]!r:.40}")
