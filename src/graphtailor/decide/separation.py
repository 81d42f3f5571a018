"""Which clusters does the graph of nearest neighbours separate?

Moons, rings and very unequal blobs are separated there, and members that look for
compact clusters of similar size cut through them.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from graphtailor.graphs.ensemble.views import View
from graphtailor.linalg.eigen import leading_eigenvectors
from graphtailor.linalg.kmeans import kmeans_labels, labels_from_pivots
from graphtailor.linalg.types import Matrix
from graphtailor.neighbors import default_n_neighbors

# Separated clusters: at most 0.1 % of the weight of a cluster's edges leaves it; or
# 0.5 % where the next eigenvalue is eight times as far from 1, as between long clusters
# that touch, or 3 % where it is lower by 0.1. No cluster falls apart as easily then.
_LEAVING, _LEAVING_BEFORE_RATIO, _LEAVING_BEFORE_GAP = 0.001, 0.005, 0.03
_RATIO, _GAP = 8.0, 0.1
# A cut with a cluster below 0.15 of the mean size does not count: outliers are as far
# away as clusters.
_LEAST_SHARE = 0.15
# A graph that falls into this many parts more than are asked for does not say which of
# them belong together. One more may be the broken end of a long cluster.
_MORE_PARTS = 2
# K-means that starts at separated clusters and keeps less than this adjusted Rand index
# with them does not see them: they have shapes.
_COMPACT = 0.7
# Members that split separated clusters are believed up to this share of leaving edges;
# of clusters with shapes, from this score of their number on.
_BELIEVED, _SURE = 0.08, 0.235
# One minus an eigenvalue below this is zero.
_ZERO = 1e-6


@dataclass(frozen=True)
class Separation:
    """Clusters that the graph of nearest neighbours separates."""

    view: View  # where they were seen
    labels: dict[int, np.ndarray]  # for each number of clusters that is separated
    number: int  # the number that fits the graph best
    leaving: float  # the largest share of a cluster's edge weight that leaves it
    compactness: float  # adjusted Rand index with k-means that starts at their means

    @property
    def shapes(self) -> bool:
        """Whether k-means does not see the clusters."""
        return self.compactness < _COMPACT

    def follows(self, n_clusters: int | str) -> bool:
        """Whether this many clusters are separated and have shapes."""
        return self.shapes and n_clusters in self.labels

    def overrules(self, labels: np.ndarray, score: float) -> bool:
        """Whether its own number is better founded than these clusters of the members.

        A cluster too many is merged at a glance, one too few hides what is there:
        finer clusters of the members are believed where few edges leave them. Members
        never agree much on pieces of moons and rings; where they do, what looks like a
        shape is a group of compact clusters.
        """
        if int(labels.max()) + 1 <= self.number:
            return True
        if self.shapes:
            return score < _SURE
        return _share_leaving(_graph(self.view), labels) > _BELIEVED


def find_separation(view: View, points: Matrix, most: int) -> Separation | None:
    """The clusters that the neighbour graph of a view separates, if there are any.

    There are at most `most` clusters. Columns of categories are looked for in `points`,
    the distinct samples before any projection. None where no number gives clusters that
    are all separated and of some size, or where a column of categories makes them.
    """
    W = _graph(view)
    most = min(most, view.n_samples - 2)
    if most < 2 or not W.nnz:
        return None
    values, vectors = leading_eigenvectors(W, most + 1, 0)
    lost = np.maximum(1 - values, 0.0)
    found = {c: (labels, left) for c, labels, left in _cuts(view, W, lost, vectors)}
    parts = max((c for c, (_, left) in found.items() if left == 0), default=0)
    found = {c: cut for c, cut in found.items() if c > parts - _MORE_PARTS}
    if not found:
        return None
    number = _best_number(list(found), lost)
    labels, leaving = found[number]
    if _made_by_categories(points, labels):
        return None
    compactness = _compactness(view, labels)
    every = {c: cut for c, (cut, _) in found.items()}
    return Separation(view, every, number, leaving, compactness)


def _graph(view: View) -> sparse.csr_array:
    return view.graph(default_n_neighbors(view.n_samples))


def _cuts(
    view: View, W: sparse.csr_array, lost: np.ndarray, vectors: np.ndarray
) -> Iterator[tuple[int, np.ndarray, float]]:
    """Number, clusters and share of leaving edges of every separated cut."""
    for c in range(2, len(lost)):
        # By Cheeger's inequality at least half of this leaves some cluster.
        if lost[c - 1] > 2 * _LEAVING_BEFORE_GAP:
            return
        rows = normalize(vectors[:, :c])
        labels = labels_from_pivots(rows, c)
        sizes = np.bincount(labels, view.masses, minlength=c)
        if sizes.min() * c < _LEAST_SHARE * sizes.sum():
            continue
        leaving = _share_leaving(W, labels)
        if leaving <= _most_leaving(lost[c - 1], lost[c]):
            yield c, labels, leaving


def _most_leaving(lost: float, next_lost: float) -> float:
    """Share of a separated cluster's edges that may leave it."""
    if next_lost - lost >= _GAP:
        return _LEAVING_BEFORE_GAP
    # Eigenvalues at 1 belong to parts, which nothing leaves.
    if next_lost >= _RATIO * max(lost, _ZERO):
        return _LEAVING_BEFORE_RATIO
    return _LEAVING


def _best_number(numbers: list[int], lost: np.ndarray) -> int:
    """The finest number before a wide gap of eigenvalues, or before the largest ratio.

    A cut through a ring leaves little, but hardly more than the next cut through it.
    """
    before_gap = [c for c in numbers if lost[c] - lost[c - 1] >= _GAP]
    if before_gap:
        return max(before_gap)
    return max(numbers, key=lambda c: (lost[c] / max(lost[c - 1], _ZERO), c))


def _made_by_categories(points: Matrix, labels: np.ndarray) -> bool:
    """Whether half of the clusters have one and the same value in a category column.

    Such columns split a table into parts, and no part is a cluster for that.
    """
    if sparse.issparse(points):
        return True
    c = int(labels.max()) + 1
    constant = np.zeros(c, dtype=bool)
    for column in points.T:
        # A column with at most this many values holds categories.
        if 1 < len(np.unique(column)) <= 10:
            low, high = np.full(c, np.inf), np.full(c, -np.inf)
            np.minimum.at(low, labels, column)
            np.maximum.at(high, labels, column)
            constant |= low == high
    return constant.sum() * 2 >= c


def _compactness(view: View, labels: np.ndarray) -> float:
    """Adjusted Rand index with k-means that starts at the means of the clusters."""
    c = int(labels.max()) + 1
    masses = np.maximum(view.masses, _ZERO)
    member = sparse.csr_array((masses, (labels, np.arange(len(labels)))))
    means = (member @ view.points) / np.bincount(labels, masses)[:, None]
    kept = kmeans_labels(
        view.points, c, init=means.astype(view.points.dtype), sample_weight=masses
    )
    return float(adjusted_rand_score(labels, kept))


def _share_leaving(G: sparse.csr_array, labels: np.ndarray) -> float:
    """Largest share of the weight of a cluster's edges that goes to other clusters."""
    start = labels[np.repeat(np.arange(len(labels)), np.diff(G.indptr))]
    leaves = start != labels[G.indices]
    weight = np.bincount(start, G.data, minlength=labels.max() + 1)
    lost = np.bincount(start[leaves], G.data[leaves], minlength=len(weight))
    return float((lost / np.where(weight > 0, weight, 1.0)).max())
