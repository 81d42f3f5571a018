"""What stands in a column, as numbers, as texts or as truth values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

from graphtailor.tables.written_numbers import GAP_WORDS, parse_numbers

# What people write for true and false, in pairs.
_TRUTHS = {"true": "false", "yes": "no", "t": "f", "y": "n"}
_TRUE, _FALSE = frozenset(_TRUTHS), frozenset(_TRUTHS.values())
# Above this a float no longer tells neighbouring integers apart.
_LARGEST_WHOLE = 2.0**53


def plain_column(column: pd.Series) -> pd.Series:
    """A column of Python objects as numbers, dates or texts, if it holds such.

    Examples
    --------
    >>> import datetime, decimal
    >>> plain_column(pd.Series([datetime.date(2020, 1, 2)])).dtype.kind
    'M'
    >>> plain_column(pd.Series([decimal.Decimal("1.5"), None])).tolist()
    [1.5, nan]
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(column.cat.categories.dtype)
    if types.is_timedelta64_dtype(column.dtype):
        return column / pd.Timedelta(days=1)
    if column.dtype != object:
        return column
    inside = types.infer_dtype(column, skipna=True)
    if inside in ("decimal", "integer", "floating", "mixed-integer-float"):
        return column.astype(np.float64)
    if inside in ("date", "datetime", "datetime64"):
        return pd.to_datetime(column, errors="coerce", utc=True)
    if inside == "time":
        return column.map(str, na_action="ignore").astype("str")
    if inside == "boolean":
        return column.astype("boolean")
    return column if holds_objects(column) else column.astype("str")


def holds_objects(column: pd.Series) -> bool:
    """Whether a column holds lists, bytes or other things that are no plain value."""
    if types.is_complex_dtype(column.dtype):
        return True
    if column.dtype != object:
        return False
    # One look at each type of Python object there is, not at each row.
    found = set(map(type, column.dropna()))
    return any(not issubclass(each, str | int | float | np.number) for each in found)


def numbers(column: pd.Series, decimal: str = ".") -> np.ndarray:
    """A column as numbers; NaN where there is none.

    Examples
    --------
    >>> numbers(pd.Series(["1,200", "unknown", None]))
    array([1200.,   nan,   nan])
    """
    if types.is_numeric_dtype(column.dtype) and not types.is_complex_dtype(column):
        return column.to_numpy(dtype=np.float64, na_value=np.nan)
    codes, found = _distinct(column)
    return np.append(parse_numbers(found, decimal), np.nan)[codes]


def truths(column: pd.Series) -> np.ndarray:
    """A column of true and false, yes and no, 1 and 0 as numbers; else NaN.

    Examples
    --------
    >>> truths(pd.Series(["yes", "No", "perhaps", None]))
    array([ 1.,  0., nan, nan])
    """
    if types.is_numeric_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return np.where((values == 0) | (values == 1), values, np.nan)
    codes, found = _distinct(column)
    words = found.str.lower()
    values = np.where(words.isin(_TRUE), 1.0, np.where(words.isin(_FALSE), 0.0, np.nan))
    return np.append(values, np.nan)[codes]


def are_truths(found: pd.Series) -> bool:
    """Whether distinct texts are true and false, or another such pair."""
    words = set(found.str.lower()) if len(found) <= 4 else set()
    return any(words == {yes, no} for yes, no in _TRUTHS.items())


def texts(column: pd.Series) -> pd.Series:
    """A column as texts without blanks around them; missing stays missing.

    Whole numbers are written without a decimal point, whatever they are stored as.

    Examples
    --------
    >>> texts(pd.Series([4.0, None, 6.0])).tolist()
    ['4', nan, '6']
    """
    if types.is_float_dtype(column.dtype):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if are_whole(values[~np.isnan(values)]):
            column = column.astype("Int64")
    written = column.astype("str").str.strip()
    return written.where(written != "")


def are_whole(values: np.ndarray) -> bool:
    """Whether all numbers are integers."""
    is_small = np.abs(values) < _LARGEST_WHOLE
    return bool(np.all(is_small & (np.round(values) == values)))


def is_gap_word(found: pd.Series) -> Any:
    """Which distinct texts say that a number is missing."""
    return found.str.lower().isin(GAP_WORDS)


def _distinct(column: pd.Series) -> tuple[np.ndarray, pd.Series]:
    codes, found = pd.factorize(texts(column))
    return codes, pd.Series(found, dtype="str")
