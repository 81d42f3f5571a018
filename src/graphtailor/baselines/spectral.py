"""Spectral clustering of the given graph."""

from __future__ import annotations

import numpy as np
from sklearn.utils import check_random_state

from graphtailor.baselines._base import (
    GRAPH_ONLY_CONSTRAINTS,
    KMEANS_CONSTRAINTS,
    BaseClusterer,
    EmbeddingMixin,
)
from graphtailor.baselines._readout import spectral_vectors, unit_rows
from graphtailor.graphs import GraphBuilder
from graphtailor.linalg.types import MatrixLike, ParameterConstraints, RandomState


class SpectralClusteringNJW(EmbeddingMixin, BaseClusterer):
    r"""Spectral clustering (SC) with rows of unit length.

    The normalised affinity :math:`W` of the given graph is approximated by a
    projector,

    .. math:: \min_V \|W - V V^\top\|_F^2 \quad \text{s.t.} \quad V^\top V = I_c ,

    which its :math:`c` leading eigenvectors solve. The rows of :math:`V` are
    scaled to unit length and clustered by K-means.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters :math:`c`.
    graph : {"knn", "precomputed"} or builder, default="knn"
        The given graph: neighbours of the samples, an affinity matrix in place
        of `X`, or a builder such as :class:`~graphtailor.graphs.NeighborGraph`.
    n_neighbors : int or "auto", default="auto"
        Neighbours in the graph; "auto" is :math:`\lfloor \log_2 n + 1 \rfloor`.
    n_init : int, default=20
        K-means starts, of which the best is kept.
    init : {"random", "k-means++"}, default="random"
        How a K-means start is drawn.
    random_state : int, RandomState or None, default=None
        Seed of K-means and of the Lanczos iterations.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Rows of the eigenvectors, of unit length; 0 for an isolated sample.
    eigenvalues_ : ndarray of shape (n_clusters,)
        Leading eigenvalues of :math:`W`, largest first.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        :math:`W`.
    graph_ : NeighborGraph, PrecomputedGraph or builder
        The fitted builder of the graph.
    objective_ : ndarray of shape (1,)
        Value of the objective.
    n_iter_ : int
        1, as the solution is closed.
    converged_ : bool
        True.

    Notes
    -----
    A few Lanczos products with the sparse graph: :math:`O(n p c)` each, beside
    the search for neighbours.

    References
    ----------
    A. Ng, M. Jordan, Y. Weiss, On Spectral Clustering: Analysis and an Algorithm,
    NIPS 2001.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from graphtailor.baselines import SpectralClusteringNJW
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> labels = SpectralClusteringNJW(2, random_state=0).fit_predict(X)
    >>> clustering_accuracy(y, labels)
    1.0
    """

    _parameter_constraints: ParameterConstraints = {  # noqa: RUF012
        **BaseClusterer._parameter_constraints,
        **GRAPH_ONLY_CONSTRAINTS,
        **KMEANS_CONSTRAINTS,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        graph: str | GraphBuilder = "knn",
        n_neighbors: int | str = "auto",
        n_init: int = 20,
        init: str = "random",
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.init = init
        self.random_state = random_state

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X)
        W = self._fit_graph(X).affinity_
        rng = check_random_state(self.random_state)
        values, vectors = spectral_vectors(W, self.n_clusters, rng)
        embedding = unit_rows(vectors)
        labels = self._cluster_rows(embedding, X.dtype, rng)
        self.affinity_matrix_ = W
        self.eigenvalues_ = values
        # ||W||^2 - 2 tr(V'WV) + ||V'V||^2, where V holds the eigenvectors.
        objective = np.sum(W.data**2) - 2 * values.sum() + len(values)
        self._finish(labels, objective)
