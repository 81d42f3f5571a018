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
# a cluster below a fifth of the mean size does not count: outliers are as far away.
SEPARATED, _LEAST_SHARE = 0.001, 0.2
# From this adjusted Rand index on k-means sees the same clusters: they are compact.
COMPACT = 0.9
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
        where one more cluster is separated too, or where k-means finds the same ones.

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
    n = view.n_samples
    numbers = [c for c in numbers if 1 < c < n]
    W = view.graph(default_n_neighbors(n))
    if not numbers or not W.nnz:
        return None
    beyond = min(max(numbers) + 1, n - 1)
    vectors = leading_eigenvectors(W, beyond, 0)[1]
    for c in sorted({*numbers, beyond}, reverse=True):
        labels = _kmeans(normalize(vectors[:, :c]), c)
        if np.bincount(labels, minlength=c).min() * c < _LEAST_SHARE * n:
            continue
        leaving = _share_leaving(W, labels)
        if leaving > SEPARATED:
            continue
        if c not in numbers:
            return None
        compactness = float(adjusted_rand_score(labels, _kmeans(view.points, c)))
        return Shapes(labels, leaving, compactness) if compactness < COMPACT else None
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
