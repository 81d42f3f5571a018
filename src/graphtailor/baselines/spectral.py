"""Spectral clustering of the given graph."""

import numpy as np
from sklearn.utils import check_random_state

from graphtailor.baselines._base import BaseClusterer, GraphMixin, SpectralMixin
from graphtailor.baselines._parameters import GRAPH_OR_AFFINITY, clusterer
from graphtailor.baselines._readout import spectral_vectors, unit_rows
from graphtailor.linalg.types import MatrixLike


@clusterer(graph=GRAPH_OR_AFFINITY)
class SpectralClusteringNJW(GraphMixin, SpectralMixin, BaseClusterer):
    r"""Spectral clustering (SC) with rows of unit length.

    The normalised affinity :math:`W` of the given graph is approximated by a
    projector,

    .. math:: \min_V \|W - V V^\top\|_F^2 \quad \text{s.t.} \quad V^\top V = I_c ,

    which its :math:`c` leading eigenvectors solve. The rows of :math:`V` are
    scaled to unit length and clustered by K-means.

    Parameters
    ----------
    graph : {"knn", "precomputed"} or builder, default="knn"
        The given graph: neighbours of the samples, an affinity matrix in place
        of `X`, or a builder such as :class:`~graphtailor.graphs.NeighborGraph`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Rows of the eigenvectors, of unit length; 0 for an isolated sample.
    eigenvalues_ : ndarray of shape (n_clusters,)
        Leading eigenvalues of :math:`W`, largest first.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        :math:`W`.
    objective_ : ndarray of shape (1,)
        Value of the objective.

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

    init: str = "random"

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
