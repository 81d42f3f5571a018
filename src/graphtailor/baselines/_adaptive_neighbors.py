"""Solver of clustering with adaptive neighbours."""

from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from graphtailor.baselines._operators import project_simplex
from graphtailor.graphs import symmetrize
from graphtailor.linalg.eigen import eigenpairs_below
from graphtailor.linalg.types import Matrix
from graphtailor.neighbors import NeighborSearch

# The Laplacian is singular: it is shifted by this much before it is factored.
_SHIFT = 1e-6


class Neighborhood(NamedTuple):
    """Candidate neighbours of each sample, nearest first, and the first weights."""

    indices: np.ndarray
    distances: np.ndarray
    weights: np.ndarray
    gamma: float

    def to_matrix(self, weights: np.ndarray) -> sparse.csr_array:
        """The sparse matrix with these weights on the candidates."""
        n, k = self.indices.shape
        entries = (weights.ravel(), (np.repeat(np.arange(n), k), self.indices.ravel()))
        S = sparse.csr_array(entries, shape=(n, n))
        S.eliminate_zeros()
        return S


class AdaptiveGraph(NamedTuple):
    """The weights, the eigenvectors and the last value of the multiplier."""

    weights: sparse.csr_array
    embedding: np.ndarray
    lam: float
    objective: list[float]


def neighbor_distances(X: Matrix, k: int, local: bool = True) -> Neighborhood:
    r"""Squared distances to the candidates, and :math:`\gamma` that keeps `k`."""
    n = X.shape[0]
    k = max(min(k, n - 2), 1)
    edges = NeighborSearch().fit(X).nearest(k + 1 if local else n - 1)
    indices = edges.cols.reshape(n, -1)
    squares = edges.distances.reshape(n, -1) ** 2
    last = min(k, n - 2)
    margins = np.maximum(squares[:, last : last + 1] - squares, 0)[:, :k]
    # Duplicates may leave no margin: any positive xi then gives 1/k.
    floor = 1e-12 * float(squares.max()) or 1.0
    xi = np.maximum(margins.sum(axis=1, keepdims=True) / 2, floor)
    weights = np.zeros_like(squares)
    weights[:, :k] = project_simplex((margins - margins[:, :1]) / (2 * xi))
    kept = slice(0, k if local else n - 1)
    return Neighborhood(
        indices[:, kept], squares[:, kept], weights[:, kept], float(xi.mean())
    )


def adaptive_neighbors(
    start: Neighborhood, n_clusters: int, max_iter: int = 30, lam: float | None = None
) -> AdaptiveGraph:
    r"""Alternate between weights and eigenvectors.

    A given `lam` is kept as it is; otherwise it starts at :math:`\gamma` and is
    doubled while there are too few components, halved while there are too many.
    """
    gamma = start.gamma
    adapt = lam is None
    lam = gamma if lam is None else lam
    S = start.to_matrix(start.weights)
    F = laplacian_eigenvectors(symmetrize(S, "average"), n_clusters)[0]
    objective = []
    for _ in range(max_iter):
        gaps = _squared_gaps(F, start.indices)
        costs = start.distances + lam * gaps
        costs -= costs.min(axis=1, keepdims=True)
        weights = project_simplex(-costs / (2 * gamma))
        S = start.to_matrix(weights)
        F_old = F
        F, n_components = laplacian_eigenvectors(symmetrize(S, "average"), n_clusters)
        fit = np.sum(weights * (start.distances + gamma * weights))
        cut = lam * np.sum(weights * _squared_gaps(F, start.indices))
        objective.append(float(fit + cut))
        if not adapt:
            continue
        if n_components == n_clusters:
            break
        if n_components < n_clusters:
            lam *= 2
        else:
            lam, F = lam / 2, F_old
    return AdaptiveGraph(S, F, lam, objective)


def _squared_gaps(F: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """``|f_i - f_j|^2`` for every candidate j of i, one column of F at a time."""
    gaps = np.zeros(indices.shape)
    for f in F.T:
        gaps += np.square(f[:, None] - f[indices])
    return gaps


def laplacian_eigenvectors(A: sparse.csr_array, c: int) -> tuple[np.ndarray, int]:
    """The `c` smallest eigenvectors of the Laplacian, and how many parts it has.

    The eigenvalue 0 belongs to the connected components, whose eigenvectors are
    constant on them: these are written down, largest component first, and only
    the others are computed. Lanczos alone could miss copies of the eigenvalue.
    """
    n_components, component = connected_components(A, directed=False)
    sizes = np.bincount(component)
    largest = np.argsort(-sizes, kind="stable")[:c]
    known = (component[:, None] == largest) / np.sqrt(sizes[largest])
    rest = c - known.shape[1]
    if rest:
        L = sparse.diags_array(np.asarray(A.sum(axis=1)).ravel()) - A
        others = eigenpairs_below(sparse.csr_array(-L), _SHIFT, known, rest)[1]
        known = np.hstack([known, others])
    return known, n_components
