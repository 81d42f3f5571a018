"""Clustering with adaptive neighbours."""

import warnings
from typing import ClassVar

import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import StrOptions

from graphtailor.baselines._adaptive_neighbors import (
    adaptive_neighbors,
    neighbor_distances,
)
from graphtailor.baselines._base import (
    BaseClusterer,
    EmbeddingMixin,
    resolve_n_neighbors,
)
from graphtailor.baselines._parameters import clusterer
from graphtailor.baselines._readout import kmeans_labels
from graphtailor.graphs import symmetrize
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.types import MatrixLike, ParameterConstraints, RandomState


@clusterer
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
    random_state: RandomState = None

    _allowed: ClassVar[ParameterConstraints] = {
        "local": ["boolean"],
        "fallback": [StrOptions({"kmeans"}), None],
    }

    def _bytes_needed(self, n: int, d: int) -> float:
        # Without `local` all others are candidates.
        return super()._bytes_needed(n, d) + (0 if self.local else 80.0 * n * n)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X)
        factor = comfortable_factor(X)
        start = neighbor_distances(
            times(X, factor),
            resolve_n_neighbors(self.n_neighbors, X.shape[0]),
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
        objective = np.multiply(result.objective, square)
        self._finish(labels, objective, len(objective))
        self.converged_ = exact
        if not exact:
            warnings.warn(
                f"The graph has {self.n_components_} connected components and not "
                f"n_clusters={self.n_clusters}. Try another n_neighbors, or "
                "fallback='kmeans'.",
                ConvergenceWarning,
                stacklevel=2,
            )
