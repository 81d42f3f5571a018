"""Small pictures as SVG in the page's own colours."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from markupsafe import Markup
from matplotlib.ticker import MaxNLocator

_WIDTH, _HEIGHT = 480, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 66, 14, 12, 42
# A mark for each value would run into one thick line.
_MOST_MARKS = 40
_MOST_VALUES = 400


def line_chart(
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    *,
    x_name: str,
    y_name: str,
    description: str,
    chosen: float | None = None,
) -> Markup:
    """A curve with its axes.

    Parameters
    ----------
    x, y : array-like of shape (k,)
        Places of the curve.
    x_name, y_name : str
        What the axes are.
    description : str
        For those who cannot see it.
    chosen : float or None, default=None
        An x to mark.

    Returns
    -------
    Markup
        An svg element.

    Examples
    --------
    >>> chart = line_chart([0, 1], [5, 3], x_name="n", y_name="f", description="<f>")
    >>> chart.startswith("<svg"), "<f>" in chart
    (True, False)
    """
    xs, ys = _thinned(np.asarray(x, np.float64), np.asarray(y, np.float64))
    # What falls a hundredfold would be a corner on a straight scale.
    is_log = len(ys) > 0 and ys.min() > 0 and ys.max() > 100 * ys.min()
    across = _Axis.of(xs, _LEFT, _WIDTH - _RIGHT, whole=True)
    down = _Axis.of(
        np.log10(ys) if is_log else ys, _HEIGHT - _BOTTOM, _TOP, whole=is_log
    )
    points = np.column_stack(
        [across.places(xs), down.places(np.log10(ys) if is_log else ys)]
    )
    head = '<svg class="chart" role="img" viewBox="0 0 {} {}" aria-label="{}">'
    parts = [Markup(head).format(_WIDTH, _HEIGHT, description)]
    parts += _upright_ticks(down, is_log) + _flat_ticks(across)
    path = "L".join(f"{a:.1f} {b:.1f}" for a, b in points)
    parts.append(Markup('<path class="curve" d="M{}"/>').format(path))
    if len(points) <= _MOST_MARKS:
        dots = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in points)
        parts.append(Markup('<path class="marks" d="{}"/>').format(dots))
    for a, b in points[xs == chosen] if chosen is not None else []:
        ring = '<circle class="chosen" cx="{:.1f}" cy="{:.1f}" r="7"/>'
        parts.append(Markup(ring).format(a, b))
    return Markup("").join([*parts, _names(x_name, y_name), Markup("</svg>")])


@dataclass(frozen=True)
class _Axis:
    """From values to places on the picture, and the values that are marked."""

    ticks: np.ndarray
    low: float
    high: float
    begin: float
    end: float

    @classmethod
    def of(cls, values: np.ndarray, begin: float, end: float, *, whole: bool) -> Self:
        """An axis around some values."""
        first, last = (values.min(), values.max()) if len(values) else (0.0, 1.0)
        ticks = np.asarray(MaxNLocator(5, integer=whole).tick_values(first, last))
        low, high = min(ticks[0], first), max(ticks[-1], last)
        return cls(ticks, float(low), float(high), begin, end)

    def places(self, values: np.ndarray) -> np.ndarray:
        """Where values lie."""
        share = (values - self.low) / ((self.high - self.low) or 1.0)
        return self.begin + (self.end - self.begin) * share


def _thinned(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What is known of a curve, no closer than the eye can tell."""
    known = np.flatnonzero(np.isfinite(x) & np.isfinite(y))
    if len(known) > _MOST_VALUES:
        known = known[np.linspace(0, len(known) - 1, _MOST_VALUES).astype(int)]
    return x[known], y[known]


def _upright_ticks(axis: _Axis, is_log: bool) -> list[Markup]:
    line = (
        '<path class="grid" d="M{:.0f} {:.1f}H{:.0f}"/>'
        '<text x="{}" y="{:.1f}" text-anchor="end">{}</text>'
    )
    values = 10.0**axis.ticks if is_log else axis.ticks
    right = _WIDTH - _RIGHT
    return [
        Markup(line).format(_LEFT, place, right, _LEFT - 7, place + 4, told)
        for told, place in zip(_told(values), axis.places(axis.ticks), strict=True)
    ]


def _flat_ticks(axis: _Axis) -> list[Markup]:
    text = '<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>'
    return [
        Markup(text).format(place, _HEIGHT - _BOTTOM + 17, told)
        for told, place in zip(_told(axis.ticks), axis.places(axis.ticks), strict=True)
    ]


def _names(x_name: str, y_name: str) -> Markup:
    middle = (_LEFT + _WIDTH - _RIGHT) / 2, (_TOP + _HEIGHT - _BOTTOM) / 2
    return Markup(
        '<text class="name" x="{:.0f}" y="{}" text-anchor="middle">{}</text>'
        '<text class="name" transform="translate(12 {:.0f}) rotate(-90)" '
        'text-anchor="middle">{}</text>'
    ).format(middle[0], _HEIGHT - 6, x_name, middle[1], y_name)


def _told(ticks: np.ndarray) -> list[str]:
    """Ticks with as many digits as tell them apart."""
    step = float(np.abs(np.diff(ticks)).min()) if len(ticks) > 1 else 1.0
    if step < 1e-4 or float(np.abs(ticks).max()) >= 1e7:
        return [f"{tick:.4g}" for tick in ticks]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    digits += not math.isclose(round(step, digits), step, rel_tol=1e-6)
    return [f"{tick:,.{digits}f}" for tick in ticks]
