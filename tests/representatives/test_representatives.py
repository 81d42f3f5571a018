"""Representatives: distinct rows with their masses, or weighted anchors."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor
from graphtailor.representatives.representatives import Representatives
from graphtailor.representatives.rows import Rows

X, TRUTH = make_blobs([300, 100, 50], 3, cluster_std=0.7, random_state=2)


def test_distinct_rows_stand_for_their_copies():
    rng = np.random.default_rng(0)
    distinct, masses = rng.normal(size=(30, 3)), rng.integers(1, 6, 30)
    rows = np.repeat(distinct, masses, axis=0)
    found, memberships = Representatives.of(Rows(rows), 100, 0, 1)
    assert found.exact
    assert len(found) == 30
    np.testing.assert_array_equal(found.points[memberships.nearest[:, 0]], rows)
    assert found.masses.sum() == len(rows)


def test_anchors_stand_for_more_rows():
    found, memberships = Representatives.of(Rows(X), 40, 0, 1)
    assert not found.exact
    assert len(found) == 40
    assert found.masses.sum() == len(X)
    near = np.linalg.norm(found.points[memberships.nearest[:, 0]] - X, axis=1)
    assert near.mean() < 0.6


@pytest.mark.parametrize("seed", range(2))
def test_the_order_of_the_rows_does_not_matter(seed):
    order = np.random.default_rng(seed).permutation(len(X))
    noisy = X + np.random.default_rng(9).normal(size=X.shape)
    one = GraphTailor(4, random_state=0).fit(noisy)
    two = GraphTailor(4, random_state=0).fit(noisy[order])
    assert adjusted_rand_score(one.labels_[order], two.labels_) == 1


def test_unequal_blobs_of_anchors_are_found_on_any_number_of_threads():
    one = GraphTailor(3, representatives=150, random_state=0, n_jobs=1).fit(X)
    two = GraphTailor(3, representatives=150, random_state=0, n_jobs=3).fit(X)
    assert adjusted_rand_score(TRUTH, one.labels_) > 0.99
    np.testing.assert_array_equal(one.indicator_, two.indicator_)
