"""K-means labels that depend on the seed alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.cluster import KMeans

from graphtailor.linalg.equal_rows import few_distinct_rows
from graphtailor.linalg.magnitude import comfortable_factor, largest_entry, times
from graphtailor.linalg.sparse import stored, with_data
from graphtailor.linalg.threads import single_threaded
from graphtailor.linalg.types import Matrix, RandomState

# Rows that agree to this share of the largest entry count as one point, in float32 to
# the larger share.
_SAME_ROW, _SAME_ROW_FLOAT32 = 1e-9, 1e-5


def kmeans_labels(
    E: Matrix,
    n_clusters: int,
    *,
    n_init: int = 1,
    init: str | np.ndarray = "random",
    max_iter: int = 300,
    random_state: RandomState = None,
    sample_weight: np.ndarray | None = None,
) -> np.ndarray:
    """Labels of the rows of `E` by Lloyd's K-means."""
    rounded = getattr(E, "dtype", None) == np.float32
    same_row = _SAME_ROW_FLOAT32 if rounded else _SAME_ROW
    trivial = distinct_row_labels(E, n_clusters, same_row)
    if trivial is not None:
        return trivial
    model = run_kmeans(
        E,
        n_clusters,
        sample_weight,
        n_init=n_init,
        init=init,
        max_iter=max_iter,
        random_state=random_state,
    )
    return model.labels_


def labels_from_pivots(
    rows: np.ndarray, n_clusters: int, sample_weight: np.ndarray | None = None
) -> np.ndarray:
    """K-means labels of spectral rows, from one start that needs no random numbers.

    Rows of good clusters are nearly orthogonal: the pivots of a QR decomposition are
    rows as far from each other as can be, one in each cluster [1]_.

    References
    ----------
    .. [1] A. Damle, V. Minden, L. Ying, "Simple, Direct and Efficient Multi-way
       Spectral Clustering", Information and Inference 8(1), 2019.
    """
    pivots = linalg.qr(rows.T, mode="r", pivoting=True)[1][:n_clusters]
    return kmeans_labels(
        rows, n_clusters, init=rows[pivots], sample_weight=sample_weight
    )


def run_kmeans(
    E: Matrix, n_clusters: int, sample_weight: np.ndarray | None = None, **params: Any
) -> KMeans:
    """Fit scikit-learn's K-means on one thread.

    The partial sums of its threads are added in no fixed order, so that a
    second thread could change a label. Very large or small rows are brought to an
    ordinary size for it, as it squares them in their own type.
    """
    factor = comfortable_factor(E)
    if not isinstance(params["init"], str):
        params["init"] = times(params["init"], factor)
    with single_threaded():
        model = KMeans(n_clusters, algorithm="lloyd", **params)
        model.fit(times(E, factor), sample_weight=sample_weight)
    model.cluster_centers_ = times(model.cluster_centers_, 1 / factor)
    model.inertia_ = model.inertia_ / factor / factor
    return model


def draw_centres(
    E: np.ndarray, n_clusters: int, rng: np.random.RandomState, masses: np.ndarray
) -> np.ndarray:
    """Rows drawn by k-means++: each with the square of its distance to those before.

    Scikit-learn tries several rows for each centre, which takes most of the time of a
    short K-means.
    """
    Z = E - E.mean(axis=0)  # rows far from zero would lose their distances
    squares = np.einsum("ij,ij->i", Z, Z)

    def distances(row: int) -> np.ndarray:
        return np.maximum(squares + squares[row] - 2 * (Z @ Z[row]), 0)

    return E[draw_rows(distances, n_clusters, rng, masses)]


def draw_rows(
    distances: Callable[[int], np.ndarray],
    number: int,
    rng: np.random.RandomState,
    masses: np.ndarray,
) -> np.ndarray:
    """The same as numbers of rows, from the squared distances of all to one of them."""
    chosen = np.zeros(number, dtype=np.int64)
    near, weights = np.full(len(masses), np.inf), masses.astype(np.float64)
    for place, draw in enumerate(rng.uniform(size=number)):
        reached = np.cumsum(weights)
        row = int(np.searchsorted(reached, draw * reached[-1], side="right"))
        # Where all rows are drawn already, nothing is left to reach.
        chosen[place] = row = min(row, int(np.argmax(reached)))
        np.minimum(near, distances(row), out=near)
        near[row] = 0.0
        np.multiply(masses, near, out=weights)
    return chosen


def distinct_row_labels(
    E: Matrix, n_clusters: int, same_row: float = 0.0
) -> np.ndarray | None:
    """One label for each distinct row, or None if there are more than `n_clusters`.

    Rows that agree to `same_row` times the largest entry count as equal: in an
    embedding they differ by rounding alone. K-means would warn about such data, and
    its centres would coincide.
    """
    rows = E.astype(np.float64, copy=False)
    if same_row:
        unit = same_row * largest_entry(E) or 1.0
        rounded = np.rint(stored(rows) / unit)
        rows = with_data(rows, rounded) if sparse.issparse(E) else rounded
    known = few_distinct_rows(rows, n_clusters)
    return None if known is None else known.group.astype(np.int32)
