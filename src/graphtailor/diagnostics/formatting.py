"""Values as a reader meets them: numbers, cells, names of rows, colours of clusters."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

_LONGEST = 60

# After M. Okabe, K. Ito, "Color Universal Design", 2008, which readers with any colour
# vision can tell apart; without its black, and without its yellow, which is too pale
# on white. The second palette is lighter, for dark pages.
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a8a8a")
DARK_PALETTE = (
    "#4aa3df",
    "#f0b030",
    "#2fc39a",
    "#e294c2",
    "#f0813c",
    "#9ad5f7",
    "#b4b4b4",
)


def cluster_color(cluster: int) -> str:
    """Colour of a cluster on white; the colours repeat after seven clusters."""
    return PALETTE[int(cluster) % len(PALETTE)]


def cluster_style(cluster: int) -> str:
    """CSS that sets the colour of a cluster on a page, light or dark."""
    return f"--k: var(--k{int(cluster) % len(PALETTE)})"


def is_square(cluster: int) -> bool:
    """Whether points of the cluster are square, as its colour is used twice."""
    return int(cluster) // len(PALETTE) % 2 == 1


def readable_number(value: float) -> str:
    """Four significant digits, with an exponent only where plain digits are too long.

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
    r"""A number, a year, a share in per cent, or a day as seconds since 1970.

    Examples
    --------
    >>> shown_value(1987.4, "year")
    '1987'
    >>> shown_value(86400.0, "date"), shown_value(2.5), shown_value(0.5, "share")
    ('1970-01-02', '2.5', '50\xa0%')
    """
    if kind == "share" and math.isfinite(value):
        return f"{100 * value:.0f}\N{NO-BREAK SPACE}%"
    if kind == "year" and math.isfinite(value):
        return f"{value:.0f}"
    if kind == "date" and math.isfinite(value):
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=value)
        return moment.date().isoformat()
    return readable_number(value)


def shown_cell(value: object) -> str:
    """A cell of a table: numbers rounded, missing values as a dash, long text cut."""
    if isinstance(value, np.generic):
        value = value.item()
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return "–"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int) and abs(value) < 10_000:
        return str(value)  # a comma would spoil years
    if isinstance(value, int | float):
        return readable_number(value)
    text = str(value)
    text = text.removesuffix(" 00:00:00")
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def plain_value(value: object) -> Any:
    """A parameter as JSON holds it; anything but a number or a name becomes text."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | Real):
        return value
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    return repr(value)


class RowNames:
    """Names of rows, formatted when they are asked for.

    Without `ids` rows are called "row 0", "row 1", ...; with numbers that count on from
    another one, by these.
    """

    def __init__(self, ids: Sequence[Any] | np.ndarray | pd.Index | None) -> None:
        self._ids = None if ids is None else np.asarray(ids)
        self.first = 0  # number of the first row, where rows are counted
        if self._ids is not None and self._ids.dtype.kind in "iu" and len(self._ids):
            first = int(self._ids[0])
            if np.array_equal(self._ids, np.arange(len(self._ids)) + first):
                self._ids, self.first = None, first

    @property
    def given(self) -> bool:
        """Whether there are names rather than numbers that count the rows."""
        return self._ids is not None

    def __getitem__(self, i: int) -> str:
        return (
            f"row {self.first + i}" if self._ids is None else shown_cell(self._ids[i])
        )
