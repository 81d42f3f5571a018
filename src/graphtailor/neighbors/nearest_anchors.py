"""The nearest anchors of many rows: exact, and the same in any company."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import row_norms

from graphtailor.linalg.sparse import smallest_in_rows
from graphtailor.neighbors.exact import SPARE_CANDIDATES, ExactIndex, keep_nearest

_ROWS_AT_ONCE = 512


class NearestAnchors:
    """Finds the nearest of a few thousand anchors for any number of rows.

    What is found for a row depends on that row alone: neither on how many come with
    it, nor on threads. So a prediction agrees with the fit, block by block.
    """

    def __init__(self, anchors: np.ndarray, k: int) -> None:
        self.anchors = anchors
        self.k = min(k, len(anchors))
        self._index = ExactIndex(anchors, "euclidean", most_products=np.inf)

    def find(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest anchors of each row, nearest first, and their distances."""
        n = X.shape[0]
        indices = np.empty((n, self.k), dtype=np.int32)
        distances = np.empty((n, self.k))
        for first in range(0, n, _ROWS_AT_ONCE):
            rows = slice(first, min(first + _ROWS_AT_ONCE, n))
            some = X[rows]
            distances[rows], indices[rows] = (
                self._of_sparse(some)
                if sparse.issparse(some)
                else self._index.nearest(some, self.k)
            )
        return indices, distances

    def _of_sparse(self, rows: Any) -> tuple[np.ndarray, np.ndarray]:
        # A sparse product treats every row for itself, so that its distances will do.
        squares = row_norms(self.anchors, squared=True)
        scores = squares - 2 * np.asarray(rows @ self.anchors.T)
        wanted = min(self.k + SPARE_CANDIDATES, len(self.anchors))
        candidates = smallest_in_rows(scores, wanted)
        found = np.take_along_axis(scores, candidates, axis=1).astype(np.float64)
        found += row_norms(rows, squared=True)[:, None]
        distances = np.sqrt(np.maximum(found, 0.0))
        nobody = np.full(rows.shape[0], -1)
        return keep_nearest(distances, candidates, nobody, self.k)
