"""The methods of `quality.py`, as functions of the number of clusters and the seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sklearn.cluster import (
    AgglomerativeClustering,
    Birch,
    KMeans,
    SpectralClustering,
)
from sklearn.mixture import GaussianMixture

from graphtailor import GraphTailor
from graphtailor.baselines import CAN, LRR, SymNMF


@dataclass(frozen=True)
class Method:
    """A clusterer with its defaults.

    Parameters
    ----------
    make : callable
        ``make(n_clusters, seed)`` gives an unfitted estimator.
    seeded : bool, default=True
        False if every run gives the same.
    """

    make: Callable[[int, int], Any]
    seeded: bool = True


def _spectral(assign_labels: str) -> Callable[[int, int], Any]:
    return lambda c, seed: SpectralClustering(
        c,
        affinity="nearest_neighbors",
        assign_labels=assign_labels,
        random_state=seed,
    )


METHODS = {
    "GraphTailor": Method(lambda c, seed: GraphTailor(c, random_state=seed)),
    "GraphTailor knn": Method(
        lambda c, seed: GraphTailor(c, graph="knn", random_state=seed)
    ),
    "KMeans": Method(lambda c, seed: KMeans(c, n_init=10, random_state=seed)),
    "SpectralClustering": Method(_spectral("kmeans")),
    "Spectral cluster_qr": Method(_spectral("cluster_qr")),
    "Ward": Method(lambda c, seed: AgglomerativeClustering(c), seeded=False),
    # A covariance of its own for every cluster needs more samples than some have.
    "GaussianMixture": Method(
        lambda c, seed: GaussianMixture(
            c, covariance_type="diag", n_init=3, reg_covar=1e-4, random_state=seed
        )
    ),
    # Its own default threshold takes some of the scaled sets as one subcluster.
    "Birch": Method(lambda c, seed: Birch(threshold=0.05, n_clusters=c), seeded=False),
    "SymNMF": Method(lambda c, seed: SymNMF(c, random_state=seed)),
    "CAN": Method(lambda c, seed: CAN(c, random_state=seed)),
    "LRR": Method(lambda c, seed: LRR(c, random_state=seed)),
}
