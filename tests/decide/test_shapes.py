"""Clusters that near neighbours show and k-means does not."""

from itertools import product

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs, make_circles, make_moons

from graphtailor import GraphTailor
from graphtailor.decide.shapes import find_shapes
from graphtailor.graphs.ensemble.views import make_view
from graphtailor.metrics import clustering_accuracy


def spirals(n, turns=2.0, noise=0.05):
    rng = np.random.default_rng(0)
    arm = np.repeat([0, 1], n // 2)
    radius = rng.uniform(0.5, 3.0, n)
    angle = turns * radius + np.pi * arm
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return X + rng.normal(0, noise, X.shape), arm


def shapes_of(X, c):
    return find_shapes(make_view(X, "as it is", 0, np.ones(len(X))), [c])


@pytest.mark.parametrize(
    ("X", "y"),
    [
        make_moons(300, noise=0.06, random_state=0),
        make_circles(300, factor=0.5, noise=0.04, random_state=0),
        make_circles(3_000, factor=0.5, noise=0.03, random_state=0),
        make_moons(6_000, noise=0.06, random_state=0),
        spirals(400),
    ],
    ids=["moons", "rings", "3,000 rings", "moons of anchors", "spirals"],
)
def test_labels_are_the_shapes(X, y):
    model = GraphTailor(2, random_state=0).fit(X)
    assert model.decision_.shapes
    assert clustering_accuracy(y, model.labels_) == 1


def test_real_data_are_left_to_the_ensemble():
    assert not GraphTailor(3, random_state=0).fit(load_iris().data).decision_.shapes


def test_compact_clusters_and_outliers_are_not_shapes():
    rng = np.random.default_rng(0)
    bars = rng.uniform(-9, 9, size=(200, 2)) * [1, 0.05]
    bars[:100, 1] += 6
    assert shapes_of(bars, 2) is not None
    blobs, _ = make_blobs(200, centers=[[0, 0], [9, 9]], random_state=0)
    assert shapes_of(blobs, 2) is None
    one, _ = make_blobs(200, centers=[[0, 0]], random_state=0)
    assert shapes_of(one, 2) is None
    outliers = np.full((12, 2), 90.0) + rng.normal(size=(12, 2))
    assert shapes_of(np.vstack([one, outliers]), 2) is None


def test_parts_made_by_binary_columns_are_not_shapes():
    """Eight separated parts: which of them form two clusters is not in the graph."""
    rng = np.random.default_rng(0)
    binary = np.array(list(product([0.0, 1.0], repeat=3)))
    X = np.repeat(binary, 60, axis=0)
    X = np.column_stack([X, 0.2 * rng.normal(size=(480, 2))])
    assert shapes_of(X, 2) is None
    assert shapes_of(X, 3) is None


def test_clusters_are_as_large_as_the_rows_they_stand_for():
    """A ring of few but heavy samples is not an outlier."""
    X, y = make_circles(300, factor=0.3, noise=0.03, random_state=0)
    inner = np.flatnonzero(y)[:20]
    kept = np.r_[np.flatnonzero(y == 0), inner]
    masses = np.where(y[kept] == 1, 8.0, 1.0)
    alone = find_shapes(make_view(X[kept], "as it is", 0, np.ones(170)), [2])
    heavy = find_shapes(make_view(X[kept], "as it is", 0, masses), [2])
    assert alone is not None
    assert heavy is not None
    light = np.r_[np.flatnonzero(y == 0), inner[:12]]
    masses = np.where(y[light] == 1, 1.0, 12.0)
    assert find_shapes(make_view(X[light], "as it is", 0, masses), [2]) is None
