"""The values of a column as numbers, texts or truth values."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from pandas.api import types

# Texts with NaN for a gap: what pandas 3 calls "str", and pandas 2.3 has as well. There
# texts of Arrow do not know every regular expression.
TEXT = pd.StringDtype("python" if pd.__version__ < "3" else None, na_value=np.nan)
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
        if column.dtype.ordered and len(column.dtype.categories) > 0:
            return column
        column = column.astype(column.cat.categories.dtype)
    if types.is_timedelta64_dtype(column.dtype):
        return column / pd.Timedelta(days=1)
    if column.dtype != object:
        return column
    inside = types.infer_dtype(column, skipna=True)
    if inside == "integer" and column.dropna().map(abs).max() >= _LARGEST_WHOLE:
        return column.map(str, na_action="ignore").astype(TEXT)
    if inside in ("decimal", "integer", "floating", "mixed-integer-float"):
        return column.astype(np.float64)
    if inside in ("date", "datetime", "datetime64"):
        return pd.to_datetime(column, errors="coerce", utc=True)
    if inside == "time":
        return column.map(str, na_action="ignore").astype(TEXT)
    if inside == "boolean":
        return column.astype("boolean")
    if _holds_lists(column):
        return column.map(lambda each: "|".join(map(str, each)), na_action="ignore")
    return column if holds_objects(column) else column.astype(TEXT)


def _holds_lists(column: pd.Series) -> bool:
    found = set(map(type, column.dropna()))
    return bool(found) and found <= {list, set, np.ndarray}


def holds_objects(column: pd.Series) -> bool:
    """Whether a column holds lists, bytes or other Python objects."""
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
        with np.errstate(over="ignore"):  # infinite values are refused later
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
    written = column.astype(TEXT).str.strip()
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
    return codes, pd.Series(found, dtype=TEXT)


# Words for a gap in a column of numbers; in a column of words they may be a level.
GAP_WORDS = frozenset(
    {"-", "--", ".", "..", "?", "na", "n/a", "n.a.", "nil", "missing", "unknown"}
)
_SIGNS = r"[$€£¥₹₽₩%]|\b(?:USD|EUR|GBP|CHF|JPY|SEK|NOK|DKK)\b"
_PLAIN = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
_IS_PLAIN = re.compile(_PLAIN).fullmatch
# 75:30 and 105:12:09, in seconds; what may be a time of the day is taken for one.
_IS_DURATION = re.compile(r"[0-9]+(?::[0-5][0-9]){1,2}(?:\.[0-9]+)?").fullmatch
# 1.00794(4): the last digit is uncertain by 4.
_UNCERTAINTY = r"(?<=[0-9.,])\([0-9]+\)(?=$|[eE])"
_MOST_LOOKED_AT, _MOSTLY = 1000, 0.95


def parse_numbers(texts: pd.Series, decimal: str = ".") -> np.ndarray:
    """Texts as numbers; NaN for a text that is not a number.

    Currency and percent signs are taken off; a group of three digits may be set off by
    a space, an apostrophe, and a comma or (with a decimal comma) a point. An
    uncertainty in brackets behind the last digits is left out. A duration like 75:30
    is a number of seconds.

    Examples
    --------
    >>> import pandas as pd
    >>> parse_numbers(pd.Series(["1,234.5", "$ 7", "-12 %", "1,5", "x"]))
    array([1234.5,    7. ,  -12. ,    nan,    nan])
    >>> parse_numbers(pd.Series(["75:30", "1:00:02.5", "1:75"]))
    array([4530. , 3602.5,    nan])
    >>> parse_numbers(pd.Series(["1.234,5", "1,5", "0,75(2)"]), decimal=",")
    array([1.2345e+03, 1.5000e+00, 7.5000e-01])
    """
    # One by one: on a few levels pandas would spend its time on preparations.
    parsed = [_parsed(text, decimal) for text in texts.astype(TEXT).tolist()]
    return np.array(parsed, dtype=np.float64)


def _parsed(text: Any, decimal: str) -> float:
    if not isinstance(text, str):
        return np.nan
    if decimal == "." and _IS_PLAIN(text):
        return float(text)
    if _IS_DURATION(text):
        parts = text.split(":")[::-1]
        return sum(60.0**place * float(part) for place, part in enumerate(parts))
    bare = re.sub(_SIGNS, "", text.replace("\u2212", "-")).strip()
    bare = re.sub(_UNCERTAINTY, "", bare)
    mark, group = (r"\.", ",") if decimal == "." else (",", r"\.")
    gap = f"[{group}'\u00a0\u202f ]"
    if re.fullmatch(rf"[-+]?[0-9]{{1,3}}(?:{gap}[0-9]{{3}})+(?:{mark}[0-9]+)?", bare):
        bare = re.sub(gap, "", bare)
    if decimal == ",":
        # Groups are removed by now: a text that still has a point is not a number.
        bare = "" if "." in bare else bare.replace(",", ".")
    return float(bare) if _IS_PLAIN(bare) else np.nan


def common_unit(found: pd.Series) -> str | None:
    """The word behind nearly all of some distinct numbers, such as kg; None without.

    Examples
    --------
    >>> import pandas as pd
    >>> common_unit(pd.Series(["70 kg", "8.5 kg", "12kg"]))
    'kg'
    >>> common_unit(pd.Series(["70 kg", "8 lb"])), common_unit(pd.Series(["ash"]))
    (None, None)
    """
    units = spaced_sample(found).str.extract(r"[0-9][.,]?\s?([^\W\d_]{1,8}\.?)$")[0]
    usual = units.mode()
    if usual.empty or (units == usual[0]).mean() < _MOSTLY:
        return None
    return str(usual[0])


def without_unit(column: pd.Series, unit: str) -> pd.Series:
    """Texts without the unit behind them; another one stays, and is no number.

    Examples
    --------
    >>> import pandas as pd
    >>> without_unit(pd.Series(["70 kg", "70", "9 lb"]), "kg").tolist()
    ['70', '70', '9 lb']
    """
    return texts(column).str.removesuffix(unit).str.rstrip()


def has_uncertainty(texts: pd.Series) -> bool:
    """Whether numbers are written with an uncertainty in brackets.

    Examples
    --------
    >>> import pandas as pd
    >>> has_uncertainty(pd.Series(["1.00794(4)"])), has_uncertainty(pd.Series(["(4)"]))
    (True, False)
    """
    return bool(texts.str.contains(_UNCERTAINTY, regex=True).any())


def guess_decimal(columns: Iterable[pd.Series]) -> str:
    """The decimal mark by which more of the texts are numbers; a point if in doubt.

    Examples
    --------
    >>> import pandas as pd
    >>> guess_decimal([pd.Series(["1,5", "2,25"]), pd.Series(["ash", "oak"])])
    ','
    >>> guess_decimal([pd.Series(["1,500"])])
    '.'
    """
    found = {".": 0, ",": 0}
    for column in columns:
        texts = spaced_sample(column.dropna().drop_duplicates())
        for mark in found:
            found[mark] += int(np.isfinite(parse_numbers(texts, mark)).sum())
    return "," if found[","] > found["."] else "."


def spaced_sample(column: pd.Series) -> pd.Series:
    """About a thousand values, evenly spaced over a column."""
    return column.iloc[:: max(1, len(column) // _MOST_LOOKED_AT)]
