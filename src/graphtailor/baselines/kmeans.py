"""K-means on the samples."""

import numpy as np
from scipy import sparse
from sklearn.metrics import pairwise_distances_argmin

from graphtailor.baselines._base import BaseClusterer
from graphtailor.baselines._parameters import clusterer
from graphtailor.linalg.kmeans import distinct_row_labels, run_kmeans
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.types import MatrixLike


@clusterer()
class KMeansClustering(BaseClusterer):
    r"""K-means by Lloyd's iterations.

    .. math:: \min_{\mu, \ell} \sum_i \|x_i - \mu_{\ell_i}\|^2 .

    This is :class:`sklearn.cluster.KMeans` with the face of the other methods
    and the setting of comparative studies: one random start. For clusters of
    good quality raise `n_init` or use `init="k-means++"`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. If there are fewer distinct samples, each is one.
    n_init : int, default=1
        Starts, of which the one with the least inertia is kept.
    init : {"random", "k-means++"}, default="random"
        How a start is drawn; "random" takes samples as centres.
    max_iter : int, default=300
        Most iterations of a start.
    tol : float, default=1e-4
        Stop when the centres move less, relative to the variance of the data.
    random_state : int, RandomState or None, default=None
        Seed of the starts.

    Attributes
    ----------
    cluster_centers_ : ndarray of shape (n_clusters, n_features)
        The centres.
    objective_ : ndarray of shape (1,)
        Sum of squared distances to the centres, at the end.
    n_iter_ : int
        Iterations of the best start.
    converged_ : bool
        Whether it stopped before `max_iter`.

    Notes
    -----
    :math:`O(n d c)` an iteration. One thread, so that labels never depend on
    the number of threads.

    References
    ----------
    S. Lloyd, Least Squares Quantization in PCM, IEEE Trans. Information Theory
    28(2), 1982.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor.baselines import KMeansClustering
    >>> X = load_iris().data
    >>> model = KMeansClustering(3, n_init=10, random_state=0).fit(X)
    >>> model.objective_.round(2)
    array([78.85])
    """

    n_init: int = 1
    init: str = "random"
    max_iter: int = 300
    tol: float = 1e-4

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X)
        labels = distinct_row_labels(X, self.n_clusters)
        if labels is not None:
            first = np.unique(labels, return_index=True)[1]
            centers = X[first]
            self.cluster_centers_ = (
                centers.toarray() if sparse.issparse(centers) else centers
            )
            self._finish(labels, 0.0)
            return
        model = run_kmeans(
            X,
            self.n_clusters,
            n_init=self.n_init,
            init=self.init,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=self.random_state,
        )
        self.cluster_centers_ = model.cluster_centers_
        converged = model.n_iter_ < self.max_iter
        self._finish(model.labels_, model.inertia_, model.n_iter_, converged)

    def predict(self, X: MatrixLike) -> np.ndarray:
        """Nearest centre of each row of `X`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, n_features)
            New samples.

        Returns
        -------
        ndarray of shape (n_new,), int32
            Cluster of each new sample.
        """
        X = self._new_rows(X)
        centers = self.cluster_centers_
        factor = comfortable_factor(centers)
        nearest = pairwise_distances_argmin(times(X, factor), times(centers, factor))
        return nearest.astype(np.int32)
