"""Pictures made of coloured squares: running times, and scores over a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

from graphtailor.bench.cells import Results
from graphtailor.bench.figures import INK, ROW, new_figure, plain_axes
from graphtailor.bench.plan import Choice
from graphtailor.bench.units import params_text


def time_figure(results: Results, choice: Choice) -> Figure:
    """Seconds of one run, every method on every data set, colours on a log scale.

    Parameters
    ----------
    results : Results
        The results.
    choice : {"oracle", "blind"}
        How settings were chosen.

    Returns
    -------
    Figure
        A table of colours; the slowest methods are at the bottom.
    """
    cells = results.cells[choice]
    cells = cells[cells["metric"] == results.plan.metrics[0]]
    table = cells.pivot(index="method", columns="dataset", values="seconds")
    table = table[list(results.datasets.index)]
    order = np.log(table).mean(axis="columns").sort_values(kind="stable").index
    table = table.loc[order]
    figure = new_figure(1.9 + 0.74 * table.shape[1], 0.9 + ROW * table.shape[0])
    ax = figure.subplots()
    values = table.to_numpy(dtype=float)
    norm = LogNorm(np.nanmin(values), max(np.nanmax(values), 2 * np.nanmin(values)))
    _color_table(ax, values, norm, _seconds_text)
    ax.set_yticks(np.arange(len(table)) + 0.5, table.index)
    ax.set_xticks(np.arange(table.shape[1]) + 0.5, table.columns)
    ax.xaxis.tick_top()
    ax.tick_params(axis="x", rotation=30)
    for label in ax.get_xticklabels():
        label.set(ha="left", rotation_mode="anchor")
    return figure


def search_figure(results: Results, method: str) -> Figure | None:
    """Mean score over a grid of two weights, one map for each data set.

    Parameters
    ----------
    results : Results
        The results.
    method : str
        A method of the plan with two weights.

    Returns
    -------
    Figure or None
        None if the method has no two weights or has not been searched.
    """
    planned = results.plan.method(method)
    if len(planned.grid) != 2:
        return None
    (first, rows), (second, columns) = planned.grid.items()
    maps = {}
    for dataset, data_hash in results.datasets["hash"].items():
        means = [
            [
                _searched_mean(results, method, data_hash, {first: a, second: b})
                for b in columns
            ]
            for a in rows
        ]
        if not np.isnan(means).all():
            maps[str(dataset)] = np.array(means)
    if not maps:
        return None
    n_columns = min(len(maps), 3 if len(maps) <= 6 else 4)
    n_rows = -(-len(maps) // n_columns)
    size = 0.75 + 0.42 * max(len(columns), 4)
    figure = new_figure(size * n_columns, (size + 0.35) * n_rows)
    axes = figure.subplots(n_rows, n_columns, squeeze=False).ravel()
    for ax in axes[len(maps) :]:
        ax.set_axis_off()
    for ax, (dataset, values) in zip(axes, maps.items(), strict=False):
        _color_table(ax, values, None, lambda value: f"{value:.2f}".lstrip("0"))
        ax.set_title(dataset, color=INK, fontsize=10)
        ax.set_xticks(np.arange(len(columns)) + 0.5, [f"{v:g}" for v in columns])
        ax.set_yticks(np.arange(len(rows)) + 0.5, [f"{v:g}" for v in rows])
        ax.set_xlabel(second, color=INK)
        ax.set_ylabel(first, color=INK)
    return figure


def _searched_mean(
    results: Results, method: str, data_hash: str, point: dict[str, Any]
) -> float:
    planned = results.plan.method(method)
    key = (planned.uses, data_hash, params_text({**planned.params, **point}))
    if key not in results.searched.index:
        return np.nan
    return float(results.searched.at[key, results.plan.metrics[0]])


def _color_table(ax: Axes, values: np.ndarray, norm: Any, text: Any) -> None:
    """Coloured squares with their values; what is missing stays empty."""
    mesh = ax.pcolormesh(
        np.ma.masked_invalid(values),
        norm=norm,
        cmap="viridis",
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
