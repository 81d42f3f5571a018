"""Peers of the quality benchmark that no estimator at hand provides as it is."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.spatial.distance import squareform
from scipy.special import xlogy
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_score
from sklearn.utils import check_random_state

from scale.peers import transfer_cut

# Numbers of clusters from 2 to this one are tried by the silhouette.
_MOST_CLUSTERS = 20


class _LocallyWeighted(ClusterMixin, BaseEstimator):
    r"""Locally weighted ensemble clustering on k-means members [1]_.

    Each of the M members is k-means with one start and a number of clusters drawn
    between 2 and :math:`\sqrt n`. A cluster j that other members tear apart is weighted
    down: with :math:`N_{jl}` the number of rows in both cluster j and cluster l,

    .. math::
        H_j = -\sum_l \frac{N_{jl}}{N_{jj}} \log_2 \frac{N_{jl}}{N_{jj}},
        \qquad w_j = \exp\left(-\frac{H_j}{\theta M}\right)

    where l runs over the clusters of all members.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    n_members : int, default=30
        M.
    theta : float, default=0.4
        How lightly disagreement weighs; the value of the paper.
    random_state : int, RandomState or None, default=None
        Seed.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, J.-H. Lai, "Locally weighted ensemble clustering",
       IEEE Transactions on Cybernetics, 48(5), 2018.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_members: int = 30,
        theta: float = 0.4,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_members = n_members
        self.theta = theta
        self.random_state = random_state

    def _weighted_clusters(self, X: Any, rng: Any) -> tuple[sparse.csr_array, Any]:
        """Rows by the clusters of all members, of zeros and ones; their weights."""
        B = kmeans_members(X, self.n_members, rng)
        return B, cluster_weights(B, self.theta * self.n_members)


class LWEA(_LocallyWeighted):
    """Average linkage of the locally weighted co-association, which is dense."""

    def fit(self, X: Any, y: Any = None) -> Self:
        B, weights = self._weighted_clusters(X, check_random_state(self.random_state))
        shares = (B @ sparse.diags_array(weights) @ B.T).toarray() / self.n_members
        distances = np.maximum(1 - shares, 0)
        np.fill_diagonal(distances, 0)
        tree = linkage(squareform(distances, checks=False), "average")
        self.labels_ = fcluster(tree, self.n_clusters, "maxclust") - 1
        return self


class LWGP(_LocallyWeighted):
    """Transfer cut of the weighted graph between the rows and all clusters."""

    def fit(self, X: Any, y: Any = None) -> Self:
        rng = check_random_state(self.random_state)
        B, weights = self._weighted_clusters(X, rng)
        graph = sparse.csr_array(B @ sparse.diags_array(weights))
        self.labels_ = transfer_cut(graph, self.n_clusters, rng)
        return self


def kmeans_members(X: Any, n_members: int, rng: Any) -> sparse.csr_array:
    """Rows by the clusters of k-means members of random sizes, of zeros and ones."""
    n = X.shape[0]
    most = max(int(np.sqrt(n)), 2)
    members = []
    for _ in range(n_members):
        kmeans = KMeans(rng.randint(2, most + 1), n_init=1, random_state=rng)
        labels = np.unique(kmeans.fit_predict(X), return_inverse=True)[1]
        members.append(sparse.csr_array((np.ones(n), (np.arange(n), labels))))
    return sparse.csr_array(sparse.hstack(members))


def cluster_weights(B: sparse.csr_array, tolerance: float) -> np.ndarray:
    """Weights between 0 and 1 of all clusters, by their entropy in the ensemble."""
    overlaps = (B.T @ B).toarray()
    shares = overlaps / overlaps.diagonal()[:, None]
    entropies = -xlogy(shares, shares).sum(axis=1) / np.log(2)
    return np.exp(-entropies / tolerance)


class UMAPClusters(ClusterMixin, BaseEstimator):
    """A clusterer of a UMAP layout that is made for clusters, not for the eye.

    Unlike UMAP's defaults, the layout has no least distance between points, 30
    neighbours instead of 15, and 5 dimensions instead of 2. None of this was tuned.

    Parameters
    ----------
    clusterer : estimator
        Clusters the layout.
    random_state : int, RandomState or None, default=None
        Seed of the layout.
    """

    def __init__(self, clusterer: Any, random_state: Any = None) -> None:
        self.clusterer = clusterer
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        from umap import UMAP

        layout = UMAP(
            n_neighbors=min(30, len(X) - 1),
            n_components=5,
            min_dist=0.0,
            random_state=self.random_state,
        ).fit_transform(X)
        self.labels_ = clone(self.clusterer).fit_predict(layout)
        return self


class SilhouetteKMeans(ClusterMixin, BaseEstimator):
    """k-means with the number of clusters, up to 20, that has the best silhouette."""

    def __init__(self, random_state: Any = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        found = [
            KMeans(c, n_init=3, random_state=self.random_state).fit_predict(X)
            for c in range(2, min(_MOST_CLUSTERS, len(X) - 1) + 1)
        ]
        self.labels_ = max(found, key=lambda labels: silhouette_score(X, labels))
        return self


class EvocClusters(ClusterMixin, BaseEstimator):
    """EVoC, which takes float32 rows alone.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Number of clusters, which EVoC meets nearly; None lets it choose.
    random_state : int or None, default=None
        Seed.
    """

    def __init__(
        self, n_clusters: int | None = None, random_state: int | None = None
    ) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        from evoc import EVoC

        # By default it starts in four dimensions or more, which rows must have.
        model = EVoC(
            approx_n_clusters=self.n_clusters,
            node_embedding_dim=X.shape[1] if X.shape[1] < 4 else None,
            random_state=self.random_state,
        )
        self.labels_ = model.fit_predict(np.ascontiguousarray(X, dtype=np.float32))
        return self
