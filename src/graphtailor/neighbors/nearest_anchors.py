"""The nearest anchors of many rows: exact, and the same in any company."""

import numpy as np

from graphtailor.neighbors.exact import ExactIndex

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

    def find(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The k nearest anchors of each row, nearest first, and their distances.

        Ties go to the lowest index.
        """
        indices = np.empty((len(X), self.k), dtype=np.int32)
        distances = np.empty((len(X), self.k))
        for first in range(0, len(X), _ROWS_AT_ONCE):
            rows = slice(first, first + _ROWS_AT_ONCE)
            distances[rows], indices[rows] = self._index.nearest(X[rows], self.k)
        return indices, distances
