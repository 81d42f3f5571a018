"""Reading fitted models of any class; and nobody else reads them."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import graphtailor
from graphtailor import GraphTailor
from graphtailor.baselines import KMeansClustering
from graphtailor.diagnostics.model_access import FittedView, has_labels, view_of

X, _ = make_blobs(60, centers=3, random_state=0)


def test_a_given_graph_is_not_called_learned():
    graph = np.ones((2, 2))
    cut = SimpleNamespace(
        labels_=np.zeros(2), affinity_matrix_=graph, given_graph_=graph
    )
    view = view_of(cut)
    assert view.learned is None
    assert view.given is graph
    assert list(view.graphs()) == ["given"]
    with pytest.raises(ValueError, match="which must be"):
        view.graph("other")


def test_a_model_with_and_without_a_graph():
    model = GraphTailor(3, random_state=0).fit(X)
    view = view_of(model)
    assert view.learned is model.affinity_matrix_
    assert view.n_clusters == 3
    assert view.parameters["n_clusters"] == 3
    assert view.settings["alpha"] == model.alpha_
    assert view.n_tried == len(model.selection_["alpha"])
    assert view.members.number == len(model.ensemble_.members_)
    assert (view.noun, len(view.vertex_labels)) == ("rows", 60)
    plain = view_of(KMeansClustering(3, random_state=0).fit(X))
    assert plain.graphs() == {}
    assert (dict(plain.settings), plain.n_tried) == ({}, 0)


def test_anchors_are_the_vertices():
    model = GraphTailor(3, tier="anchors", random_state=0).fit(X)
    view = view_of(model)
    assert view.noun == "anchors"
    assert view.vertex_labels is model.anchor_labels_
    assert view.anchors.points is model.anchors_


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
