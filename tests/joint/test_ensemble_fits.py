"""The joint model on the ensemble graph: starts, judge and predictions."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor
from graphtailor.graphs.ensemble import EnsembleGraph
from graphtailor.joint.member_fits import joint_fits
from graphtailor.joint.neighboring_settings import (
    hindrance_to_refits,
    neighboring_settings,
)
from graphtailor.model_files import load_model, save_model

X, y = make_blobs(120, centers=4, cluster_std=2.0, random_state=1)


@pytest.fixture(scope="module")
def model():
    return GraphTailor(4, graph="ensemble", random_state=0).fit(X)


def test_the_graph_is_that_of_the_builder(model):
    rows = X / np.abs(X).max(axis=0)
    built = EnsembleGraph(4, fits=joint_fits, random_state=0).fit(rows)
    np.testing.assert_array_equal(
        model.given_graph_.toarray(), built.affinity_.toarray()
    )
    np.testing.assert_array_equal(model.ensemble_.stability_, built.stability_)


def test_starts_are_the_cuts_and_members_judge(model):
    assert {start.kind for start in model.starts_} == {"ensemble"}
    assert len(model.starts_) == 2
    best = model.selection_["agreement"].argmax()
    assert model.alpha_ == model.selection_["alpha"][best]
    assert model.diffusion_ == 0
    start = max(model.ensemble_.agreement(start.labels) for start in model.starts_)
    assert start == pytest.approx(model.selection_["agreement"].max(), abs=1e-12)


def test_neighbouring_settings_are_tried_on_the_same_graph(model, monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("the ensemble was built again")

    monkeypatch.setattr(EnsembleGraph, "fit", refuse)
    found = neighboring_settings(model, X)
    assert found.agreement.shape == (3, 3)
    assert found.size_name == ""


def test_a_saved_ensemble_cannot_be_fitted_again(model, tmp_path):
    save_model(model, tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert again.graph_ == "ensemble"
    assert "not part of a saved model" in hindrance_to_refits(again, X)


def test_clear_clusters_are_found_and_predicted():
    points, truth = load_iris(return_X_y=True)
    found = GraphTailor(3, graph="ensemble", random_state=0).fit(points)
    assert adjusted_rand_score(truth, found.labels_) > 0.85
    np.testing.assert_array_equal(found.predict(points), found.labels_)
    assert adjusted_rand_score(found.predict(points + 1e-3), found.labels_) > 0.95


def test_threads_and_a_file_change_nothing(model, tmp_path):
    one = GraphTailor(4, graph="ensemble", random_state=0, n_jobs=1).fit(X)
    np.testing.assert_array_equal(one.labels_, model.labels_)
    save_model(model, tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.labels_, model.labels_)
    np.testing.assert_array_equal(again.predict(X + 0.1), model.predict(X + 0.1))


def test_the_number_of_clusters_can_be_left_open():
    points, truth = make_blobs(150, centers=3, cluster_std=0.5, random_state=0)
    found = GraphTailor("auto", graph="ensemble", random_state=0).fit(points)
    assert found.n_clusters_ == 3
    assert adjusted_rand_score(truth, found.labels_) == 1


def test_anchors_and_ensembles_do_not_go_together():
    with pytest.raises(ValueError, match="graph is 'ensemble'"):
        GraphTailor(4, graph="ensemble", tier="anchors").fit(X)
