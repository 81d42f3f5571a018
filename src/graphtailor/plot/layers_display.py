"""How groups split from one number of clusters to the next."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graphtailor.diagnostics.formatting import cluster_color
from graphtailor.diagnostics.levels import Levels
from graphtailor.diagnostics.model_access import FittedModel, view_of
from graphtailor.plot import style

# Area of the circle of all rows, in points, and the least area that can be seen.
_AREA, _LEAST_AREA = 900.0, 12.0
# Smaller parts of a cluster are not drawn; width of the line of all rows, in points.
_LEAST_SHARE, _WIDEST = 0.1, 6


@dataclass(eq=False, repr=False)
class LayersDisplay(style.PictureDisplay):
    """Picture of the tree of clusters: one line for each number of clusters."""

    levels: Levels

    @classmethod
    def from_estimator(cls, model: FittedModel, *, ax: Axes | None = None) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.layers`."""
        return cls(view_of(model).levels).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on a new pyplot figure if `ax` is None."""
        ax = self._take_axes(ax, _size(self.levels))
        draw_layers(ax, self.levels)
        ax.set_title("How the clusters split")
        style.write_caption(
            ax,
            "Each line is one number of clusters; * marks suggested ones. The area of "
            "a circle is the number of rows, and lines show where rows go.",
            below=12,
        )
        return self


def layers(model: FittedModel, ax: Axes | None = None) -> Axes:
    """Draw how clusters split from one number of clusters to the next.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> "3 *" in [text.get_text() for text in plot.layers(model).texts]
    True
    """
    return LayersDisplay.from_estimator(model, ax=ax).ax_


def layers_figure(levels: Levels) -> Figure:
    """The same for a page; the line of k clusters has the name "level-k"."""
    figure = style.new_figure(*_size(levels))
    draw_layers(figure.subplots(), levels)
    return figure


def draw_layers(ax: Axes, levels: Levels) -> None:
    """Draw the tree; clusters stand in the order of the finest level."""
    places = _places(levels)
    _draw_flows(ax, levels, places)
    colors, n = levels.colors(), len(levels.labels[0])
    for line, labels in enumerate(levels.labels):
        sizes = np.bincount(labels)
        areas = np.maximum(_AREA * sizes / n, _LEAST_AREA)
        markers = np.array([style.cluster_marker(int(color)) for color in colors[line]])
        for marker in np.unique(markers[sizes > 0]):
            mine = np.flatnonzero((markers == marker) & (sizes > 0))
            ax.scatter(
                places[line][mine],
                np.full(len(mine), -line),
                s=areas[mine],
                color=[cluster_color(int(k)) for k in colors[line][mine]],
                marker=marker,
                zorder=2,
                lw=0,
                clip_on=False,
            )
        _write_number(ax, levels, line)
    ax.set_xlim(-0.12, 1.04)
    ax.set_ylim(-len(places) + 0.4, 0.6)
    ax.set_xticks([])
    ax.set_yticks([])
    style.plain_axes(ax, keep=())


def _draw_flows(ax: Axes, levels: Levels, places: list[np.ndarray]) -> None:
    """Lines from clusters to their parts; lines of one width are one path."""
    n = len(levels.labels[0])
    gap = (np.nan, np.nan)
    paths: dict[int, list[tuple[float, float]]] = {}
    for line in range(1, len(places)):
        flows = levels.flows(line)
        for a, b in np.argwhere(flows > _LEAST_SHARE * flows.sum(axis=0)):
            width = int(np.ceil(_WIDEST * np.sqrt(flows[a, b] / n)))
            ends = (places[line - 1][a], 1 - line), (places[line][b], -line)
            paths.setdefault(width, []).extend([*ends, gap])
    for width, path in sorted(paths.items()):
        x, y = zip(*path, strict=True)
        ax.plot(x, y, lw=width, color=style.SOFT, alpha=0.45, zorder=1, clip_on=False)


def _write_number(ax: Axes, levels: Levels, line: int) -> None:
    number = levels.numbers[line]
    words = ax.text(
        *(-0.06, -line, f"{number} *" if number in levels.suggested else str(number)),
        ha="right",
        va="center",
        color=style.INK,
        weight="bold" if line == levels.chosen else "normal",
    )
    words.set_gid(f"level-{number}")


def _places(levels: Levels) -> list[np.ndarray]:
    """Where each cluster stands: among the finest ones that hold its rows."""
    order = _leaf_order(levels)
    finest = levels.labels[-1]
    spot = np.empty(len(order))
    spot[order] = (np.arange(len(order)) + 0.5) / len(order)
    found = []
    for labels in levels.labels:
        sizes = np.maximum(np.bincount(labels), 1)
        found.append(np.bincount(labels, weights=spot[finest]) / sizes)
    return found


def _leaf_order(levels: Levels) -> np.ndarray:
    """The finest clusters in an order that keeps the parts of a cluster together."""
    c = int(levels.labels[-1].max()) + 1
    keys, above = [np.arange(c)], np.arange(c)
    for line in range(len(levels.labels) - 1, 0, -1):
        above = levels.parents(line)[above]
        keys.append(above)
    return np.lexsort(keys)


def _size(levels: Levels) -> tuple[float, float]:
    lines = len(levels.labels)
    return 7.0, 0.8 + min(0.5 * lines, 4.0 + 0.1 * lines)
