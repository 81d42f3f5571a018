"""Exact nearest neighbours, the same for a row whatever rows come with it.

An engine proposes candidates; their distances are computed again by differences, one
after the other, and decide. Where a sample that was not proposed may be as near, all
samples are looked at.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from scipy import sparse
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import row_norms

from graphtailor.linalg.sparse import insert_smallest, row_index

# Candidates asked for beyond k, so that ties at the k-th distance are broken by
# the lowest index and not by the order in which the search engine met them.
SPARE_CANDIDATES = 5
# Up to this number of features a tree is quicker than comparing all pairs by BLAS.
FEATURES_FOR_A_TREE = 4
# Most products spent on settling ties and near ties exactly; beyond it, in large data
# with very many ties, the engine's choice among equals stands.
_MOST_PRODUCTS = 1e9
# Scores of pairs that are held at a time.
_SCORES_AT_ONCE = 1 << 22

EUCLIDEAN = ("euclidean", "l2", "minkowski")
MANHATTAN = ("manhattan", "cityblock", "l1")


class ExactIndex:
    """Exact search, with exact zeros for duplicates and exact ties.

    Parameters
    ----------
    X : {ndarray, csr_array} of shape (n, d) or (n, n)
        Samples, or distances if the metric is "precomputed".
    metric : str or callable
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`.
    most_products : float, default=1e9
        Products that all queries together may spend on ties.
    """

    order: np.ndarray | None = None
    thread_safe = True

    def __init__(
        self, X: Any, metric: Any, most_products: float = _MOST_PRODUCTS
    ) -> None:
        self.X = X
        self.metric = metric
        self.most_products = most_products
        dense = metric in EUCLIDEAN and not sparse.issparse(X)
        self._proposals = EuclideanCandidates(X) if dense else None

    def nearest(
        self, queries: Any, k: int, own: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the k nearest, ties to the lowest index.

        If the queries are fitted samples, `own` has their indices: no sample is its
        own neighbour.
        """
        n = self.X.shape[0]
        wanted = min(k + SPARE_CANDIDATES + (own is not None), n)
        itself = np.full(queries.shape[0], -1) if own is None else own
        if self._proposals is None:
            return self._by_scikit_learn(queries, k, wanted, itself)
        candidates, beyond = self._proposals.find(queries, wanted)
        distances = self._distances.of(queries, candidates)
        nearest, chosen = keep_nearest(distances, candidates, itself, k)
        if wanted < n:
            unsure = np.flatnonzero(beyond <= nearest[:, -1])
            share = 1.0 if own is None else len(own) / n
            if len(unsure) * self.X.size <= share * self.most_products:
                _scan_all(queries, self.X, unsure, itself, nearest, chosen)
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

    @cached_property
    def _engine(self) -> NearestNeighbors:
        return NearestNeighbors(metric=self.metric).fit(self.X)

    @cached_property
    def _distances(self) -> CandidateDistances:
        return CandidateDistances(self.X, self.metric)

    def _by_scikit_learn(
        self, queries: Any, k: int, wanted: int, itself: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The nearest by the distances of scikit-learn, which knows more metrics."""
        measured, candidates = self._engine.kneighbors(queries, n_neighbors=wanted)
        measured = measured.astype(np.float64, copy=False)
        nearest, chosen = keep_nearest(measured, candidates, itself, k)
        if self.metric == "precomputed" and wanted < self.X.shape[0]:
            rows = np.flatnonzero(measured[:, -1] <= nearest[:, -1])
            full = np.array(queries[rows])
            owned = np.flatnonzero(itself[rows] >= 0)
            full[owned, itself[rows][owned]] = np.inf
            chosen[rows] = np.argsort(full, axis=1, kind="stable")[:, :k]
            nearest[rows] = np.take_along_axis(full, chosen[rows], axis=1)
        return nearest, chosen


class EuclideanCandidates:
    """Proposes near samples by a tree, or by products where there are more features.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples.
    """

    def __init__(self, X: np.ndarray) -> None:
        self._n = len(X)
        self._tree = KDTree(X) if X.shape[1] <= FEATURES_FOR_A_TREE else None
        if self._tree is None:
            # Products of rows far from the origin would lose the digits that matter.
            self._centre = X.mean(axis=0, dtype=np.float64).astype(X.dtype)
            self._centred = X - self._centre
            self._squares = row_norms(self._centred, squared=True)

    def find(self, rows: np.ndarray, wanted: int) -> tuple[np.ndarray, np.ndarray]:
        """Candidates, and the distance that all other samples are at least away."""
        candidates = np.empty((len(rows), wanted), dtype=np.int64)
        beyond = np.empty(len(rows))
        step = max(_SCORES_AT_ONCE // self._n, 1)
        for first in range(0, len(rows), step):
            part = slice(first, first + step)
            by = self._by_products if self._tree is None else self._by_tree
            candidates[part], beyond[part] = by(rows[part], wanted)
        return candidates, beyond

    def _by_tree(self, rows: np.ndarray, wanted: int) -> tuple[np.ndarray, np.ndarray]:
        ranks = np.arange(wanted) + 1
        far, candidates = self._tree.query(rows, k=ranks)  # type: ignore[union-attr]
        lost = candidates[:, -1] == self._n  # samples at an infinite distance
        candidates[lost] = np.arange(wanted)
        return candidates, np.where(lost, 0.0, far[:, -1] * (1 - 1e-9))

    def _by_products(
        self, rows: np.ndarray, wanted: int
    ) -> tuple[np.ndarray, np.ndarray]:
        centred = rows - self._centre
        scores = centred @ self._centred.T
        scores *= -2
        scores += self._squares
        candidates = smallest_in_rows(scores, wanted)
        last = np.take_along_axis(scores, candidates[:, -1:], axis=1)[:, 0]
        squares = row_norms(centred, squared=True).astype(np.float64)
        largest = float(self._squares.max())
        # BLAS may round otherwise for another number of rows, by this much at most.
        unit = float(np.finfo(scores.dtype).eps) * (rows.shape[1] + 8)
        with np.errstate(over="ignore", invalid="ignore"):
            error = unit * np.square(np.sqrt(squares) + np.sqrt(largest))
            beyond = np.sqrt(np.maximum(last + squares - error, 0.0))
        return candidates, np.where(np.isfinite(beyond), beyond, 0.0)


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
    >>> from graphtailor.neighbors.exact import CandidateDistances
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
        """Factors of the rows before they are compared."""
        if self.metric != "cosine":
            return np.ones(X.shape[0])
        if sparse.issparse(X):
            squares = np.bincount(row_index(X), X.data.astype(float) ** 2, X.shape[0])
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


def nearest_stored(
    D: Any, k: int, own: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The k smallest stored distances of each row, the sample itself left out.

    As rows, columns and distances.
    """
    D = sparse.csr_array(D)
    rows = row_index(D)
    order = np.lexsort((D.indices, D.data, rows))
    if own:
        order = order[rows[order] != D.indices[order]]
    counts = np.bincount(rows[order], minlength=D.shape[0])
    place = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    order = order[place < k]
    cols, distances = D.indices[order], D.data[order]
    return rows[order], cols.astype(np.int64), distances.astype(np.float64)


@njit(cache=True, nogil=True)
def _squared_distance(
    queries: np.ndarray, i: int, X: np.ndarray, j: int, a: float, b: float
) -> float:
    """Squared distance of `a` times query i and `b` times sample j, by differences."""
    total = 0.0
    for f in range(X.shape[1]):
        difference = a * queries[i, f] - b * X[j, f]
        total += difference * difference
    return total


@njit(cache=True, nogil=True)
def keep_nearest(
    distances: np.ndarray, candidates: np.ndarray, own: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest candidates of each row: first by distance, then by index.

    The sample itself, ``own[i]``, is left out, and so is every -1; where too few
    candidates remain, the rest is at infinity with index -1.
    """
    n = len(candidates)
    nearest = np.empty((n, k))
    chosen = np.empty((n, k), dtype=np.int64)
    for i in range(n):
        held = 0
        for c in range(candidates.shape[1]):
            j = candidates[i, c]
            if j >= 0 and j != own[i]:
                held = insert_smallest(nearest, chosen, i, held, distances[i, c], j)
        for place in range(held, k):
            nearest[i, place] = np.inf
            chosen[i, place] = -1
    return nearest, chosen


@njit(cache=True, nogil=True)
def smallest_in_rows(scores: np.ndarray, k: int) -> np.ndarray:
    """Positions of the k smallest values of each row, in rising order."""
    n, m = scores.shape
    values = np.empty((1, k), dtype=scores.dtype)
    found = np.empty((n, k), dtype=np.int64)
    positions = np.empty((1, k), dtype=np.int64)
    for i in range(n):
        held = 0
        for j in range(m):
            if held < k or scores[i, j] < values[0, k - 1]:
                held = insert_smallest(values, positions, 0, held, scores[i, j], j)
        for place in range(k):
            found[i, place] = positions[0, place]
    return found


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
        held = 0
        for j in range(len(X)):
            if own[i] == j:
                continue
            away = np.sqrt(_squared_distance(queries, i, X, j, 1.0, 1.0))
            held = insert_smallest(nearest, chosen, i, held, away, j)
            if held == k and nearest[i, k - 1] == 0.0:
                break


@njit(cache=True, nogil=True)
def _dense_sums(
    queries: np.ndarray,
    X: np.ndarray,
    query_scales: np.ndarray,
    scales: np.ndarray,
    candidates: np.ndarray,
) -> np.ndarray:
    """Sums of squared differences; rows are multiplied by their scales."""
    sums = np.empty(candidates.shape)
    for i in range(len(candidates)):
        for c in range(candidates.shape[1]):
            j = candidates[i, c]
            sums[i, c] = np.inf
            if j >= 0:
                a, b = query_scales[i], scales[j]
                sums[i, c] = _squared_distance(queries, i, X, j, a, b)
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
    sums = np.empty(candidates.shape)
    for i in range(len(candidates)):
        for c in range(candidates.shape[1]):
            j = candidates[i, c]
            sums[i, c] = np.inf
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
