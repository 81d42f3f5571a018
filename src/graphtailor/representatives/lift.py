"""Lift: from the clusters of representatives to those of any rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from graphtailor.linalg.types import Matrix
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.representatives import Representatives
from graphtailor.representatives.rows import Rows

# Rows farther away than this times what 19 of 20 fitted rows have are reported.
_FAR = 3.0


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


def distances_to(lifter: Lifter, X: Any) -> np.ndarray | None:
    """How far rows are from the fitted ones; 19 of 20 fitted rows are below 1.

    It is the mean distance to the five nearest representatives, divided by what 95 % of
    the representatives have at most among themselves. A representative that equals the
    row does not count. None where the model was given distances or a graph.
    """
    representatives = lifter.representatives
    if not isinstance(representatives, Representatives) or len(representatives) < 3:
        return None
    points = representatives.points
    # A row is compared with this many of its nearest fitted ones.
    k = min(5, len(representatives) - 1)
    search = NearestNeighbors(n_neighbors=k, n_jobs=lifter.n_jobs).fit(points)
    usual = float(np.quantile(search.kneighbors()[0].mean(axis=1), 0.95)) or 1.0

    def means(rows: Any) -> np.ndarray:
        found = search.kneighbors(rows, k + 1)[0]
        is_equal = found[:, 0] == 0
        return np.where(is_equal, found[:, 1:].mean(axis=1), found[:, :-1].mean(axis=1))

    values = X.to_numpy() if hasattr(X, "to_numpy") else X
    distances = np.empty(values.shape[0])
    for part, found in lifter.scaling.like(values).each_block(means, None):
        distances[part] = found
    return distances / usual


def notes_on_distance(distance: np.ndarray | None) -> list[str]:
    """A note on rows that are far from all fitted ones."""
    n_far = 0 if distance is None else int((distance > _FAR).sum())
    if distance is None or not n_far:
        return []
    return [
        f"{n_far:,} of {len(distance):,} rows are more than {_FAR:g} times as far from "
        "the fitted rows as those are from each other: their clusters mean little."
    ]
