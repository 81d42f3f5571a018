"""Approximate eigenvectors and spread centres, as members of an ensemble use them."""

import numpy as np
from sklearn.datasets import make_blobs

from graphtailor.graphs import NeighborGraph
from graphtailor.linalg.kmeans import draw_centres
from graphtailor.linalg.svd import smooth_vectors


def test_smooth_vectors_are_nearly_the_leading_eigenvectors():
    X, _ = make_blobs([90, 45, 15], 4, cluster_std=0.6, random_state=3)
    W = NeighborGraph().fit(X).affinity_
    values, vectors = smooth_vectors(W, 6, 0)
    exact = np.linalg.eigvalsh(W.toarray())[::-1][:6]
    np.testing.assert_allclose(values, exact, atol=0.02)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-4)


def test_centres_are_drawn_far_from_each_other_and_by_mass():
    X, _ = make_blobs(300, 2, centers=40 * np.eye(2), random_state=0)
    rng, one = np.random.RandomState(0), np.ones(300)
    for _ in range(20):
        assert np.ptp(draw_centres(X, 2, rng, one)[:, 0]) > 20
    only = draw_centres(X, 1, rng, np.where(np.arange(300) == 7, 1.0, 0.0))
    np.testing.assert_array_equal(only[0], X[7])
