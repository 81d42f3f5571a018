"""Self-tuning spectral clustering: every sample has a bandwidth of its own."""

import numpy as np
from scipy.spatial.distance import pdist, squareform

from graphtailor.baselines._base import BaseClusterer, SpectralMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.graphs import rbf_weights
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.types import COUNT, MatrixLike


@clusterer(scale_neighbor=COUNT)
class SelfTuningSpectralClustering(SpectralMixin, BaseClusterer):
    r"""Spectral clustering of all pairs, with a bandwidth for each sample.

    .. math:: a_{ij} = \exp\left(-\frac{\|x_i - x_j\|^2}{\sigma_i \sigma_j}\right) ,

    where :math:`\sigma_i` is the distance of sample i to its k-th neighbour: clusters
    of unequal density have weights of one size. The rows of the leading eigenvectors
    of the normalised affinity are clustered by K-means.

    Parameters
    ----------
    scale_neighbor : int, default=7
        The neighbour k whose distance is the bandwidth. The authors use 7 everywhere.

    Attributes
    ----------
    affinity_matrix_ : ndarray of shape (n_samples, n_samples)
        :math:`a_{ij}`, with a zero diagonal.
    bandwidths_ : ndarray of shape (n_samples,)
        :math:`\sigma_i`.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Spectral embedding of the affinity.
    objective_ : ndarray of shape (1,)
        Sum of squared distances of the rows of the embedding to their centres.

    See Also
    --------
    graphtailor.graphs.NeighborGraph : ``bandwidth="local"`` has the same weights on
        the nearest neighbours alone, with the mean of their distances as bandwidth.

    Notes
    -----
    :math:`O(n^2 d)`. The paper goes on to rotate the eigenvectors, which also suggests
    the number of clusters; here the number is given, and K-means takes the place of
    the rotation.

    References
    ----------
    L. Zelnik-Manor, P. Perona, Self-Tuning Spectral Clustering, NIPS 17, 2005.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from graphtailor.baselines import SelfTuningSpectralClustering
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> model = SelfTuningSpectralClustering(2, random_state=0)
    >>> clustering_accuracy(y, model.fit_predict(X))
    1.0
    """

    scale_neighbor: int = 7

    _dense_arrays = (8.4, 2.0)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        factor = comfortable_factor(X)
        distances = squareform(pdist(times(X.astype(np.float64), factor)))
        affinity, bandwidths = locally_scaled(distances, self.scale_neighbor)
        labels = self._cut(affinity, X.dtype)
        self.bandwidths_ = bandwidths / factor
        centres = [self.embedding_[labels == k].mean(axis=0) for k in np.unique(labels)]
        rows = np.asarray(centres)[np.unique(labels, return_inverse=True)[1]]
        self._finish(labels, np.sum((self.embedding_ - rows) ** 2))


def locally_scaled(D: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Affinities of all pairs, and the distance of each sample to its k-th neighbour.

    A sample with k duplicates has a bandwidth of 0. It takes the distance to its
    nearest sample that is not one of them.
    """
    n = len(D)
    ordered = np.sort(D, axis=1)[:, 1:]  # the first is the sample itself
    counts = np.clip(np.count_nonzero(ordered == 0, axis=1), min(k, n - 1) - 1, n - 2)
    bandwidths = ordered[np.arange(n), counts]
    affinity = rbf_weights(D, np.sqrt(np.multiply.outer(bandwidths, bandwidths)))
    np.fill_diagonal(affinity, 0)
    return affinity, bandwidths
