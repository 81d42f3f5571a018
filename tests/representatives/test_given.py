"""Graphs and distances that a user gives: every row represents itself."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel

from graphtailor.graphs import NeighborGraph, PrecomputedGraph
from graphtailor.representatives.given import GivenPairs

RNG = np.random.default_rng(0)
POINTS = RNG.normal(size=(40, 2))
NEW = RNG.normal(size=(12, 2))
DISTANCES, AFFINITIES = cdist(POINTS, POINTS), rbf_kernel(POINTS)
GIVEN = {"precomputed": DISTANCES, "affinity": AFFINITIES}
FROM_NEW = {"precomputed": cdist(NEW, POINTS), "affinity": rbf_kernel(NEW, POINTS)}
either = pytest.mark.parametrize("metric", GIVEN)


@either
def test_every_row_has_mass_one(metric):
    given = GivenPairs.of(GIVEN[metric], metric, 1)
    assert len(given) == 40
    assert given.exact
    np.testing.assert_array_equal(given.masses, 1)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_the_view_of_a_graph_is_that_graph(container):
    view = GivenPairs.of(container(AFFINITIES), "affinity", 1).view
    expected = PrecomputedGraph().fit(AFFINITIES).affinity_.toarray()
    for n_neighbors in (2, 30):
        np.testing.assert_array_equal(view.graph(n_neighbors).toarray(), expected)
    assert view.points.shape == (40, 0)
    assert view.name == "given graph"


def test_the_view_of_distances_is_their_neighbour_graph():
    view = GivenPairs.of(DISTANCES, "precomputed", 1).view
    for n_neighbors in (3, 6):
        expected = NeighborGraph(n_neighbors).fit(POINTS).affinity_
        np.testing.assert_allclose(
            view.graph(n_neighbors).toarray(), expected.toarray(), atol=1e-12
        )
    assert view.points.shape == (40, 0)
    assert view.name == "given distances"


@either
def test_a_fitted_row_belongs_to_itself_alone(metric):
    rows = GivenPairs.of(GIVEN[metric], metric, 1).memberships(GIVEN[metric][5:20])
    np.testing.assert_array_equal(rows.nearest[:, 0], np.arange(5, 20))
    np.testing.assert_array_equal(rows.shares, np.eye(1, 5).repeat(15, axis=0))


def test_equal_rows_belong_to_the_first_of_them():
    """And rows after them to themselves: groups of equal rows are fewer than rows."""
    copied = np.vstack([POINTS[:3], POINTS])
    D = cdist(copied, copied)
    rows = GivenPairs.of(D, "precomputed", 1).memberships(D)
    expected = np.r_[0:3, 0:3, 6:43]
    np.testing.assert_array_equal(rows.nearest[:, 0], expected)


@either
def test_a_new_row_is_shared_by_those_that_it_is_joined_to_most(metric):
    given = GivenPairs.of(GIVEN[metric], metric, 1)
    rows = given.memberships(FROM_NEW[metric])
    W = given.builder.to_new(FROM_NEW[metric]).toarray()
    k = rows.nearest.shape[1]
    for i in range(12):
        largest = np.sort(W[i])[::-1][:k]
        np.testing.assert_allclose(W[i, rows.nearest[i]], largest)
        np.testing.assert_allclose(rows.shares[i], largest / largest.sum(), rtol=1e-6)


@either
def test_a_row_in_any_company(metric):
    given = GivenPairs.of(GIVEN[metric], metric, 1)
    both = np.vstack([FROM_NEW[metric], GIVEN[metric][:4]])
    together = given.memberships(both)
    for i in range(16):
        for one, many in zip(given.memberships(both[i : i + 1]), together, strict=True):
            assert one[0].tobytes() == many[i].tobytes()


def test_a_row_that_nothing_joins_is_shared_alike():
    given = GivenPairs.of(AFFINITIES, "affinity", 1)
    rows = given.memberships(np.zeros((1, 40)))
    np.testing.assert_allclose(rows.shares, 1 / 5)
