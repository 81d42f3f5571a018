"""The view of a model in a notebook."""

import numpy as np
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor
from graphtailor.report.notebook import model_html


def test_a_model_before_and_after_its_fit():
    X, _ = make_blobs(50, centers=3, random_state=0)
    model = GraphTailor(n_clusters=3, n_init=2, random_state=0)
    before = model_html(model)
    assert "GraphTailor" in before
    assert "data:image/png" not in before
    after = model_html(model.fit(X))
    assert after.count("data:image/png") == 1
    assert "50 rows in 3 clusters" in after
    for k, size in enumerate(np.bincount(model.labels_)):
        assert f"cluster {k}: {size} " in after
    assert "chosen from 3 settings" in after
    alone = model_html(model.set_params(alpha=1000.0, diffusion=2).fit(X))
    assert "graph knn, alpha 1,000, beta 100, diffusion 2<" in alone


def test_many_clusters_and_other_labels_are_cut_short():
    X, _ = make_blobs(60, centers=20, random_state=0)
    model = GraphTailor(n_clusters=20, n_init=1, random_state=0).fit(X)
    found = len(np.unique(model.labels_))
    assert f"and {found - 12} more" in model_html(model)
    model.labels_ = object()  # such as a Dask array
    assert "data:image/png" not in model_html(model)
