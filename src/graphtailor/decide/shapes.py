"""Do near neighbours show clusters that are not compact, such as moons and rings?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import normalize

from graphtailor.graphs.ensemble.views import View
from graphtailor.linalg.eigen import leading_eigenvectors
from graphtailor.linalg.kmeans import kmeans_labels
from graphtailor.neighbors import default_n_neighbors

# Well separated: at most 0.1 % of the weight of a cluster's edges leaves it. A cut with
# a cluster below 0.15 of the mean size does not count: outliers are as far away.
SEPARATED, _LEAST_SHARE = 0.001, 0.15
# From this adjusted Rand index on k-means sees the same clusters: they are compact.
COMPACT = 0.9
# A graph that is separated into this many clusters more than are asked for shows parts,
# not shapes. One more may be the broken end of a long cluster.
_MORE_PARTS = 2
_STARTS = 3


@dataclass(frozen=True)
class Shapes:
    """Clusters that near neighbours show and k-means does not.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        The clusters.
    leaving : float
        Largest share of the weight of a cluster's edges that leaves it.
    compactness : float
        Adjusted Rand index with the clusters of k-means.
    """

    labels: np.ndarray
    leaving: float
    compactness: float


def find_shapes(view: View, numbers: Sequence[int]) -> Shapes | None:
    """The finest separated, not compact cut of the neighbour graph, if there is one.

    A graph that falls into more parts than the largest number shows no such clusters:
    binary columns split a table into many parts, and which of them belong together is
    not seen in the graph.

    Parameters
    ----------
    view : View
        Distinct samples.
    numbers : sequence of int
        Numbers of clusters to try.

    Returns
    -------
    Shapes or None
        None where no number gives clusters that are all separated and of some size,
        where two more clusters are separated too, or where k-means finds the same ones.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris, make_moons
    >>> from graphtailor.graphs.ensemble.views import make_view
    >>> X = make_moons(200, noise=0.05, random_state=0)[0]
    >>> find_shapes(make_view(X, "as it is", 0, np.ones(200)), [2]).leaving < 0.001
    True
    >>> X = np.unique(load_iris().data, axis=0)
    >>> find_shapes(make_view(X, "as it is", 0, np.ones(len(X))), [2, 3]) is None
    True
    """
    numbers = [c for c in numbers if 1 < c < view.n_samples]
    W = view.graph(default_n_neighbors(view.n_samples))
    if not numbers or not W.nnz:
        return None
    labels = _separated_clusters(W, view.masses, numbers)
    if labels is None:
        return None
    c = int(labels.max()) + 1
    compactness = float(adjusted_rand_score(labels, _kmeans(view.points, c)))
    if compactness >= COMPACT:
        return None
    return Shapes(labels, _share_leaving(W, labels), compactness)


def _separated_clusters(
    W: sparse.csr_array, masses: np.ndarray, numbers: Sequence[int]
) -> np.ndarray | None:
    """The finest cut whose clusters are all separated and of some size."""
    beyond = min(max(numbers) + _MORE_PARTS, W.shape[0] - 1)
    vectors = leading_eigenvectors(W, beyond, 0)[1]
    for c in sorted({*numbers, beyond}, reverse=True):
        labels = _kmeans(normalize(vectors[:, :c]), c)
        sizes = np.bincount(labels, masses, minlength=c)
        if sizes.min() * c < _LEAST_SHARE * masses.sum():
            continue
        # Parts have no edge between them at all.
        most = SEPARATED if c in numbers else 0.0
        if _share_leaving(W, labels) <= most:
            return labels if c in numbers else None
    return None


def _kmeans(rows: np.ndarray, n_clusters: int) -> np.ndarray:
    return kmeans_labels(
        rows, n_clusters, n_init=_STARTS, init="k-means++", random_state=0
    )


def _share_leaving(G: sparse.csr_array, labels: np.ndarray) -> float:
    """Largest share of the weight of a cluster's edges that goes to other clusters."""
    start = labels[np.repeat(np.arange(len(labels)), np.diff(G.indptr))]
    leaves = start != labels[G.indices]
    weight = np.bincount(start, G.data, minlength=labels.max() + 1)
    lost = np.bincount(start[leaves], G.data[leaves], minlength=len(weight))
    return float((lost / np.where(weight > 0, weight, 1.0)).max())
