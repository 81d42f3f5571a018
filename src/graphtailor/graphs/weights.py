"""From distances to weights: the arithmetic of a neighbour graph."""

import numpy as np
from scipy import sparse

from graphtailor.linalg.sparse import intact, scale_both, with_data
from graphtailor.linalg.types import Matrix
from graphtailor.neighbors.search import Edges


def mean_distances(edges: Edges, n_rows: int) -> np.ndarray:
    """Mean distance of each sample to its neighbours; 0 where it has none."""
    counts = np.bincount(edges.rows, minlength=n_rows)
    totals = np.bincount(edges.rows, weights=edges.distances, minlength=n_rows)
    return totals / np.maximum(counts, 1)


def rbf_weights(distances: np.ndarray, scale: np.ndarray | float) -> np.ndarray:
    """``exp(-(d / scale)^2)``; 1 where the scale is 0, as all are duplicates there.

    Parameters
    ----------
    distances : ndarray of shape (n_edges,)
        Distance along each edge.
    scale : float or ndarray of shape (n_edges,)
        Bandwidth: one for all, or one for each edge.

    Returns
    -------
    ndarray of shape (n_edges,)
        Weights in [0, 1].

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.graphs import rbf_weights
    >>> rbf_weights(np.array([0.0, 1.0, 2.0]), 1.0).round(3)
    array([1.   , 0.368, 0.018])
    """
    safe = np.where(np.asarray(scale) > 0, scale, np.inf)
    with np.errstate(over="ignore"):  # far beyond the scale the weight is 0
        return np.exp(-np.square(distances / safe))


def symmetrize(G: sparse.csr_array, how: str) -> sparse.csr_array:
    """Make directed weights symmetric.

    Parameters
    ----------
    G : csr_array of shape (n, n)
        Weights of directed edges.
    how : {"average", "max", "mutual"}
        Mean of both directions, their maximum (an edge if either is one) or
        their minimum (an edge only if both are one).

    Returns
    -------
    csr_array of shape (n, n)
        Symmetric weights.
    """
    G = intact(G, "G")
    if how == "average":
        return sparse.csr_array((G + G.T) / 2)
    if how == "max":
        return sparse.csr_array(G.maximum(G.T))
    return sparse.csr_array(G.minimum(G.T))


def normalize_affinity(G: Matrix) -> Matrix:
    """``D^-1/2 G D^-1/2`` with ``D = diag(G 1)``; isolated samples stay at 0.

    Parameters
    ----------
    G : csr_array or ndarray of shape (n, n)
        Symmetric nonnegative affinity.

    Returns
    -------
    csr_array or ndarray of shape (n, n)
        The normalised affinity, of the kind that was given.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.graphs import normalize_affinity
    >>> normalize_affinity(np.array([[0.0, 4.0], [4.0, 0.0]]))
    array([[0., 1.],
           [1., 0.]])
    """
    G = intact(G, "G")
    scale = inverse_sqrt(np.asarray(G.sum(axis=1)).ravel())
    if sparse.issparse(G):
        return scale_both(sparse.csr_array(G), scale, scale)
    return G * np.multiply.outer(scale, scale)


def normalize_rows_to(G: sparse.csr_array, degrees: np.ndarray) -> sparse.csr_array:
    """Weights of new samples to fitted ones, normalised by the degrees of both.

    They are at most 1, as those between fitted samples: without that limit a sample
    whose own edges weigh next to nothing would have the whole new one.
    """
    own = inverse_sqrt(np.asarray(G.sum(axis=1)).ravel())
    normalized = scale_both(G, own, inverse_sqrt(degrees))
    return with_data(G, np.minimum(normalized.data, 1.0))


def inverse_sqrt(degrees: np.ndarray) -> np.ndarray:
    """``1 / sqrt(degree)``, and 0 for an isolated sample."""
    # A degree below the normal numbers counts as zero: the product of two such
    # scales would overflow.
    positive = degrees >= np.finfo(degrees.dtype).tiny
    return np.where(positive, 1.0 / np.sqrt(np.where(positive, degrees, 1.0)), 0.0)
