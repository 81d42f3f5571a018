"""Which graph the model is given where that is left open."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, make_blobs, make_circles, make_moons

from graphtailor import GraphTailor
from graphtailor.decide.shapes import choose_graph, neighbors_show_shapes
from graphtailor.metrics import clustering_accuracy

IRIS = load_iris().data


def spirals(n, turns=2.0, noise=0.05):
    rng = np.random.default_rng(0)
    arm = np.repeat([0, 1], n // 2)
    radius = rng.uniform(0.5, 3.0, n)
    angle = turns * radius + np.pi * arm
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return X + rng.normal(0, noise, X.shape), arm


SHAPES = {
    "moons": make_moons(300, noise=0.06, random_state=0),
    "rings": make_circles(300, factor=0.5, noise=0.04, random_state=0),
    "spirals": spirals(400),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_left_to_the_neighbours(name):
    X, y = SHAPES[name]
    model = GraphTailor(2, random_state=0).fit(X)
    assert model.graph_ == "knn"
    assert not hasattr(model, "ensemble_")
    assert clustering_accuracy(y, model.labels_) == 1


def test_real_data_are_left_to_the_ensemble():
    model = GraphTailor(3, random_state=0).fit(IRIS)
    assert model.graph_ == "ensemble"
    same = GraphTailor(3, graph="ensemble", random_state=0).fit(IRIS)
    np.testing.assert_array_equal(model.labels_, same.labels_)
    np.testing.assert_array_equal(
        model.given_graph_.toarray(), same.given_graph_.toarray()
    )


@pytest.mark.parametrize(
    "asked",
    [
        {"alpha": 100.0},
        {"beta": 1.0},
        {"diffusion": 4},
        {"n_neighbors": 5},
        {"support": 2},
        {"scaling": None},
        {"init": "random"},
        {"init": np.arange(150) % 3},
        {"metric": "manhattan"},
        {"kernel": "rbf"},
        {"tier": "full"},
        {"solver": "multiplicative", "max_iter": 3, "tol": 1e3},
        {"n_clusters": 1},
    ],
    ids=lambda asked: next(iter(asked)),
)
def test_whoever_asks_for_something_has_the_graph_of_neighbours(asked):
    model = GraphTailor(3, random_state=0).set_params(**asked).fit(IRIS)
    assert model.graph_ == "knn"
    plain = GraphTailor(3, graph="knn", random_state=0).set_params(**asked).fit(IRIS)
    np.testing.assert_array_equal(model.indicator_, plain.indicator_)


def test_sparse_and_many_samples_have_the_graph_of_neighbours():
    assert GraphTailor(3, random_state=0).fit(sparse.csr_array(IRIS)).graph_ == "knn"
    model = GraphTailor(3)
    model.tier_, model.beta_, model.n_clusters_ = "sparse", 100.0, 3
    assert choose_graph(model, np.zeros((5_001, 2))) == "knn"


def test_a_warm_start_keeps_the_graph():
    model = GraphTailor(3, warm_start=True, random_state=0).fit(IRIS)
    assert model.graph_ == "ensemble"
    labels = model.labels_.copy()
    assert model.fit(IRIS).graph_ == "ensemble"
    np.testing.assert_array_equal(model.labels_, labels)


def test_only_shapes_are_left_to_the_neighbours():
    rng = np.random.default_rng(0)
    bars = rng.uniform(-9, 9, size=(200, 2)) * [1, 0.05]
    bars[:100, 1] += 6
    assert neighbors_show_shapes(bars, 2, None)
    blobs, _ = make_blobs(200, centers=[[0, 0], [9, 9]], random_state=0)
    assert not neighbors_show_shapes(blobs, 2, None)
    one, _ = make_blobs(200, centers=[[0, 0]], random_state=0)
    assert not neighbors_show_shapes(one, 2, None)
    outliers = np.full((12, 2), 90.0) + rng.normal(size=(12, 2))
    assert not neighbors_show_shapes(np.vstack([one, outliers]), 2, None)


def test_copies_of_a_row_are_not_a_shape():
    """Each of the few different rows has all its neighbours among its copies."""
    rows = np.array(list(product([0.0, 1.0], repeat=4)))
    assert not neighbors_show_shapes(np.repeat(rows, 20, axis=0), 4, None)
    assert not neighbors_show_shapes(np.repeat(rows[:3], 20, axis=0), 4, None)
