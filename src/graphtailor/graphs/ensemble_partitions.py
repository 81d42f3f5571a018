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

from graphtailor._kmeans import kmeans_labels
from graphtailor._threads import single_threaded
from graphtailor.graphs.ensemble_agreement import CoAssociation
from graphtailor.graphs.singular_vectors import left_singular_vectors

# Average linkage needs all pairs: beyond this many samples it is left out.
MOST_FOR_LINKAGE = 5000
_KMEANS_STARTS = 5


@dataclass(frozen=True)
class Cut:
    """One partition of the ensemble.

    Attributes
    ----------
    kind : {"spectral", "k-means", "linkage"}
        What it started from.
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
    judge: CoAssociation | None = None,
) -> list[Cut]:
    """Partitions of the co-association, each improved by single moves.

    Parameters
    ----------
    ensemble : CoAssociation
        The members.
    n_clusters : int
        Number of clusters.
    random_state : int, RandomState or None, default=None
        Seed of the starts.
    n_jobs : int or None, default=None
        Threads; the result does not depend on their number.
    judge : CoAssociation, default=None
        The members that agreements are quoted for; those of `ensemble` by default.

    Returns
    -------
    list of Cut
        The one that agrees most with the judge comes first.
    """
    rng = check_random_state(random_state)
    seeds = rng.randint(np.iinfo(np.int32).max, size=2)
    H = ensemble.memberships
    starts = [
        ("spectral", lambda: _spectral(H, n_clusters, seeds[0])),
        ("k-means", lambda: kmeans_labels(H, n_clusters, n_init=3, **_pp(seeds[1]))),
    ]
    if H.shape[0] <= MOST_FOR_LINKAGE:
        starts.append(("linkage", lambda: _average_linkage(H, n_clusters)))

    def follow(start: tuple[str, Any]) -> Cut:
        kind, make = start
        labels, agreement = ensemble.improve(make())
        if judge is not None:
            agreement = judge.agreement(labels)
        return Cut(kind, labels, agreement)

    with single_threaded(), ThreadPoolExecutor(n_jobs) as pool:
        cuts = list(pool.map(follow, starts))
    return sorted(cuts, key=lambda cut: -cut.agreement)


def _pp(seed: int) -> dict[str, Any]:
    return {"init": "k-means++", "random_state": seed}


def _spectral(H: sparse.csr_array, n_clusters: int, seed: int) -> np.ndarray:
    """Spectral cut of HH', whose eigenvectors come from H alone."""
    degrees = H @ np.asarray(H.sum(axis=0)).ravel()
    scale = 1 / np.sqrt(np.where(degrees > 0, degrees, 1.0))
    rows = np.repeat(np.arange(H.shape[0]), np.diff(H.indptr))
    N = sparse.csr_array((H.data * scale[rows], H.indices, H.indptr), shape=H.shape)
    k = min(n_clusters, min(N.shape) - 1)
    if k < 1 or not H.data.any():  # no member tells any samples apart
        return np.zeros(H.shape[0], dtype=np.int64)
    embedding = normalize(left_singular_vectors(N, k, seed))
    return kmeans_labels(embedding, n_clusters, n_init=_KMEANS_STARTS, **_pp(seed))


def _average_linkage(H: sparse.csr_array, n_clusters: int) -> np.ndarray:
    """Average linkage on one minus the co-association."""
    far = squareform((H @ H.T).toarray(), force="tovector", checks=False)
    np.subtract(far.max(initial=0.0), far, out=far)
    return cut_tree(linkage(far, "average"), n_clusters).ravel()
