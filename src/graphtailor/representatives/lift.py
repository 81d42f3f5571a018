"""Lift: from the clusters of representatives to those of any rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtailor.linalg.types import Matrix
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.representatives import Representatives
from graphtailor.representatives.rows import Rows


@dataclass(frozen=True)
class Lifter:
    """Everything that a row's label depends on besides the row itself."""

    scaling: Rows  # rows without rows: how new ones are scaled
    representatives: Representatives | GivenPairs  # what stands for the fitted rows
    shares: np.ndarray  # how surely each representative belongs to each cluster
    n_jobs: int | None = None  # threads

    def indicator_of(self, X: Any) -> np.ndarray:
        """Indicator of rows, block by block, each row for itself."""
        V = np.empty((X.shape[0], self.shares.shape[1]), self.shares.dtype)
        # A sparse matrix of distances would lose the zeros of a dense one.
        pairs = isinstance(self.representatives, GivenPairs)
        rows = Rows(X) if pairs else self.scaling.like(X)
        for part, block in rows.each_block(self._lifted, self.n_jobs):
            V[part] = block
        return V

    def _lifted(self, rows: Matrix) -> np.ndarray:
        return normalized(self.representatives.memberships(rows).lift(self.shares))


def normalized(V: np.ndarray) -> np.ndarray:
    """Rows divided by their sums; a row of zeros becomes even."""
    totals = V.sum(axis=1, keepdims=True)
    even = V.dtype.type(1 / V.shape[1])
    return np.where(totals > 0, V / np.where(totals > 0, totals, 1), even)
