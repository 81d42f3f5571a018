"""Exact nearest neighbours, behind one small class."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log2
from typing import Any

import numpy as np
from numba import njit
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

# Candidates asked for beyond k, so that ties at the k-th distance are broken by
# the lowest index and not by the order in which the search engine met them.
_SPARE_CANDIDATES = 5
# A tree is quicker than comparing all pairs by BLAS only for so few features.
_FEATURES_FOR_A_TREE = 4
# Most products spent on settling ties and near ties exactly; beyond it, in large data
# with very many ties, the engine's choice among equals stands.
_MOST_PRODUCTS = 1e9


def default_n_neighbors(n_samples: int) -> int:
    """Number of neighbours the study uses: ``floor(log2(n) + 1)``.

    Parameters
    ----------
    n_samples : int
        Number of samples in the graph.

    Returns
    -------
    int
        At most ``n_samples - 1``, so that it can always be served.

    Examples
    --------
    >>> from graphtailor.graphs import default_n_neighbors
    >>> [default_n_neighbors(n) for n in (3, 150, 351, 1799)]
    [2, 8, 9, 11]
    """
    return min(floor(log2(n_samples) + 1), n_samples - 1)


@dataclass(frozen=True)
class Edges:
    """Directed edges ``rows[e] -> cols[e]`` with their distances."""

    rows: np.ndarray
    cols: np.ndarray
    distances: np.ndarray


class NeighborSearch:
    """Nearest neighbours of the fitted samples and of new ones.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`;
        ``"precomputed"`` takes distances in place of samples.
    """

    def __init__(self, metric: Any = "euclidean") -> None:
        self.metric = metric

    def fit(self, X: Any) -> NeighborSearch:
        """Index the samples (or their distances, if precomputed)."""
        self._X = X
        self._found: tuple[np.ndarray, np.ndarray] | None = None
        few = X.shape[1] <= _FEATURES_FOR_A_TREE
        brute = self.metric == "euclidean" and not few
        self._engine = NearestNeighbors(
            metric=self.metric,
            algorithm="brute" if brute else "auto",
        ).fit(X)
        return self

    def of_the_same_kind(self, X_new: Any) -> Any:
        """New samples, dense or sparse as the fitted ones are."""
        if sparse.issparse(self._X):
            return sparse.csr_array(X_new)
        return X_new.toarray() if sparse.issparse(X_new) else X_new

    def nearest(self, k: int, X_new: Any = None) -> Edges:
        """The `k` nearest fitted samples of each sample, nearest first.

        Without `X_new` a sample is never its own neighbour: it is left out by
        its index, so that its duplicates remain legal neighbours. The widest answer
        is kept, so that narrower ones after it need no search. Where a sparse matrix
        of distances holds fewer than `k` for a sample, those are its neighbours.
        """
        if self.metric == "precomputed":
            stored = self._X if X_new is None else X_new
            if sparse.issparse(stored):
                return _nearest_stored(stored, k, own=X_new is None)
        n_fitted = self._engine.n_samples_fit_
        k = min(k, n_fitted if X_new is not None else n_fitted - 1)
        if k == 0:
            empty = np.empty(0, dtype=np.int64)
            return Edges(empty, empty, np.empty(0))
        if X_new is not None:
            distances, indices = self._search(k, X_new)
        else:
            if self._found is None or self._found[1].shape[1] < k:
                self._found = self._search(k)
            distances, indices = self._found
        rows = np.repeat(np.arange(len(indices)), k)
        return Edges(rows, indices[:, :k].ravel(), distances[:, :k].ravel())

    def _search(self, k: int, X_new: Any = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the k nearest, ties to the lowest index."""
        most = self._engine.n_samples_fit_ - (X_new is None)
        wanted = min(k + _SPARE_CANDIDATES, most)
        measured, indices = self._engine.kneighbors(X_new, n_neighbors=wanted)
        queries = self._X if X_new is None else X_new
        by_differences = self.metric == "euclidean" and not sparse.issparse(self._X)
        distances = (
            _distances_to_candidates(queries, self._X, indices)
            if by_differences
            else measured
        )
        order = np.lexsort((indices, distances), axis=1)[:, :k]
        nearest = np.take_along_axis(distances, order, axis=1)
        chosen = np.take_along_axis(indices, order, axis=1)
        if wanted < most:
            rows = _unsure_rows(measured, distances, nearest[:, -1])
            if by_differences and len(rows) * self._X.size <= _MOST_PRODUCTS:
                _scan_all(queries, self._X, rows, X_new is None, nearest, chosen)
            elif self.metric == "precomputed":
                full = np.array(queries[rows])
                if X_new is None:
                    full[np.arange(len(rows)), rows] = np.inf
                chosen[rows] = np.argsort(full, axis=1, kind="stable")[:, :k]
                nearest[rows] = np.take_along_axis(full, chosen[rows], axis=1)
        return nearest, chosen

    def within(self, radius: float, X_new: Any = None) -> Edges:
        """All fitted samples within `radius` of each sample, itself left out."""
        distances, indices = self._engine.radius_neighbors(X_new, radius=radius)
        counts = [len(found) for found in indices]
        rows = np.repeat(np.arange(len(indices)), counts)
        cols = np.concatenate(indices).astype(np.int64)
        return Edges(rows, cols, np.concatenate(distances).astype(np.float64))


def _nearest_stored(D: Any, k: int, own: bool) -> Edges:
    """The k smallest stored distances of each row, the sample itself left out."""
    D = sparse.csr_array(D)
    rows = np.repeat(np.arange(D.shape[0]), np.diff(D.indptr))
    order = np.lexsort((D.indices, D.data, rows))
    if own:
        order = order[rows[order] != D.indices[order]]
    counts = np.bincount(rows[order], minlength=D.shape[0])
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    order = order[place < k]
    cols, distances = D.indices[order], D.data[order]
    return Edges(rows[order], cols.astype(np.int64), distances.astype(np.float64))


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
def _distance(queries: np.ndarray, i: int, X: np.ndarray, j: int) -> float:
    """Distance by differences: exact zeros for duplicates, exact ties.

    The engine's expansion ``|x|^2 - 2 x'y + |y|^2`` gives neither.
    """
    total = 0.0
    for f in range(X.shape[1]):
        difference = np.float64(queries[i, f]) - np.float64(X[j, f])
        total += difference * difference
    return np.sqrt(total)


@njit(cache=True, nogil=True)
def _distances_to_candidates(
    queries: np.ndarray, X: np.ndarray, indices: np.ndarray
) -> np.ndarray:
    """Distance of each query to each of its candidates."""
    n, k = indices.shape
    distances = np.empty((n, k), dtype=np.float64)
    for i in range(n):
        for j in range(k):
            distances[i, j] = _distance(queries, i, X, indices[i, j])
    return distances


@njit(cache=True, nogil=True)
def _scan_all(
    queries: np.ndarray,
    X: np.ndarray,
    rows: np.ndarray,
    own: bool,
    nearest: np.ndarray,
    chosen: np.ndarray,
) -> None:
    """Settle the given rows by a look at every sample, in place."""
    k = nearest.shape[1]
    for i in rows:
        nearest[i] = np.inf
        for j in range(len(X)):
            if own and i == j:
                continue
            distance = _distance(queries, i, X, j)
            if distance >= nearest[i, k - 1]:  # of equals the first one stays
                continue
            place = k - 1
            while place > 0 and nearest[i, place - 1] > distance:
                nearest[i, place] = nearest[i, place - 1]
                chosen[i, place] = chosen[i, place - 1]
                place -= 1
            nearest[i, place] = distance
            chosen[i, place] = j
            if nearest[i, k - 1] == 0.0:
                break
