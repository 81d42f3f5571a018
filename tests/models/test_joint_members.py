"""Fits of the joint model as members of an ensemble."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.models.joint_members import joint_fits

X, y = make_blobs(150, 5, centers=3, cluster_std=0.7, random_state=2)


def fits(seed, numbers=(3, 7)):
    return joint_fits(X, 8, numbers, np.random.RandomState(seed))


def test_there_is_one_for_each_alpha_and_number():
    found = fits(0)
    assert len(found) == 4
    sizes = [len(np.unique(labels)) for labels in found]
    assert max(sizes[::2]) <= 3
    assert 3 < max(sizes[1::2]) <= 7


@pytest.mark.parametrize("seed", range(3))
def test_clear_clusters_are_found(seed):
    scores = [adjusted_rand_score(y, labels) for labels in fits(seed, (3,))]
    assert max(scores) == 1


def test_the_seed_decides():
    for one, again in zip(fits(4), fits(4), strict=True):
        np.testing.assert_array_equal(one, again)


def test_they_join_the_members_of_an_ensemble():
    alone = EnsembleGraph(3, random_state=0).fit(X)
    joined = EnsembleGraph(3, fits=joint_fits, random_state=0).fit(X)
    kinds = [member.kind for member in joined.members_]
    assert kinds.count("joint") == len(joined.members_) - len(alone.members_) == 48
