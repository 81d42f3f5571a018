"""Layouts: joined vertices end close to each other, in any number of dimensions."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import kneighbors_graph

from graphtailor.linalg.layout import lay_out

X, Y = make_circles(300, noise=0.03, factor=0.4, random_state=0)
NEAR = kneighbors_graph(X, 8)
TIES = sparse.csr_array(NEAR.maximum(NEAR.T))


def places(d, **changes):
    start = np.random.RandomState(0).normal(size=(300, d))
    effort = {"n_epochs": 80, "n_pushes": 3, **changes}
    return lay_out(start, TIES, np.random.RandomState(1), **effort)


@pytest.mark.parametrize("d", [1, 2, 5, 10])
def test_joined_vertices_are_closer_than_others(d):
    found = places(d)
    gaps = np.linalg.norm(found[:, None] - found[None], axis=2)
    joined = TIES.toarray() > 0
    others = ~joined & ~np.eye(300, dtype=bool)
    assert np.median(gaps[joined]) < 0.3 * np.median(gaps[others])


def test_rings_become_compact():
    def agreement(rows):
        found = KMeans(20, n_init=3, random_state=0).fit_predict(rows)
        # Clusters that hold both rings are wrong; pieces of one ring are not.
        rings = [np.bincount(Y[found == k]).argmax() for k in range(20)]
        return adjusted_rand_score(Y, np.array(rings)[found])

    assert agreement(places(5)) == 1


def test_the_seed_decides_and_the_start_is_kept():
    start = np.random.RandomState(0).normal(size=(300, 3))
    kept = start.copy()
    one, two = (
        lay_out(start, TIES, np.random.RandomState(1), n_epochs=9, n_pushes=2)
        for _ in range(2)
    )
    np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(start, kept)


def test_gravity_keeps_parts_together():
    assert np.ptp(places(2, gravity=0.05)) < np.ptp(places(2))


def test_a_weak_tie_pulls_rarely():
    pair = sparse.csr_array(np.array([[0, 1], [1, 0]]))
    start, rng = np.array([[0.0], [9.0]]), np.random.RandomState
    effort = {"n_epochs": 10, "n_pushes": 0}
    strong = lay_out(start, pair, rng(0), **effort)
    weak = lay_out(start, 0.1 * pair, rng(0), **effort)
    assert abs(strong[0, 0] - strong[1, 0]) < abs(weak[0, 0] - weak[1, 0]) < 9
