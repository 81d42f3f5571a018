"""Cuts of an ensemble: partitions that agree with its members as far as possible."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.linalg.kmeans import kmeans_labels
from graphtailor.linalg.svd import left_singular_vectors
from graphtailor.linalg.threads import single_threaded

# Average linkage needs all pairs: beyond this many samples it is left out.
MOST_FOR_LINKAGE = 5000
_KMEANS_STARTS = 3
# Steps of a factorisation, and what a partition gives to every other cluster before it.
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
        Mean correlation with the members, what cuts are chosen by.
    """

    kind: str
    labels: np.ndarray
    agreement: float


def cut_ensemble(
    ensemble: CoAssociation,
    n_clusters: int,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> list[Cut]:
    """Partitions of the co-association, each improved by single moves.

    Average linkage keeps very unequal clusters, a spectral cut and the factors of
    the co-association even ones; the members judge what suits the data.

    Parameters
    ----------
    ensemble : CoAssociation
        The members.
    n_clusters : int
        Number of clusters.
    random_state : int, RandomState or None, default=None
        Seed of the spectral cut.
    n_jobs : int or None, default=None
        Threads; the result does not depend on their number.

    Returns
    -------
    list of Cut
        The one that agrees most with the members comes first.
    """
    seed = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    H = ensemble.memberships
    ways: dict[str, Any] = {"spectral": lambda: _spectral(H, n_clusters, seed)}
    if H.shape[0] <= MOST_FOR_LINKAGE:
        ways["linkage"] = lambda: _average_linkage(H, n_clusters)

    def follow(kind: str) -> list[Cut]:
        labels = ways[kind]()
        found = {kind: labels, f"factors of {kind}": _factors(H, labels, n_clusters)}
        return [Cut(way, *ensemble.improve(cut, _SWEEPS)) for way, cut in found.items()]

    with single_threaded(), ThreadPoolExecutor(n_jobs) as pool:
        cuts = [cut for found in pool.map(follow, ways) for cut in found]
    return sorted(cuts, key=lambda cut: -cut.agreement)


def _normalized(H: sparse.csr_array) -> sparse.csr_array:
    """N, for which NN' is HH' normalised by its degrees."""
    degrees = H @ np.asarray(H.sum(axis=0)).ravel()
    scale = 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    rows = np.repeat(np.arange(H.shape[0]), np.diff(H.indptr))
    return sparse.csr_array((H.data * scale[rows], H.indices, H.indptr), shape=H.shape)


def _spectral(H: sparse.csr_array, n_clusters: int, seed: int) -> np.ndarray:
    """Spectral cut of HH', whose eigenvectors come from H alone."""
    N = _normalized(H)
    k = min(n_clusters, min(N.shape) - 1)
    if k < 1 or not H.data.any():  # no member tells any samples apart
        return np.zeros(H.shape[0], dtype=np.int64)
    embedding = normalize(left_singular_vectors(N, k, seed))
    return kmeans_labels(
        embedding,
        n_clusters,
        n_init=_KMEANS_STARTS,
        init="k-means++",
        random_state=seed,
    )


def _average_linkage(H: sparse.csr_array, n_clusters: int) -> np.ndarray:
    """Average linkage on one minus the co-association."""
    far = squareform((H @ H.T).toarray(), force="tovector", checks=False)
    np.subtract(far.max(initial=0.0), far, out=far)
    return cut_tree(linkage(far, "average"), n_clusters).ravel()


def _factors(H: sparse.csr_array, labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """The partition in the factors V of NN' ~ VV', V >= 0, from another partition.

    Multiplicative steps; the diagonal of NN', which says nothing, is left out.
    """
    N = _normalized(H)
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
