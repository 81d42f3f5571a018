"""The methods that `scale.py` runs, and how large a data set each is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
from sklearn.cluster import HDBSCAN, Birch, MiniBatchKMeans, SpectralClustering
from sklearn.metrics import pairwise_distances

from scale_peers import AnchorSpectralClustering

OURS = "GraphTailor"


@dataclass(frozen=True)
class Task:
    """What a method is told besides the samples.

    Parameters
    ----------
    n_clusters : int
    n_anchors : int, default=1000
        For the U-SPEC-like peer, which cannot tell how many it needs.
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
        Beyond, it would need hours or more memory than there is.
    scored : bool, default=True
        False if it is not told the number of clusters: only its time is comparable.
    seeded : bool, default=True
        False if every run gives the same.
    """

    make: Callable[[np.ndarray, Task], Any]
    max_samples: int
    scored: bool = True
    seeded: bool = True


def birch_threshold(X: np.ndarray) -> float:
    """Median distance from a row to the nearest of a thousand others.

    Birch's own default has no regard to the scale of the data: on some sets every row
    becomes a subcluster, and the last step then takes memory of n x n.
    """
    rows = np.random.default_rng(0).choice(len(X), min(1000, len(X)), replace=False)
    distances = pairwise_distances(X[np.sort(rows)])
    np.fill_diagonal(distances, np.inf)
    return float(np.median(distances.min(axis=1)))


def _ours(X: np.ndarray, task: Task) -> Any:
    # Imported late, for the memory of its compiler is not the peers'.
    from graphtailor import GraphTailor

    return GraphTailor(task.n_clusters, random_state=task.seed)


def _ours_plain(X: np.ndarray, task: Task) -> Any:
    from graphtailor import GraphTailor

    return GraphTailor(task.n_clusters, alpha=100, random_state=task.seed)


def _ours_ensemble(X: np.ndarray, task: Task) -> Any:
    from graphtailor import GraphTailor

    return GraphTailor(task.n_clusters, graph="ensemble", random_state=task.seed)


def _anchors(X: np.ndarray, task: Task) -> Any:
    return AnchorSpectralClustering(
        task.n_clusters, n_anchors=task.n_anchors, random_state=task.seed
    )


def _spectral(X: np.ndarray, task: Task) -> Any:
    return SpectralClustering(
        task.n_clusters, affinity="nearest_neighbors", random_state=task.seed
    )


def _fast_hdbscan(X: np.ndarray, task: Task) -> Any:
    from fast_hdbscan import HDBSCAN as FastHDBSCAN

    return FastHDBSCAN()


METHODS = {
    OURS: Method(_ours, 10**8),
    # One setting where the default tries eight; in larger data they are the same.
    f"{OURS} alpha=100": Method(_ours_plain, 5_000),
    # Many clusterings at every size: of the rows, and above 200,000 of the anchors.
    f"{OURS} ensemble": Method(_ours_ensemble, 10**7),
    "U-SPEC-like": Method(_anchors, 10**7),
    "MiniBatchKMeans": Method(
        lambda X, task: MiniBatchKMeans(
            task.n_clusters, n_init=3, random_state=task.seed
        ),
        10**7,
    ),
    "SpectralClustering": Method(_spectral, 20_000),
    "Birch": Method(
        lambda X, task: Birch(threshold=birch_threshold(X), n_clusters=task.n_clusters),
        10**6,
        seeded=False,
    ),
    "HDBSCAN": Method(
        lambda X, task: HDBSCAN(copy=False), 10**5, scored=False, seeded=False
    ),
    "fast_hdbscan": Method(_fast_hdbscan, 10**6, scored=False, seeded=False),
}


def available() -> list[str]:
    """Names of the methods that are installed."""
    return [
        name for name in METHODS if name != "fast_hdbscan" or find_spec("fast_hdbscan")
    ]
