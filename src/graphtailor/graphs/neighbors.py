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
    n_jobs : int or None, default=None
        Threads of the search.
    """

    def __init__(self, metric: Any = "euclidean", n_jobs: int | None = None) -> None:
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(self, X: Any) -> NeighborSearch:
        """Index the samples (or their distances, if precomputed)."""
        self._X = X
        self._found: tuple[np.ndarray, np.ndarray] | None = None
        self._engine = NearestNeighbors(metric=self.metric, n_jobs=self.n_jobs).fit(X)
        return self

    def nearest(self, k: int, X_new: Any = None) -> Edges:
        """The `k` nearest fitted samples of each sample, nearest first.

        Without `X_new` a sample is never its own neighbour: it is left out by
        its index, so that its duplicates remain legal neighbours. The widest answer
        is kept, so that narrower ones after it need no search.
        """
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
        n_fitted = self._engine.n_samples_fit_
        wanted = min(k + _SPARE_CANDIDATES, n_fitted - (X_new is None))
        if self.metric == "precomputed" and sparse.issparse(self._X):
            wanted = k  # a sparse matrix of distances need not hold any spare ones
        distances, indices = self._engine.kneighbors(X_new, n_neighbors=wanted)
        if self.metric == "euclidean" and not sparse.issparse(self._X):
            queries = self._X if X_new is None else X_new
            distances = _distances_to_candidates(queries, self._X, indices)
        order = np.lexsort((indices, distances), axis=1)[:, :k]
        return (
            np.take_along_axis(distances, order, axis=1),
            np.take_along_axis(indices, order, axis=1),
        )

    def within(self, radius: float, X_new: Any = None) -> Edges:
        """All fitted samples within `radius` of each sample, itself left out."""
        distances, indices = self._engine.radius_neighbors(X_new, radius=radius)
        counts = [len(found) for found in indices]
        rows = np.repeat(np.arange(len(indices)), counts)
        cols = np.concatenate(indices).astype(np.int64)
        return Edges(rows, cols, np.concatenate(distances).astype(np.float64))


@njit(cache=True, nogil=True)
def _distances_to_candidates(
    queries: np.ndarray, X: np.ndarray, indices: np.ndarray
) -> np.ndarray:
    """Distances by differences: exact zeros for duplicates, exact ties.

    The engine's expansion ``|x|^2 - 2 x'y + |y|^2`` gives neither.
    """
    n, k = indices.shape
    distances = np.empty((n, k), dtype=np.float64)
    for i in range(n):
        for j in range(k):
            other = indices[i, j]
            total = 0.0
            for f in range(X.shape[1]):
                difference = np.float64(queries[i, f]) - np.float64(X[other, f])
                total += difference * difference
            distances[i, j] = np.sqrt(total)
    return distances
