"""The nearest anchors of many rows: exact, and the same in any company."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse
from scipy.spatial import KDTree
from sklearn.utils.extmath import row_norms

# For so few features a tree is quicker than comparing with every anchor by BLAS.
_FEATURES_FOR_A_TREE = 4
# Anchors looked at beyond the k nearest: BLAS may round otherwise for another number
# of rows, and the exact distances of these settle who is nearest.
_SPARE_CANDIDATES = 4
_ROWS_AT_ONCE = 512


class NearestAnchors:
    """Finds the nearest of a few thousand anchors for any number of rows.

    What is found for a row depends on that row alone: not on how many come with it,
    nor on threads. So a prediction agrees with the fit, block by block.

    Parameters
    ----------
    anchors : ndarray of shape (m, d)
        The anchors.
    k : int
        Number of nearest anchors to find, at most m.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.neighbors.nearest_anchors import NearestAnchors
    >>> found, distances = NearestAnchors(np.array([[0.0], [3.0], [9.0]]), 2).find(
    ...     np.array([[2.0], [8.0]])
    ... )
    >>> found.tolist(), distances.tolist()
    ([[1, 0], [2, 1]], [[1.0, 2.0], [1.0, 5.0]])
    """

    def __init__(self, anchors: np.ndarray, k: int) -> None:
        self.anchors = anchors
        self.k = min(k, len(anchors))
        few = anchors.shape[1] <= _FEATURES_FOR_A_TREE
        self._tree = KDTree(anchors) if few else None
        # Products of rows far from the origin would lose the digits that matter.
        self._centre = anchors.mean(axis=0, dtype=np.float64).astype(anchors.dtype)
        self._centred = anchors - self._centre
        self._squares = row_norms(self._centred, squared=True)
        self._n_candidates = min(self.k + _SPARE_CANDIDATES, len(anchors))

    def find(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest anchors of each row, nearest first, and their distances.

        Parameters
        ----------
        X : {ndarray, csr_array} of shape (n, d)
            Rows.

        Returns
        -------
        indices : ndarray of shape (n, k), int32
            Ties go to the lowest index.
        distances : ndarray of shape (n, k), float64
            Euclidean distances.
        """
        n = X.shape[0]
        indices = np.empty((n, self.k), dtype=np.int32)
        distances = np.empty((n, self.k))
        for first in range(0, n, _ROWS_AT_ONCE):
            rows = slice(first, min(first + _ROWS_AT_ONCE, n))
            indices[rows], distances[rows] = self._find_some(X[rows])
        return indices, distances

    def _find_some(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        if sparse.issparse(rows):
            return self._find_sparse(rows)
        candidates, beyond = (
            self._by_products(rows) if self._tree is None else self._by_tree(rows)
        )
        distances = _distances(rows, self.anchors, candidates)
        chosen, nearest = _nearest_first(candidates, distances, self.k)
        if self._n_candidates < len(self.anchors):
            _settle(rows, self.anchors, beyond, chosen, nearest)
        return chosen, nearest

    def _by_tree(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Candidates, and the distance that all other anchors are at least away."""
        wanted = np.arange(self._n_candidates) + 1
        far, candidates = self._tree.query(rows, k=wanted)  # type: ignore[union-attr]
        lost = candidates[:, -1] == len(self.anchors)  # at an infinite distance
        candidates[lost] = np.arange(self._n_candidates)
        return candidates, np.where(lost, 0.0, far[:, -1] * (1 - 1e-9))

    def _by_products(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same by BLAS, less what its rounding may amount to."""
        centred = rows - self._centre
        scores = self._squares - 2 * (centred @ self._centred.T)
        candidates = _smallest(scores, self._n_candidates)
        last = np.take_along_axis(scores, candidates[:, -1:], axis=1)[:, 0]
        squares = row_norms(centred, squared=True).astype(np.float64)
        largest = float(self._squares.max())
        unit = float(np.finfo(scores.dtype).eps) * (rows.shape[1] + 8)
        with np.errstate(over="ignore", invalid="ignore"):
            error = unit * np.square(np.sqrt(squares) + np.sqrt(largest))
            beyond = np.sqrt(np.maximum(last + squares - error, 0.0))
        return candidates, np.where(np.isfinite(beyond), beyond, 0.0)

    def _find_sparse(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        # A sparse product treats every row for itself, so that its distances will do.
        squares = row_norms(self.anchors, squared=True)
        scores = squares - 2 * np.asarray(rows @ self.anchors.T)
        candidates = _smallest(scores, self._n_candidates)
        found = np.take_along_axis(scores, candidates, axis=1).astype(np.float64)
        found += row_norms(rows, squared=True)[:, None]
        return _nearest_first(candidates, np.sqrt(np.maximum(found, 0.0)), self.k)


def _nearest_first(
    candidates: np.ndarray, distances: np.ndarray, k: int
) -> tuple[np.ndarray, np.ndarray]:
    order = np.lexsort((candidates, distances), axis=1)[:, :k]
    chosen = np.take_along_axis(candidates, order, axis=1)
    return chosen.astype(np.int32), np.take_along_axis(distances, order, axis=1)


@njit(cache=True, nogil=True)
def _smallest(scores: np.ndarray, k: int) -> np.ndarray:
    """Positions of the k smallest values of each row, in rising order."""
    n, m = scores.shape
    found = np.empty((n, k), dtype=np.int64)
    values = np.empty(k, dtype=scores.dtype)
    for i in range(n):
        held = 0
        for j in range(m):
            value = scores[i, j]
            if held == k and value >= values[k - 1]:
                continue
            place = held if held < k else k - 1
            held = min(held + 1, k)
            while place > 0 and values[place - 1] > value:
                values[place] = values[place - 1]
                found[i, place] = found[i, place - 1]
                place -= 1
            values[place] = value
            found[i, place] = j
    return found


@njit(cache=True, nogil=True)
def _distances(
    rows: np.ndarray, anchors: np.ndarray, candidates: np.ndarray
) -> np.ndarray:
    """Distances by differences, one after the other: exact ties, no cancellation."""
    n, k = candidates.shape
    distances = np.empty((n, k))
    for i in range(n):
        for a in range(k):
            total = 0.0
            for f in range(anchors.shape[1]):
                difference = np.float64(rows[i, f]) - anchors[candidates[i, a], f]
                total += difference * difference
            distances[i, a] = np.sqrt(total)
    return distances


@njit(cache=True, nogil=True)
def _settle(
    rows: np.ndarray,
    anchors: np.ndarray,
    beyond: np.ndarray,
    chosen: np.ndarray,
    nearest: np.ndarray,
) -> None:
    """Look at every anchor for rows where one beyond the candidates may be nearer."""
    k = chosen.shape[1]
    for i in range(len(rows)):
        if beyond[i] > nearest[i, k - 1]:
            continue
        held = 0
        for j in range(len(anchors)):
            total = 0.0
            for f in range(anchors.shape[1]):
                difference = np.float64(rows[i, f]) - anchors[j, f]
                total += difference * difference
            distance = np.sqrt(total)
            if held == k and distance >= nearest[i, k - 1]:
                continue
            place = held if held < k else k - 1
            held = min(held + 1, k)
            while place > 0 and nearest[i, place - 1] > distance:
                nearest[i, place] = nearest[i, place - 1]
                chosen[i, place] = chosen[i, place - 1]
                place -= 1
            nearest[i, place] = distance
            chosen[i, place] = j
