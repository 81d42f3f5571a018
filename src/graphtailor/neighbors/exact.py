"""Exact nearest neighbours: trees for few features, all pairs otherwise."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from graphtailor.neighbors.exact_distances import (
    SPARE_CANDIDATES,
    distance,
    keep_nearest,
)

# A tree is quicker than comparing all pairs by BLAS only for so few features.
FEATURES_FOR_A_TREE = 4
# Most products spent on settling ties and near ties exactly; beyond it, in large data
# with very many ties, the engine's choice among equals stands.
_MOST_PRODUCTS = 1e9


class ExactIndex:
    """scikit-learn's search, with exact zeros for duplicates and exact ties.

    Parameters
    ----------
    X : {ndarray, csr_array} of shape (n, d) or (n, n)
        Samples, or distances if the metric is "precomputed".
    metric : str or callable
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`.
    """

    order: np.ndarray | None = None
    n_threads = 1  # scikit-learn has threads of its own

    def __init__(self, X: Any, metric: Any) -> None:
        self.X = X
        self.metric = metric
        few = X.shape[1] <= FEATURES_FOR_A_TREE
        brute = metric == "euclidean" and not few
        self._engine = NearestNeighbors(
            metric=metric, algorithm="brute" if brute else "auto"
        ).fit(X)

    def nearest(
        self, queries: Any, k: int, own: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the k nearest, ties to the lowest index.

        Where the queries are fitted samples, `own` has their indices: none of them is
        its own neighbour.
        """
        n = self.X.shape[0]
        most = n - (own is not None)
        wanted = min(k + SPARE_CANDIDATES, most)
        measured, indices = self._engine.kneighbors(
            queries, n_neighbors=wanted + (own is not None)
        )
        measured = measured.astype(np.float64, copy=False)
        by_differences = self.metric == "euclidean" and not sparse.issparse(self.X)
        distances = (
            _distances_to_candidates(queries, self.X, indices)
            if by_differences
            else measured
        )
        itself = np.full(len(indices), -1) if own is None else own
        nearest, chosen = keep_nearest(distances, indices, itself, k)
        if wanted < most:
            measured = np.where(indices == itself[:, None], 0.0, measured)
            rows = _unsure_rows(measured, distances, nearest[:, -1])
            share = 1.0 if own is None else len(own) / n
            if by_differences and len(rows) * self.X.size <= share * _MOST_PRODUCTS:
                _scan_all(queries, self.X, rows, itself, nearest, chosen)
            elif self.metric == "precomputed":
                full = np.array(queries[rows])
                if own is not None:
                    full[np.arange(len(rows)), own[rows]] = np.inf
                chosen[rows] = np.argsort(full, axis=1, kind="stable")[:, :k]
                nearest[rows] = np.take_along_axis(full, chosen[rows], axis=1)
        return nearest, chosen

    def within(
        self, radius: float, X_new: Any = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows, columns and distances of all pairs at most `radius` apart."""
        distances, indices = self._engine.radius_neighbors(X_new, radius=radius)
        counts = [len(found) for found in indices]
        rows = np.repeat(np.arange(len(indices)), counts)
        cols = np.concatenate(indices).astype(np.int64)
        return rows, cols, np.concatenate(distances).astype(np.float64)


def nearest_stored(
    D: Any, k: int, own: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The k smallest stored distances of each row, the sample itself left out.

    As rows, columns and distances.
    """
    D = sparse.csr_array(D)
    rows = np.repeat(np.arange(D.shape[0]), np.diff(D.indptr))
    order = np.lexsort((D.indices, D.data, rows))
    if own:
        order = order[rows[order] != D.indices[order]]
    counts = np.bincount(rows[order], minlength=D.shape[0])
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    order = order[place < k]
    cols, distances = D.indices[order], D.data[order]
    return rows[order], cols.astype(np.int64), distances.astype(np.float64)


def _unsure_rows(
    measured: np.ndarray, distances: np.ndarray, kth: np.ndarray
) -> np.ndarray:
    """Rows where a sample that is no candidate may be as near as the k-th neighbour.

    The engine measured it no nearer than its farthest candidate, give or take the
    engine's error, which shows in the candidates.
    """
    error = np.abs(measured - distances).max(axis=1)
    certain = measured.max(axis=1) - 4 * error > kth * (1 + 1e-12)
    return np.flatnonzero(~certain)


@njit(cache=True, nogil=True)
def _distances_to_candidates(
    queries: np.ndarray, X: np.ndarray, indices: np.ndarray
) -> np.ndarray:
    """Distance of each query to each of its candidates."""
    n, k = indices.shape
    distances = np.empty((n, k), dtype=np.float64)
    for i in range(n):
        for j in range(k):
            distances[i, j] = distance(queries, i, X, indices[i, j])
    return distances


@njit(cache=True, nogil=True)
def _scan_all(
    queries: np.ndarray,
    X: np.ndarray,
    rows: np.ndarray,
    own: np.ndarray,
    nearest: np.ndarray,
    chosen: np.ndarray,
) -> None:
    """Settle the given rows by a look at every sample, in place."""
    k = nearest.shape[1]
    for i in rows:
        nearest[i] = np.inf
        for j in range(len(X)):
            if own[i] == j:
                continue
            away = distance(queries, i, X, j)
            if away >= nearest[i, k - 1]:  # of equals the first one stays
                continue
            place = k - 1
            while place > 0 and nearest[i, place - 1] > away:
                nearest[i, place] = nearest[i, place - 1]
                chosen[i, place] = chosen[i, place - 1]
                place -= 1
            nearest[i, place] = away
            chosen[i, place] = j
            if nearest[i, k - 1] == 0.0:
                break
