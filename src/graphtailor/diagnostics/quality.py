"""Quality of clusters: indices without labels, and agreement with known classes."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import (
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_score,
)
from sklearn.metrics.cluster import contingency_matrix

from graphtailor.diagnostics.levels import spread_sample
from graphtailor.linalg.sparse import to_dense
from graphtailor.linalg.threads import single_threaded
from graphtailor.linalg.types import Matrix

_MOST_ROWS = 5000
# Classes and clusters in the table of counts.
_MOST_CLASSES = 30
SCORE_MEANINGS = {
    "ACC": "share of rows in the right cluster under the best naming of clusters",
    "NMI": "information that clusters and classes share, from 0 to 1",
    "PUR": "share of rows that have the most frequent class of their cluster",
    "ARI": "agreement on pairs of rows: 0 by chance, 1 at best",
}
# Which direction of an index is better, and how to read it.
_READING = {
    "silhouette": (
        "higher",
        "from −1 to 1: how much nearer rows are to their own cluster than to the next "
        "one",
    ),
    "Davies-Bouldin": (
        "lower",
        "0 is best: the spread of two clusters divided by the distance of their "
        "centres, for the worst partner of each cluster",
    ),
    "Calinski-Harabasz": (
        "higher",
        "variance between clusters divided by variance within; compare it on the same "
        "data only",
    ),
    "modularity": (
        "higher",
        "weight inside clusters beyond what random edges would put there; compare it "
        "on the same graph only: neighbour graphs of pure noise reach 0.6 too",
    ),
    "normalised cut": (
        "lower",
        "from 0 to 1: the share of a cluster's edge weight that leaves it, on average",
    ),
}


@dataclass(frozen=True)
class Index:
    """A quality index."""

    name: str
    value: float
    better: str  # "higher" or "lower": which direction is better
    meaning: str  # how to read it, in a sentence


def quality_indices(
    labels: np.ndarray,
    *,
    features: Matrix | None = None,
    graph: Matrix | None = None,
    graph_labels: np.ndarray | None = None,
) -> list[Index]:
    r"""Indices that need no labels; none for a single cluster.

    On scaled features these are silhouette, Davies-Bouldin and Calinski-Harabasz, of a
    sample of 5,000 rows where there are more. On a graph with weights A, degrees d and
    total weight :math:`2m = \sum_i d_i` they are the modularity

    .. math:: \frac{1}{2m} \sum_{ij} (A_{ij} - d_i d_j / 2m) [\ell_i = \ell_j]

    and the normalised cut: the share of a cluster's degree that leaves it, averaged
    over the clusters. `graph_labels` has the clusters of the graph's vertices, if these
    are not the rows.
    """
    indices = []
    if features is not None:
        indices += _feature_indices(features, labels)
    if graph is not None:
        on_graph = labels if graph_labels is None else graph_labels
        indices += _graph_indices(graph, on_graph)
    return indices


def sample_sentence(n: int) -> str:
    """A sentence about the sample behind the indices; empty if all rows were used."""
    if n <= _MOST_ROWS:
        return ""
    return (
        f"Silhouette, Davies-Bouldin and Calinski-Harabasz are computed on a sample of "
        f"{_MOST_ROWS:,} of the {n:,} rows."
    )


def _feature_indices(features: Matrix, labels: np.ndarray) -> list[Index]:
    sample = spread_sample(labels, _MOST_ROWS)
    X, found = features[sample], labels[sample]
    if not 1 < len(np.unique(found)) < len(found):
        return []
    with single_threaded():
        silhouette = float(silhouette_score(X, found))
        dense = to_dense(X)
        davies = float(davies_bouldin_score(dense, found))
        calinski = float(calinski_harabasz_score(dense, found))
    return _indices(
        {
            "silhouette": silhouette,
            "Davies-Bouldin": davies,
            "Calinski-Harabasz": calinski,
        }
    )


def _graph_indices(graph: Matrix, labels: np.ndarray) -> list[Index]:
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
    return _indices({"modularity": modularity, "normalised cut": float(leaving.mean())})


def _indices(values: dict[str, float]) -> list[Index]:
    return [Index(name, value, *_READING[name]) for name, value in values.items()]


def confusion_view(y: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    """Count the rows of each class in each cluster.

    Clusters come in their order, and classes in the order that puts the best matching
    ones on the diagonal; of more than 30 the largest are shown.
    """
    classes, clusters = np.unique(y), np.unique(labels)
    counts = contingency_matrix(labels, y)
    matched, partner = linear_sum_assignment(counts, maximize=True)
    rest = np.setdiff1d(np.arange(len(classes)), partner)
    order = np.concatenate([partner[np.argsort(matched)], rest])
    order = order[:_MOST_CLASSES].astype(int)
    shown = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:_MOST_CLASSES])
    rows = []
    for i in shown:
        total = counts[i].sum()
        cells = [
            {"count": int(counts[i, j]), "share": float(counts[i, j] / total)}
            for j in order
        ]
        rows.append({"cluster": int(clusters[i]), "cells": cells})
    return {
        "classes": [str(classes[j]) for j in order],
        "rows": rows,
        "n_left": max(len(classes) - len(order), len(clusters) - len(shown)),
    }
