"""Lift: from the clusters of representatives to those of any rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from graphtailor.linalg.types import Matrix
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.links import Memberships
from graphtailor.representatives.representatives import Representatives
from graphtailor.representatives.rows import Rows

# Rows farther away than this times what 19 of 20 fitted rows have are reported.
_FAR = 3.0


class Placed(NamedTuple):
    """Where rows lie among the clusters, and how far from the fitted rows."""

    indicator: np.ndarray
    distance: np.ndarray | None  # None where the model was given distances or a graph


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
        for part, block in self._rows(X).each_block(self._lifted, self.n_jobs):
            V[part] = block
        return V

    def place(self, X: Any) -> Placed:
        """Indicator of rows and how far they are, both by the same links."""
        blocks = self._rows(X).each_block(self._placed, self.n_jobs)
        return _joined([block for _, block in blocks])

    def distances(self, X: Any, links: Memberships) -> np.ndarray | None:
        """How far rows are from the fitted ones, by links that are known."""
        rows, far = self._rows(X), self.representatives.distances
        parts = [far(rows.take(part), links.nearest[part]) for part in rows.slices()]
        return _joined([Placed(self.shares[:0], part) for part in parts]).distance

    def _rows(self, X: Any) -> Rows:
        # A sparse matrix of distances would lose the zeros of a dense one.
        pairs = isinstance(self.representatives, GivenPairs)
        return Rows(X) if pairs else self.scaling.like(X)

    def _lifted(self, rows: Matrix) -> np.ndarray:
        return normalized(self.representatives.memberships(rows).lift(self.shares))

    def _placed(self, rows: Matrix) -> Placed:
        found = self.representatives.memberships(rows)
        distance = self.representatives.distances(rows, found.nearest)
        return Placed(normalized(found.lift(self.shares)), distance)


def _joined(parts: Sequence[Placed]) -> Placed:
    far = [part.distance for part in parts if part.distance is not None]
    indicator = np.concatenate([part.indicator for part in parts])
    return Placed(indicator, np.concatenate(far) if far else None)


def normalized(V: np.ndarray) -> np.ndarray:
    """Rows divided by their sums; a row of zeros becomes even."""
    totals = V.sum(axis=1, keepdims=True)
    even = V.dtype.type(1 / V.shape[1])
    return np.where(totals > 0, V / np.where(totals > 0, totals, 1), even)


def notes_on_distance(distance: np.ndarray | None) -> list[str]:
    """A note on rows that are far from all fitted ones."""
    n_far = 0 if distance is None else int((distance > _FAR).sum())
    if distance is None or not n_far:
        return []
    return [
        f"{n_far:,} of {len(distance):,} rows are more than {_FAR:g} times as far from "
        "the fitted rows as those are from each other: their clusters mean little."
    ]
