"""What a fitted model holds: graphs, the clusters of their vertices, kinds of input."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from graphtailor.linalg.scaling import feature_scaler

Which = Literal["learned", "given"]


def graph_of(model: Any, which: Which) -> Any:
    """The learned or the given graph of a fitted model; None if it has none.

    Parameters
    ----------
    model : estimator
        Fitted.
    which : {"learned", "given"}
        `affinity_matrix_`, or the graph that the method started from.

    Returns
    -------
    {ndarray, csr_array} of shape (m, m) or None
        Weights between the vertices.
    """
    if which not in ("learned", "given"):
        raise ValueError(f"which must be 'learned' or 'given', got {which!r}.")
    given = getattr(model, "given_graph_", None)
    if given is None:
        given = getattr(getattr(model, "graph_", None), "affinity_", None)
    if which == "given":
        return given
    learned = getattr(model, "affinity_matrix_", None)
    # Some methods cut the graph they were given, and learn none.
    return None if learned is given else learned


def best_graph(model: Any) -> tuple[Any, str]:
    """The learned graph, or else the given one, and which of them it is."""
    for which in ("learned", "given"):
        graph = graph_of(model, which)  # type: ignore[arg-type]
        if graph is not None:
            return graph, which
    return None, ""


def vertex_labels(model: Any) -> np.ndarray:
    """Clusters of what the graphs of a model join: its samples, or its anchors."""
    return getattr(model, "anchor_labels_", model.labels_)


def vertex_noun(model: Any) -> str:
    """What the vertices of the graphs are."""
    return "anchors" if hasattr(model, "anchor_labels_") else "rows"


def takes_pairs(model: Any) -> bool:
    """Whether the model was given affinities or distances in the place of features."""
    tags = getattr(model, "__sklearn_tags__", None)
    return False if tags is None else bool(tags().input_tags.pairwise)


def scaled_features(model: Any, X: Any, scaling: str | None = "maxabs") -> Any:
    """Features as the model looks at them.

    Parameters
    ----------
    model : estimator
        Fitted. Its own `scaling` is used where it has one.
    X : {DataFrame, array-like, sparse array} of shape (n, d) or None
        Features before any scaling.
    scaling : {"maxabs", "minmax", "standard"} or None, default="maxabs"
        Scaling for a model that does not scale by itself.

    Returns
    -------
    {ndarray, csr_array} of shape (n, d) or None
        None if there are none, or if they are affinities or distances.
    """
    if X is None or takes_pairs(model):
        return None
    values = check_array(X, accept_sparse="csr", ensure_all_finite=False)
    numbers = values.data if sparse.issparse(values) else values
    if not np.isfinite(numbers).all():
        return None
    scaler = feature_scaler(getattr(model, "scaling", scaling), sparse.issparse(values))
    return values if scaler is None else scaler.fit_transform(values)


def share_inside(graph: Any, labels: np.ndarray) -> float:
    """Share of all weight that joins vertices of the same cluster.

    Examples
    --------
    >>> import numpy as np
    >>> share_inside(np.array([[0, 3, 1], [3, 0, 0], [1, 0, 0]]), np.array([0, 0, 1]))
    0.75
    """
    entries = sparse.coo_array(graph)
    weights = np.abs(entries.data.astype(np.float64))
    same = labels[entries.coords[0]] == labels[entries.coords[1]]
    return float(weights[same].sum() / max(weights.sum(), np.finfo(float).tiny))


def ordered_image(
    graph: Any, labels: np.ndarray, most_pixels: int = 800
) -> tuple[np.ndarray, np.ndarray]:
    """Mean weight of blocks of vertices that are ordered by cluster.

    Parameters
    ----------
    graph : {ndarray, sparse array} of shape (n, n)
        Weights.
    labels : ndarray of shape (n,)
        Clusters.
    most_pixels : int, default=800
        Most rows of the image; up to that many vertices have a row each.

    Returns
    -------
    image : ndarray of shape (min(n, most_pixels), min(n, most_pixels))
        Mean weights.
    sizes : ndarray of shape (n_clusters,)
        Number of vertices in each cluster.
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


def full_weight(images: list[np.ndarray]) -> float:
    """The weight that has the full colour in all of some images.

    The very strongest ties would leave all others pale: the upper hundredth shares it.
    """
    strong = np.concatenate([image[image > 0] for image in images])
    return float(np.percentile(strong, 99.0)) if strong.size else 1.0


def spread_sample(labels: np.ndarray, most: int, seed: int = 0) -> np.ndarray:
    """Rows drawn from every cluster in proportion, at least one of each.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Clusters.
    most : int
        Rows to draw; all where there are no more.
    seed : int, default=0
        The same one draws the same rows.

    Returns
    -------
    ndarray of int
        Row numbers, rising.

    Examples
    --------
    >>> import numpy as np
    >>> labels = np.repeat([0, 1, 2], [900, 99, 1])
    >>> np.bincount(labels[spread_sample(labels, 100)]).tolist()
    [90, 10, 1]
    """
    n = len(labels)
    if n <= most:
        return np.arange(n)
    shuffled = np.random.default_rng(seed).permutation(n)
    by_cluster = shuffled[np.argsort(labels[shuffled], kind="stable")]
    places = np.arange(most) * n // most
    firsts = np.unique(labels[by_cluster], return_index=True)[1]
    return np.unique(by_cluster[np.union1d(places, firsts)])
