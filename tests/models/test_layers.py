"""Layers: one ensemble, every number of clusters, and the tree between them."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_moons
from sklearn.metrics import pairwise_distances

from graphtailor import GraphTailor, load_model, save_model

IRIS = load_iris().data


@pytest.fixture(scope="module")
def model():
    return GraphTailor(random_state=0).fit(IRIS)


def test_layers_run_from_the_finest_to_two(model):
    numbers = [level.n_clusters for level in model.n_clusters_path_]
    assert numbers == list(range(2, 21))
    for labels, c in zip(model.cluster_layers_, reversed(numbers), strict=True):
        assert labels.shape == (150,)
        assert set(labels) == set(range(c))
        assert (np.diff(np.bincount(labels)) <= 0).all()  # the largest is number 0


@pytest.mark.parametrize("c", [2, 3, 7])
def test_a_layer_is_the_model_at_its_number_and_a_fit_with_it(model, c):
    there, asked = model.at(c), GraphTailor(c, random_state=0).fit(IRIS)
    layer = model.cluster_layers_[-(c - 1)]
    np.testing.assert_array_equal(there.labels_, layer)
    assert there.indicator_.tobytes() == asked.indicator_.tobytes()
    np.testing.assert_array_equal(there.predict(IRIS), layer)
    assert there.n_clusters_ == there.decision_.n_clusters == c
    assert there.affinity_matrix_.shape == (149, 149)
    assert asked.n_clusters_path_ == model.n_clusters_path_ or c != 2
    assert [level.score for level in asked.n_clusters_path_] == [
        level.score for level in model.n_clusters_path_
    ]


def test_the_model_at_its_own_number_is_itself(model):
    assert model.at(model.n_clusters_) is model
    assert model.suggested_n_clusters_[0] == model.n_clusters_


@pytest.mark.parametrize("wrong", [0, 2.0, "3", 150, None])
def test_numbers_that_cannot_be(model, wrong):
    with pytest.raises(ValueError, match=r"n_clusters=.* from 1 to 149"):
        model.at(wrong)


def test_numbers_beyond_the_path(model):
    many = model.at(40)
    assert len(np.unique(many.labels_)) == 40
    assert (model.at(1).labels_ == 0).all()


def test_every_cluster_hangs_below_the_one_that_holds_most_of_it(model):
    layers, tree = model.cluster_layers_, model.cluster_tree_
    assert sorted(tree[len(layers), 0]) == [(len(layers) - 1, 0), (len(layers) - 1, 1)]
    parents = {child: node for node, children in tree.items() for child in children}
    for layer in range(len(layers) - 1):
        for cluster in range(layers[layer].max() + 1):
            inside = layers[layer + 1][layers[layer] == cluster]
            above, parent = parents[layer, cluster]
            assert above == layer + 1
            assert np.bincount(inside)[parent] == np.bincount(inside).max()


def test_every_cluster_has_a_persistence(model):
    figures = model.cluster_persistence_
    assert [len(each) for each in figures] == list(range(20, 1, -1))
    for labels, each, mean in zip(
        model.cluster_layers_, figures, model.persistence_scores_, strict=True
    ):
        assert (np.abs(each) <= 1).all()
        assert mean == pytest.approx(each[labels].mean())


def test_a_saved_model_has_its_layers(model, tmp_path):
    save_model(model, tmp_path / "iris.npz")
    again = load_model(tmp_path / "iris.npz")
    assert again.n_clusters_path_ == model.n_clusters_path_
    assert again.suggested_n_clusters_ == model.suggested_n_clusters_
    assert again.cluster_tree_ == model.cluster_tree_
    for one, other in zip(again.cluster_layers_, model.cluster_layers_, strict=True):
        np.testing.assert_array_equal(one, other)
    assert again.at(5).indicator_.tobytes() == model.at(5).indicator_.tobytes()
    assert again.indicator_.tobytes() == model.indicator_.tobytes()


def test_a_saved_model_of_separated_shapes_has_its_layers(tmp_path):
    X, _ = make_moons(200, noise=0.05, random_state=0)
    model = GraphTailor(5, random_state=0).fit(X)
    save_model(model, tmp_path / "moons.npz")
    again = load_model(tmp_path / "moons.npz")
    np.testing.assert_array_equal(again.at(2).labels_, model.at(2).labels_)
    assert model.at(2).decision_.cut == "the graph of neighbours"


def test_a_second_fit_forgets_the_layers_of_the_first():
    model = GraphTailor(random_state=0).fit(IRIS)
    first = model.cluster_layers_
    model.fit(load_wine().data)
    assert len(model.cluster_layers_[0]) == 178 != len(first[0])


@pytest.mark.parametrize("metric", ["precomputed", "affinity"])
def test_layers_of_pairs(metric):
    D = pairwise_distances(load_wine().data[:, :4])
    X = D if metric == "precomputed" else np.exp(-D / D.mean())
    model = GraphTailor(metric=metric, random_state=0).fit(X)
    np.testing.assert_array_equal(model.at(4).labels_, model.cluster_layers_[-3])
    np.testing.assert_array_equal(model.at(4).predict(X), model.at(4).labels_)


def test_layers_of_anchors():
    X = load_wine().data
    model = GraphTailor(representatives=60, random_state=0).fit(X)
    assert model.n_clusters_path_[-1].n_clusters == 15
    np.testing.assert_array_equal(model.at(4).labels_, model.cluster_layers_[-3])


def test_layers_of_a_dask_array():
    da = pytest.importorskip("dask.array")
    X = load_wine().data
    there = GraphTailor(random_state=0).fit(da.from_array(X, chunks=(60, 13)))
    here = GraphTailor(random_state=0).fit(X)
    np.testing.assert_array_equal(there.at(4).labels_.compute(), here.at(4).labels_)
    np.testing.assert_array_equal(
        there.cluster_layers_[-3].compute(), here.cluster_layers_[-3]
    )
