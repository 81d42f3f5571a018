"""Layers and their tree, as EVoC gives them."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor

REASON = "NOT CHECKED with evoc: `make test-integrations` installs it"
pytest.importorskip("evoc", reason=REASON)


@pytest.fixture(scope="module")
def model():
    X, _ = make_blobs(150, centers=6, n_features=4, random_state=3)
    return GraphTailor(random_state=0).fit(X)


def test_layers_are_labels_from_fine_to_coarse(model):
    numbers = [labels.max() + 1 for labels in model.cluster_layers_]
    assert numbers == sorted(numbers, reverse=True)
    assert all(labels.shape == (150,) for labels in model.cluster_layers_)
    assert len(model.persistence_scores_) == len(numbers)


def test_the_tree_has_the_form_of_evoc_s_own(model):
    from evoc.clustering_utilities import build_cluster_tree

    theirs = build_cluster_tree(
        [each.astype(np.int64) for each in model.cluster_layers_]
    )
    own = model.cluster_tree_
    for tree in (theirs, own):
        children = [child for listed in tree.values() for child in listed]
        assert len(set(children)) == len(children)
        everywhere = {
            (layer, k)
            for layer, labels in enumerate(model.cluster_layers_)
            for k in range(labels.max() + 1)
        }
        assert set(children) == everywhere
    root = (len(model.cluster_layers_), 0)
    assert root in theirs
    assert root in own
