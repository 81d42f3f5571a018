"""Certainty: what the numbers mean, and which rows are doubtful."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor, JointModel
from graphtailor.baselines import KMeansClustering
from graphtailor.diagnostics.certainty import (
    by_memberships,
    certainty_of,
    certainty_sentence,
)
from graphtailor.diagnostics.model_access import FittedView, view_of


def test_shares_of_memberships():
    V = np.array([[3.0, 1.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    found = by_memberships(V, np.array([0, 1, 2]))
    np.testing.assert_allclose(found.share, [0.75, 1, 1 / 3])
    np.testing.assert_allclose(found.second_share, [0.25, 0, 1 / 3])
    assert found.second.tolist() == [1, -1, -1]
    np.testing.assert_allclose(found.margin, [0.75, 1, 0.5])
    assert found.doubtful.tolist() == [False, False, True]
    assert "1 of 3 rows is doubtful" in certainty_sentence(found)


def test_one_cluster_is_certain():
    found = by_memberships(np.ones((3, 1)), np.zeros(3, dtype=int))
    assert found.margin.tolist() == [1, 1, 1]
    assert found.second.tolist() == [-1, -1, -1]


def test_many_clear_clusters_are_not_doubtful():
    """Shares may be small where there are many clusters: the next best one counts."""
    X, _ = make_blobs(240, centers=12, n_features=6, cluster_std=0.3, random_state=0)
    model = GraphTailor(12, random_state=0).fit(X)
    found = certainty_of(view_of(model))
    np.testing.assert_allclose(found.share, model.indicator_.max(axis=1))
    assert not found.doubtful.any()
    V = np.full((1, 12), 0.05)
    V[0, 3] = 0.45
    assert not by_memberships(V, np.array([3])).doubtful.any()
    assert "quick clusterings put a row together" in found.meaning


@pytest.mark.parametrize(
    ("method", "meaning"),
    [(JointModel, "in its memberships"), (KMeansClustering, "distance to the centre")],
)
def test_other_models_say_what_they_mean(method, meaning):
    X, _ = make_blobs(60, centers=3, random_state=0)
    found = certainty_of(view_of(method(3, random_state=0).fit(X)), X)
    assert meaning in found.meaning
    both = found.share + found.second_share
    assert (both < 1 + 1e-9).all()


def test_a_graph_alone():
    graph = np.array([[0, 3, 1], [3, 0, 0], [1, 0, 0.0]])
    found = certainty_of(FittedView(np.array([0, 0, 1]), given=graph))
    assert found.share.tolist() == [0.75, 1, 0]
    assert certainty_of(FittedView(np.zeros(2, dtype=int))) is None
