"""From an embedding or an affinity to labels."""

import warnings

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from graphtailor.graphs import normalize_affinity
from graphtailor.linalg.eigen import leading_eigenvectors
from graphtailor.linalg.kmeans import kmeans_labels
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.types import Matrix, RandomState


def spectral_vectors(
    W: Matrix, n_clusters: int, random_state: RandomState = None
) -> tuple[np.ndarray, np.ndarray]:
    """Leading eigenpairs of a normalised affinity with zero diagonal.

    Warns if the graph falls into more than `n_clusters` components: all of them
    have eigenvalue 1, and which of them the eigenvectors tell apart is chance.
    """
    pattern = W if sparse.issparse(W) else sparse.csr_array(W)
    n_components = connected_components(pattern, directed=False)[0]
    if n_components > n_clusters:
        warnings.warn(
            f"The graph has {n_components} connected components, more than "
            f"n_clusters={n_clusters}: how they are joined is arbitrary. Use a "
            f"denser graph (more neighbours), or n_clusters >= {n_components}.",
            UserWarning,
            stacklevel=3,
        )
    return leading_eigenvectors(W, min(n_clusters, W.shape[0]), random_state)


def unit_rows(E: np.ndarray) -> np.ndarray:
    """Scale every row to unit length; rows without direction become 0."""
    norms = np.linalg.norm(E, axis=1, keepdims=True)
    # Rows of an embedding shorter than this carry no direction.
    some = norms > 1e-12
    return np.where(some, E / np.where(some, norms, 1.0), 0.0)


def directions(X: np.ndarray) -> np.ndarray:
    """:func:`unit_rows` of data, whatever their unit."""
    return unit_rows(times(X, comfortable_factor(X, reach=20)))


def spectral_embedding(
    A: Matrix, n_clusters: int, random_state: RandomState = None
) -> np.ndarray:
    r"""Rows of the leading eigenvectors of an affinity, scaled to unit length.

    The affinity without its diagonal is normalised,
    :math:`D^{-1/2} A D^{-1/2}`; on a graph with exactly `n_clusters` components
    the rows of one component coincide and those of two are orthogonal.

    References
    ----------
    A. Ng, M. Jordan, Y. Weiss, On Spectral Clustering: Analysis and an Algorithm,
    NIPS 2001.
    """
    W = normalize_affinity(_without_diagonal(A))
    return unit_rows(spectral_vectors(W, n_clusters, random_state)[1])


def spectral_labels(
    A: Matrix, n_clusters: int, *, n_init: int = 20, random_state: RandomState = None
) -> tuple[np.ndarray, np.ndarray]:
    """Spectral clustering of an affinity: labels, and the embedding behind them."""
    E = spectral_embedding(A, n_clusters, random_state)
    labels = kmeans_labels(
        E, n_clusters, n_init=n_init, init="random", random_state=random_state
    )
    return labels, E


def _without_diagonal(A: Matrix) -> Matrix:
    if sparse.issparse(A):
        A = sparse.csr_array(A, dtype=np.float64, copy=True)
        A.setdiag(0)
        A.eliminate_zeros()
        return A
    A = np.array(A, dtype=np.float64)
    np.fill_diagonal(A, 0)
    return A
