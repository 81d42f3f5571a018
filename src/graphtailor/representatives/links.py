"""Links: how rows belong to their nearest representatives."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from scipy import sparse
from sklearn.utils.extmath import randomized_svd, row_norms

from graphtailor.decide.sizes import DIRECTIONS
from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.scaling import within_reach
from graphtailor.linalg.sparse import with_data
from graphtailor.linalg.threads import single_threaded
from graphtailor.linalg.types import Matrix
from graphtailor.neighbors.exact import ExactIndex
from graphtailor.representatives.rows import sample_rows

# Rows that the bandwidth, and the directions of a projection, are taken from.
_ROWS_FOR_BANDWIDTH, _ROWS_FOR_DIRECTIONS = 5_000, 10_000
# Shares are counted in these units, and rows this many at a time.
_UNITS, _ROWS_AT_ONCE = 2**12, 1 << 18
# Rows whose nearest representatives are searched together.
_ROWS_PER_SEARCH = 512


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
        for first in range(0, len(X), _ROWS_PER_SEARCH):
            rows = slice(first, first + _ROWS_PER_SEARCH)
            distances[rows], indices[rows] = self._index.nearest(X[rows], self.k)
        return indices, distances


@dataclass(frozen=True)
class Tally:
    """Sums over rows: whole numbers, so that their order does not matter."""

    masses: np.ndarray  # weight of the rows that each representative is nearest to
    shared: sparse.csr_array

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(
            self.masses + other.masses, sparse.csr_array(self.shared + other.shared)
        )


class Memberships(NamedTuple):
    """How rows belong to their nearest representatives."""

    nearest: np.ndarray  # the nearest representatives of each row, the nearest first
    shares: np.ndarray  # nonnegative, of sum one in each row

    def tally(self, n_points: int, weights: np.ndarray | None = None) -> Tally:
        """What the representatives have of these rows, which may carry weights."""
        parts = [
            self._part(slice(first, first + _ROWS_AT_ONCE), n_points, weights)
            for first in range(0, max(len(self.nearest), 1), _ROWS_AT_ONCE)
        ]
        return sum(parts[1:], start=parts[0])

    def _part(self, rows: slice, n_points: int, weights: np.ndarray | None) -> Tally:
        nearest = self.nearest[rows]
        n, k = nearest.shape
        units = np.rint(self.shares[rows].ravel() * _UNITS).astype(np.int64)
        # At least one: an anchor that equals its only row is joined to the next ones.
        units = np.maximum(units, 1)
        places = (units, nearest.ravel(), np.arange(0, n * k + 1, k))
        B = sparse.csr_array(places, shape=(n, n_points))
        if weights is None:
            masses = np.bincount(nearest[:, 0], minlength=n_points)
            return Tally(masses, sparse.csr_array(B.T @ B))
        mine = weights[rows]
        masses = np.bincount(nearest[:, 0], mine, minlength=n_points)
        shared = B.T @ with_data(B, B.data * np.repeat(mine, k))
        # Sums of whole numbers are exact, and stay whole as without weights.
        return Tally(masses.astype(mine.dtype), sparse.csr_array(shared))

    def lift(self, V: np.ndarray) -> np.ndarray:
        """Values of the rows: the means of their representatives' by their shares."""
        n, k = self.nearest.shape
        places = (self.shares.ravel(), self.nearest.ravel(), np.arange(0, n * k + 1, k))
        # Sums over the entries of a row have their order, the nearest first.
        B = sparse.csr_array(places, shape=(n, len(V)))
        return np.asarray(B @ V, dtype=V.dtype)


@dataclass(frozen=True)
class Links:
    r"""Weights between rows and their nearest representatives.

    A row that equals a representative belongs to it alone. Any other row is shared by
    its k nearest ones, by :math:`\exp(-\|x - a_i\|^2 / \sigma^2)`. Rows of more than 64
    features, and sparse ones, are compared in the 64 directions in which the
    representatives are largest.
    """

    points: Matrix  # the representatives
    directions: np.ndarray | None
    bandwidth: float  # sigma; 0 where all points are equal
    k: int  # number of representatives that share a row
    exact: bool  # whether the representatives are distinct rows

    @classmethod
    def to(
        cls, points: Matrix, directions: np.ndarray | None, k: int, *, exact: bool
    ) -> Self:
        """Links to points, with their mean distance to the k nearest as bandwidth."""
        free = cls(points, directions, 0.0, min(k, points.shape[0]), exact)
        step = max(points.shape[0] // _ROWS_FOR_BANDWIDTH, 1)
        _, distances = NearestAnchors(free._compared, k + 1).find(
            free._compared[::step]
        )
        others = distances[:, 1:] / free._factor  # the first is the point itself
        width = float(others.mean()) if others.size else 0.0
        return cls(points, directions, width, free.k, exact)

    @property
    def n_points(self) -> int:
        """Number of representatives."""
        return self.points.shape[0]

    def memberships(self, rows: Matrix) -> Memberships:
        """Representatives of scaled rows and their shares, each row for itself."""
        rows = within_reach(rows, self.points)
        nearest, distances = self._search.find(self._as_compared(rows))
        # Beyond the limit no square is finite, and all points are equally far.
        width = (self.bandwidth or 1.0) * self._factor
        relative = np.minimum(distances / width, 1e150)
        exponents = np.square(relative)
        # Relative to the nearest point, so that a row far from all has shares too.
        weights = np.exp(exponents[:, :1] - exponents)
        own = self._known.find(rows)
        equal = np.flatnonzero(own >= 0)
        nearest[equal, 0], weights[equal] = own[equal], np.eye(1, self.k)
        shares = weights / weights.sum(axis=1, keepdims=True)
        return Memberships(nearest, shares.astype(np.float32))

    def distances(self, rows: Any, nearest: np.ndarray) -> np.ndarray | None:
        """How far rows are from their nearest points; 19 of 20 points are below 1.

        It is the mean distance to all of these but the last, divided by what 95 % of
        the points have at most. A point that equals the row does not count: then the
        last one does. None for fewer than three points, which show no usual distance.
        """
        return self._means(rows, nearest) / self._usual if self.n_points > 2 else None

    def _means(self, rows: Any, nearest: np.ndarray) -> np.ndarray:
        rows = times(within_reach(rows, self.points), self._factor)
        points = times(self.points, self._factor)
        # All features count here, also of rows that are compared in some directions.
        apart = np.column_stack([row_norms(rows - points[each]) for each in nearest.T])
        apart.sort(axis=1)
        is_equal = apart[:, 0] == 0
        return np.where(is_equal, apart[:, 1:].mean(axis=1), apart[:, :-1].mean(axis=1))

    @cached_property
    def _usual(self) -> float:
        means = self._means(self.points, self.memberships(self.points).nearest)
        return float(np.quantile(means, 0.95)) or 1.0

    @cached_property
    def _factor(self) -> float:
        """Brings the largest entry to about 1, so that squares are finite."""
        return comfortable_factor(self.points, reach=0)

    def _as_compared(self, rows: Matrix) -> np.ndarray:
        return compared(rows, self.directions, self._factor)

    @cached_property
    def _compared(self) -> np.ndarray:
        return self._as_compared(self.points)

    @cached_property
    def _search(self) -> NearestAnchors:
        return NearestAnchors(self._compared, self.k)

    @cached_property
    def _known(self) -> KnownRows:
        return KnownRows(self.points)

    def __getstate__(self) -> dict[str, Any]:
        """Leaves out what is made again when it is needed."""
        names = ("points", "directions", "bandwidth", "k", "exact")
        return {name: getattr(self, name) for name in names}


def find_directions(sample: Matrix, seed: int) -> np.ndarray | None:
    """The 64 directions in which rows are largest; None for few dense features."""
    n, d = sample.shape
    if d <= DIRECTIONS and not sparse.issparse(sample):
        return None
    some = sample[sample_rows(n, _ROWS_FOR_DIRECTIONS, seed)].astype(np.float64)
    k = min(DIRECTIONS, *some.shape)
    with single_threaded():
        return randomized_svd(some, k, n_iter=2, random_state=seed)[2].T.copy()


def compared(rows: Matrix, directions: np.ndarray | None, factor: float) -> np.ndarray:
    """Rows as they are compared: times a factor, in some directions or in all."""
    rows = times(rows.astype(np.float64), factor)
    if directions is not None:
        rows = np.asarray(rows @ directions)
    # Rounding to float32 hides that BLAS adds in another order for other blocks.
    return rows.astype(np.float32)
