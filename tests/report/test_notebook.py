"""The view of a model in a notebook."""

import numpy as np
from markupsafe import escape
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor, JointModel
from graphtailor.report.fit_page import model_html


def test_a_model_before_and_after_its_fit():
    X, _ = make_blobs(50, centers=3, random_state=0)
    model = GraphTailor(n_clusters=3, random_state=0)
    before = model_html(model)
    assert "GraphTailor" in before
    assert "data:image/png" not in before
    after = model_html(model.fit(X))
    assert after.count("data:image/png") == 1
    assert "50 rows in 3 clusters" in after
    for k, size in enumerate(np.bincount(model.labels_)):
        assert f"cluster {k}: {size} " in after
    for sentence in model.decision_.sentences():
        assert escape(sentence) in after
    alone = model_html(JointModel(n_clusters=3, random_state=0).fit(X))
    assert alone.count("data:image/png") == 1


def test_many_clusters_and_other_labels_are_cut_short():
    X, _ = make_blobs(60, centers=20, random_state=0)
    model = JointModel(n_clusters=20, n_init=1, random_state=0).fit(X)
    model.labels_ = np.arange(60) % 20
    assert "and 8 more" in model_html(model)
    model.labels_ = object()  # such as a Dask array
    assert "data:image/png" not in model_html(model)


def test_a_model_reports_itself_in_a_frame():
    X, _ = make_blobs(50, centers=3, random_state=0)
    page = GraphTailor(n_clusters=3, random_state=0).fit(X).report(X)
    assert page.startswith("<!doctype html>")
    shown = page._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert shown.count("<") == 2
