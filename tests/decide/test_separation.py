"""Clusters that the graph of nearest neighbours separates."""

from itertools import product

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import (
    load_breast_cancer,
    load_wine,
    make_circles,
    make_moons,
)
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import maxabs_scale

from graphtailor import GraphTailor
from graphtailor.decide.separation import _share_leaving, find_separation
from graphtailor.graphs.ensemble.views import make_view

RNG = np.random.default_rng(0)


def found(X, most=20, masses=None):
    X = maxabs_scale(np.unique(X, axis=0) if masses is None else X)
    masses = np.ones(len(X)) if masses is None else masses
    return find_separation(make_view(X, "as it is", 0, masses), X, most)


def spirals(n=400, turns=2.0, noise=0.05):
    arm = np.repeat([0, 1], n // 2)
    radius = np.random.default_rng(0).uniform(0.5, 3.0, n)
    angle = turns * radius + np.pi * arm
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return X + np.random.default_rng(1).normal(0, noise, X.shape), arm


def bars():
    X = np.random.default_rng(0).uniform(-9, 9, size=(200, 2)) * [1, 0.05]
    y = np.repeat([0, 1], 100)
    X[:, 1] += 6 * y
    return X, y


SHAPES = {
    "moons": make_moons(300, noise=0.06, random_state=0),
    "rings": make_circles(300, factor=0.5, noise=0.04, random_state=0),
    "spirals": spirals(),
    "bars": bars(),
}


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_found(name):
    X, y = SHAPES[name]
    separation = found(X, masses=np.ones(len(X)))
    assert separation.number == 2
    assert adjusted_rand_score(y, separation.labels[2]) == 1
    assert 0 <= separation.leaving <= 0.001
    # The mean of each bar is nearest to its own rows, and k-means stays there.
    assert separation.shapes == (name != "bars")
    assert separation.follows(2) == separation.shapes
    assert not separation.follows(7)
    pieces = np.arange(len(X)) % 7  # many edges leave these
    assert separation.overrules(pieces, 0.1)
    assert separation.overrules(pieces, 0.4) != separation.shapes


TABLES = {
    "wine": load_wine().data,
    "cancer": load_breast_cancer().data,
    "one blob": RNG.normal(size=(200, 3)),
    "uniform": RNG.uniform(size=(200, 2)),
    "outliers": np.vstack(
        [RNG.normal(size=(200, 2)), 90 + RNG.normal(size=(12, 2))],
    ),
    "binary columns": np.column_stack(
        [RNG.normal(size=200) / 9, *(RNG.integers(0, 2, 200) for _ in range(6))]
    ),
    "binary parts": np.column_stack(
        [
            np.repeat(list(product([0.0, 1.0], repeat=3)), 60, axis=0),
            0.2 * RNG.normal(size=(480, 2)),
        ]
    ),
    "binary alone": np.array(list(product([0.0, 1.0], repeat=4))),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_without_separated_clusters(name):
    assert found(TABLES[name]) is None


@pytest.mark.parametrize("sizes", [(100, 100), (150, 40, 15)], ids=["even", "unequal"])
def test_compact_clusters_are_separated_and_have_no_shapes(sizes):
    y = np.repeat(np.arange(len(sizes)), sizes)
    X = 9.0 * np.eye(len(sizes), 4)[y] + RNG.normal(size=(len(y), 4))
    separation = found(X, masses=np.ones(len(X)))
    assert separation.number == len(sizes)
    assert adjusted_rand_score(y, separation.labels[len(sizes)]) == 1
    assert not separation.shapes
    assert separation.overrules(np.zeros(len(X), dtype=int), 0.5)


def test_finer_clusters_are_believed_where_few_edges_leave_them():
    """Two pairs of blobs: the pairs are separated, and so are nearly their blobs."""
    y = np.repeat(np.arange(4), 60)
    rng = np.random.default_rng(1)
    corners = np.array([[0.0, 0.0], [0.0, 3.6], [30.0, 0.0], [30.0, 3.6]])
    X = corners[y] + rng.normal(size=(240, 2))
    masses = np.ones(240)
    separation = find_separation(make_view(X, "as it is", 0, masses), X, 20)
    assert separation.number == 2
    assert not separation.overrules(y, 0.3)
    assert separation.overrules(rng.integers(0, 4, 240), 0.3)


def test_more_parts_than_clusters_say_nothing_of_fewer():
    """Which of four rings belong together is not seen in the graph."""
    angle = np.tile(np.linspace(0, 2 * np.pi, 150, endpoint=False), 4)
    radius = np.repeat([1.0, 5.0, 9.0, 13.0], 150) + RNG.normal(0, 0.05, 600)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    separation = found(X)
    assert separation.number == 4
    assert 2 not in separation.labels


def test_clusters_are_as_large_as_the_rows_they_stand_for():
    """A ring of few samples that stand for few rows counts as outliers."""
    X, y = make_circles(300, factor=0.3, noise=0.03, random_state=0)
    X = X[np.r_[np.flatnonzero(y == 0), np.flatnonzero(y)[:20]]]
    masses = np.repeat([1.0, 8.0], [150, 20])
    assert found(X, masses=np.ones(170)).number == 2
    assert found(X, masses=masses).number == 2
    assert found(X, masses=8 / masses) is None


@pytest.mark.parametrize("name", ["moons", "rings", "spirals"])
def test_labels_are_the_shapes(name):
    X, y = SHAPES[name]
    model = GraphTailor(2, random_state=0).fit(X)
    assert model.decision_.shapes
    assert adjusted_rand_score(y, model.labels_) == 1


def test_shapes_of_anchors():
    X, y = make_moons(2_000, noise=0.06, random_state=0)
    model = GraphTailor(2, representatives=500, random_state=0).fit(X)
    assert model.decision_.shapes
    assert adjusted_rand_score(y, model.labels_) == 1


@pytest.mark.parametrize("seed", [0, 1])
def test_long_clusters_that_touch(seed):
    """More than 0.1 % of the edges leave them, but the next eigenvalue is far lower."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=1_000)
    angle = np.pi * (rng.random(len(y)) + y)
    X = np.stack([np.cos(angle) + y, np.sin(angle) + 0.05 * y], axis=1)
    X += 0.18 * rng.normal(size=X.shape)
    bananas = found(X, masses=np.ones(len(X)))
    assert bananas.leaving > 0.001
    assert adjusted_rand_score(y, bananas.labels[2]) > 0.98


@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_samples_show_nothing(n):
    for most in (1, 2, 20):
        assert found(RNG.normal(size=(n, 2)), most) is None


def test_the_share_that_leaves_is_that_of_the_worst_cluster():
    G = np.array([[0, 3, 1, 0], [3, 0, 0, 0], [1, 0, 0, 1], [0, 0, 1, 0]], dtype=float)
    leaving = _share_leaving(sparse.csr_array(G), np.array([0, 0, 1, 1]))
    assert leaving == pytest.approx(1 / 3)
