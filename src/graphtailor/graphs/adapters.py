"""Graphs of other libraries, and graphs for them."""

import sys
from typing import Any

import numpy as np
from scipy import sparse

from graphtailor.graphs.base import Input
from graphtailor.linalg.types import Matrix


def adjacency_of(X: object) -> sparse.csr_array | None:
    """The adjacency matrix of a networkx or igraph graph; None for anything else.

    Vertices keep the order of the graph. The edge attribute "weight" gives the weights;
    an edge without it has weight 1.
    """
    of_networkx = is_instance(X, "networkx", "Graph")
    if not of_networkx and not is_instance(X, "igraph", "Graph"):
        return None
    try:
        return _adjacency_of_networkx(X) if of_networkx else _adjacency_of_igraph(X)
    except (TypeError, ValueError) as error:
        raise ValueError(
            'The edge attribute "weight" of X has values that are not numbers. Give '
            "each edge a number, or remove the attribute: then every edge weighs 1."
        ) from error


def _adjacency_of_networkx(graph: Any) -> sparse.csr_array:
    if not len(graph):
        return sparse.csr_array((0, 0))
    found = sys.modules["networkx"].to_scipy_sparse_array(graph)
    return sparse.csr_array(found, dtype=np.float64)


def _adjacency_of_igraph(graph: Any) -> sparse.csr_array:
    n, ends = graph.vcount(), np.array(graph.get_edgelist(), dtype=int).reshape(-1, 2)
    weights = graph.es["weight"] if graph.is_weighted() else 1.0
    values = np.broadcast_to(np.asarray(weights, np.float64), len(ends))
    A = sparse.csr_array((values, tuple(ends.T)), shape=(n, n))
    return A if graph.is_directed() else sparse.csr_array(A + A.T)


def is_instance(X: object, package: str, name: str) -> bool:
    """Whether X is of a class of a package, which is not imported for the question."""
    module = sys.modules.get(package)
    return module is not None and isinstance(X, getattr(module, name, ()))


def both_triangles(A: Matrix) -> Matrix:
    """A square matrix with entries on one side of its diagonal alone, mirrored.

    Any other matrix is returned as it is.
    """
    if A.shape[0] != A.shape[1]:
        return A
    of_kind: Any = sparse if sparse.issparse(A) else np
    below, above = of_kind.tril(A, -1), of_kind.triu(A, 1)
    if _has_entries(below) == _has_entries(above):
        return A
    whole = A + (below + above).T
    return sparse.csr_array(whole) if sparse.issparse(A) else whole


def undirected(A: Matrix, input: Input) -> Matrix:
    """What a user gives to `fit`, as the matrix of an undirected graph.

    A triangle stands for both. An affinity that differs between the directions is
    replaced by the mean of both, because a vertex without edges of its own direction
    would look like every other such vertex. Distances keep their directions: a sparse
    matrix holds those to the nearest rows alone.
    """
    A = both_triangles(A)
    if input != "affinities" or A.shape[0] != A.shape[1] or 0 in A.shape:
        return A
    # Kernels are symmetric up to rounding. Their rows stay as they are, so that
    # `predict` knows them again.
    rounding = np.sqrt(np.finfo(A.dtype).eps) * abs(A).max()
    if abs(A - A.T).max() <= rounding:
        return A
    mean = A / 2 + A.T / 2
    return sparse.csr_array(mean) if sparse.issparse(A) else mean


def _has_entries(A: Any) -> bool:
    return bool((A.data if sparse.issparse(A) else A).any())


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
    # Pairs without an edge are as far apart as an edge with this share of the largest
    # weight would put them.
    distances = -np.log(np.maximum(A.toarray() / largest, 1e-6))
    if A.shape[0] == A.shape[1]:
        np.fill_diagonal(distances, 0)
    return np.maximum(distances, 0)
