"""Scores over two weights: the study's Fig. 2, and its claim about them."""

import numpy as np
from matplotlib.figure import Figure

from graphtailor.bench.plan.plan import Grid, PlannedMethod, Setting
from graphtailor.bench.results.results import Results
from graphtailor.bench.run.work_units import params_text
from graphtailor.plot.cell_map import color_cells
from graphtailor.plot.style import INK, new_figure, plain_axes


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
