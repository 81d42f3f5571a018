"""From candidates to neighbours: exact distances, and the nearest by distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse
from scipy.spatial.distance import cdist

# Candidates asked for beyond k, so that ties at the k-th distance are broken by
# the lowest index and not by the order in which the search engine met them.
SPARE_CANDIDATES = 5

EUCLIDEAN = ("euclidean", "l2", "minkowski")
MANHATTAN = ("manhattan", "cityblock", "l1")


class CandidateDistances:
    r"""Distances of queries to candidates among the samples, by differences.

    Duplicates are at exactly 0 and equal differences make exact ties, which the
    expansion :math:`\|x\|^2 - 2 x'y + \|y\|^2` of the search engines does not give.
    The cosine distance is :math:`\|x / \|x\| - y / \|y\|\|^2 / 2` for the same reason,
    and 1 where a sample is zero. Sums are in float64, also for float32 samples.

    Parameters
    ----------
    X : {ndarray, csr_array} of shape (n, d)
        Samples.
    metric : str
        "euclidean", "cosine", "manhattan", or for dense samples any name that
        :func:`scipy.spatial.distance.cdist` knows.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.neighbors.exact_distances import CandidateDistances
    >>> X = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    >>> CandidateDistances(X, "euclidean").of(X[:1], np.array([[2, 1]]))
    array([[1., 5.]])
    """

    def __init__(self, X: Any, metric: str) -> None:
        self.X = X
        self.metric = metric
        self._scales = self._scales_of(X)

    def of(self, queries: Any, candidates: np.ndarray) -> np.ndarray:
        """Distances in the shape of `candidates`; infinite where that holds -1."""
        city_block = self.metric in MANHATTAN
        if not (sparse.issparse(self.X) or self.metric in (*EUCLIDEAN, "cosine")):
            return self._by_scipy(queries, candidates)
        scales = (self._scales_of(queries), self._scales)
        if sparse.issparse(self.X):
            rows = (queries.indptr, queries.indices, queries.data)
            samples = (self.X.indptr, self.X.indices, self.X.data)
            sums = _sparse_sums(*rows, *samples, *scales, candidates, city_block)
        else:
            sums = _dense_sums(queries, self.X, *scales, candidates)
        if self.metric == "cosine":
            zero = (scales[0] == 0)[:, None] | (self._scales == 0)[candidates]
            return np.where(zero & (candidates >= 0), 1.0, sums / 2)
        return sums if city_block else np.sqrt(sums, out=sums)

    def _scales_of(self, X: Any) -> np.ndarray:
        """What rows are multiplied by before they are compared."""
        if self.metric != "cosine":
            return np.ones(X.shape[0])
        if sparse.issparse(X):
            rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
            squares = np.bincount(rows, X.data.astype(float) ** 2, X.shape[0])
        else:
            squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        return np.where(squares > 0, 1 / np.sqrt(np.where(squares > 0, squares, 1)), 0)

    def _by_scipy(self, queries: np.ndarray, candidates: np.ndarray) -> np.ndarray:
        name = "cityblock" if self.metric in MANHATTAN else self.metric
        distances = np.empty(candidates.shape)
        for i, row in enumerate(candidates):
            distances[i] = cdist(queries[i : i + 1], self.X[row], name)[0]
        distances[candidates < 0] = np.inf
        return distances


@njit(cache=True, nogil=True)
def distance(queries: np.ndarray, i: int, X: np.ndarray, j: int) -> float:
    """Euclidean distance of query `i` and sample `j`, by differences."""
    total = 0.0
    for f in range(X.shape[1]):
        difference = np.float64(queries[i, f]) - np.float64(X[j, f])
        total += difference * difference
    return np.sqrt(total)


@njit(cache=True, nogil=True)
def keep_nearest(
    distances: np.ndarray, candidates: np.ndarray, own: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest candidates of each row: first by distance, then by index.

    The sample itself, ``own[i]``, is left out, and so is every -1; where too few
    candidates remain, the rest is at infinity with index -1.
    """
    n = len(candidates)
    nearest = np.full((n, k), np.inf)
    chosen = np.full((n, k), -1, dtype=np.int64)
    for i in range(n):
        kept = 0
        for c in range(candidates.shape[1]):
            j, away = candidates[i, c], distances[i, c]
            if j < 0 or j == own[i]:
                continue
            place = kept
            while place > 0 and (
                nearest[i, place - 1] > away
                or (nearest[i, place - 1] == away and chosen[i, place - 1] > j)
            ):
                if place < k:
                    nearest[i, place] = nearest[i, place - 1]
                    chosen[i, place] = chosen[i, place - 1]
                place -= 1
            if place < k:
                nearest[i, place] = away
                chosen[i, place] = j
                kept = min(kept + 1, k)
    return nearest, chosen


@njit(cache=True, nogil=True)
def _dense_sums(
    queries: np.ndarray,
    X: np.ndarray,
    query_scales: np.ndarray,
    scales: np.ndarray,
    candidates: np.ndarray,
) -> np.ndarray:
    """Sums of squared differences; rows are multiplied by their scales."""
    sums = np.full(candidates.shape, np.inf)
    query = np.empty(X.shape[1])
    for i in range(len(candidates)):
        for f in range(X.shape[1]):
            query[f] = query_scales[i] * queries[i, f]
        for c in range(candidates.shape[1]):
            j = candidates[i, c]
            if j < 0:
                continue
            total = 0.0
            for f in range(X.shape[1]):
                difference = query[f] - scales[j] * X[j, f]
                total += difference * difference
            sums[i, c] = total
    return sums


@njit(cache=True, nogil=True)
def _sparse_sums(
    query_indptr: np.ndarray,
    query_indices: np.ndarray,
    query_data: np.ndarray,
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    query_scales: np.ndarray,
    scales: np.ndarray,
    candidates: np.ndarray,
    city_block: bool,
) -> np.ndarray:
    """The same for rows of csr arrays with sorted indices; or absolute differences."""
    sums = np.full(candidates.shape, np.inf)
    for i in range(len(candidates)):
        for c in range(candidates.shape[1]):
            j = candidates[i, c]
            if j < 0:
                continue
            a, b = query_indptr[i], indptr[j]
            end_a, end_b = query_indptr[i + 1], indptr[j + 1]
            total = 0.0
            while a < end_a or b < end_b:
                difference = 0.0
                take_a = b >= end_b or (a < end_a and query_indices[a] <= indices[b])
                take_b = a >= end_a or (b < end_b and indices[b] <= query_indices[a])
                if take_a:
                    difference = query_scales[i] * query_data[a]
                    a += 1
                if take_b:
                    difference -= scales[j] * data[b]
                    b += 1
                total += abs(difference) if city_block else difference * difference
            sums[i, c] = total
    return sums
