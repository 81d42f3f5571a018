"""A map of the learned graph, coloured by cluster."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.patheffects import withStroke

from graphtailor.diagnostics.formatting import cluster_color
from graphtailor.diagnostics.graph_map import VertexMap, map_of
from graphtailor.diagnostics.model_access import FittedModel, scaled_features, view_of
from graphtailor.linalg.types import MatrixLike
from graphtailor.plot.style import (
    INK,
    PictureDisplay,
    cluster_marker,
    write_caption,
)


@dataclass(eq=False, repr=False)
class GraphDisplay(PictureDisplay):
    """Picture of a graph in the plane, with joined rows close to each other."""

    vertex_map: VertexMap

    @classmethod
    def from_estimator(
        cls, model: FittedModel, X: MatrixLike | None = None, *, ax: Axes | None = None
    ) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.graph`."""
        view = view_of(model)
        found = map_of(view, scaled_features(view, X))
        if found is None:
            raise ValueError(
                f"{view.name} has no graph to draw. Give the features as X to draw "
                "their nearest neighbours."
            )
        return cls(found).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on a new pyplot figure if `ax` is None."""
        shown = self.vertex_map
        ax = self._take_axes(ax, (6.4, 5.6))
        places = shown.places * (1, -1)
        lines = LineCollection(places[shown.lines], colors=INK, lw=0.3, alpha=0.25)
        ax.add_collection(lines)
        size = float(np.clip(9000 / max(len(places), 1), 4, 36))
        clusters = np.unique(shown.labels)
        for k in clusters:
            mine = places[shown.labels == k]
            ax.scatter(
                mine[:, 0],
                mine[:, 1],
                s=size,
                lw=0,
                color=cluster_color(k),
                marker=cluster_marker(k),
                label=f"cluster {k}",
                zorder=2,
            )
            _number(ax, mine, k)
        ax.set_aspect("equal")
        ax.margins(0.04)
        ax.set_axis_off()
        ax.set_title(
            f"Map of {shown.source}: {shown.n_vertices:,} {shown.noun} in "
            f"{len(clusters)} cluster{'' if len(clusters) == 1 else 's'}"
        )
        sample = (
            f" Shown is a sample of {len(places):,}."
            if len(places) < shown.n_vertices
            else ""
        )
        write_caption(
            ax,
            f"Points are {shown.noun}, lines are the strongest edges; points with an "
            f"edge are close. Numbers and colours are clusters.{sample}",
            below=6,
        )
        return self


def graph(
    model: FittedModel, X: MatrixLike | None = None, ax: Axes | None = None
) -> Axes:
    """Draw a map of the learned graph, coloured by cluster.

    X, the features, is needed for methods with neither a graph nor an embedding.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, random_state=0)
    >>> axes = plot.graph(model.fit(load_iris().data))
    >>> [text.get_text() for text in axes.texts[:3]]
    ['0', '1', '2']
    """
    return GraphDisplay.from_estimator(model, X, ax=ax).ax_


def _number(ax: Axes, places: np.ndarray, k: int) -> None:
    """Write the cluster's number at one of its points, for readers without colour."""
    middle = np.median(places, axis=0)
    x, y = places[np.linalg.norm(places - middle, axis=1).argmin()]
    ax.text(
        x,
        y,
        str(k),
        ha="center",
        va="center",
        weight="bold",
        color=INK,
        path_effects=[withStroke(linewidth=3, foreground="white")],
        zorder=3,
    )
