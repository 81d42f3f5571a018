"""Reading fitted models of any class; no other module reads them."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics import pairwise_distances

import graphtailor
from graphtailor import EnsembleGraph, GraphTailor, JointModel, NeighborGraph
from graphtailor.baselines import KMeansClustering, SymNMF
from graphtailor.diagnostics.model_access import (
    FittedView,
    has_labels,
    scaled_features,
    view_of,
)
from graphtailor.io.models import load_model, save_model

X, _ = make_blobs(60, centers=3, random_state=0)


def test_a_given_graph_is_not_called_learned():
    graph = np.ones((2, 2))
    cut = SimpleNamespace(
        labels_=np.zeros(2),
        affinity_matrix_=graph,
        graph_=SimpleNamespace(affinity_=graph),
    )
    view = view_of(cut)
    assert view.learned is None
    assert view.given is graph
    assert list(view.graphs()) == ["given"]


def test_graph_tailor():
    model = GraphTailor(3, random_state=0).fit(X)
    view = view_of(model)
    assert view.learned is model.model_.affinity_matrix_
    assert view.given is model.ensemble_.affinity_
    assert view.from_ensemble
    assert view.decision is model.decision_
    assert view.n_clusters == view.parameters["n_clusters"] == 3
    assert [start.kind for start in view.starts] == ["given"]
    assert view.noun == "rows"
    assert view_of(GraphTailor("auto", random_state=0).fit(X)).n_clusters is None


def test_joint_model():
    model = JointModel(3, n_init=2, random_state=0).fit(X)
    view = view_of(model)
    assert view.given is model.graph_.affinity_
    assert view.learned is model.affinity_matrix_
    assert (view.vertices, view.decision, view.from_ensemble) == (None, None, False)
    assert len(view.starts) == 2
    assert view.vertex_labels is model.labels_
    members = JointModel(3, graph=EnsembleGraph(random_state=0), random_state=0)
    assert view_of(members.fit(X)).from_ensemble


def test_compared_methods():
    plain = view_of(KMeansClustering(3, random_state=0).fit(X))
    assert plain.graphs() == {}
    assert (plain.decision, plain.n_clusters, plain.n_features) == (None, 3, 2)
    cut = SymNMF(3, random_state=0).fit(X)
    assert view_of(cut).given is cut.graph_.affinity_


@pytest.mark.parametrize("as_sparse", [False, True])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_vertices_are_found_among_the_rows(metric, as_sparse):
    """Representatives have an order of their own."""
    data = sparse.csr_array(X) if as_sparse else X
    model = GraphTailor(3, metric=metric, scaling="minmax", random_state=0)
    if as_sparse:
        model.set_params(scaling="maxabs")
    model.fit(data)
    view = view_of(model)
    features = scaled_features(view, data)
    found = view.vertices.representatives
    rows = np.argsort(found.memberships(features).nearest[:, 0])
    assert sorted(rows) == list(range(60))
    assert not np.array_equal(rows, np.arange(60))
    differences = features[rows] - found.points
    assert abs(differences).max() < 1e-12
    np.testing.assert_array_equal(view.vertex_labels, model.labels_[rows])


def test_distinct_rows_and_anchors():
    twice = np.vstack([X, X])
    view = view_of(GraphTailor(3, random_state=0).fit(twice))
    assert (view.noun, len(view.vertex_labels)) == ("distinct rows", 60)
    anchors = view_of(GraphTailor(3, representatives=20, random_state=0).fit(X))
    assert (anchors.noun, len(anchors.vertex_labels)) == ("anchors", 20)
    assert anchors.vertices.representatives.masses.sum() == 60


def test_given_pairs_are_rows_in_their_order():
    W = NeighborGraph().fit(X).affinity_
    view = view_of(GraphTailor(3, metric="affinity", random_state=0).fit(W))
    assert abs(view.given - NeighborGraph().fit(X).affinity_).max() < 0.5
    assert (view.vertices, view.noun, view.from_ensemble) == (None, "rows", False)
    D = pairwise_distances(X)
    distances = GraphTailor(3, metric="precomputed", random_state=0).fit(D)
    assert view_of(distances).takes_pairs
    assert scaled_features(view_of(distances), D) is None


def test_a_loaded_model_looks_the_same(tmp_path):
    model = GraphTailor(3, random_state=0).fit(X)
    save_model(model, tmp_path / "model.npz")
    first, second = view_of(model), view_of(load_model(tmp_path / "model.npz"))
    assert first.decision == second.decision
    np.testing.assert_array_equal(first.vertex_labels, second.vertex_labels)
    assert abs(first.given - second.given).max() == 0


def test_labels_on_the_workers_of_a_cluster_are_not_here():
    assert not has_labels(GraphTailor())
    assert not has_labels(SimpleNamespace(labels_=object()))
    assert has_labels(SimpleNamespace(labels_=np.zeros(2)))


def test_no_other_module_reads_the_attributes_of_a_model():
    """A change of a model's attributes is then a change of one module."""
    root = Path(graphtailor.__file__).parent
    fitted = re.compile(r"\b(model|estimator)\.\w+_\b|getattr\(")
    lines = [
        f"{path.name}: {line.strip()}"
        for room in ("diagnostics", "plot", "report")
        for path in sorted((root / room).rglob("*.py"))
        if path.name not in ("model_access.py", "sensitivity.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if fitted.search(line) and not line.lstrip().startswith(">>>")
    ]
    allowed = "__init__.py: return getattr(import_module(_HOMES[name]), name)"
    assert [line for line in lines if line != allowed] == []
    assert FittedView(np.zeros(1)).graphs() == {}


def test_layers_are_those_of_the_model():
    X, _ = make_blobs(90, centers=4, cluster_std=2.0, random_state=0)
    for most in (4000, 30):
        model = GraphTailor(random_state=0, representatives=most).fit(X)
        view = view_of(model)
        found = [view.layers.labels[k] for k in sorted(view.layers.labels)]
        for mine, theirs in zip(found, reversed(model.cluster_layers_), strict=True):
            np.testing.assert_array_equal(mine, theirs)
        assert view.layers.suggested == model.suggested_n_clusters_
        rows = np.array([3, 50, 7])
        for number, labels in view.layers.labels.items():
            shares = view.layer_indicator(number, rows)
            np.testing.assert_array_equal(shares.argmax(axis=1), labels[rows])
