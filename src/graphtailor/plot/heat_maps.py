"""Pictures made of coloured squares: a row for each method, a column for each set."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from graphtailor.bench.plan.plan import Choice, Grid, PlannedMethod, Setting
from graphtailor.bench.results.results import Results
from graphtailor.bench.run.work_units import params_text
from graphtailor.plot.bench_figures import ROW
from graphtailor.plot.cell_map import color_cells
from graphtailor.plot.style import INK, new_figure, plain_axes

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


def search_figure(results: Results, method: str) -> Figure | None:
    """Mean score over a grid of two weights, one map for each data set.

    None if the method does not have two weights or has not been searched.
    """
    maps = _maps(results, method)
    if not maps:
        return None
    n_columns = min(len(maps), 3 if len(maps) <= 6 else 4)
    n_rows = -(-len(maps) // n_columns)
    widest = max(values.shape[1] for _, values in maps.values())
    size = 0.75 + 0.42 * max(widest, 4)
    figure = new_figure(size * n_columns, (size + 0.35) * n_rows)
    axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for ax in axes[len(maps) :]:
        ax.set_axis_off()
    for ax, (dataset, (grid, values)) in zip(axes, maps.items(), strict=False):
        (first, rows), (second, columns) = grid.items()
        texts = [[f"{value:.2f}".lstrip("0") for value in row] for row in values]
        color_cells(ax, values, texts, None, "viridis")
        ax.invert_yaxis()
        plain_axes(ax, keep=())
        ax.set_title(dataset, color=INK, fontsize=10)
        ax.set_xticks(np.arange(len(columns)), [f"{v:g}" for v in columns])
        ax.set_yticks(np.arange(len(rows)), [f"{v:g}" for v in rows])
        ax.set_xlabel(second, color=INK)
        ax.set_ylabel(first, color=INK)
    return figure


def _searched_mean(
    results: Results, method: PlannedMethod, data_hash: str, point: Setting
) -> float:
    params = {**method.params, **method.search_params, **point}
    key = (method.name, data_hash, params_text(params))
    if key not in results.searched.index:
        return np.nan
    return float(results.searched.at[key, results.plan.metrics[0]])


def _maps(results: Results, method: str) -> dict[str, tuple[Grid, np.ndarray]]:
    """Mean scores of each data set over the two weights of the method, if it has two.

    Settings that were not run are NaN; data sets without any run are left out.
    """
    maps = {}
    for dataset, about in results.datasets.iterrows():
        own = results.plan.method(method).on(about["n_samples"])
        grid = own.searched_grid()
        if len(grid) != 2:
            continue
        (first, rows), (second, columns) = grid.items()
        means = [
            [
                _searched_mean(results, own, about["hash"], {first: a, second: b})
                for b in columns
            ]
            for a in rows
        ]
        if not np.isnan(means).all():
            maps[str(dataset)] = grid, np.array(means)
    return maps


def extremes_sentence(results: Results, method: str) -> str:
    """Where the best and the worst scores are; empty if no weight of 0 was searched.

    The study says that the best score never has a weight of 0, and that the worst has
    two.
    """
    whole, inside, worst = 0, 0, 0
    for grid, values in _maps(results, method).values():
        rows, columns = (np.array(points) == 0 for points in grid.values())
        if rows.any() and columns.any() and not np.isnan(values).any():
            either, both = rows[:, None] | columns, rows[:, None] & columns
            whole += 1
            inside += values[~either].max() > values[either].max()
            worst += values[both].min() == values.min()
    if not whole:
        return ""
    return (
        f"The best score is higher than all scores with a weight of 0 on {inside} of "
        f"{whole} sets; the worst has both weights 0 on {worst}. The study reports "
        "both for all sets."
    )
