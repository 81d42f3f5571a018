"""Low-rank approximation with manifold regularisation."""

import warnings

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from graphtailor.baselines._base import BaseClusterer, GraphMixin, RowsMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.linalg.eigen import eigenpairs
from graphtailor.linalg.sparse import positive_definite_factors
from graphtailor.linalg.types import AT_LEAST_0, MatrixLike


@clusterer(alpha=AT_LEAST_0)
class GMF(GraphMixin, RowsMixin, BaseClusterer):
    r"""Graph regularised matrix factorisation with an orthonormal basis.

    .. math:: \min_{U, V} \|X - V U^\top\|_F^2
              + \alpha \operatorname{tr}(V^\top L V)
              \quad \text{s.t.} \quad U^\top U = I_k ,

    with the Laplacian :math:`L = D - G` of the given graph; the rows of
    :math:`V` are clustered by K-means. The minimum is global and closed: with
    :math:`B = (I + \alpha L)^{-1} X`, :math:`U` holds the leading eigenvectors of
    :math:`X^\top B` and :math:`V = B U`. With :math:`\alpha = 0` this is the
    truncated SVD.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, and of components :math:`k` as far as `X` allows.
    alpha : float, default=1
        Weight of the graph. Scaling `X` does not change what it means.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, k)
        :math:`V`.
    components_ : ndarray of shape (k, n_features)
        :math:`U^\top`, orthonormal rows.
    objective_ : ndarray of shape (1,)
        The minimum.

    Notes
    -----
    One sparse factorisation of :math:`I + \alpha L` with `d` right-hand sides and
    one eigenproblem of size `d`; if `d` exceeds `n`, one of size `n`.

    References
    ----------
    Z. Zhang, K. Zhao, Low-Rank Matrix Approximation with Manifold Regularization,
    IEEE TPAMI 35(7), 2013.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor.baselines import GMF
    >>> X = load_wine().data
    >>> model = GMF(3, random_state=0).fit(X / X.max(axis=0))
    >>> model.embedding_.shape, model.components_.shape
    ((178, 3), (3, 13))
    """

    alpha: float = 1.0

    _dense_arrays = (0.0, 3.5)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X)
        G = self._fit_graph(X).weights_
        # The embedding is dense whatever X is, and as large as X is small.
        data = X.toarray() if sparse.issparse(X) else X
        data = data.astype(np.float64, copy=False)
        k = min(self.n_clusters, X.shape[1])
        V, U, values = gmf_factorize(data, G, self.alpha, k)
        self._warn_if_collapsed(V, G)
        self.components_ = U.T.astype(X.dtype, copy=False)
        labels = self._cluster_rows(V, X.dtype)
        self._finish(labels, max(np.sum(data**2) - values.sum(), 0.0))

    def _warn_if_collapsed(self, V: np.ndarray, G: sparse.csr_array) -> None:
        count, component = connected_components(G, directed=False)
        sums = np.zeros((count, V.shape[1]))
        np.add.at(sums, component, V)
        means = sums / np.bincount(component)[:, None]
        spread = np.abs(V - means[component]).max()
        # Spread inside the components, relative to the largest coordinate, below which
        # rounding decides.
        if count < len(V) and 0 < spread < 1e-6 * np.abs(V).max():
            usual = 1 / max(G.sum() / len(V), 1e-300)
            warnings.warn(
                f"alpha={self.alpha:g} draws every connected component of the graph "
                "into one point, and rounding decides the labels inside it. Useful "
                f"values are within a few powers of ten of {usual:.2g} (1 over the "
                "mean degree).",
                UserWarning,
                stacklevel=3,
            )


def gmf_factorize(
    X: np.ndarray, G: sparse.csr_array, alpha: float, k: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The global minimum: `V`, orthonormal `U`, and the `k` leading eigenvalues.

    The minimum of the objective is ``||X||_F^2`` less the sum of the eigenvalues.
    """
    n, d = X.shape
    degrees = np.asarray(G.sum(axis=1)).ravel()
    M = sparse.eye_array(n) + alpha * (sparse.diags_array(degrees) - G)
    if d <= n:
        factor = positive_definite_factors(M)
        B = factor.solve(np.ascontiguousarray(X))
        H = X.T @ B
        values, U = eigenpairs((H + H.T) / 2, d - k, d - 1)
        return B @ U[:, ::-1], U[:, ::-1], values[::-1]
    # K y = mu M y with y'My = 1 gives U = X'y / sqrt(mu) and V = sqrt(mu) y.
    k = min(k, n)
    values, Y = eigenpairs(X @ X.T, n - k, n - 1, M.toarray())
    values, Y = values[::-1], Y[:, ::-1]
    rank = max(np.count_nonzero(values > values[0] * n * np.finfo(float).eps), 1)
    values, Y = np.maximum(values[:rank], 0), Y[:, :rank]
    root = np.sqrt(values)
    return Y * root, (X.T @ Y) / np.where(root > 0, root, 1.0), values
