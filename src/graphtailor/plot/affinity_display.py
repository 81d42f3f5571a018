"""A graph as a matrix whose rows and columns are grouped by cluster."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes

from graphtailor.diagnostics.model_access import (
    Which,
    full_weight,
    graph_of,
    ordered_image,
    share_inside,
    vertex_labels,
    vertex_noun,
)
from graphtailor.plot.style import INK, PictureDisplay, write_caption

# Perceptually uniform; reversed so that strong ties are dark on a white page.
_COLORS = "magma_r"
_MOST_PIXELS = 800


class AffinityDisplay(PictureDisplay):
    """Picture of a graph as a matrix, ordered by cluster.

    Parameters
    ----------
    image : ndarray of shape (p, p)
        Weights, or means over blocks of vertices.
    sizes : ndarray of shape (n_clusters,)
        Vertices in each cluster.
    inside : float
        Share of all weight that lies inside clusters.
    which : {"learned", "given"}, default="learned"
        Which graph it is.
    noun : {"rows", "anchors"}, default="rows"
        What its vertices are.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.plot import AffinityDisplay
    >>> model = GraphTailor(n_clusters=3, n_init=1, random_state=0)
    >>> display = AffinityDisplay.from_estimator(model.fit(load_iris().data))
    >>> display.image.shape, display.ax_.get_xlabel()
    ((150, 150), 'cluster')
    """

    def __init__(
        self,
        image: np.ndarray,
        sizes: np.ndarray,
        inside: float,
        which: Which = "learned",
        noun: str = "rows",
    ) -> None:
        self.image = image
        self.sizes = sizes
        self.inside = inside
        self.which = which
        self.noun = noun

    @classmethod
    def from_estimator(
        cls, model: Any, *, which: Which = "learned", ax: Axes | None = None
    ) -> Self:
        """Draw the learned or the given graph of a fitted model.

        Parameters
        ----------
        model : estimator
            Fitted; with `labels_` and the graph asked for.
        which : {"learned", "given"}, default="learned"
            `affinity_matrix_`, or the graph that the method started from.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure of its own.

        Returns
        -------
        AffinityDisplay
            Drawn.
        """
        graph = graph_of(model, which)
        if graph is None:
            other: Which = "given" if which == "learned" else "learned"
            remedy = f"Draw the {other} one with which={other!r}."
            if graph_of(model, other) is None:
                remedy = "Draw plot.graph(model, X), a map of its rows, instead."
            raise ValueError(
                f"{type(model).__name__} has no {which} graph to draw. {remedy}"
            )
        labels = vertex_labels(model)
        image, sizes = ordered_image(graph, labels, _MOST_PIXELS)
        inside = share_inside(graph, labels)
        return cls(image, sizes, inside, which, vertex_noun(model)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; on a figure of its own if `ax` is None."""
        ax = self._take_axes(ax, (5.2, 6.6))
        n = int(self.sizes.sum())
        ax.imshow(
            np.ma.masked_less_equal(self.image, 0),
            cmap=colormaps[_COLORS].with_extremes(bad="white"),
            vmin=0,
            vmax=full_weight([self.image]),
            extent=(0, n, n, 0),
            interpolation="nearest" if len(self.image) < _MOST_PIXELS / 2 else "auto",
        )
        _mark_clusters(ax, self.sizes)
        ax.set_title(
            f"{self.which.capitalize()} graph: {self.inside:.0%} inside clusters"
        )
        write_caption(
            ax,
            f"Across and down: the {self.noun}, grouped by cluster. Darker: a stronger "
            "tie. Good clusters are dark squares on the diagonal, white elsewhere.",
        )
        return self


def affinity(model: Any, ax: Axes | None = None, which: Which = "learned") -> Axes:
    """Draw a graph as a matrix whose rows and columns are grouped by cluster.

    A pixel is the tie between two rows, or the mean over a block of rows where there
    are more than 800. The title says which share of all weight lies inside clusters.

    Parameters
    ----------
    model : estimator
        Fitted; with `labels_` and the graph asked for.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure of its own.
    which : {"learned", "given"}, default="learned"
        `affinity_matrix_`, or the graph that the method started from.

    Returns
    -------
    Axes
        With the image.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, n_init=1, random_state=0)
    >>> axes = plot.affinity(model.fit(load_iris().data))
    >>> axes.images[0].get_array().shape
    (150, 150)
    """
    return AffinityDisplay.from_estimator(model, which=which, ax=ax).ax_


def _mark_clusters(ax: Axes, sizes: np.ndarray) -> None:
    ends = np.cumsum(sizes)
    n = ends[-1]
    for end in np.unique(ends[ends < n]):
        ax.axhline(end, color=INK, lw=0.5, alpha=0.6)
        ax.axvline(end, color=INK, lw=0.5, alpha=0.6)
    wide = np.flatnonzero(sizes >= 0.04 * n)
    middles = (ends - sizes / 2)[wide]
    ax.set_xticks(middles, [str(k) for k in wide])
    ax.set_yticks(middles, [str(k) for k in wide])
    ax.tick_params(length=0)
    ax.set_xlabel("cluster")
    ax.set_ylabel("cluster")
