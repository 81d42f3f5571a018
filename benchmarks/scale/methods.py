"""The methods of the scale benchmark, and how large a data set each is given.

Peers that are packages of their own are left out where they are missing::

    pip install umap-learn fast_hdbscan
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, Birch, KMeans, MiniBatchKMeans, SpectralClustering
from sklearn.metrics import pairwise_distances

from scale.peers import AnchorSpectralClustering

OURS = "GraphTailor"


@dataclass(frozen=True)
class Task:
    """What a method is given besides the samples.

    Parameters
    ----------
    n_clusters : int
    n_anchors : int, default=1000
        For the U-SPEC-like peer, which cannot choose their number.
    seed : int, default=0
    """

    n_clusters: int
    n_anchors: int = 1000
    seed: int = 0


@dataclass(frozen=True)
class Method:
    """A clusterer of the benchmark.

    Parameters
    ----------
    make : callable
        ``make(X, task)`` gives an unfitted estimator.
    max_samples : int
        More samples would need hours, or more memory than there is.
    scored : bool, default=True
        False if it is not given the number of clusters: only its time is comparable.
    package : str or None, default=None
        The module that it needs beside those of graphtailor.
    """

    make: Callable[[np.ndarray, Task], Any]
    max_samples: int
    scored: bool = True
    package: str | None = None


def birch_threshold(X: np.ndarray) -> float:
    """Median distance from a row to the nearest of a thousand others.

    Birch's own default ignores the scale of the data: on some sets every row becomes
    a subcluster, and the last step then takes memory of n x n.
    """
    rows = np.random.default_rng(0).choice(len(X), min(1000, len(X)), replace=False)
    distances = pairwise_distances(X[np.sort(rows)])
    np.fill_diagonal(distances, np.inf)
    return float(np.median(distances.min(axis=1)))


# Our models are imported late: the memory of their compiler is not the peers'.
def _graph_tailor(X: np.ndarray, task: Task) -> Any:
    from graphtailor import GraphTailor

    return GraphTailor(task.n_clusters, random_state=task.seed)


def _joint_model(X: np.ndarray, task: Task) -> Any:
    from graphtailor import JointModel

    return JointModel(task.n_clusters, random_state=task.seed)


def _umap(X: np.ndarray, task: Task) -> Any:
    from quality.peers import UMAPClusters

    kmeans = KMeans(task.n_clusters, n_init=10, random_state=task.seed)
    return UMAPClusters(kmeans, random_state=task.seed)


def _anchors(X: np.ndarray, task: Task) -> Any:
    return AnchorSpectralClustering(
        task.n_clusters, n_anchors=task.n_anchors, random_state=task.seed
    )


def _mini_batch(X: np.ndarray, task: Task) -> Any:
    return MiniBatchKMeans(task.n_clusters, n_init=3, random_state=task.seed)


def _spectral(X: np.ndarray, task: Task) -> Any:
    return SpectralClustering(
        task.n_clusters, affinity="nearest_neighbors", random_state=task.seed
    )


def _birch(X: np.ndarray, task: Task) -> Any:
    return Birch(threshold=birch_threshold(X), n_clusters=task.n_clusters)


def _fast_hdbscan(X: np.ndarray, task: Task) -> Any:
    from fast_hdbscan import HDBSCAN as FastHDBSCAN

    return FastHDBSCAN()


METHODS = {
    OURS: Method(_graph_tailor, 10**8),
    "JointModel": Method(_joint_model, 10**5),
    "U-SPEC-like": Method(_anchors, 10**7),
    "MiniBatchKMeans": Method(_mini_batch, 10**7),
    "SpectralClustering": Method(_spectral, 20_000),
    "UMAP + k-means": Method(_umap, 10**5, package="umap"),
    "Birch": Method(_birch, 10**6),
    "HDBSCAN": Method(lambda X, task: HDBSCAN(copy=False), 10**5, scored=False),
    "fast_hdbscan": Method(_fast_hdbscan, 10**6, scored=False, package="fast_hdbscan"),
}


def installed() -> list[str]:
    """Names of the methods whose packages are installed."""
    return [
        name
        for name, method in METHODS.items()
        if method.package is None or find_spec(method.package)
    ]
