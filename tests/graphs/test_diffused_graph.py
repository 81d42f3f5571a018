"""A builder around a builder."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_circles

from graphtailor import DiffusedGraph, NeighborGraph
from graphtailor.graphs.diffused_graph import KEPT_NEIGHBORHOODS

X, Y = make_circles(200, factor=0.5, noise=0.03, random_state=0)


def lazy_walk(W, steps):
    """Powers of (I + W) / 2 without the diagonal, normalised again."""
    A = np.linalg.matrix_power((np.eye(len(W)) + W) / 2, steps)
    np.fill_diagonal(A, 0)
    roots = np.sqrt(A.sum(axis=1))
    return A / np.outer(roots, roots)


@pytest.mark.parametrize(("steps", "rounded"), [(1, 1), (2, 2), (3, 4), (4, 4)])
def test_the_walk_is_a_matrix_power(steps, rounded):
    few = X[:40]  # so few that nothing is cut off
    builder = DiffusedGraph(NeighborGraph(7), steps=steps).fit(few)
    W = NeighborGraph(7).fit(few).affinity_.toarray()
    np.testing.assert_allclose(
        builder.affinity_.toarray(), lazy_walk(W, rounded), atol=1e-12
    )


def test_the_graph_stays_sparse_and_rings_stay_apart():
    builder = DiffusedGraph(steps=8).fit(X)
    A, p = builder.affinity_, builder.n_neighbors_
    assert builder.graph_.affinity_.nnz < A.nnz <= 2 * KEPT_NEIGHBORHOODS * p * len(X)
    rows, cols = A.nonzero()
    assert A.data[Y[rows] != Y[cols]].sum() < 0.01 * A.data.sum()


def test_new_samples_are_joined_as_in_the_inner_graph():
    builder = DiffusedGraph(NeighborGraph(5)).fit(X)
    inner = NeighborGraph(5).fit(X)
    new = X[:9] + 0.01
    np.testing.assert_array_equal(
        builder.to_new(new).toarray(), inner.to_new(new).toarray()
    )
    np.testing.assert_array_equal(builder.nearest(6).cols, inner.nearest(6).cols)


def test_parameters_of_the_inner_builder_are_within_reach():
    builder = DiffusedGraph(NeighborGraph()).set_params(graph__n_neighbors=3)
    assert clone(builder).fit(X).graph_.n_neighbors_ == 3
    assert not hasattr(builder.graph, "affinity_")


def test_threads_do_not_change_a_byte():
    one, two = (DiffusedGraph(n_jobs=n_jobs).fit(X).affinity_ for n_jobs in (1, 2))
    assert one.data.tobytes() == two.data.tobytes()
    assert one.indices.tobytes() == two.indices.tobytes()


@pytest.mark.parametrize("params", [{"steps": 0}, {"steps": 1.5}, {"graph": "ring"}])
def test_bad_parameters_are_named(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        DiffusedGraph(**params).fit(X)
