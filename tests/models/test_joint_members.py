"""Fits of the joint model as members of an ensemble."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor.graphs.ensemble.members import Draw
from graphtailor.graphs.ensemble.views import make_view
from graphtailor.models.joint_members import JointMembers

X, TRUTH = make_blobs(150, 5, centers=3, cluster_std=0.7, random_state=2)
VIEW = make_view(X, "as it is", 0, np.ones(150))


def fits(seed, n_numbers=1):
    return JointMembers(n_numbers).labels(VIEW, Draw(np.random.RandomState(seed), 3, 3))


def test_there_is_one_for_each_alpha_and_number():
    assert len(fits(0)) == 2
    assert len(fits(0, 3)) == 6


@pytest.mark.parametrize("seed", range(3))
def test_clear_clusters_are_found(seed):
    scores = [adjusted_rand_score(TRUTH, labels) for labels in fits(seed, 2)]
    assert max(scores) == 1


def test_the_seed_decides():
    for one, again in zip(fits(4), fits(4), strict=True):
        np.testing.assert_array_equal(one, again)
