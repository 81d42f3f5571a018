"""Spectral clustering by anchors in the manner of U-SPEC, and its transfer cut."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.neighbors import NearestNeighbors
from sklearn.utils import check_random_state, gen_batches


class AnchorSpectralClustering(ClusterMixin, BaseEstimator):
    """Spectral clustering of the graph between samples and anchors ("U-SPEC-like").

    1. The anchors are the centres of k-means on a sample of ten times as many rows.
    2. Each row is tied to its nearest anchors with weights
       :math:`b = exp(-d^2 / 2 s^2)`, s the mean of these distances.
    3. The eigenvectors of the graph between rows and anchors come from the anchors
       alone: of :math:`E = B' D^{-1} B`, D the row sums of B, scaled by its own row
       sums on both sides.
    4. A row's coordinates are the weighted mean of its anchors' coordinates, scaled to
       length one; k-means finds the clusters.

    Written from the description of U-SPEC in [1]_, whose approximate search for the
    nearest anchors is replaced by an exact one.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai, C.-K. Kwoh, "Ultra-scalable
       spectral clustering and ensemble clustering", IEEE Transactions on Knowledge
       and Data Engineering, 32(6), 2020.
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_anchors: int = 1000,
        n_neighbors: int = 5,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_anchors = n_anchors
        self.n_neighbors = n_neighbors
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> AnchorSpectralClustering:
        rng = check_random_state(self.random_state)
        n_anchors = min(self.n_anchors, len(X))
        anchors = _anchors(X, n_anchors, rng)
        B = _affinity(X, anchors, min(self.n_neighbors, n_anchors))
        self.labels_ = transfer_cut(B, self.n_clusters, rng)
        return self


def transfer_cut(
    B: sp.csr_array, n_clusters: int, rng: np.random.RandomState
) -> np.ndarray:
    """Clusters of the rows of a bipartite graph with weights B, by k-means."""
    kmeans = KMeans(n_clusters, n_init=3, max_iter=100, random_state=rng)
    return kmeans.fit_predict(_embedding(B, n_clusters, rng))


def _anchors(X: Any, n_anchors: int, rng: np.random.RandomState) -> np.ndarray:
    rows = rng.choice(len(X), min(10 * n_anchors, len(X)), replace=False)
    kmeans = KMeans(n_anchors, init="random", n_init=1, max_iter=10, random_state=rng)
    return kmeans.fit(np.asarray(X[np.sort(rows)])).cluster_centers_


def _affinity(X: Any, anchors: np.ndarray, n_neighbors: int) -> sp.csr_array:
    """Weights between each row and its nearest anchors."""
    search = NearestNeighbors(n_neighbors=n_neighbors).fit(anchors)
    distances = np.empty((len(X), n_neighbors), np.float32)
    columns = np.empty((len(X), n_neighbors), np.int32)
    for rows in gen_batches(len(X), 100_000):
        distances[rows], columns[rows] = search.kneighbors(X[rows])
    width = max(distances.mean(dtype=np.float64), np.finfo(np.float32).tiny)
    weights = np.exp(-0.5 * (distances / np.float32(width)) ** 2)
    # A row far from all anchors must not lose them all to underflow.
    weights = np.maximum(weights, np.finfo(np.float32).eps)
    starts = np.arange(0, weights.size + 1, n_neighbors)
    return sp.csr_array(
        (weights.ravel(), columns.ravel(), starts), shape=(len(X), len(anchors))
    )


def _embedding(
    B: sp.csr_array, n_clusters: int, rng: np.random.RandomState
) -> np.ndarray:
    """Rows of the leading eigenvectors, of length one."""
    Z = sp.diags_array(1 / B.sum(axis=1)) @ B
    E = (B.T @ Z).astype(np.float64)
    scale = 1 / np.sqrt(np.maximum(E.sum(axis=1), np.finfo(np.float32).tiny))
    normalized = (sp.diags_array(scale) @ E @ sp.diags_array(scale)).tocsr()
    start = rng.uniform(-1, 1, len(scale))
    _, vectors = eigsh(
        (normalized + normalized.T) / 2, n_clusters, which="LA", v0=start
    )
    embedding = Z @ (scale[:, None] * vectors).astype(np.float32)
    lengths = np.linalg.norm(embedding, axis=1, keepdims=True)
    return embedding / np.maximum(lengths, np.finfo(np.float32).tiny)
