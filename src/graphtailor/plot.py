"""Pictures of a fitted model: its graphs, ordered by cluster, and its objective."""

from __future__ import annotations

from textwrap import fill
from typing import Any, Literal

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy import sparse

# Perceptually uniform; reversed so that strong ties are dark on a white page.
_COLORS = "magma_r"
_INK = "#222222"
_LINE = "#3b6ea5"
_MOST_PIXELS = 800
# The strongest ties would leave all others pale: they share the darkest colour.
_SATURATION = 99.0
_CAPTION_WIDTH = 58

Which = Literal["learned", "given"]


def affinity(model: Any, ax: Axes | None = None, which: Which = "learned") -> Axes:
    """Draw a graph as a matrix whose rows and columns are grouped by cluster.

    A pixel is the tie between two samples, or the mean over a block of samples where
    there are more than 800. The title says which share of all weight lies inside
    clusters.

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
    graph = graph_of(model, which)
    if graph is None:
        raise ValueError(
            f"{type(model).__name__} has no {which} graph to draw. Draw the "
            f"{'given' if which == 'learned' else 'learned'} one, or use overview."
        )
    ax = ax or _new_axes((5.2, 6.6))
    labels = vertex_labels(model)
    image, sizes = ordered_image(graph, labels)
    strong = image[image > 0]
    top = float(np.percentile(strong, _SATURATION)) if strong.size else 1.0
    n = len(labels)
    ax.imshow(
        np.ma.masked_less_equal(image, 0),
        cmap=colormaps[_COLORS].with_extremes(bad="white"),
        vmin=0,
        vmax=top,
        extent=(0, n, n, 0),
        interpolation="nearest" if len(image) < _MOST_PIXELS / 2 else "auto",
    )
    _mark_clusters(ax, sizes)
    inside = _share_inside(graph, labels)
    ax.set_title(f"{which.capitalize()} graph: {inside:.0%} inside clusters")
    _caption(
        ax,
        f"Rows and columns are {_vertices(model)}, grouped by cluster. Darker: a "
        "stronger tie. "
        "Good clusters are dark squares on the diagonal, white elsewhere.",
    )
    return ax


def convergence(model: Any, ax: Axes | None = None) -> Axes:
    """Draw the objective against the iterations.

    Parameters
    ----------
    model : estimator
        Fitted; with `objective_`.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure of its own.

    Returns
    -------
    Axes
        With one line; the axis is logarithmic if the objective falls a hundredfold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, n_init=1, random_state=0)
    >>> axes = plot.convergence(model.fit(load_iris().data))
    >>> len(axes.lines[0].get_ydata()) == model.n_iter_ + 1
    True
    """
    ax = ax or _new_axes((5.2, 5.2))
    objective = np.atleast_1d(model.objective_)
    # Some methods keep no value from before the first iteration.
    first = 0 if len(objective) > model.n_iter_ else 1
    marker = "o" if len(objective) <= 40 else ""
    iterations = np.arange(first, first + len(objective))
    ax.plot(iterations, objective, color=_LINE, marker=marker, markersize=4, lw=1.8)
    if objective.min() > 0 and objective.max() > 100 * objective.min():
        ax.set_yscale("log")
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("iteration")
    ax.set_ylabel("objective")
    ax.grid(alpha=0.25)
    ax.spines[["top", "right"]].set_visible(False)
    if len(objective) == 1:
        ax.set_xticks(iterations)
        ax.set_title(f"Objective: {objective[0]:.6g}")
        _caption(ax, "The method gives one value, not one for each iteration.")
        return ax
    state = "converged" if model.converged_ else "not converged"
    ax.set_title(f"Objective: {state} after {model.n_iter_} iterations")
    _caption(
        ax,
        "Lower is better. A curve that ends flat has settled; one that still falls "
        "wants a larger max_iter.",
    )
    return ax


def overview(model: Any) -> Figure:
    """Given graph, learned graph and objective side by side.

    Parameters
    ----------
    model : estimator
        Fitted. Graphs that the method has not are left out.

    Returns
    -------
    Figure
        Save it with ``figure.savefig("picture.png")``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, n_init=1, random_state=0)
    >>> figure = plot.overview(model.fit(load_iris().data))
    >>> [axes.get_title().split(":")[0] for axes in figure.axes]
    ['Given graph', 'Learned graph', 'Objective']
    """
    given, learned = graph_of(model, "given"), graph_of(model, "learned")
    kinds: list[Which] = ["given"] if given is not None else []
    # Some methods cut the graph they were given, and learn none.
    if learned is not None and learned is not given:
        kinds.append("learned")
    figure = Figure(figsize=(4.6 * (len(kinds) + 1), 5.0), layout="constrained")
    panels = figure.subplots(1, len(kinds) + 1, squeeze=False)[0]
    for ax, which in zip(panels, kinds, strict=False):
        affinity(model, ax, which)
    convergence(model, panels[-1])
    return figure


def vertex_labels(model: Any) -> np.ndarray:
    """Clusters of what the graphs of a model join: its samples, or its anchors."""
    return getattr(model, "anchor_labels_", model.labels_)


def _vertices(model: Any) -> str:
    return "anchors" if hasattr(model, "anchor_labels_") else "samples"


def graph_of(model: Any, which: Which) -> Any:
    """The learned or the given graph of a fitted model; None if it has none."""
    if which == "learned":
        return getattr(model, "affinity_matrix_", None)
    if which != "given":
        raise ValueError(f"which must be 'learned' or 'given', got {which!r}.")
    if hasattr(model, "given_graph_"):
        return model.given_graph_
    builder = getattr(model, "graph_", None)
    return getattr(builder, "affinity_", None)


def ordered_image(
    graph: Any, labels: np.ndarray, most_pixels: int = _MOST_PIXELS
) -> tuple[np.ndarray, np.ndarray]:
    """Mean weight of blocks of samples that are ordered by cluster.

    Parameters
    ----------
    graph : {ndarray, sparse array} of shape (n, n)
        Weights.
    labels : ndarray of shape (n,)
        Clusters.
    most_pixels : int, default=800
        Most rows of the image; up to that many samples have a row each.

    Returns
    -------
    image : ndarray of shape (min(n, most_pixels), min(n, most_pixels))
        Mean weights.
    sizes : ndarray of shape (n_clusters,)
        Number of samples in each cluster.
    """
    n = len(labels)
    order = np.argsort(labels, kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    pixels = min(n, most_pixels)
    pixel = place * pixels // n
    entries = sparse.coo_array(graph)
    where = pixel[entries.coords[0]] * pixels + pixel[entries.coords[1]]
    sums = np.bincount(where, weights=np.abs(entries.data), minlength=pixels**2)
    counts = np.bincount(pixel, minlength=pixels)
    image = sums.reshape(pixels, pixels) / np.outer(counts, counts)
    return image, np.bincount(labels)


def _share_inside(graph: Any, labels: np.ndarray) -> float:
    entries = sparse.coo_array(graph)
    weights = np.abs(entries.data.astype(np.float64))
    same = labels[entries.coords[0]] == labels[entries.coords[1]]
    return float(weights[same].sum() / max(weights.sum(), np.finfo(float).tiny))


def _mark_clusters(ax: Axes, sizes: np.ndarray) -> None:
    ends = np.cumsum(sizes)
    n = ends[-1]
    for end in np.unique(ends[ends < n]):
        ax.axhline(end, color=_INK, lw=0.5, alpha=0.6)
        ax.axvline(end, color=_INK, lw=0.5, alpha=0.6)
    wide = np.flatnonzero(sizes >= 0.04 * n)
    middles = (ends - sizes / 2)[wide]
    ax.set_xticks(middles, [str(k) for k in wide])
    ax.set_yticks(middles, [str(k) for k in wide])
    ax.tick_params(length=0)
    ax.set_xlabel("cluster")
    ax.set_ylabel("cluster")


def _caption(ax: Axes, text: str) -> None:
    ax.annotate(
        fill(text, _CAPTION_WIDTH),
        (0, -0.15),
        xycoords="axes fraction",
        va="top",
        fontsize="small",
        color="#555555",
    )


def _new_axes(size: tuple[float, float]) -> Axes:
    return Figure(figsize=size, layout="constrained").subplots()
