"""Layouts keep neighbours together; coarse graphs keep the weight between regions."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.datasets import make_blobs
from sklearn.metrics import silhouette_score
from sklearn.neighbors import NearestNeighbors

from graphtailor.diagnostics import graph_map
from graphtailor.diagnostics.graph_map import (
    coarse_graph,
    map_of_graph,
    map_of_points,
)
from graphtailor.diagnostics.layout import graph_layout, strongest_ties
from graphtailor.diagnostics.levels import spread_sample
from graphtailor.graphs import NeighborGraph


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(600, centers=5, n_features=10, random_state=0)
    return X, y, NeighborGraph().fit(X).affinity_


def test_separate_blobs_are_separate_islands(blobs):
    _, y, graph = blobs
    places = graph_layout(graph)
    assert places.min() == 0
    assert places.max() == 1
    assert np.ptp(places[:, 0]) >= np.ptp(places[:, 1]) * 0.7
    assert silhouette_score(places, y) > 0.6


def test_neighbours_in_the_graph_are_neighbours_in_the_plane():
    angle = np.linspace(0, 2 * np.pi, 300, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle)])
    places = graph_layout(NeighborGraph().fit(ring).affinity_)
    near = NearestNeighbors(n_neighbors=6).fit(places).kneighbors(return_distance=False)
    steps = np.abs(near - np.arange(300)[:, None])
    steps = np.minimum(steps, 300 - steps)
    assert np.median(steps) <= 4
    assert (steps <= 15).mean() > 0.9


@pytest.mark.parametrize(("n", "c"), [(9, 3), (12, 4), (24, 3)])
def test_few_rows_are_islands_too(n, c):
    """Among few points tied ones would be pushed apart as often as others."""
    for seed in range(5):
        X, y = make_blobs(n, centers=c, n_features=5, random_state=seed)
        places = graph_layout(NeighborGraph().fit(X).affinity_)
        assert silhouette_score(places, y) > 0.72
        assert pdist(places).min() > 0.01, "points cover each other"


def test_layout_is_the_same_for_the_same_graph(blobs):
    graph = blobs[2]
    first = graph_layout(graph)
    np.testing.assert_array_equal(first, graph_layout(graph.toarray()))
    np.testing.assert_array_equal(first, graph_layout(sparse.coo_array(graph)))


@pytest.mark.parametrize(
    "graph",
    [
        np.zeros((1, 1)),
        np.zeros((5, 5)),
        np.ones((2, 2)),
        np.diag([1.0, 2.0, 3.0]),
        -np.ones((4, 4)),
        np.full((6, 6), 1e-300),
        np.full((6, 6), 1e300),
    ],
)
def test_degenerate_graphs(graph):
    places = graph_layout(graph)
    assert places.shape == (len(graph), 2)
    assert np.isfinite(places).all()
    labels = np.zeros(len(graph), dtype=int)
    assert np.isfinite(map_of_graph(graph, labels).places).all()


def test_strongest_ties_by_brute_force():
    rng = np.random.default_rng(0)
    graph = rng.random((30, 30)) * (rng.random((30, 30)) < 0.6)
    graph = graph + graph.T
    np.fill_diagonal(graph, 9.0)
    plain = graph.copy()
    np.fill_diagonal(plain, 0)
    kept = np.zeros_like(plain)
    for i, row in enumerate(plain):
        best = np.argsort(-row)[:4]
        kept[i, best] = row[best] / row.max()
    expected = np.maximum(kept, kept.T)
    found = strongest_ties(sparse.csr_array(graph), 4).toarray()
    np.testing.assert_allclose(found, expected)
    np.testing.assert_allclose(strongest_ties(graph, 4).toarray(), expected)


def test_coarse_graph_keeps_the_weight_between_regions(blobs):
    _, y, graph = blobs
    kept = spread_sample(y, 60)
    coarse = coarse_graph(graph, kept)
    assert coarse.shape == (60, 60)
    np.testing.assert_allclose((coarse - coarse.T).toarray(), 0, atol=1e-12)
    # Blobs without ties between them have none between their regions.
    crossing = y[kept][:, None] != y[kept][None, :]
    assert (
        coarse.toarray()[crossing].sum()
        <= graph.toarray()[y[:, None] != y[None, :]].sum() + 1e-12
    )
    # Each region is tied to its neighbours, though kept rows have few ties themselves.
    among_kept = graph[kept][:, kept]
    assert (coarse.sum(axis=1) > 0).mean() > (among_kept.sum(axis=1) > 0).mean()
    everything = coarse_graph(graph, np.arange(600))
    np.testing.assert_allclose(everything.toarray(), graph.toarray())


def test_points_of_a_sample_keep_their_clusters(monkeypatch):
    """A sample has a row of every cluster, and may be larger than was asked for."""
    monkeypatch.setattr(graph_map, "MOST_POINTS", 20)
    labels = np.append(np.zeros(100, dtype=int), np.arange(1, 8))
    points = np.random.default_rng(0).normal(size=(107, 2))
    found = map_of_points(points, labels, "the features")
    np.testing.assert_array_equal(found.labels, labels[found.vertices])
    assert len(found.places) == len(found.vertices)
    assert found.n_vertices == 107


def test_sample_is_in_proportion():
    labels = np.repeat([0, 1, 2, 5], [5000, 3000, 1998, 2])
    rows = spread_sample(labels, 1000)
    counts = np.bincount(labels[rows])
    assert counts[[0, 1, 2]].tolist() == pytest.approx([500, 300, 200], abs=1)
    assert counts[5] == 1
    assert len(np.unique(rows)) == len(rows)
    np.testing.assert_array_equal(rows, spread_sample(labels, 1000))
