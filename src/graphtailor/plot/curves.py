"""A curve with its axes: the objective, or scores over numbers of clusters."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from graphtailor.plot.style import ACCENT, INK, LINE, new_figure, plain_axes

# More marks than this would merge into one thick line.
_MOST_MARKS = 40
# More values are not visible in a picture of this size.
_MOST_VALUES = 400


def draw_curve(
    ax: Axes,
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    names: tuple[str, str],
    chosen: float | None = None,
) -> None:
    """Draw a curve over whole numbers, with a ring around the value at `chosen`.

    Values that are not finite are left out; `names` are those of the two axes.
    """
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    known = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys))
    if len(known) > _MOST_VALUES:
        known = known[np.linspace(0, len(known) - 1, _MOST_VALUES).astype(int)]
    xs, ys = xs[known], ys[known]
    marker = "o" if len(ys) <= _MOST_MARKS else ""
    ax.plot(xs, ys, color=ACCENT, marker=marker, markersize=4, lw=1.8)
    ringed = xs == chosen
    ax.plot(xs[ringed], ys[ringed], "o", ms=12, mec=INK, mfc="none", mew=1.8)
    # On a linear axis a curve that falls a hundredfold looks like a corner.
    if len(ys) and ys.min() > 0 and ys.max() > 100 * ys.min():
        ax.set_yscale("log")
    else:
        ax.yaxis.set_major_formatter(ScalarFormatter(useOffset=False))
        ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    if len(xs) == 1:
        ax.set_xticks(xs)
    ax.set_xlabel(names[0], color=INK)
    ax.set_ylabel(names[1], color=INK)
    ax.grid(axis="y", color=LINE, lw=0.6, alpha=0.6)
    ax.set_axisbelow(True)
    plain_axes(ax)


def curve_figure(
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    names: tuple[str, str],
    chosen: float | None = None,
) -> Figure:
    """A figure with one curve, for a page; parameters as for :func:`draw_curve`."""
    figure = new_figure(5.4, 2.8)
    draw_curve(figure.subplots(), x, y, names, chosen)
    return figure
