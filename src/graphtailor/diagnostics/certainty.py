"""How certain the cluster of each row is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.metrics import pairwise_distances

from graphtailor.diagnostics.model_access import FittedView, Matrix

# A row is called doubtful below this certainty.
DOUBTFUL = 0.6


@dataclass(frozen=True)
class Certainty:
    """How certain the clusters of rows are.

    Attributes
    ----------
    share : ndarray of shape (n,)
        From 0 to 1; at 1 no other cluster has any claim to the row.
    second : ndarray of shape (n,)
        The next best cluster; -1 where there is none.
    strength : ndarray of shape (n,)
        Larger for rows that are more typical of their cluster.
    meaning : str
        How `share` is computed, in a sentence.
    """

    share: np.ndarray
    second: np.ndarray
    strength: np.ndarray
    meaning: str


def certainty_of(view: FittedView, features: Matrix | None = None) -> Certainty | None:
    """Judge how certain the cluster of each row is.

    The indicator is used if the model has one, else distances to the centres of the
    clusters in its embedding or among the features, else its graph.

    Parameters
    ----------
    view : FittedView
        The fit.
    features : {ndarray, sparse array} of shape (n, d) or None, default=None
        Scaled features.

    Returns
    -------
    Certainty or None
        None if the model has none of these.

    Examples
    --------
    >>> import numpy as np
    >>> V = np.array([[3.0, 1.0], [0.0, 2.0]])
    >>> certainty_of(FittedView(V.argmax(axis=1), indicator=V)).share
    array([0.75, 1.  ])
    """
    labels = np.asarray(view.labels)
    if view.indicator is not None:
        return _by_pulls(
            np.asarray(view.indicator, dtype=np.float64),
            labels,
            "Certainty is the share of the row's own cluster in its memberships.",
        )
    points = features if view.embedding is None else view.embedding
    if points is not None and len(np.unique(labels)) > 1:
        return _by_distances(points, labels)
    graph = view.given if view.learned is None else view.learned
    if graph is None:
        return None
    member = sparse.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)))
    pulls = abs(sparse.csr_array(graph)) @ member
    return _by_pulls(
        pulls.toarray(),
        labels,
        "Certainty is the share of a row's edge weight that stays in its own cluster.",
    )


def _by_pulls(pulls: np.ndarray, labels: np.ndarray, meaning: str) -> Certainty:
    """Certainty from how strongly each cluster pulls each row."""
    n, c = pulls.shape
    rows = np.arange(n)
    total = pulls.sum(axis=1)
    own = pulls[rows, labels]
    share = np.full(n, 1.0 / c)
    np.divide(own, total, out=share, where=total > 0)
    others = pulls.copy()
    others[rows, labels] = -1.0
    second = others.argmax(axis=1)
    second[others.max(axis=1) <= 0] = -1
    return Certainty(share, second, share * own, meaning)


def _by_distances(points: Matrix, labels: np.ndarray) -> Certainty:
    """Certainty from the distances to the own and to the nearest other centre."""
    names, codes = np.unique(labels, return_inverse=True)
    n, rows = len(codes), np.arange(len(codes))
    member = sparse.csr_array(
        (1 / np.bincount(codes)[codes], (codes, rows)), shape=(len(names), n)
    )
    centers = member @ points
    centers = centers.toarray() if sparse.issparse(centers) else centers
    distances = pairwise_distances(points, centers)
    own = distances[rows, codes]
    distances[rows, codes] = np.inf
    second = distances.argmin(axis=1)
    other = distances[rows, second]
    share = np.full(n, 0.5)
    np.divide(other, own + other, out=share, where=own + other > 0)
    return Certainty(
        share,
        names[second],
        -own,
        "Certainty is d'/(d + d'), where d is the distance to the centre of the row's "
        "own cluster and d' the distance to the nearest other one; 50 % is half way.",
    )
