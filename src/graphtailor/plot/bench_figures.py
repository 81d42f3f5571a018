"""The pictures of a benchmark."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graphtailor.bench.plan.plan import Choice
from graphtailor.bench.results.results import Results
from graphtailor.bench.results.scores import short_name
from graphtailor.bench.results.tables import mean_table
from graphtailor.plot.style import ACCENT, INK, LINE, SOFT, new_figure, plain_axes
from graphtailor.statistics import FriedmanTest

# Colour of what the study printed.
STUDY = "#c8722c"
# Height of a method in inches.
ROW = 0.3


def mean_figure(results: Results, choice: Choice) -> Figure:
    """Means of the first metric over the data sets, ours and the study's."""
    table = mean_table(results, choice)[::-1]
    figure = new_figure(7.2, 0.8 + ROW * len(table))
    ax = figure.subplots()
    rows = np.arange(len(table))
    ax.hlines(rows, table["study"], table["shared"], color=LINE, lw=2, zorder=1)
    ax.scatter(
        table["study"],
        rows,
        s=34,
        facecolors="none",
        edgecolors=STUDY,
        linewidths=1.5,
        label="printed in the study",
        zorder=2,
    )
    ours = table["shared"].fillna(table["ours"])
    ax.scatter(ours, rows, s=38, color=ACCENT, label="measured here", zorder=3)
    ax.set_yticks(rows, _with_gaps(table))
    ax.set_xlabel(
        f"mean {short_name(results.plan.metrics[0])} over the data sets", color=INK
    )
    ax.grid(axis="x", color=LINE, lw=0.6, alpha=0.6)
    ax.set_axisbelow(True)
    plain_axes(ax)
    ax.legend(
        loc="lower left",
        bbox_to_anchor=(0, 1),
        ncols=2,
        frameon=False,
        labelcolor=INK,
        fontsize=9,
        borderaxespad=0.2,
    )
    return figure


def _with_gaps(table: pd.DataFrame) -> list[str]:
    """Names of the methods, with the number of data sets if some are missing."""
    most = table["n_sets"].max()
    return [
        name if count == most else f"{name} ({count} of {most} sets)"
        for name, count in table["n_sets"].items()
    ]


def critical_difference_figure(test: FriedmanTest) -> Figure:
    """Mean ranks on a line; bars join methods that do not differ."""
    ranks = test.mean_ranks
    n_methods = len(ranks)
    half = (n_methods + 1) // 2
    groups = _cliques(ranks.to_numpy(), test.critical_difference)
    depth = 0.55 + 0.28 * len(groups)
    figure = new_figure(8.0, 1.1 + 0.24 * (half + 1.2 * len(groups)))
    ax = figure.subplots()
    for position, (name, rank) in enumerate(ranks.items()):
        is_left = position < half
        row = position if is_left else n_methods - 1 - position
        y, end = -depth - 0.5 * row, 0.6 if is_left else n_methods + 0.4
        ax.plot([rank, rank, end], [0, y, y], color=SOFT, lw=0.8)
        text = f"{name}  {rank:.2f}" if is_left else f"{rank:.2f}  {name}"
        side = "right" if is_left else "left"
        shift = -0.01 * n_methods if is_left else 0.01 * n_methods
        ax.text(end + shift, y, text, ha=side, va="center", color=INK, fontsize=9)
    for level, (first, last) in enumerate(groups):
        y = -0.32 - 0.28 * level
        ax.plot([first - 0.03, last + 0.03], [y, y], color=ACCENT, lw=3)
    _rank_axis(ax, n_methods, test.critical_difference)
    margin = 0.2 * n_methods
    ax.set_xlim(0.6 - margin, n_methods + 0.4 + margin)
    ax.set_ylim(-depth - 0.5 * half + 0.1, 1.5)
    ax.set_axis_off()
    return figure


def _rank_axis(ax: Axes, n_methods: int, difference: float) -> None:
    ax.plot([1, n_methods], [0, 0], color=INK, lw=1.2)
    for rank in range(1, n_methods + 1):
        ax.plot([rank, rank], [0, 0.12], color=INK, lw=1)
        ax.text(rank, 0.2, str(rank), ha="center", va="bottom", color=INK, fontsize=9)
    shown = min(difference, n_methods - 1)
    ax.plot([1, 1 + shown], [0.95, 0.95], color=STUDY, lw=2, marker="|", ms=8)
    text = f"critical difference {difference:.2f}"
    ax.text(1 + shown / 2, 1.05, text, ha="center", va="bottom", color=INK, fontsize=9)


def _cliques(ranks: np.ndarray, difference: float) -> list[tuple[float, float]]:
    """Longest runs of sorted ranks no farther apart than the difference."""
    found: list[tuple[int, int]] = []
    for first, rank in enumerate(ranks):
        last = int(np.searchsorted(ranks, rank + difference, side="right")) - 1
        if last > first and (not found or last > found[-1][1]):
            found.append((first, last))
    return [(float(ranks[first]), float(ranks[last])) for first, last in found]
