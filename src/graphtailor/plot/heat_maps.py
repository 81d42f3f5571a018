"""Pictures made of coloured squares: a row for each method, a column for each set."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from graphtailor.bench.plan.plan import Choice
from graphtailor.bench.results.results import Results
from graphtailor.plot.bench_figures import ROW
from graphtailor.plot.cell_map import color_cells
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
    table: pd.DataFrame,
    norm: Normalize,
    text: Callable[[float], str],
    colors: str = "viridis",
) -> Figure:
    """A row for each method, a column for each data set."""
    figure = new_figure(1.9 + 0.74 * table.shape[1], 0.9 + ROW * table.shape[0])
    ax = figure.subplots()
    values = table.to_numpy(dtype=float)
    texts = [[text(value) for value in row] for row in values]
    color_cells(ax, values, texts, norm, colors)
    ax.invert_yaxis()
    plain_axes(ax, keep=())
    ax.set_yticks(np.arange(len(table)), table.index)
    ax.set_xticks(np.arange(table.shape[1]), table.columns)
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", rotation=30)
    for label in ax.get_xticklabels():
        label.set(ha="left", rotation_mode="anchor")
    return figure


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
