"""Members: quick clusterings with as many clusters as they are asked for."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor.graphs.ensemble.members import (
    Draw,
    KMeansMembers,
    MixtureMembers,
    SpectralMembers,
    mixture_labels,
)
from graphtailor.graphs.ensemble.views import make_view

X, TRUTH = make_blobs(200, 4, centers=3, cluster_std=0.5, random_state=2)
VIEW = make_view(X, "as it is", 0, np.ones(200))


def draw(seed, fewest=3, most=3):
    return Draw(np.random.RandomState(seed), fewest, most)


@pytest.mark.parametrize("kind", [SpectralMembers(), KMeansMembers(), MixtureMembers()])
def test_clear_clusters_are_found_by_most_members(kind):
    found = [labels for seed in range(4) for labels in kind.labels(VIEW, draw(seed))]
    scores = [adjusted_rand_score(TRUTH, labels) for labels in found]
    assert np.mean(np.array(scores) == 1) > 0.5
    again = kind.labels(VIEW, draw(7))
    for one, two in zip(kind.labels(VIEW, draw(7)), again, strict=True):
        np.testing.assert_array_equal(one, two)


def test_numbers_of_clusters_stay_in_their_range():
    numbers = [draw(seed, 5, 40).n_clusters(VIEW) for seed in range(200)]
    assert min(numbers) == 5
    assert 35 <= max(numbers) <= 40
    few = make_view(X[:12], "as it is", 0, np.ones(12))
    assert {draw(seed, 5, 40).n_clusters(few) for seed in range(20)} == {5}


def test_mixture_finds_clusters_of_different_width():
    rng = np.random.default_rng(0)
    wide, thin = rng.normal(0, 3.0, (150, 2)), rng.normal(9, 0.1, (50, 2))
    Z = np.vstack([wide, thin])
    labels = mixture_labels(Z, 2, np.random.RandomState(0), np.ones(200))
    assert adjusted_rand_score(np.repeat([0, 1], [150, 50]), labels) > 0.9
