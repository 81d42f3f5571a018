"""networkx and igraph: their graphs handed to `fit`."""

import numpy as np
import pytest

from graphtailor import GraphTailor, JointModel

REASON = "NOT CHECKED with {}: `make test-integrations` installs it"
RNG = np.random.default_rng(0)
Y = np.repeat([0, 1], 15)
JOINED = np.where(Y[:, None] == Y, 0.5, 0.04)
A = np.triu((RNG.random((30, 30)) < JOINED) * RNG.uniform(0.5, 1.5, (30, 30)), 1)
A = A + A.T
MODELS = {
    "GraphTailor": GraphTailor(2, metric="affinity", random_state=0),
    "JointModel": JointModel(2, graph="precomputed", n_init=2, random_state=0),
}


@pytest.fixture(params=["networkx", "igraph"])
def library(request):
    return pytest.importorskip(request.param, reason=REASON.format(request.param))


@pytest.fixture
def graph(library):
    if library.__name__ == "networkx":
        return library.from_numpy_array(A)
    return library.Graph.Weighted_Adjacency(A, mode="undirected")


@pytest.mark.parametrize("name", MODELS)
def test_a_graph_is_its_matrix(graph, name):
    expected = MODELS[name].fit(A).labels_
    np.testing.assert_array_equal(MODELS[name].fit(graph).labels_, expected)


def test_edges_without_weights_weigh_one(library):
    i, j = np.nonzero(np.triu(A))
    pairs = list(zip(i.tolist(), j.tolist(), strict=True))
    if library.__name__ == "networkx":
        graph = library.Graph()
        graph.add_nodes_from(range(30))
        graph.add_edges_from(pairs)
    else:
        graph = library.Graph(n=30, edges=pairs)
    model = MODELS["JointModel"]
    expected = model.fit((A > 0).astype(float)).labels_
    np.testing.assert_array_equal(model.fit(graph).labels_, expected)


@pytest.mark.parametrize(
    ("model", "how"),
    [
        (GraphTailor(), r"GraphTailor\(metric='affinity'\)"),
        (GraphTailor(metric="precomputed"), r"GraphTailor\(metric='affinity'\)"),
        (JointModel(), r"JointModel\(graph='precomputed'\)"),
    ],
    ids=["samples", "distances", "joint"],
)
def test_a_model_of_something_else_says_how(graph, model, how):
    with pytest.raises(TypeError, match=f"X is a graph.*{how}"):
        model.fit(graph)


def test_a_graph_without_vertices_is_refused(library):
    with pytest.raises(ValueError, match="0 sample"):
        MODELS["JointModel"].fit(library.Graph())


@pytest.mark.parametrize("weight", ["heavy", None])
def test_weights_that_are_no_numbers_are_named(library, weight):
    if library.__name__ == "networkx":
        graph = library.path_graph(4)
        library.set_edge_attributes(graph, weight, "weight")
    else:
        graph = library.Graph.Ring(4)
        graph.es["weight"] = ["heavy"] * 4 if weight else [1.0, None, 1.0, "x"]
    with pytest.raises(ValueError, match='edge attribute "weight" of X'):
        MODELS["GraphTailor"].fit(graph)
