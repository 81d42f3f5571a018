"""Pictures made of coloured squares: a row for each method, a column for each set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from graphtailor.bench.plan.plan import Choice
from graphtailor.bench.results.results import Results
from graphtailor.plot.bench_figures import ROW
from graphtailor.plot.style import new_figure, plain_axes

# Larger differences all have the strongest colour.
_STRONGEST = 0.3


def time_figure(results: Results, choice: Choice) -> Figure:
    """Seconds of one run, every method on every data set, the slowest at the bottom."""
    cells = results.cells[choice]
    cells = cells[cells["metric"] == results.plan.metrics[0]]
    table = cells.pivot(index="method", columns="dataset", values="seconds")
    table = table[list(results.datasets.index)]
    order = np.log(table).mean(axis="columns").sort_values(kind="stable").index
    table = table.loc[order]
    values = table.to_numpy(dtype=float)
    norm = LogNorm(np.nanmin(values), max(np.nanmax(values), 2 * np.nanmin(values)))
    return _method_map(table, norm, _seconds_text)


def difference_figure(results: Results, choice: Choice) -> Figure:
    """Our first metric minus the study's, every method on every data set.

    Cells are red where ours is lower.
    """
    cells = results.cells[choice]
    cells = cells[cells["metric"] == results.plan.metrics[0]]
    table = cells.pivot(index="method", columns="dataset", values="difference")
    table = table.loc[
        [method.name for method in results.plan.methods], list(results.datasets.index)
    ]
    norm = Normalize(-_STRONGEST, _STRONGEST, clip=True)
    return _method_map(table, norm, _difference_text, colors="RdBu")


def _method_map(
    table: pd.DataFrame, norm: Any, text: Any, colors: str = "viridis"
) -> Figure:
    """A row for each method, a column for each data set."""
    figure = new_figure(1.9 + 0.74 * table.shape[1], 0.9 + ROW * table.shape[0])
    ax = figure.subplots()
    color_table(ax, table.to_numpy(dtype=float), norm, text, colors)
    ax.set_yticks(np.arange(len(table)) + 0.5, table.index)
    ax.set_xticks(np.arange(table.shape[1]) + 0.5, table.columns)
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", rotation=30)
    for label in ax.get_xticklabels():
        label.set(ha="left", rotation_mode="anchor")
    return figure


def color_table(
    ax: Axes, values: np.ndarray, norm: Any, text: Any, colors: str = "viridis"
) -> None:
    """Coloured squares with their values; missing values stay empty."""
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(values),
        norm=norm,
        cmap=colors,
        edgecolors="none",
        linewidth=0,
    )
    ax.invert_yaxis()
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            red, green, blue, _ = mesh.to_rgba(value)
            is_light = 0.3 * red + 0.59 * green + 0.11 * blue > 0.45
            color = "#000000" if is_light else "#ffffff"
            place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": 8}
            ax.text(j + 0.5, i + 0.5, text(value), color=color, **place)
    plain_axes(ax, keep=())


def _seconds_text(value: float) -> str:
    if value < 0.001:
        return "<1 ms"
    if value < 1:
        return f"{1000 * value:.0f} ms"
    return f"{value:.1f} s" if value < 10 else f"{value:.0f} s"


def _difference_text(value: float) -> str:
    text = f"{value:+.2f}"
    if float(text) == 0:
        return "0"
    return text.replace("-", "−").replace("0.", ".")
