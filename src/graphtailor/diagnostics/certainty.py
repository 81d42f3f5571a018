"""How certain the cluster of each row is."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.metrics import pairwise_distances

from graphtailor.diagnostics.model_access import FittedView
from graphtailor.linalg.sparse import to_dense
from graphtailor.linalg.types import Matrix

_OF_MEMBERS = (
    "Certainty is how often the quick clusterings put a row together with the rows of "
    "its own cluster, divided by the sum of this over all clusters."
)
_OF_MEMBERSHIPS = "Certainty is the share of the row's own cluster in its memberships."
_OF_EDGES = (
    "Certainty is the share of a row's edge weight that stays in its own cluster."
)
_OF_DISTANCES = (
    "Certainty is d'/(d + d'), where d is the distance to the centre of the row's own "
    "cluster and d' the distance to the nearest other one; 50 % is half way."
)
# A row is doubtful if its own cluster has less than this share of what its own and the
# next best cluster have together.
_DOUBTFUL = 0.6
DOUBTFUL_RULE = (
    "A row is called doubtful if the next best cluster has more than two thirds of the "
    "certainty of its own."
)


@dataclass(frozen=True)
class Certainty:
    """How certain the clusters of rows are."""

    # (n,): from 0 to 1; at 1 no other cluster has any claim to the row.
    share: np.ndarray
    second: np.ndarray  # (n,): the next best cluster; -1 where there is none
    second_share: np.ndarray  # (n,): the share of the next best cluster
    meaning: str  # how `share` is computed, in a sentence

    def of_rows(self, rows: np.ndarray) -> "Certainty":
        """The same for some of the rows."""
        share, second = self.share[rows], self.second[rows]
        return Certainty(share, second, self.second_share[rows], self.meaning)

    @property
    def margin(self) -> np.ndarray:
        """From 0.5, half way to the next best cluster, to 1, where there is none."""
        both = self.share + self.second_share
        return np.divide(self.share, both, out=np.full(len(both), 0.5), where=both > 0)

    @property
    def doubtful(self) -> np.ndarray:
        """Whether the next best cluster comes near the row's own."""
        return self.margin < _DOUBTFUL


def certainty_of(view: FittedView, features: Matrix | None = None) -> Certainty | None:
    """Judge how certain the cluster of each row is; None if the model does not tell.

    The indicator is used if the model has one, else distances to the centres of the
    clusters in its embedding or among the scaled features, else its graph.
    """
    labels = np.asarray(view.labels)
    if view.indicator is not None:
        meaning = _OF_MEMBERSHIPS if view.decision is None else _OF_MEMBERS
        return by_memberships(view.indicator, labels, meaning)
    points = features if view.embedding is None else view.embedding
    if points is not None and len(np.unique(labels)) > 1:
        return _by_distances(points, labels)
    graph = view.given if view.learned is None else view.learned
    if graph is None:
        return None
    member = sparse.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)))
    pulls = abs(sparse.csr_array(graph)) @ member
    return by_memberships(pulls.toarray(), labels, _OF_EDGES)


def by_memberships(
    V: np.ndarray, labels: np.ndarray, meaning: str = _OF_MEMBERS
) -> Certainty:
    """Certainty from how strongly each row belongs to each cluster."""
    n, c = V.shape
    rows = np.arange(n)
    total = V.sum(axis=1, keepdims=True, dtype=np.float64)
    shares = np.divide(V, total, out=np.full((n, c), 1.0 / c), where=total > 0)
    share = shares[rows, labels]
    shares[rows, labels] = -1.0
    second, second_share = shares.argmax(axis=1), shares.max(axis=1)
    second[(second_share <= 0) | (total[:, 0] == 0)] = -1
    return Certainty(share, second, np.maximum(second_share, 0), meaning)


def _by_distances(points: Matrix, labels: np.ndarray) -> Certainty:
    """Certainty from the distances to the own and to the nearest other centre."""
    names, codes = np.unique(labels, return_inverse=True)
    n, rows = len(codes), np.arange(len(codes))
    member = sparse.csr_array(
        (1 / np.bincount(codes)[codes], (codes, rows)), shape=(len(names), n)
    )
    centers = to_dense(member @ points)
    distances = pairwise_distances(points, centers)
    own = distances[rows, codes]
    distances[rows, codes] = np.inf
    second = distances.argmin(axis=1)
    other = distances[rows, second]
    share = np.full(n, 0.5)
    np.divide(other, own + other, out=share, where=own + other > 0)
    return Certainty(share, names[second], 1 - share, _OF_DISTANCES)


def certainty_sentence(found: Certainty) -> str:
    """How many rows are certain, in words."""
    n, doubtful = len(found.share), int(found.doubtful.sum())
    are = "is" if doubtful == 1 else "are"
    return (
        f"Half of all rows are at least {np.median(found.share):.0%} certain; "
        f"{doubtful:,} of {n:,} rows {are} doubtful."
    )
