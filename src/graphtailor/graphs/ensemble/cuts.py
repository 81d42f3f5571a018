"""Cuts of an ensemble: partitions that agree with its members as far as possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform
from sklearn.preprocessing import normalize

from graphtailor.decide.sizes import LINKAGE_UP_TO
from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.linalg.kmeans import kmeans_labels
from graphtailor.linalg.svd import left_singular_vectors

_KMEANS_STARTS = 3
# Steps of a factorisation, and the start value of a sample in every other cluster.
_FACTOR_STEPS, _OTHER_CLUSTERS = 30, 0.1
# Passes of single moves at the end of every way.
_SWEEPS = 5
_TINY = 1e-12


@dataclass(frozen=True)
class Cut:
    """One partition of the ensemble.

    Attributes
    ----------
    kind : {"spectral", "linkage", "factors of spectral", "factors of linkage"}
        How it was found, before single moves.
    labels : ndarray of shape (n,)
        The clusters.
    agreement : float
        Mean correlation with the members; cuts are chosen by it.
    """

    kind: str
    labels: np.ndarray
    agreement: float


class ConsensusCuts:
    """Partitions of one ensemble into any number of clusters.

    Average linkage keeps very unequal clusters, a spectral cut and the factors of
    the co-association even ones; agreement with the members chooses between them. The
    tree and the eigenvectors are computed once for all numbers of clusters.

    Parameters
    ----------
    ensemble : CoAssociation
        The members.
    most : int
        Largest number of clusters that will be asked for.
    seed : int
        Seed of the spectral cuts.
    """

    def __init__(self, ensemble: CoAssociation, most: int, seed: int) -> None:
        self.ensemble = ensemble
        self.most = most
        self.seed = seed
        self._H = ensemble.memberships
        self._N = _normalized(self._H)

    def at(self, n_clusters: int, *, quick: bool = False) -> list[Cut]:
        """Cuts into `n_clusters` clusters, the one that agrees most first.

        A cut that lost a cluster comes after all others. A quick list leaves out the
        factors, which take most of the time.
        """
        ways: dict[str, Callable[[int], np.ndarray]] = {"spectral": self._spectral}
        if 1 < self._H.shape[0] <= LINKAGE_UP_TO:
            ways["linkage"] = self._average_linkage
        found = {}
        for kind, way in ways.items():
            found[kind] = way(n_clusters)
            if not quick:
                found[f"factors of {kind}"] = self._factors(found[kind], n_clusters)
        cuts = [
            Cut(kind, *self.ensemble.improve(labels, _SWEEPS))
            for kind, labels in found.items()
        ]
        return sorted(cuts, key=lambda cut: (-cut.labels.max(), -cut.agreement))

    @cached_property
    def _embedding(self) -> np.ndarray:
        k = min(self.most, min(self._N.shape) - 1)
        if k < 1 or not self._H.data.any():  # no member tells any samples apart
            return np.empty((self._H.shape[0], 0))
        return left_singular_vectors(self._N, k, self.seed)

    def _spectral(self, n_clusters: int) -> np.ndarray:
        """Spectral cut of HH', whose eigenvectors come from H alone."""
        if self._embedding.shape[1] == 0:
            return np.zeros(self._H.shape[0], dtype=np.int64)
        return kmeans_labels(
            normalize(self._embedding[:, :n_clusters]),
            n_clusters,
            n_init=_KMEANS_STARTS,
            init="k-means++",
            random_state=self.seed,
            sample_weight=self.ensemble.masses,
        )

    @cached_property
    def _tree(self) -> np.ndarray:
        far = squareform(
            (self._H @ self._H.T).toarray(), force="tovector", checks=False
        )
        np.subtract(far.max(initial=0.0), far, out=far)
        return linkage(far, "average")

    def _average_linkage(self, n_clusters: int) -> np.ndarray:
        """Average linkage on one minus the co-association."""
        return cut_tree(self._tree, n_clusters).ravel()

    def _factors(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """The partition in the factors V of NN' ~ VV', V >= 0, from another partition.

        Multiplicative steps; the diagonal of NN', which says nothing, is left out.
        """
        N = self._N
        itself = np.asarray(N.multiply(N).sum(axis=1)).reshape(-1, 1)
        V = np.full((len(labels), n_clusters), _OTHER_CLUSTERS)
        V[np.arange(len(labels)), labels] = 1.0
        for step in range(_FACTOR_STEPS + 1):
            pull = np.maximum(N @ (N.T @ V) - itself * V, 0.0)
            hold = V @ (V.T @ V)
            if step == 0:  # brings VV' to the scale of NN'
                V *= np.sqrt(np.vdot(V, pull) / max(np.vdot(V, hold), _TINY))
            else:
                V *= np.cbrt(pull / np.maximum(hold, _TINY))
        return V.argmax(axis=1)


def _normalized(H: sparse.csr_array) -> sparse.csr_array:
    """N, for which NN' is HH' normalised by its degrees."""
    degrees = H @ np.asarray(H.sum(axis=0)).ravel()
    scale = 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    return sparse.csr_array(sparse.diags_array(scale) @ H)
