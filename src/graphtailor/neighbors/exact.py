"""Exact nearest neighbours, the same for a row whatever rows come with it.

An engine proposes candidates; their distances are computed again by differences, one
after the other, and decide. Where a sample that was not proposed may be as near, all
samples are looked at.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numba import njit
from scipy import sparse
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist
from sklearn.neighbors import NearestNeighbors
from sklearn.utils.extmath import row_norms

from graphtailor.linalg.sparse import CsrRows, Matrix, row_index, smallest_in_rows

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

# A name that scikit-learn knows, or a function of two rows.
Metric: TypeAlias = str | Callable[[np.ndarray, np.ndarray], float]
EUCLIDEAN = ("euclidean", "l2", "minkowski")
MANHATTAN = ("manhattan", "cityblock", "l1")


class ExactIndex:
    """Exact search, with exact zeros for duplicates and exact ties.

    `X` holds samples, or distances if the metric is "precomputed". All queries together
    may spend `most_products` on ties.
    """

    order: np.ndarray | None = None
    thread_safe = True

    def __init__(
        self, X: Matrix, metric: Metric, most_products: float = _MOST_PRODUCTS
    ) -> None:
        self.X = X
        self.metric = metric
        self.most_products = most_products
        dense = metric in EUCLIDEAN and not sparse.issparse(X)
        self._proposals = EuclideanCandidates(X) if dense else None

    def nearest(
        self, queries: Matrix, k: int, own: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the k nearest, ties to the lowest index.

        If the queries are fitted samples, `own` has their indices: no sample is its
        own neighbour.
        """
        n = self.X.shape[0]
        wanted = min(k + SPARE_CANDIDATES + (own is not None), n)
        itself = np.full(queries.shape[0], -1) if own is None else own
        distances, candidates, beyond = self._propose(queries, wanted)
        nearest, chosen = keep_nearest(distances, candidates, itself, k)
        unsure = np.flatnonzero(beyond <= nearest[:, -1])
        share = 1.0 if own is None else len(own) / n
        if wanted < n and len(unsure) * self.X.size <= share * self.most_products:
            step = max(_SCORES_AT_ONCE // n, 1)
            for first in range(0, len(unsure), step):
                rows = unsure[first : first + step]
                answer = self._among_all(queries[rows], itself[rows], nearest[rows])
                nearest[rows], chosen[rows] = answer
        return nearest, chosen

    def _propose(
        self, queries: Matrix, wanted: int
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Distances, candidates, and the distance that others are at least away."""
        if self._proposals is not None:
            candidates, beyond = self._proposals.find(queries, wanted)
            return self._distances.of(queries, candidates), candidates, beyond
        measured, candidates = self._engine.kneighbors(queries, n_neighbors=wanted)
        measured = measured.astype(np.float64, copy=False)
        # The distances of scikit-learn stand: it knows metrics that nobody else does.
        known = self.metric == "precomputed"
        beyond = measured[:, -1] if known else np.full(len(measured), np.inf)
        return measured, candidates, beyond

    def _among_all(
        self, queries: Matrix, itself: np.ndarray, nearest: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """The nearest among all samples, where as many are known to be as near."""
        everyone = np.tile(np.arange(self.X.shape[0]), (len(itself), 1))
        owned = np.flatnonzero(itself >= 0)
        everyone[owned, itself[owned]] = -1
        known = self.metric == "precomputed"
        away = queries if known else self._distances.of(queries, everyone)
        rows, cols = np.nonzero((away <= nearest[:, -1:]) & (everyone >= 0))
        order = nearest_first(rows, cols, away[rows, cols], nearest.shape[1])
        chosen = cols[order].reshape(nearest.shape)
        return np.take_along_axis(away, chosen, axis=1), chosen

    def within(
        self, radius: float, X_new: Matrix | None = None
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
    def _distances(self) -> "CandidateDistances":
        return CandidateDistances(self.X, self.metric)


class EuclideanCandidates:
    """Proposes near samples by a tree, or by products where there are more features."""

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
    and 1 where a sample is zero. Sums are in float64, also for float32 samples. For
    dense samples the metric may have any name that
    :func:`scipy.spatial.distance.cdist` knows.
    """

    def __init__(self, X: Matrix, metric: Metric) -> None:
        self.X = X
        self.metric = metric
        self._scales = self._scales_of(X)

    def of(self, queries: Matrix, candidates: np.ndarray) -> np.ndarray:
        """Distances in the shape of `candidates`; infinite where that holds -1."""
        city_block = self.metric in MANHATTAN
        if not (sparse.issparse(self.X) or self.metric in (*EUCLIDEAN, "cosine")):
            return self._by_scipy(queries, candidates)
        scales = (self._scales_of(queries), self._scales)
        if sparse.issparse(self.X):
            rows = (CsrRows.of(queries), CsrRows.of(self.X))
            sums = _sparse_sums(*rows, *scales, candidates, city_block)
        else:
            sums = np.empty(candidates.shape)
            _dense_sums(queries, self.X, *scales, candidates, sums)
        if self.metric == "cosine":
            zero = (scales[0] == 0)[:, None] | (self._scales == 0)[candidates]
            return np.where(zero & (candidates >= 0), 1.0, sums / 2)
        return sums if city_block else np.sqrt(sums, out=sums)

    def _scales_of(self, X: Matrix) -> np.ndarray:
        """Factors of the rows before they are compared."""
        if self.metric != "cosine":
            return np.ones(X.shape[0])
        if isinstance(X, np.ndarray):
            squares = np.einsum("ij,ij->i", X, X, dtype=np.float64)
        else:
            squares = np.bincount(row_index(X), X.data.astype(float) ** 2, X.shape[0])
        return np.where(squares > 0, 1 / np.sqrt(np.where(squares > 0, squares, 1)), 0)

    def _by_scipy(self, queries: np.ndarray, candidates: np.ndarray) -> np.ndarray:
        name = "cityblock" if self.metric in MANHATTAN else self.metric
        distances = np.empty(candidates.shape)
        for i, row in enumerate(candidates):
            distances[i] = cdist(queries[i : i + 1], self.X[row], name)[0]
        distances[candidates < 0] = np.inf
        return distances


def nearest_stored(
    D: Matrix, k: int, own: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The k smallest stored distances of each row, the sample itself left out.

    As rows, columns and distances.
    """
    D = sparse.csr_array(D)
    rows, cols, distances = row_index(D), D.indices, D.data
    if own:
        others = rows != cols
        rows, cols, distances = rows[others], cols[others], distances[others]
    order = nearest_first(rows, cols, distances, k)
    cols, distances = cols[order], distances[order]
    return rows[order], cols.astype(np.int64), distances.astype(np.float64)


def nearest_first(
    rows: np.ndarray, cols: np.ndarray, distances: np.ndarray, k: int
) -> np.ndarray:
    """Places of the k smallest distances of each row: row by row, ties by column."""
    order = np.lexsort((cols, distances, rows))
    counts = np.bincount(rows)
    rank = np.arange(len(order)) - np.repeat(np.cumsum(counts) - counts, counts)
    return order[rank < k]


def keep_nearest(
    distances: np.ndarray, candidates: np.ndarray, own: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """The k nearest candidates of each row: first by distance, then by index.

    The sample itself, ``own[i]``, is left out, and so is every -1; where too few
    candidates remain, the rest is at infinity with index -1.
    """
    missing = (candidates < 0) | (candidates == own[:, None])
    distances = np.where(missing, np.inf, distances)
    # An infinite distance of a candidate comes before the missing ones.
    order = np.lexsort((candidates, missing, distances))[:, :k]
    chosen = np.take_along_axis(np.where(missing, -1, candidates), order, axis=1)
    nearest = np.take_along_axis(distances, order, axis=1)
    lacking = ((0, 0), (0, k - nearest.shape[1]))
    if lacking[1][1] > 0:
        nearest = np.pad(nearest, lacking, constant_values=np.inf)
        chosen = np.pad(chosen, lacking, constant_values=-1)
    return nearest, chosen


@njit(cache=True, nogil=True)
def _dense_sums(
    queries: np.ndarray,
    X: np.ndarray,
    query_scales: np.ndarray,
    scales: np.ndarray,
    candidates: np.ndarray,
    sums: np.ndarray,
) -> None:
    """Sums of squared differences; rows are multiplied by their scales."""
    for i in range(candidates.shape[0]):
        for c in range(candidates.shape[1]):
            j = candidates[i, c]
            total = 0.0 if j >= 0 else np.inf
            if j >= 0:
                for f in range(X.shape[1]):
                    change = query_scales[i] * queries[i, f] - scales[j] * X[j, f]
                    total += change * change
            sums[i, c] = total


@njit(cache=True, nogil=True)
def _sparse_sums(
    queries: CsrRows,
    X: CsrRows,
    query_scales: np.ndarray,
    scales: np.ndarray,
    candidates: np.ndarray,
    city_block: bool,
) -> np.ndarray:
    """The same for rows of csr arrays with sorted indices; or absolute differences."""
    query_indptr, query_indices, query_data = queries
    indptr, indices, data = X
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
