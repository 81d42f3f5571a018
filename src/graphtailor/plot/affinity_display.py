"""A graph as a matrix ordered by cluster and as a map, and the overview of a fit."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, PowerNorm, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.patheffects import withStroke

from graphtailor.diagnostics import graph_map
from graphtailor.diagnostics.formatting import cluster_color
from graphtailor.diagnostics.model_access import (
    FittedModel,
    Which,
    scaled_features,
    view_of,
)
from graphtailor.linalg.types import MatrixLike
from graphtailor.plot import style
from graphtailor.plot.curves import convergence

# One colour, more or less opaque, is readable on light and on dark pages.
_COLOR = "#cf4e10"
_COLORS = LinearSegmentedColormap.from_list(
    "weights", [to_rgba(_COLOR, 0), to_rgba(_COLOR, 1)]
)
# On a linear scale small weights would look the same.
_POWER = 0.6
# Width of the strips that show the clusters, and of the gap beside them.
_STRIP, _GAP = 0.03, 0.01


def draw_matrix(ax: Axes, image: np.ndarray, sizes: np.ndarray, top: float) -> None:
    """Draw weights with strips in the colours of the clusters along two sides.

    `sizes` has the number of vertices in each cluster, in the order of the rows. A
    weight of `top` has the full colour.
    """
    n = int(sizes.sum())
    # Up to this many rows every entry is drawn as a sharp square.
    ax.imshow(
        image,
        cmap=_COLORS,
        norm=PowerNorm(_POWER, 0, top, clip=True),
        extent=(0, n, n, 0),
        interpolation="none" if len(image) < 400 else "auto",
    )
    ends = np.cumsum(sizes)
    for k in np.flatnonzero(sizes).tolist():
        begin, color = ends[k] - sizes[k], cluster_color(k)
        strip = -(_STRIP + _GAP) * n
        ax.add_patch(Rectangle((begin, strip), sizes[k], _STRIP * n, fc=color))
        ax.add_patch(Rectangle((strip, begin), _STRIP * n, sizes[k], fc=color))
    ax.set(xlim=(-(_STRIP + _GAP) * n, n), ylim=(n, -(_STRIP + _GAP) * n))
    wide = np.flatnonzero(sizes >= 0.04 * n)
    middles = (ends - sizes / 2)[wide]
    ax.set_xticks(middles, [str(k) for k in wide])
    ax.set_yticks(middles, [str(k) for k in wide])
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.tick_params(length=0, colors=style.INK, labelsize=9, pad=2)
    ax.patch.set_alpha(0)
    ax.spines[:].set_visible(False)


def matrix_figure(
    image: np.ndarray, sizes: np.ndarray, top: float, side: float = 5.0
) -> Figure:
    """A figure with one matrix, for a page; `side` is its size in inches."""
    figure = style.new_figure(side, side)
    draw_matrix(figure.subplots(), image, sizes, top)
    return figure


@dataclass(eq=False, repr=False)
class AffinityDisplay(style.PictureDisplay):
    """Picture of a graph as a matrix, ordered by cluster."""

    image: np.ndarray  # (p, p): weights, or means over blocks of vertices
    sizes: np.ndarray  # vertices in each cluster
    inside: float  # share of the total weight inside clusters
    which: Which = "learned"
    noun: str = "rows"  # what its vertices are

    @classmethod
    def from_estimator(
        cls, model: FittedModel, *, which: Which = "learned", ax: Axes | None = None
    ) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.affinity`."""
        if which not in ("given", "learned"):
            raise ValueError(f"which must be 'learned' or 'given', got {which!r}.")
        view = view_of(model)
        graph = view.graphs().get(which)
        if graph is None:
            remedy = "Draw plot.graph(model, X), a map of its rows, instead."
            for other in view.graphs():
                remedy = f"Draw the {other} graph with which={other!r}."
            raise ValueError(f"{view.name} has no {which} graph to draw. {remedy}")
        image, sizes = graph_map.ordered_image(graph, view.vertex_labels, 800)
        inside = graph_map.share_inside(graph, view.vertex_labels)
        return cls(image, sizes, inside, which, view.noun).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on a new pyplot figure if `ax` is None."""
        ax = self._take_axes(ax, (5.2, 6.4))
        draw_matrix(ax, self.image, self.sizes, graph_map.full_weight([self.image]))
        ax.set_xlabel("cluster")
        ax.set_ylabel("cluster")
        ax.set_title(
            f"{self.which.capitalize()} graph: {self.inside:.0%} inside clusters"
        )
        style.write_caption(
            ax,
            f"Both axes list the {self.noun}, grouped by cluster; a stronger colour is "
            "a larger weight. In a graph that follows the clusters, squares on the "
            "diagonal hold nearly all of the weight.",
            below=8,
        )
        return self


def affinity(
    model: FittedModel, ax: Axes | None = None, which: Which = "learned"
) -> Axes:
    """Draw a graph as a matrix whose rows and columns are grouped by cluster.

    A pixel is the weight between two rows, or the mean over a block of rows if there
    are more than 800. The title gives the share of the total weight inside clusters.

    `which` takes `affinity_matrix_`, or the graph that the method started from.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, random_state=0)
    >>> axes = plot.affinity(model.fit(load_iris().data))
    >>> axes.images[0].get_array().shape
    (149, 149)
    """
    return AffinityDisplay.from_estimator(model, which=which, ax=ax).ax_


def overview(model: FittedModel, figure: Figure | None = None) -> Figure:
    """Draw given graph, learned graph and objective side by side.

    Graphs that the method does not have are left out. Save the figure with
    ``figure.savefig("picture.png")``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, random_state=0)
    >>> figure = plot.overview(model.fit(load_iris().data))
    >>> [axes.get_title().split(":")[0] for axes in figure.axes]
    ['Given graph', 'Learned graph', 'Objective']
    """
    if figure is None:
        from matplotlib import pyplot

        figure = pyplot.figure()
    graphs = view_of(model).graphs()
    figure.set_size_inches(4.6 * (len(graphs) + 1), 5.0)
    figure.set_layout_engine("constrained")
    panels = figure.subplots(1, len(graphs) + 1, squeeze=False)[0]
    for ax, which in zip(panels, graphs, strict=False):
        affinity(model, ax, which)
    convergence(model, panels[-1])
    return figure


@dataclass(eq=False, repr=False)
class GraphDisplay(style.PictureDisplay):
    """Picture of a graph in the plane, with joined rows close to each other."""

    vertex_map: graph_map.VertexMap

    @classmethod
    def from_estimator(
        cls, model: FittedModel, X: MatrixLike | None = None, *, ax: Axes | None = None
    ) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.graph`."""
        view = view_of(model)
        found = graph_map.map_of(view, scaled_features(view, X))
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
        lines = LineCollection(
            places[shown.lines], colors=style.INK, lw=0.3, alpha=0.25
        )
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
                marker=style.cluster_marker(k),
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
        is_sample = len(places) < shown.n_vertices
        sample = f" Shown is a sample of {len(places):,}." if is_sample else ""
        style.write_caption(
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
        color=style.INK,
        path_effects=[withStroke(linewidth=3, foreground="white")],
        zorder=3,
    )
