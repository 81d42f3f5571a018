"""The methods of the quality benchmark, with their defaults.

Some peers are packages of their own and are left out where they are missing::

    pip install umap-learn evoc
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

from sklearn.cluster import (
    HDBSCAN,
    AgglomerativeClustering,
    Birch,
    KMeans,
    MeanShift,
    SpectralClustering,
)
from sklearn.mixture import GaussianMixture

from graphtailor import GraphTailor, JointModel
from graphtailor.baselines import CAN, LRR, SymNMF
from quality.peers import LWEA, LWGP, EvocClusters, SilhouetteKMeans, UMAPClusters


@dataclass(frozen=True)
class Method:
    """A clusterer with its defaults.

    Parameters
    ----------
    make : callable
        ``make(n_clusters, seed)`` gives an unfitted estimator.
    package : str or None, default=None
        The module that it needs beside those of graphtailor.
    """

    make: Callable[[int, int], Any]
    package: str | None = None

    @property
    def installed(self) -> bool:
        """Whether its package can be imported."""
        return self.package is None or find_spec(self.package) is not None


def _spectral(assign_labels: str) -> Callable[[int, int], Any]:
    return lambda c, seed: SpectralClustering(
        c,
        affinity="nearest_neighbors",
        assign_labels=assign_labels,
        random_state=seed,
    )


def _mixture(n_clusters: int, seed: int) -> GaussianMixture:
    # A covariance of its own for every cluster needs more rows than some clusters have.
    return GaussianMixture(
        n_clusters, covariance_type="diag", n_init=3, reg_covar=1e-4, random_state=seed
    )


def _kmeans(n_clusters: int, seed: int) -> KMeans:
    return KMeans(n_clusters, n_init=10, random_state=seed)


# Modules whose packages have other names.
PACKAGES = {"umap": "umap-learn", "evoc": "evoc"}

# Every method is given the number of classes.
METHODS = {
    "GraphTailor": Method(lambda c, seed: GraphTailor(c, random_state=seed)),
    "JointModel": Method(lambda c, seed: JointModel(c, random_state=seed)),
    "KMeans": Method(_kmeans),
    "SpectralClustering": Method(_spectral("kmeans")),
    "Spectral cluster_qr": Method(_spectral("cluster_qr")),
    "Ward": Method(lambda c, seed: AgglomerativeClustering(c)),
    "GaussianMixture": Method(_mixture),
    # Its default threshold takes some of the scaled sets as one subcluster.
    "Birch": Method(lambda c, seed: Birch(threshold=0.05, n_clusters=c)),
    "UMAP + k-means": Method(
        lambda c, seed: UMAPClusters(_kmeans(c, seed), random_state=seed), "umap"
    ),
    "UMAP + mixture": Method(
        lambda c, seed: UMAPClusters(_mixture(c, seed), random_state=seed), "umap"
    ),
    "EVoC": Method(lambda c, seed: EvocClusters(c, random_state=seed), "evoc"),
    "LWEA": Method(lambda c, seed: LWEA(c, random_state=seed)),
    "LWGP": Method(lambda c, seed: LWGP(c, random_state=seed)),
    "SymNMF": Method(lambda c, seed: SymNMF(c, random_state=seed)),
    "CAN": Method(lambda c, seed: CAN(c, random_state=seed)),
    "LRR": Method(lambda c, seed: LRR(c, random_state=seed)),
}

# Methods that choose the number of clusters; the one that they are given is ignored.
AUTO_METHODS = {
    "GraphTailor": Method(lambda c, seed: GraphTailor("auto", random_state=seed)),
    "KMeans by silhouette": Method(lambda c, seed: SilhouetteKMeans(random_state=seed)),
    "HDBSCAN": Method(lambda c, seed: HDBSCAN(copy=True)),
    "MeanShift": Method(lambda c, seed: MeanShift(bin_seeding=True)),
    "UMAP + HDBSCAN": Method(
        lambda c, seed: UMAPClusters(HDBSCAN(copy=True), random_state=seed), "umap"
    ),
    "EVoC": Method(lambda c, seed: EvocClusters(random_state=seed), "evoc"),
}
