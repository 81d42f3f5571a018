"""A fit in numbers: everything that GraphTailor decided is in it, for JSON."""

import json

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor, JointModel
from graphtailor.baselines import KMeansClustering
from graphtailor.io.models import load_model, load_notes, save_model
from graphtailor.report import FitSummary, summarize_fit

CENTERS = [[0, 0], [9, 0], [0, 9], [9, 9]]
X, y = make_blobs(80, centers=CENTERS, cluster_std=0.5, random_state=0)


@pytest.fixture(scope="module")
def model():
    return GraphTailor(random_state=0).fit(X)


def test_the_decision_in_sentences_and_fields(model):
    summary, decision = summarize_fit(model), model.decision_
    told = summary.decision
    assert told["sentences"] == decision.sentences()
    assert set(told) == {"sentences", *vars(decision)}
    assert told["levels"][0] == vars(decision.levels[0])
    assert told["verdict"] == vars(decision.verdict)
    assert json.loads(json.dumps(summary.to_dict())) == summary.to_dict()


def test_models_that_decide_nothing():
    for method in (JointModel, KMeansClustering):
        assert summarize_fit(method(4, random_state=0).fit(X)).decision is None


def test_sizes_scores_and_starts(model):
    summary = summarize_fit(model, y_true=y)
    assert summary.sizes == np.bincount(model.labels_).tolist()
    assert summary.n_clusters == model.n_clusters_ == 4
    assert summary.scores["ACC"] == 1.0
    assert summary.objective == model.objective_[-1] <= summary.objective_at_start
    joint = JointModel(4, n_init=4, random_state=0).fit(X)
    starts = summarize_fit(joint).starts
    assert [start["kind"] for start in starts] == [s.kind for s in joint.starts_]
    best = min(starts, key=lambda start: start["objective"])
    assert best["agreement"] == pytest.approx(1.0)


def test_a_saved_model_keeps_it(model, tmp_path):
    path, summary = tmp_path / "model.npz", summarize_fit(model)
    save_model(model, path, notes={"summary": summary.to_dict()})
    assert FitSummary(**load_notes(path)["summary"]) == summary
    assert summarize_fit(load_model(path)).decision == summary.decision
