"""The joint model on the ensemble graph: starts, judge and predictions."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor
from graphtailor.diagnostics.quality import quality_indices
from graphtailor.diagnostics.sensitivity import neighboring_settings
from graphtailor.diagnostics.sensitivity_words import reading_sentence
from graphtailor.graphs import NeighborGraph
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.io.models import load_model, save_model
from graphtailor.models.joint_members import joint_fits
from graphtailor.report import fit_report

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


def test_other_starts_are_as_many_as_on_other_graphs():
    found = GraphTailor(4, graph="ensemble", init="random", random_state=0).fit(X)
    assert [start.kind for start in found.starts_] == 6 * ["random"]


def test_neighbouring_settings_are_tried_on_the_graph_of_neighbours(model):
    found = neighboring_settings(model, X)
    plain = clone(model).set_params(graph="knn", alpha=model.alpha_, diffusion=0)
    refit = plain.set_params(n_init=3, tol=1e-4, random_state=1).fit(X)
    value = adjusted_rand_score(model.labels_, refit.labels_)
    assert found.agreement[found.kept] == value
    assert found.size_name == "n_neighbors"
    said = reading_sentence(found)
    assert "a neighbour graph instead of the ensemble graph and other starts" in said


def test_noise_does_not_stay_though_the_graph_holds_its_cut():
    noise = np.random.default_rng(0).normal(size=(150, 10))
    found = GraphTailor(4, graph="ensemble", random_state=0).fit(noise)
    assert neighboring_settings(found, noise).agreement.max() < 0.6


def test_the_page_measures_clusters_on_a_graph_that_does_not_hold_them(model):
    noise = np.random.default_rng(0).normal(size=(150, 10))
    found = GraphTailor(4, graph="ensemble", random_state=0).fit(noise)
    held, _ = (
        index.value
        for index in quality_indices(found.labels_, graph=found.given_graph_)
    )
    near = NeighborGraph().fit(noise / np.abs(noise).max(axis=0)).affinity_
    seen, _ = (index.value for index in quality_indices(found.labels_, graph=near))
    assert seen < 0.75 * held
    page = fit_report(found, noise)
    assert f"<b>{seen:.3f}</b>" in page
    assert "on a neighbour graph" in page


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


def test_nothing_is_left_of_an_earlier_ensemble():
    again = GraphTailor(4, graph="ensemble", random_state=0).fit(X)
    assert hasattr(again, "ensemble_")
    assert not hasattr(again.set_params(graph="knn").fit(X), "ensemble_")
