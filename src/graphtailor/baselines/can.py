"""Clustering with adaptive neighbours."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import StrOptions

from graphtailor.baselines._base import BaseClusterer, EmbeddingMixin
from graphtailor.baselines._operators import project_simplex
from graphtailor.baselines._parameters import clusterer
from graphtailor.baselines._readout import kmeans_labels
from graphtailor.graphs import symmetrize
from graphtailor.linalg.eigen import eigenpairs_below
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.types import Matrix, MatrixLike
from graphtailor.neighbors import NeighborSearch


@clusterer(local=["boolean"], fallback=[StrOptions({"kmeans"}), None])
class CAN(EmbeddingMixin, BaseClusterer):
    r"""Clustering with adaptive neighbours: a graph with as many parts as clusters.

    .. math:: \min_{S, F} \sum_{ij} \left( \|x_i - x_j\|^2 s_{ij}
              + \gamma s_{ij}^2 \right)
              + 2 \lambda \operatorname{tr}(F^\top L_S F)

    where the rows of :math:`S` lie on the simplex, :math:`s_{ii} = 0`,
    :math:`F^\top F = I_c` and :math:`L_S` is the Laplacian of
    :math:`(S + S^\top) / 2`. :math:`\gamma` follows from the number of
    neighbours, and :math:`\lambda` is doubled or halved until the graph has
    exactly :math:`c` connected components, which are the clusters.

    Parameters
    ----------
    n_neighbors : int or "auto", default="auto"
        Neighbours of a sample, :math:`k`; "auto" is
        :math:`\lfloor \log_2 n + 1 \rfloor`. The result depends much on it.
    local : bool, default=True
        Whether weights stay on the `n_neighbors` nearest samples; otherwise any
        pair may be joined, at a cost of :math:`O(n^2)`.
    fallback : {"kmeans"} or None, default=None
        If the components are not as many as clusters were asked for: None keeps
        them as the labels, "kmeans" clusters the rows of :math:`F`.
    random_state : int, RandomState or None, default=None
        Seed of the fallback; everything else is deterministic.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Component of each sample.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        :math:`(S + S^\top) / 2`.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        :math:`F`.
    gamma_, lam_ : float
        The weights as they were used last.
    n_components_ : int
        Connected components of the graph.
    objective_ : ndarray of shape (n_iter_,)
        Value after each iteration, with the :math:`\lambda` of that iteration.
    converged_ : bool
        Whether there are exactly `n_clusters` components.

    Notes
    -----
    An iteration projects n rows of length k on the simplex and finds c
    eigenvectors of a sparse matrix, factored once.

    References
    ----------
    F. Nie, X. Wang, H. Huang, Clustering and Projected Clustering with Adaptive
    Neighbors, KDD 2014.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from graphtailor.baselines import CAN
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> clustering_accuracy(y, CAN(2).fit_predict(X))
    1.0
    """

    n_neighbors: int | str = "auto"
    local: bool = True
    fallback: str | None = None
    max_iter: int = 30

    def _bytes_needed(self, n: int, d: int) -> float:
        # Without `local` all others are candidates.
        return super()._bytes_needed(n, d) + (0 if self.local else 80.0 * n * n)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X)
        factor = comfortable_factor(X)
        start = neighbor_distances(
            times(X, factor),
            self._number_of_neighbors(X.shape[0]),
            self.local,
        )
        result = adaptive_neighbors(start, self.n_clusters, self.max_iter)
        self.affinity_matrix_ = symmetrize(result.weights, "average")
        self.embedding_ = result.embedding.astype(X.dtype, copy=False)
        square = 1 / factor**2  # the unit of all that is measured in squares of X
        self.gamma_, self.lam_ = start.gamma * square, result.lam * square
        self.n_components_, labels = connected_components(
            self.affinity_matrix_, directed=False
        )
        exact = self.n_components_ == self.n_clusters
        if self.n_clusters == 1:
            labels = np.zeros_like(labels)
        elif not exact and self.fallback == "kmeans":
            labels = kmeans_labels(
                result.embedding,
                self.n_clusters,
                n_init=20,
                random_state=self.random_state,
            )
        self._finish(labels, np.multiply(result.objective, square))
        self.converged_ = exact
        if not exact:
            warnings.warn(
                f"The graph has {self.n_components_} connected components and not "
                f"n_clusters={self.n_clusters}. Try another n_neighbors, or "
                "fallback='kmeans'.",
                ConvergenceWarning,
                stacklevel=2,
            )


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
        # The Laplacian is singular: it is shifted by this much before it is factored.
        others = eigenpairs_below(sparse.csr_array(-L), 1e-6, known, rest)[1]
        known = np.hstack([known, others])
    return known, n_components
