"""Principal components, then K-means."""

import numpy as np
from scipy import linalg
from sklearn.base import TransformerMixin

from graphtailor.baselines._base import BaseClusterer, RowsMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.linalg.eigen import eigenpairs
from graphtailor.linalg.sparse import stored, to_dense
from graphtailor.linalg.types import Matrix, MatrixLike


@clusterer(center=["boolean"], whiten=["boolean"])
class PCAClustering(RowsMixin, TransformerMixin, BaseClusterer):
    r"""K-means on the leading principal components.

    .. math:: \min_{V, U} \|X - V U^\top\|_F^2
              \quad \text{s.t.} \quad V^\top V = I_k ,

    solved by the leading left singular vectors :math:`V` of `X`. By default the
    data are not centred and :math:`V` is orthonormal, as in Graph-Laplacian PCA
    without its graph; the PCA of textbooks is ``center=True, whiten=False``.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, and of components :math:`k` as far as the rank of `X`
        allows.
    center : bool, default=False
        Subtract the mean of each feature first.
    whiten : bool, default=True
        Cluster the orthonormal :math:`V`, not the scores :math:`X U`.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, k)
        :math:`V`, or the scores.
    components_ : ndarray of shape (k, n_features)
        Right singular vectors, one a row.
    singular_values_ : ndarray of shape (k,)
        Leading singular values, largest first.
    mean_ : ndarray of shape (n_features,) or None
        Means of the features if they were subtracted.
    objective_ : ndarray of shape (1,)
        The squared residual: the sum of the squares of the other singular values.

    Notes
    -----
    :math:`O(n d \min(n, d))` for the smaller Gram matrix, of which only the
    leading eigenvectors are computed.

    References
    ----------
    I. Jolliffe, Principal Component Analysis, Springer 2002.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor.baselines import PCAClustering
    >>> X = load_wine().data
    >>> model = PCAClustering(3, random_state=0).fit(X / X.max(axis=0))
    >>> model.embedding_.shape
    (178, 3)
    """

    center: bool = False
    whiten: bool = True

    def _fit(self, X: MatrixLike) -> None:
        # A centred matrix is not sparse any more.
        X = self._validate(X, dense=self.center)
        self.mean_ = X.mean(axis=0) if self.center else None
        data = X.astype(np.float64, copy=False)
        data = data - data.mean(axis=0) if self.center else data
        P, s, Qt = truncated_svd(data, min(self.n_clusters, *X.shape))
        self.components_ = Qt.astype(X.dtype, copy=False)
        self.singular_values_ = s.astype(X.dtype, copy=False)
        # Data that are all 0 have no direction, not even an arbitrary one.
        embedding = P * (s > 0) if self.whiten else P * s
        labels = self._cluster_rows(embedding, X.dtype)
        values = stored(data)
        self._finish(labels, max(np.sum(values**2) - np.sum(s**2), 0.0))

    def transform(self, X: MatrixLike) -> np.ndarray:
        """Coordinates of new samples in the fitted components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_new, k)
            What `embedding_` is for the fitted samples.
        """
        X = self._new_rows(X)
        scores = X @ self.components_.T
        if self.mean_ is not None:
            scores = scores - self.mean_ @ self.components_.T
        if not self.whiten:
            return scores
        return scores / np.where(self.singular_values_ > 0, self.singular_values_, 1.0)


def truncated_svd(X: Matrix, k: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    r"""The `k` leading singular triplets, without those whose value is 0.

    They come from the smaller Gram matrix; one QR step then restores the digits
    that squaring has cost.
    """
    if X.shape[0] < X.shape[1]:
        P, s, Qt = truncated_svd(X.T, k)
        return Qt.T, s, P.T
    d = X.shape[1]
    gram = to_dense(X.T @ X)
    basis = eigenpairs(gram, d - k, d - 1)[1]
    left, small = linalg.qr(X @ basis, mode="economic")
    P, s, Qt = linalg.svd(small)
    rank = max(np.count_nonzero(s > s[0] * max(X.shape) * np.finfo(s.dtype).eps), 1)
    return left @ P[:, :rank], s[:rank], Qt[:rank] @ basis.T
