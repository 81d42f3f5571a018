"""The values of a column as dates or hours."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd

from graphtailor.columns.parse_values import TEXT, spaced_sample

_MICROSECONDS_A_DAY = 86_400_000_000
_ISO = "ISO8601"
# The first that fits wins: where 03/04/2020 is all there is, the month comes first.
_DAYS = (
    "%Y/%m/%d",
    "%d.%m.%Y",
    "%m/%d/%Y",
    "%d/%m/%Y",
    "%m-%d-%Y",
    "%d-%m-%Y",
    "%m/%d/%y",
    "%d/%m/%y",
    "%d.%m.%y",
    "%b %d %Y",
    "%b %d, %Y",
    "%B %d, %Y",
    "%d %b %Y",
    "%d %B %Y",
    "%d-%b-%Y",
    "%d-%b-%y",
)
# A quarter is written as its number, and read as its first month.
_QUARTERS = ("%Y Q%m", "%Y-Q%m", "%YQ%m", "Q%m %Y", "Q%m-%Y")
_TIMES = (" %H:%M:%S", " %H:%M", " %I:%M:%S %p", " %I:%M %p")
FORMATS = (
    _ISO,
    *_DAYS,
    *(day + time for day in _DAYS[:9] for time in _TIMES),
    *("%b %Y", "%B %Y", "%Y %b", "%Y %B", "%b-%Y", "%b-%y", "%Y-%b", "%m/%Y"),
    *_QUARTERS,
)
# ISO 8601 also allows 2020 and 202001, which are numbers in nearly all tables.
_ISO_LOOKS = r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2})?(?:[T ][0-9:.,]+(?:Z|[-+][0-9:]+)?)?"
_LOOKS = r".*[0-9].*[0-9].*[-/. :].*|.*[-/. ,].*[0-9].*[0-9].*|[0-9]{4}Q[1-4]"
_MONTH_NAME = r"[^\W\d_]{3}"
_MOSTLY = 0.95


def guess_date_format(texts: pd.Series) -> str | None:
    """How dates are written, if nearly all distinct texts are dates; else None.

    Examples
    --------
    >>> import pandas as pd
    >>> guess_date_format(pd.Series(["2020-01-31", "2021-12-01"]))
    'ISO8601'
    >>> guess_date_format(pd.Series(["31.01.2020", "01.12.2021"]))
    '%d.%m.%Y'
    >>> guess_date_format(pd.Series(["oak", "elm"])) is None
    True
    """
    sample = spaced_sample(texts)
    if len(texts) == 0 or sample.str.fullmatch(_LOOKS).mean() < _MOSTLY:
        return None
    shares: dict[str, float] = {}
    words = sample.head(50).str.contains(_MONTH_NAME).mean()
    for date_format in FORMATS:
        # Pandas takes its time to try a format, which a look at the letters saves.
        if words <= 0.5 if "%b" in date_format.lower() else words >= 0.5:
            continue
        if np.isfinite(_parsed_days(sample.head(50), date_format)).mean() > 0.5:
            found = np.isfinite(_parsed_days(texts, date_format)).mean()
            if found == 1:
                return date_format
            shares[date_format] = float(found)
    best = max(shares, key=lambda each: shares[each], default=None)
    return best if best is not None and shares[best] >= _MOSTLY else None


def days(column: pd.Series, date_format: str | None) -> np.ndarray:
    """Days since 1970, with fractions; NaN where there is no date.

    The column holds dates (`date_format` is None), or texts in that format.

    Examples
    --------
    >>> import pandas as pd
    >>> days(pd.Series(["1970-01-03", None, "never"]), "ISO8601")
    array([ 2., nan, nan])
    >>> days(pd.Series(["1970 Q1", "1970 Q4"]), "%Y Q%m")
    array([  0., 273.])
    """
    if pd.api.types.is_datetime64_any_dtype(column.dtype):
        return _as_days(column)
    if date_format is None:
        return _as_days(pd.to_datetime(column, errors="coerce", utc=True))
    codes, texts = pd.factorize(column.astype(TEXT).str.strip())
    found = _parsed_days(pd.Series(texts, dtype=TEXT), date_format)
    return np.append(found, np.nan)[codes]


def _parsed_days(texts: pd.Series, date_format: str) -> np.ndarray:
    if date_format == _ISO:
        texts = texts.where(texts.str.fullmatch(_ISO_LOOKS))
    if date_format in _QUARTERS:
        texts = texts.str.replace(r"Q([1-4])(?![0-9])", _first_month, regex=True)
    parsed = pd.to_datetime(texts, format=date_format, errors="coerce", utc=True)
    return _as_days(parsed)


def _first_month(quarter: re.Match[str]) -> str:
    return f"Q{3 * int(quarter[1]) - 2}"


def _as_days(dates: pd.Series) -> np.ndarray:
    if getattr(dates.dtype, "tz", None) is not None:
        dates = dates.dt.tz_convert("UTC").dt.tz_localize(None)
    stamps = dates.to_numpy(dtype="datetime64[us]")
    found = stamps.astype(np.int64) / _MICROSECONDS_A_DAY
    return np.where(np.isnat(stamps), np.nan, found)


_TIME = (
    r"(?P<h>[01]?[0-9]|2[0-3]):(?P<m>[0-5][0-9])(?::(?P<s>[0-5][0-9](?:\.[0-9]+)?))?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?"
)


def are_clock_times(found: pd.Series) -> bool:
    """Whether nearly all of some distinct texts are times of the day.

    Examples
    --------
    >>> import pandas as pd
    >>> are_clock_times(pd.Series(["8:05", "23:59:30"]))
    True
    >>> are_clock_times(pd.Series(["8:05", "75:30"]))
    False
    """
    return len(found) > 0 and bool(found.str.fullmatch(_TIME).mean() >= _MOSTLY)


def hours(column: pd.Series) -> np.ndarray:
    """Hours since midnight, with fractions; NaN where there is no time.

    Examples
    --------
    >>> import pandas as pd
    >>> hours(pd.Series(["8:30", "23:15:36", "12:30 am", None, "noon"]))
    array([ 8.5 , 23.26,  0.5 ,   nan,   nan])
    """
    codes, texts = pd.factorize(column.astype(TEXT).str.strip())
    parts = pd.Series(texts, dtype=TEXT).str.extract(rf"^{_TIME}$")
    h, m, s = (parts[part].to_numpy(np.float64, na_value=np.nan) for part in "hms")
    half = parts["half"].str.lower()
    h = np.where(half.isna(), h, h % 12 + 12 * (half == "p"))
    found = h + m / 60 + np.where(np.isnan(s), 0.0, s) / 3600
    return np.append(found, np.nan)[codes]
