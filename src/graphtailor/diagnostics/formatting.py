"""Values of a table in words, short and readable."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pandas as pd

_LONGEST = 60


def readable_number(value: float) -> str:
    """Four significant digits, without an exponent where that is readable.

    Examples
    --------
    >>> [readable_number(v) for v in (0.123456, 17, 1234567.0, 0, 2.5e-7)]
    ['0.1235', '17', '1,234,567', '0', '2.5e-07']
    >>> readable_number(float("nan"))
    '–'
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else ("∞" if value > 0 else "−∞")
    if abs(value) >= 1000 or value == int(value):
        return f"{value:,.0f}" if abs(value) < 1e12 else f"{value:.4g}"
    return f"{value:.4g}"


def shown_value(value: float, kind: str = "number") -> str:
    r"""A number, a share in hundredths, or the day that seconds since 1970 mean.

    Examples
    --------
    >>> shown_value(86400.0, "date"), shown_value(2.5), shown_value(0.5, "share")
    ('1970-01-02', '2.5', '50\xa0%')
    """
    if kind == "share" and math.isfinite(value):
        return f"{100 * value:.0f}\N{NO-BREAK SPACE}%"
    if kind == "date" and math.isfinite(value):
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)
        return moment.date().isoformat()
    return readable_number(value)


def shown_cell(value: Any) -> str:
    """A cell of a table: numbers rounded, missing values as a dash, text cut.

    Examples
    --------
    >>> [shown_cell(v) for v in (3.14159265, None, True, "ash")]
    ['3.142', '–', 'True', 'ash']
    """
    if isinstance(value, np.generic):
        value = value.item()
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "–"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int) and abs(value) < 10_000:
        return str(value)  # years have no comma
    if isinstance(value, int | float):
        return readable_number(value)
    text = str(value)
    text = text.removesuffix(" 00:00:00")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
