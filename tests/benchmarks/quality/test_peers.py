import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from graphtailor.metrics import adjusted_rand_score
from quality.peers import (
    LWEA,
    LWGP,
    EvocClusters,
    SilhouetteKMeans,
    UMAPClusters,
    cluster_weights,
    kmeans_members,
)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs([40, 60, 80, 100], 3, cluster_std=0.4, random_state=0)


def umap_kmeans():
    return UMAPClusters(KMeans(4, n_init=3, random_state=0), random_state=0)


@pytest.mark.parametrize("method", [LWEA, LWGP])
def test_locally_weighted_ensembles_find_blobs(method, blobs):
    X, y = blobs
    labels = method(4, random_state=0).fit_predict(X)
    assert adjusted_rand_score(y, labels) == 1


def test_k_means_by_its_silhouette_finds_the_number(blobs):
    X, y = blobs
    labels = SilhouetteKMeans(random_state=0).fit_predict(X)
    assert adjusted_rand_score(y, labels) == 1


def test_umap_finds_blobs(blobs):
    pytest.importorskip("umap")
    X, y = blobs
    assert adjusted_rand_score(y, umap_kmeans().fit_predict(X)) == 1


def test_evoc_clusters(blobs):
    pytest.importorskip("evoc")
    labels = EvocClusters(4, random_state=0).fit_predict(blobs[0])
    assert labels.shape == blobs[1].shape


def test_members_are_partitions_of_all_rows(blobs):
    B = kmeans_members(blobs[0], 7, np.random.RandomState(0))
    np.testing.assert_array_equal(B.sum(axis=1), np.full(len(blobs[0]), 7))
    assert B.sum(axis=0).min() > 0
    assert 7 * 2 <= B.shape[1] <= 7 * np.sqrt(len(blobs[0]))


def test_clusters_that_others_tear_apart_weigh_less():
    # Two members of four rows: {0, 1}, {2, 3} and {0, 1, 2}, {3}.
    B = np.array([[1, 0, 1, 0], [1, 0, 1, 0], [0, 1, 1, 0], [0, 1, 0, 1]], float)
    weights = cluster_weights(sparse.csr_array(B), tolerance=2.0)
    thirds = -(1 / 3 * np.log2(1 / 3) + 2 / 3 * np.log2(2 / 3))
    expected = np.exp(-np.array([0, 1, thirds, 0]) / 2)
    np.testing.assert_allclose(weights, expected)
