"""Fits of the joint model as members of an ensemble."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from graphtailor import GraphTailor
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.graphs.ensemble.members import Draw
from graphtailor.graphs.ensemble.views import make_view
from graphtailor.models.joint_members import JointMembers
from graphtailor.representatives.given import GivenPairs

X, TRUTH = make_blobs(150, 5, centers=3, cluster_std=0.7, random_state=2)
VIEW = make_view(X, "as it is", 0, np.ones(150))


class Three(Draw):
    """Draws three clusters every time."""

    def n_clusters(self, view):
        return 3


def fits(seed, n_numbers=1, view=VIEW, most=None):
    rng = np.random.RandomState(seed)
    draw = Three(rng, 3) if most is None else Draw(rng, most)
    return JointMembers(n_numbers).labels(view, draw)


def test_more_numbers_of_clusters_give_more_members():
    assert len(fits(0, 3)) == 3 * len(fits(0))


@pytest.mark.parametrize("seed", range(3))
def test_clear_clusters_are_found(seed):
    scores = [adjusted_rand_score(TRUTH, labels) for labels in fits(seed, 2)]
    assert max(scores) == 1


def test_the_seed_decides():
    for one, again in zip(fits(4), fits(4), strict=True):
        np.testing.assert_array_equal(one, again)


def test_numbers_of_clusters_are_not_exceeded():
    for labels in fits(1, 3, most=9):
        assert labels.shape == (150,)
        assert 1 < len(np.unique(labels)) <= 9


def test_a_graph_is_enough():
    given = GivenPairs.of(rbf_kernel(X, gamma=0.1), "affinity", 1).view
    scores = [adjusted_rand_score(TRUTH, labels) for labels in fits(0, 2, given)]
    assert max(scores) == 1


@pytest.mark.parametrize("n", [2, 3, 6])
def test_few_samples(n):
    view = make_view(X[:n], "as it is", 0, np.ones(n))
    for labels in fits(0, view=view, most=40):
        assert labels.shape == (n,)


def test_they_join_the_members_of_an_ensemble():
    builder = EnsembleGraph(
        views=["standard"], members=[JointMembers()], random_state=0
    ).fit(X)
    assert {member.kind for member in builder.members_} == {"joint"}


def test_they_are_among_the_members_of_a_default_fit():
    assert GraphTailor(3, random_state=0).fit(X).decision_.members["joint"] > 0
