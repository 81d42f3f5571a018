"""What sets each cluster apart: the features whose means stand out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Trait:
    """A feature whose mean in a cluster stands out.

    Attributes
    ----------
    feature : str
        Its name.
    mean, overall : float
        Mean in the cluster and over all samples.
    deviations : float
        Their difference in standard deviations of the feature.
    """

    feature: str
    mean: float
    overall: float
    deviations: float


@dataclass(frozen=True)
class ClusterProfile:
    """A cluster, and the features that set it apart, the strongest first."""

    cluster: int
    size: int
    traits: list[Trait]


def cluster_profiles(
    X: Any, labels: np.ndarray, n_traits: int = 4
) -> list[ClusterProfile]:
    """Describe clusters by the features whose means stand out most.

    Parameters
    ----------
    X : {DataFrame, ndarray, sparse array} of shape (n, d)
        Features, not scaled.
    labels : ndarray of shape (n,)
        Clusters.
    n_traits : int, default=4
        Features to name for each cluster.

    Returns
    -------
    list of ClusterProfile
        One for each cluster that has samples.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.report import cluster_profiles
    >>> X = np.array([[0.0, 5.0], [0.0, 6.0], [9.0, 5.0], [9.0, 6.0]])
    >>> first = cluster_profiles(X, np.array([0, 0, 1, 1]), n_traits=1)[0]
    >>> first.traits[0].feature, first.traits[0].mean, first.traits[0].overall
    ('f1', 0.0, 4.5)
    """
    names = [str(name) for name in getattr(X, "columns", [])]
    names = names or [f"f{j + 1}" for j in range(X.shape[1])]
    values = X if sparse.issparse(X) else np.asarray(X, dtype=np.float64)
    sizes = np.bincount(labels)
    member = sparse.csr_array(
        (1 / sizes[labels], (labels, np.arange(len(labels)))),
        shape=(len(sizes), len(labels)),
    )
    means = member @ values
    means = means.toarray() if sparse.issparse(means) else means
    overall, spread = _mean_and_spread(values)
    # A feature that never changes sets nothing apart.
    varies = spread > 1e-12 * np.maximum(np.abs(overall), np.finfo(float).tiny)
    deviations = np.zeros_like(means)
    np.divide(means - overall, spread, out=deviations, where=varies)
    profiles = []
    for k in np.flatnonzero(sizes):
        order = np.argsort(-np.abs(deviations[k]), kind="stable")[:n_traits]
        traits = [
            Trait(names[j], *map(float, (means[k, j], overall[j], deviations[k, j])))
            for j in order
            if deviations[k, j] != 0
        ]
        profiles.append(ClusterProfile(int(k), int(sizes[k]), traits))
    return profiles


def _mean_and_spread(values: Any) -> tuple[np.ndarray, np.ndarray]:
    if not sparse.issparse(values):
        return values.mean(axis=0), values.std(axis=0)
    mean = np.asarray(values.mean(axis=0)).ravel()
    squares = np.asarray(values.multiply(values).mean(axis=0)).ravel()
    return mean, np.sqrt(np.maximum(squares - mean**2, 0))
