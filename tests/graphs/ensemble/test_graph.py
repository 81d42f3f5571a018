"""The ensemble graph: weights, new samples, threads, hard inputs."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor.graphs.ensemble.graph import EnsembleGraph


@pytest.fixture(scope="module")
def blobs():
    return make_blobs([90, 45, 15], 4, cluster_std=0.6, random_state=3)


@pytest.fixture(scope="module")
def fitted(blobs):
    return EnsembleGraph(fewest=3, random_state=0).fit(blobs[0])


def test_graph_is_symmetric_nonnegative_and_normalised(fitted):
    G, W = fitted.weights_, fitted.affinity_
    assert abs(G - G.T).max() == 0
    assert abs(W - W.T).max() == 0
    assert G.data.min() > 0
    assert G.data.max() <= 1 + 1e-12
    assert not G.diagonal().any()
    scale = 1 / np.sqrt(G.sum(axis=1))
    expected = G.toarray() * np.outer(scale, scale)
    np.testing.assert_allclose(W.toarray(), expected, atol=1e-12)


def test_weights_are_shares_of_the_members_and_hold_no_cut(fitted):
    pairs = sparse.coo_array(fitted.weights_)
    shares = fitted.ensemble_.on_pairs(pairs.row, pairs.col)
    np.testing.assert_allclose(pairs.data, shares, atol=1e-12)


def test_members_have_at_least_the_fewest_clusters(fitted):
    sizes = [len(np.unique(m.labels)) for m in fitted.members_ if m.kind == "k-means"]
    assert min(sizes) >= 3


def test_unequal_blobs_are_found(fitted, blobs):
    assert adjusted_rand_score(blobs[1], fitted.cuts().at(3)[0].labels) == 1.0


def test_new_samples_join_their_cluster(fitted, blobs):
    X, y = blobs
    W = fitted.to_new(X + 1e-3)
    assert W.shape == (150, 150)
    to_cluster = W @ np.eye(3)[y]
    np.testing.assert_array_equal(to_cluster.argmax(axis=1), y)


def test_same_graph_on_any_number_of_threads(blobs):
    one = EnsembleGraph(n_rounds=1, random_state=5, n_jobs=1).fit(blobs[0])
    two = clone(one).set_params(n_jobs=3).fit(blobs[0])
    assert (one.affinity_ != two.affinity_).nnz == 0
    for a, b in zip(one.members_, two.members_, strict=True):
        np.testing.assert_array_equal(a.labels, b.labels)


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((12, 3)),
        np.repeat(np.eye(3), 5, axis=0),
        np.arange(8.0).reshape(4, 2),
        np.random.default_rng(0).normal(size=(30, 2)).astype(np.float32),
        np.random.default_rng(0).normal(size=(2, 2)),
    ],
    ids=["constant", "duplicates", "n is c", "float32", "two samples"],
)
def test_degenerate_samples(X):
    builder = EnsembleGraph(n_rounds=1, fewest=4, random_state=0).fit(X)
    assert np.isfinite(builder.affinity_.data).all()
    assert builder.cuts().at(2)[0].labels.shape == (len(X),)
    assert np.isfinite(builder.to_new(X).data).all()


def test_one_sample_is_refused():
    with pytest.raises(ValueError, match="minimum of 2"):
        EnsembleGraph().fit([[1.0, 2.0]])


def test_members_that_are_no_kind_are_named(blobs):
    with pytest.raises(ValueError, match="members="):
        EnsembleGraph(members=["k-means"]).fit(blobs[0])
