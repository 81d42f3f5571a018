"""Graph-Laplacian PCA."""

from numbers import Real

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval

from graphtailor.baselines._base import BaseClusterer, GraphMixin, RowsMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.linalg.eigen import largest_eigenpairs
from graphtailor.linalg.sparse import stored, to_dense
from graphtailor.linalg.types import AT_LEAST_0, Matrix, MatrixLike


@clusterer(alpha=AT_LEAST_0, beta=[Interval(Real, 0, 1, closed="both"), None])
class GLPCA(GraphMixin, RowsMixin, BaseClusterer):
    r"""Graph-Laplacian PCA, then K-means.

    .. math:: \min_{U, Q} \|X - Q U^\top\|_F^2
              + \alpha \operatorname{tr}(Q^\top L Q)
              \quad \text{s.t.} \quad Q^\top Q = I_k ,

    with the Laplacian :math:`L = D - G` of the given graph. :math:`Q` holds the
    eigenvectors of :math:`\alpha L - X X^\top` with the smallest eigenvalues, and
    :math:`U = X^\top Q`. With :math:`\alpha = 0` this is
    :class:`PCAClustering`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, and of components :math:`k`.
    alpha : float, default=1
        Weight of the graph. It is measured in squares of `X`: for :math:`tX` the
        same result needs :math:`t^2 \alpha`.
    beta : float or None, default=None
        If given, a weight between 0 and 1 that takes the place of `alpha` in the
        normalised form

        .. math:: (1 - \beta) (I - X X^\top / \|X\|_2^2)
                  + \beta (L / \|L\|_2 + 1 1^\top / n) ,

        whose smallest eigenvectors are taken. If the features have mean 0, the
        constant vector is its last eigenvector.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, k)
        :math:`Q`.
    components_ : ndarray of shape (k, n_features)
        :math:`U^\top`.
    objective_ : ndarray of shape (1,)
        The minimum; in the normalised form the sum of the eigenvalues.

    Notes
    -----
    Lanczos products of :math:`O(n d + n p)`; the matrix is not formed unless it
    is small.

    References
    ----------
    B. Jiang, C. Ding, B. Luo, J. Tang, Graph-Laplacian PCA: Closed-form Solution
    and Robustness, CVPR 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor.baselines import GLPCA
    >>> X = load_wine().data
    >>> model = GLPCA(3, alpha=10, random_state=0).fit(X / X.max(axis=0))
    >>> (model.embedding_.T @ model.embedding_).round(6) + 0.0
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    alpha: float = 1.0
    beta: float | None = None

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X)
        graph = self._fit_graph(X)
        L = sparse.csr_array(sparse.diags_array(graph.degrees_) - graph.weights_)
        data = X.astype(np.float64, copy=False)
        rng = check_random_state(self.random_state)
        start = rng.uniform(-1, 1, size=X.shape[0])
        if self.beta is None:
            entries = stored(data)
            weights, offset = (1.0, float(self.alpha), 0.0), np.sum(entries**2)
        else:
            weights = normalized_weights(data, L, self.beta, start)
            offset = (1 - self.beta) * self.n_clusters
        values, Q = smallest_eigenvectors(data, L, self.n_clusters, weights, start)
        self.components_ = (Q.T @ data).astype(X.dtype, copy=False)
        labels = self._cluster_rows(Q, X.dtype, rng)
        self._finish(labels, max(offset + values.sum(), 0.0))


def smallest_eigenvectors(
    X: Matrix,
    L: sparse.csr_array,
    k: int,
    weights: tuple[float, float, float],
    start: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Smallest eigenpairs of ``-w0 X X' + w1 L + w2 11'/n``, smallest first.

    `start` begins the Lanczos iterations if the matrix is large.
    """
    fit, smooth, constant = weights

    def negated(v: np.ndarray) -> np.ndarray:
        return fit * (X @ (X.T @ v)) - smooth * (L @ v) - constant * v.mean()

    def dense() -> np.ndarray:
        K = to_dense(X @ X.T)
        return fit * K - smooth * L.toarray() - constant / X.shape[0]

    values, vectors = largest_eigenpairs(negated, dense, start, k)
    return -values, vectors


def normalized_weights(
    X: Matrix, L: sparse.csr_array, beta: float, start: np.ndarray
) -> tuple[float, float, float]:
    """Weights of the three terms of the normalised form, its identity left out."""
    size = -smallest_eigenvectors(X, L, 1, (1.0, 0.0, 0.0), start)[0][0]
    # The largest eigenvalue of L is the smallest of -L.
    spread = -smallest_eigenvectors(X, -L, 1, (0.0, 1.0, 0.0), start)[0][0]
    size, spread = (value if value > 0 else 1.0 for value in (size, spread))
    return (1 - beta) / size, beta / spread, beta
