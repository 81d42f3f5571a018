"""Samples in an order that keeps neighbours together."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from graphtailor.solvers.locality import locality_order


def neighbors(X, k):
    graph = kneighbors_graph(X, k)
    return sparse.csr_array(graph + graph.T)


@settings(max_examples=50)
@given(st.integers(1, 40), st.integers(1, 50), st.integers(0, 10**6))
def test_every_sample_has_one_place(n, cell, seed):
    rng = np.random.default_rng(seed)
    graph = sparse.csr_array(rng.uniform(size=(n, n)) < rng.uniform(0, 0.3))
    graph = sparse.csr_array(graph + graph.T)
    order = locality_order(graph.indptr, graph.indices, cell)
    np.testing.assert_array_equal(np.sort(order), np.arange(n))


@pytest.mark.parametrize("cell", [50, 1024])
def test_neighbors_come_near_each_other(cell):
    X = np.random.default_rng(0).uniform(size=(3000, 2))
    graph = neighbors(X, 5)
    order = locality_order(graph.indptr, graph.indices, cell)
    number = np.argsort(order)
    edges = graph.tocoo()
    before = np.median(np.abs(edges.row - edges.col))
    after = np.median(np.abs(number[edges.row] - number[edges.col]))
    assert after < before / 10


def test_groups_without_edges_between_them_stay_together():
    rng = np.random.default_rng(1)
    group = rng.integers(4, size=400)
    X = rng.normal(size=(400, 2)) + 1000 * group[:, None]
    graph = neighbors(X, 12)
    order = locality_order(graph.indptr, graph.indices, 1000)
    _, parts = sparse.csgraph.connected_components(graph)
    changes = np.count_nonzero(np.diff(parts[order]))
    assert changes == len(np.unique(parts)) - 1
