"""Ensembles on anchors: many clusterings for very many rows."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor
from graphtailor.io.models import load_model, save_model
from graphtailor.report import fit_report
from graphtailor.representatives.ensemble import ensemble_of_anchors

SIZES = [3_000, 1_000, 300]
X, TRUTH = make_blobs(SIZES, 5, cluster_std=0.7, random_state=2)


def make_model(**parameters):
    asked = {"graph": "ensemble", "tier": "anchors", "anchors": 150} | parameters
    return GraphTailor(3, random_state=0, **asked)


@pytest.fixture(scope="module")
def model():
    return make_model().fit(X)


def test_unequal_clusters_are_found_and_predicted(model):
    assert (model.graph_, model.tier_) == ("ensemble", "anchors")
    assert [start.kind for start in model.starts_] == ["ensemble"]
    assert adjusted_rand_score(TRUTH, model.labels_) > 0.99
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_masses_stay_near_the_rows_they_stand_for(model):
    by_rows = make_model(graph="knn", diffusion=1).fit(X).anchor_masses_
    assert np.corrcoef(by_rows, model.anchor_masses_)[0, 1] > 0.9


def test_threads_and_a_file_change_nothing(model, tmp_path):
    alone = make_model(n_jobs=1).fit(X)
    np.testing.assert_array_equal(alone.indicator_, model.indicator_)
    save_model(model, tmp_path / "model.npz")
    read = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(read.predict(X), model.labels_)


def test_the_number_of_anchors_is_found():
    found = make_model(anchors="auto").fit(X)
    assert adjusted_rand_score(TRUTH, found.labels_) > 0.99


def test_self_expression_and_a_walk_can_be_asked_for(model):
    asked = make_model(alpha=10.0, diffusion=4).fit(X)
    assert adjusted_rand_score(TRUTH, asked.labels_) > 0.99
    assert abs(asked.given_graph_ - model.given_graph_).max() > 0


def test_other_starts_can_be_asked_for():
    asked = make_model(init="k-means", n_init=2).fit(X)
    assert [start.kind for start in asked.starts_] == ["k-means"] * 2
    assert adjusted_rand_score(TRUTH, asked.labels_) > 0.99


def test_the_report_knows_such_a_fit(model):
    assert "3 clusters" in fit_report(model, X)


def test_few_different_rows_are_anchors_themselves():
    few = np.repeat(np.eye(3), 20, axis=0)
    assert adjusted_rand_score(np.repeat(range(3), 20), make_model().fit_predict(few))
    one = make_model().set_params(n_clusters=1).fit(np.ones((20, 2)))
    assert (one.labels_ == 0).all()


def test_an_anchor_without_rows_is_joined_to_nothing():
    anchors, truth = make_blobs(40, centers=2, random_state=0)
    shared = sparse.csr_array(np.diag(np.r_[0.0, np.full(39, 5.0)]))
    joined, labels = ensemble_of_anchors(anchors, shared, n_clusters=2, seed=0)
    dense = joined.toarray()
    np.testing.assert_allclose(dense, dense.T)
    assert dense.min() >= 0
    assert dense[0].sum() == 0
    assert (dense.diagonal()[1:] > 0).all()
    assert adjusted_rand_score(truth, labels) == 1
