"""Cuts of an ensemble: partitions that agree with its members as far as possible."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import linkage
from scipy.sparse.csgraph import connected_components
from sklearn.preprocessing import normalize

from graphtailor.decide.sizes import LINKAGE_UP_TO
from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.linalg.kmeans import labels_from_pivots
from graphtailor.linalg.svd import left_singular_vectors

# Passes of single moves at the end of every way.
_SWEEPS = 5


@dataclass(frozen=True)
class Cut:
    """One partition of the ensemble.

    Attributes
    ----------
    kind : str
        How it was found: "spectral", "linkage", "spreading" or "the graph of
        neighbours".
    labels : ndarray of shape (n,)
        The clusters.
    agreement : float
        Mean correlation with the members.
    silhouette : float
        That of one minus the share of members that join two rows.
    persistences : ndarray of shape (c,)
        How much more often members put a row of each cluster with it than with the next
        one, on average.
    shares : ndarray of shape (n, c) or None
        How far each sample belongs to each cluster, where known rows decide that.
    classes : ndarray or None
        The cluster of each known class.
    """

    kind: str
    labels: np.ndarray
    agreement: float
    silhouette: float
    persistences: np.ndarray
    shares: np.ndarray | None = None
    classes: np.ndarray | None = None

    @classmethod
    def of(cls, kind: str, labels: np.ndarray, ensemble: CoAssociation) -> Cut:
        """A partition and what the members say of it, the largest cluster first."""
        labels = by_size(labels, ensemble.masses)
        return cls(kind, labels, ensemble.agreement(labels), *ensemble.margins(labels))

    @property
    def n_clusters(self) -> int:
        """Number of clusters, with those of known classes that hold no sample."""
        if self.shares is not None:
            return self.shares.shape[1]
        return int(self.labels.max()) + 1


class ConsensusCuts:
    """Partitions of one ensemble into any number of clusters.

    Average linkage keeps very unequal clusters, a spectral cut even ones, and each may
    be better before or after single rows move to where members agree more. The
    silhouette among the members chooses: agreement favours even clusters
    (``benchmarks/cuts.py``). The tree and the eigenvectors are computed once for all
    numbers of clusters.

    Parameters
    ----------
    ensemble : CoAssociation
        The members.
    most : int
        Largest number of clusters that will be asked for.
    """

    def __init__(self, ensemble: CoAssociation, most: int) -> None:
        self.ensemble = ensemble
        self.most = most
        self._H = ensemble.memberships
        self._N = _normalized(self._H)

    def at(self, n_clusters: int) -> list[Cut]:
        """Cuts into `n_clusters` clusters, the one with the best silhouette first."""
        starts = [("spectral", self._spectral(n_clusters))]
        if 1 < self._H.shape[0] <= LINKAGE_UP_TO:
            starts.append(("linkage", self._average_linkage(n_clusters)))
        cuts = []
        for kind, start in starts:
            moved, _ = self.ensemble.improve(start, _SWEEPS)
            cuts += [Cut.of(kind, labels, self.ensemble) for labels in (start, moved)]
        # A cut with too few clusters comes last: members may say nothing at all.
        return sorted(cuts, key=lambda cut: (-cut.labels.max(), -cut.silhouette))

    @cached_property
    def _embedding(self) -> np.ndarray:
        k = min(self.most, min(self._N.shape) - 1)
        if k < 1 or not self._H.data.any():  # no member tells any samples apart
            return np.empty((self._H.shape[0], 0))
        return left_singular_vectors(self._N, k, 0)

    def _spectral(self, n_clusters: int) -> np.ndarray:
        """The spectral cut of HH', whose eigenvectors come from H alone."""
        if self._embedding.shape[1] == 0:
            return np.zeros(self._H.shape[0], dtype=np.int64)
        rows = normalize(self._embedding[:, :n_clusters])
        return labels_from_pivots(rows, n_clusters, self.ensemble.masses)

    @cached_property
    def _tree(self) -> np.ndarray:
        return linkage(self.ensemble.distances(), "average")

    def _average_linkage(self, n_clusters: int) -> np.ndarray:
        """Average linkage on one minus the co-association.

        The first merges are undone by none of the later ones: clusters are what they
        connect. SciPy's `cut_tree` builds all levels in Python.
        """
        n = len(self.ensemble.codes)
        merges = max(n - n_clusters, 0)
        ends = self._tree[:merges, :2].astype(np.int64).ravel()
        places = (ends, np.repeat(np.arange(n, n + merges), 2))
        shape = (n + merges, n + merges)
        merged = sparse.coo_array((np.ones(2 * merges), places), shape=shape)
        return connected_components(merged, directed=False)[1][:n]


def by_size(labels: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """The same clusters, the one with the most rows numbered 0."""
    order = np.argsort(-np.bincount(labels, masses), kind="stable")
    return np.argsort(order, kind="stable")[labels]


def _normalized(H: sparse.csr_array) -> sparse.csr_array:
    """N, for which NN' is HH' normalised by its degrees."""
    degrees = H @ np.asarray(H.sum(axis=0)).ravel()
    scale = 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    return sparse.csr_array(sparse.diags_array(scale) @ H)
