"""A graph as what other packages take in its place: a kernel, or distances."""

import numpy as np
from scipy import sparse

# Pairs without an edge are as far apart as an edge with this share of the largest
# weight would put them.
_WEIGHT_OF_NO_EDGE = 1e-6


def precomputed_kernel(X: sparse.csr_array, Y: sparse.csr_array) -> sparse.csr_array:
    """Kernel for ``LabelSpreading(kernel=precomputed_kernel)`` behind a graph.

    scikit-learn's label spreading takes a function of two sets of samples. Behind a
    graph builder the samples are rows of the graph, which hold the weights.

    Parameters
    ----------
    X : csr_array of shape (n, n)
        The graph of the fitted samples.
    Y : csr_array of shape (m, n)
        Weights between m samples, fitted or new, and the fitted ones.

    Returns
    -------
    csr_array of shape (n, m)
        Weights between the fitted samples and these m.
    """
    return sparse.csr_array(Y.T)


def graph_distances(A: sparse.csr_array) -> np.ndarray:
    r"""Distances of a graph, for ``UMAP(metric="precomputed")`` and the like.

    An edge has the length :math:`-\log(a_{ij} / \max a)`. Pairs without an edge are
    farther apart than the ends of any edge that matters. A sample has the distance 0
    to itself.

    Parameters
    ----------
    A : csr_array of shape (n, n) or (m, n)
        Weights of a graph, or of m new samples to the fitted ones.

    Returns
    -------
    ndarray of the same shape
        Distances: nonnegative, and symmetric if `A` is.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from graphtailor.graphs import graph_distances
    >>> A = np.array([[0, 1, 0.5], [1, 0, 0], [0.5, 0, 0]])
    >>> graph_distances(sparse.csr_array(A)).round(1)
    array([[ 0. ,  0. ,  0.7],
           [ 0. ,  0. , 13.8],
           [ 0.7, 13.8,  0. ]])
    """
    largest = A.max() or 1.0
    distances = -np.log(np.maximum(A.toarray() / largest, _WEIGHT_OF_NO_EDGE))
    if A.shape[0] == A.shape[1]:
        np.fill_diagonal(distances, 0)
    return np.maximum(distances, 0)
