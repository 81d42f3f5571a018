"""Self-tuning spectral clustering: the affinity, and clusters of unequal density."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.cluster import SpectralClustering
from sklearn.neighbors import NearestNeighbors

from graphtailor.baselines import SelfTuningSpectralClustering
from graphtailor.baselines.self_tuning import locally_scaled
from graphtailor.metrics import clustering_accuracy


def test_affinity_is_that_of_the_paper(rng):
    X = rng.normal(size=(30, 3))
    model = SelfTuningSpectralClustering(2, random_state=0).fit(X)
    width = NearestNeighbors(n_neighbors=7).fit(X).kneighbors()[0][:, -1]
    assert_allclose(model.bandwidths_, width)
    for i in range(30):
        for j in range(30):
            square = np.sum((X[i] - X[j]) ** 2)
            expected = 0 if i == j else np.exp(-square / (width[i] * width[j]))
            assert model.affinity_matrix_[i, j] == pytest.approx(expected)


def test_a_dense_and_a_wide_cluster_are_found(rng):
    """A ball inside a wide ring: one bandwidth for all samples cuts the ring."""
    angles = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    ring = 3 * np.column_stack([np.cos(angles), np.sin(angles)])
    X = np.vstack([0.05 * rng.normal(size=(100, 2)), ring])
    y = np.repeat([0, 1], [100, 60])
    labels = SelfTuningSpectralClustering(2, random_state=0).fit_predict(X)
    assert clustering_accuracy(y, labels) == 1
    peer = SpectralClustering(2, gamma=0.1, random_state=0).fit_predict(X)
    assert clustering_accuracy(y, peer) < 1


def test_the_labels_are_those_of_a_peer_on_the_same_affinity(wine):
    model = SelfTuningSpectralClustering(3, random_state=0).fit(wine[0])
    peer = SpectralClustering(3, affinity="precomputed", random_state=0)
    again = peer.fit_predict(model.affinity_matrix_)
    assert clustering_accuracy(model.labels_, again) > 0.97


def test_duplicates_have_the_bandwidth_of_the_next_sample():
    D = np.abs(np.subtract.outer(*2 * [np.array([0.0, 0, 0, 0, 3, 5])]))
    affinity, width = locally_scaled(D, 2)
    assert_allclose(width, [3, 3, 3, 3, 3, 5])
    assert_allclose(affinity[0, 1:4], 1)
    assert_allclose(affinity[0, 4], np.exp(-1))
