"""The ensemble graph: weights, new samples, threads, hard inputs."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.graphs.ensemble.members import KMeansMembers, SpectralMembers
from graphtailor.graphs.ensemble.views import SPARSE_VIEWS, VIEWS

X, Y = make_blobs([90, 45, 15], 4, cluster_std=0.6, random_state=3)
QUICK = EnsembleGraph(views=["as it is", "standard"], random_state=0)


@pytest.fixture(scope="module")
def fitted():
    return EnsembleGraph(random_state=0).fit(X)


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


def test_weights_grow_with_the_rows_that_a_pair_stands_for():
    masses = np.random.default_rng(0).integers(1, 9, len(X))
    weighted = clone(QUICK).fit(X, masses=masses)
    np.testing.assert_array_equal(weighted.ensemble_.masses, masses)
    pairs = sparse.coo_array(weighted.weights_)
    shares = weighted.ensemble_.on_pairs(pairs.row, pairs.col)
    pull = np.sqrt(masses[pairs.row] * masses[pairs.col]) / masses.max()
    np.testing.assert_allclose(pairs.data, shares * pull, atol=1e-12)


def test_every_kind_looks_in_every_view(fitted):
    assert fitted.views_ == tuple(VIEWS)
    kinds = {"spectral", "k-means", "mixture", "layout"}
    looked = {(member.kind, member.view) for member in fitted.members_}
    assert looked == {(kind, view) for kind in kinds for view in VIEWS}


def test_sparse_samples_stay_sparse():
    builder = EnsembleGraph(random_state=0).fit(sparse.csr_array(X))
    assert builder.views_ == SPARSE_VIEWS
    assert builder.to_new(sparse.csr_array(X[:3])).shape == (3, 150)
    with pytest.raises(ValueError, match=r"views=.*sparse X dense"):
        EnsembleGraph(views=["ranks"]).fit(sparse.csr_array(X))


def test_unequal_blobs_are_found(fitted):
    assert adjusted_rand_score(Y, fitted.cuts().at(3)[0].labels) == 1.0


def test_new_samples_join_their_cluster(fitted):
    W = fitted.to_new(X + 1e-3)
    assert W.shape == (150, 150)
    to_cluster = W @ np.eye(3)[Y]
    np.testing.assert_array_equal(to_cluster.argmax(axis=1), Y)


def test_same_graph_on_any_number_of_threads():
    builders = [clone(QUICK).set_params(n_jobs=n).fit(X) for n in (1, 3, -2)]
    for other in builders[1:]:
        assert (builders[0].affinity_ != other.affinity_).nnz == 0
        for a, b in zip(builders[0].members_, other.members_, strict=True):
            np.testing.assert_array_equal(a.labels, b.labels)


def test_finished_tasks_are_counted():
    seen = []
    clone(QUICK).fit(X, watch=lambda done, total: seen.append((done, total)))
    # Four kinds look three times in two views.
    assert seen == [(done, 24) for done in range(1, 25)]


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((12, 3)),
        np.repeat(np.eye(3), 5, axis=0),
        np.arange(8.0).reshape(4, 2),
        np.random.default_rng(0).normal(size=(30, 2)).astype(np.float32),
        np.random.default_rng(0).normal(size=(2, 2)),
        1e200 * np.random.default_rng(0).normal(size=(30, 2)),
    ],
    ids=["constant", "duplicates", "n is c", "float32", "two samples", "huge"],
)
def test_degenerate_samples(X):
    builder = EnsembleGraph(random_state=0).fit(X)
    assert np.isfinite(builder.affinity_.data).all()
    assert builder.cuts().at(2)[0].labels.shape == (len(X),)
    assert np.isfinite(builder.to_new(X).data).all()


def test_one_sample_is_refused():
    with pytest.raises(ValueError, match="minimum of 2"):
        EnsembleGraph().fit([[1.0, 2.0]])


@pytest.mark.parametrize("members", [["k-means"], [], [SpectralMembers(), None]])
def test_members_that_are_no_kind_are_named(members):
    with pytest.raises(ValueError, match=r"members=.*KMeansMembers\(\)"):
        EnsembleGraph(members=members).fit(X)


def test_auto_is_a_list_of_kinds():
    kinds = EnsembleGraph()._kinds()
    assert {type(kind) for kind in kinds} > {SpectralMembers, KMeansMembers}
    auto, named = (
        clone(QUICK).set_params(members=members).fit(X) for members in ("auto", kinds)
    )
    assert (auto.affinity_ != named.affinity_).nnz == 0
