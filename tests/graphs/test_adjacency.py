"""Graphs of other libraries, halves of a matrix, directed graphs, lonely vertices."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from graphtailor import GraphTailor, JointModel
from graphtailor.graphs import PrecomputedGraph
from graphtailor.graphs.adapters import both_triangles, undirected

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], 20)
JOINED = np.where(Y[:, None] == Y, 0.4, 0.03)
UPPER = np.triu(RNG.random((60, 60)) < JOINED, 1).astype(float)
WHOLE = UPPER + UPPER.T
MODELS = {
    "GraphTailor": GraphTailor(3, metric="affinity", random_state=0),
    "JointModel": JointModel(3, graph="precomputed", n_init=3, random_state=0),
}
either_model = pytest.mark.parametrize("name", MODELS)
containers = pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])


@either_model
@containers
def test_a_triangle_is_the_whole_graph(name, container):
    model = MODELS[name]
    expected = model.fit(container(WHOLE)).labels_
    assert adjusted_rand_score(expected, Y) == 1
    for half in (UPPER, UPPER.T, UPPER + np.eye(60)):
        model = MODELS[name].fit(container(half))
        np.testing.assert_array_equal(model.labels_, expected)
        np.testing.assert_array_equal(model.predict(container(half)), expected)


@containers
def test_triangles_of_distances_are_mirrored_too(container):
    points = RNG.normal(size=(30, 2)) + np.repeat([[0, 0], [9, 9]], 15, axis=0)
    D = np.linalg.norm(points[:, None] - points, axis=2)
    model = GraphTailor(2, metric="precomputed", random_state=0)
    expected = model.fit(D).labels_
    labels = model.fit(container(np.triu(D))).labels_
    assert adjusted_rand_score(labels, expected) == 1


@pytest.mark.filterwarnings("ignore:Samples without an edge")
@either_model
def test_vertices_without_outgoing_edges_are_not_taken_for_one(name):
    turned = np.where(RNG.random((60, 60)) < 0.5, 1, 0)
    directed = UPPER * turned + (UPPER * (1 - turned)).T
    directed[::2] = 0  # every other vertex has incoming edges alone
    mean = (directed + directed.T) / 2
    model = MODELS[name]
    expected = model.fit(mean).labels_
    np.testing.assert_array_equal(model.fit(directed).labels_, expected)
    assert len(set(expected[::2])) == 3


def test_kernels_symmetric_up_to_rounding_stay_as_they_are():
    K = rbf_kernel(RNG.normal(size=(20, 3)))
    K[3, 5] *= 1 + 1e-15
    assert undirected(K, "affinities") is K


@containers
def test_other_matrices_are_not_mirrored(container):
    for A in (WHOLE, np.diag([1.0, 2.0]), np.zeros((3, 3)), np.ones((2, 3))):
        A = container(A)
        assert both_triangles(A) is A


@either_model
def test_isolated_vertices_are_reported(name):
    A = np.pad(WHOLE, (0, 2))
    with pytest.warns(UserWarning, match=r"2 of 62, such as sample 60") as caught:
        model = MODELS[name].fit(A)
    assert len(caught) == 1
    if name == "GraphTailor":
        assert model.decision_.isolated == 2
        assert "2 of them have no edge" in str(model.decision_)


def test_a_graph_without_isolated_vertices_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        PrecomputedGraph().fit(WHOLE)
