"""Quality of clusters without labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import (
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_score,
)

from graphtailor.diagnostics.model_access import spread_sample
from graphtailor.linalg.threads import single_threaded

_MOST_ROWS = 5000


@dataclass(frozen=True)
class Index:
    """A quality index.

    Attributes
    ----------
    name : str
        What it is called.
    value : float
        What it is here.
    better : {"higher", "lower"}
        Which way is better.
    meaning : str
        How to read it, in a sentence.
    """

    name: str
    value: float
    better: str
    meaning: str


def quality_indices(
    labels: np.ndarray,
    *,
    features: Any = None,
    graph: Any = None,
    graph_labels: np.ndarray | None = None,
) -> list[Index]:
    r"""Indices that need no labels.

    Among the features: silhouette, Davies-Bouldin and Calinski-Harabasz, on a sample
    of 5,000 rows where there are more. On a graph with weights A, degrees d and
    total weight :math:`2m = \sum_i d_i`: the modularity

    .. math:: \frac{1}{2m} \sum_{ij} (A_{ij} - d_i d_j / 2m) [\ell_i = \ell_j]

    and the normalised cut, the mean over the clusters of the share of their degree
    that leaves them.

    Parameters
    ----------
    labels : ndarray of shape (n,)
        Clusters.
    features : {ndarray, sparse array} of shape (n, d) or None, default=None
        Scaled features.
    graph : {ndarray, sparse array} of shape (m, m) or None, default=None
        Weights.
    graph_labels : ndarray of shape (m,) or None, default=None
        Clusters of its vertices, where they are not the rows.

    Returns
    -------
    list of Index
        Those that these data have; none for a single cluster.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.diagnostics.quality import quality_indices
    >>> pairs = np.kron(np.eye(2), np.ones((2, 2)))
    >>> found = quality_indices(np.array([0, 0, 1, 1]), graph=pairs)
    >>> [(index.name, index.value) for index in found]
    [('modularity', 0.5), ('normalised cut', 0.0)]
    """
    indices = []
    if features is not None:
        indices += _feature_indices(features, labels)
    if graph is not None:
        on_graph = labels if graph_labels is None else graph_labels
        indices += _graph_indices(graph, on_graph)
    return indices


def sample_sentence(n: int) -> str:
    """What to say about the sample; nothing where there is none."""
    if n <= _MOST_ROWS:
        return ""
    return (
        f"Silhouette, Davies-Bouldin and Calinski-Harabasz are of a sample of "
        f"{_MOST_ROWS:,} of the {n:,} rows."
    )


def _feature_indices(features: Any, labels: np.ndarray) -> list[Index]:
    sample = spread_sample(labels, _MOST_ROWS)
    X, found = features[sample], labels[sample]
    if not 1 < len(np.unique(found)) < len(found):
        return []
    with single_threaded():
        silhouette = float(silhouette_score(X, found))
        dense = X.toarray() if sparse.issparse(X) else X
        davies = float(davies_bouldin_score(dense, found))
        calinski = float(calinski_harabasz_score(dense, found))
    return [
        Index(
            "silhouette",
            silhouette,
            "higher",
            "from −1 to 1: how much nearer a row is to its own cluster than to the "
            "next",
        ),
        Index(
            "Davies-Bouldin",
            davies,
            "lower",
            "0 is best: the spread of two clusters against the distance of their "
            "centres, at worst",
        ),
        Index(
            "Calinski-Harabasz",
            calinski,
            "higher",
            "variance between the clusters against that within; only to compare on "
            "the same data",
        ),
    ]


def _graph_indices(graph: Any, labels: np.ndarray) -> list[Index]:
    entries = sparse.coo_array(graph)
    weights = np.abs(entries.data.astype(np.float64))
    names, codes = np.unique(labels, return_inverse=True)
    heads, tails = codes[entries.coords[0]], codes[entries.coords[1]]
    c = len(names)
    between = np.bincount(heads * c + tails, weights=weights, minlength=c * c)
    between = between.reshape(c, c)
    degrees, total = between.sum(axis=1), between.sum()
    if c < 2 or total <= 0:
        return []
    inside = np.diag(between)
    modularity = float((inside / total - (degrees / total) ** 2).sum())
    leaving = np.zeros(c)
    np.divide(degrees - inside, degrees, out=leaving, where=degrees > 0)
    return [
        Index(
            "modularity",
            modularity,
            "higher",
            "weight inside clusters beyond what chance would put there; above about "
            "0.3 there is real structure",
        ),
        Index(
            "normalised cut",
            float(leaving.mean()),
            "lower",
            "from 0 to 1: the share of a cluster's ties that leave it, on average",
        ),
    ]
