"""The ensemble graph against brute force on full matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import maxabs_scale

from graphtailor.graphs import NeighborGraph
from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.graphs.ensemble.cuts import _factors
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.graphs.ensemble.members import (
    mixture_labels,
    smooth_vectors,
)
from graphtailor.graphs.ensemble.views import VIEWS, see

partitions = st.integers(3, 9).flatmap(
    lambda n: st.tuples(
        st.lists(
            st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1, max_size=5
        ),
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
    )
)


def together(labels):
    """Off-diagonal entries of the 0/1 matrix of a partition."""
    labels = np.asarray(labels)
    P = (labels[:, None] == labels[None]).astype(float)
    return P[~np.eye(len(labels), dtype=bool)]


def brute_agreement(members, labels):
    """Mean of the correlations; 0 for a matrix that is constant."""
    P = together(labels)
    values = []
    for member in members:
        Q = together(member)
        constant = P.std() == 0 or Q.std() == 0
        values.append(0.0 if constant else np.corrcoef(P, Q)[0, 1])
    return np.mean(values)


@pytest.fixture(scope="module")
def blobs():
    return make_blobs([90, 45, 15], 4, cluster_std=0.6, random_state=3)


@pytest.fixture(scope="module")
def fitted(blobs):
    return EnsembleGraph(3, random_state=0).fit(blobs[0])


@given(partitions)
@settings(max_examples=60)
def test_agreement_is_the_mean_correlation(case):
    members, labels = case
    ensemble = CoAssociation([np.array(member) for member in members])
    expected = brute_agreement(members, labels)
    assert ensemble.agreement(np.array(labels)) == pytest.approx(expected, abs=1e-9)


@given(partitions)
@settings(max_examples=60)
def test_improved_partition_is_best_among_its_neighbours(case):
    members, labels = case
    ensemble = CoAssociation([np.array(member) for member in members])
    before = ensemble.agreement(np.array(labels))
    improved, value = ensemble.improve(np.array(labels), 100)
    assert value >= before - 1e-12
    assert value == pytest.approx(brute_agreement(members, improved), abs=1e-9)
    n_clusters = len(set(labels))
    assert len(set(improved.tolist())) == n_clusters
    for i in range(len(labels)):
        for b in range(n_clusters):
            moved = improved.copy()
            moved[i] = b
            if len(set(moved.tolist())) == n_clusters:
                assert brute_agreement(members, moved) <= value + 1e-9


def test_pairs_weigh_members_by_the_spread_of_their_matrices():
    rng = np.random.default_rng(0)
    members = [rng.integers(0, k, size=12) for k in (2, 3, 6)]
    weights = np.array([1 / together(member).std() for member in members])
    rows, cols = np.nonzero(~np.eye(12, dtype=bool))
    expected = np.array([together(member) for member in members]).T @ weights
    found = CoAssociation(members).on_pairs(rows, cols)
    np.testing.assert_allclose(found, expected / weights.sum(), atol=1e-12)


def test_memberships_multiply_to_the_co_association():
    rng = np.random.default_rng(1)
    members = [rng.integers(0, k, size=10) for k in (2, 4)]
    ensemble = CoAssociation(members)
    A = (ensemble.memberships @ ensemble.memberships.T).toarray()
    rows, cols = np.divmod(np.arange(100), 10)
    found = ensemble.on_pairs(rows, cols).reshape(10, 10)
    np.testing.assert_allclose(A / A[0, 0], found, atol=1e-12)


def test_members_that_say_nothing_do_not_count():
    useful = np.array([0, 0, 1, 1, 1])
    silent = [np.zeros(5, dtype=int), np.arange(5)]
    alone, beside = CoAssociation([useful]), CoAssociation([useful, *silent])
    assert alone.agreement(useful) == pytest.approx(1.0)
    assert beside.agreement(useful) == pytest.approx(1 / 3)
    rows, cols = np.array([0, 2, 0]), np.array([1, 3, 4])
    np.testing.assert_allclose(
        alone.on_pairs(rows, cols), beside.on_pairs(rows, cols), atol=1e-12
    )


def test_mixture_finds_clusters_of_different_width():
    rng = np.random.default_rng(0)
    wide, thin = rng.normal(0, 3.0, (150, 2)), rng.normal(9, 0.1, (50, 2))
    labels = mixture_labels(np.vstack([wide, thin]), 2, 0)
    assert adjusted_rand_score(np.repeat([0, 1], [150, 50]), labels) > 0.9


def test_smooth_vectors_are_nearly_the_leading_eigenvectors(blobs):
    W = NeighborGraph().fit(blobs[0]).affinity_
    values, vectors = smooth_vectors(W, 6, 0)
    exact = np.linalg.eigvalsh(W.toarray())[::-1][:6]
    np.testing.assert_allclose(values, exact, atol=0.02)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(6), atol=1e-9)


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


def test_weights_are_shares_of_the_members_and_the_best_cut(fitted):
    ensemble = CoAssociation([member.labels for member in fitted.members_])
    pairs = sparse.coo_array(fitted.weights_)
    shares = ensemble.on_pairs(pairs.row, pairs.col)
    cut = fitted.cuts_[0].labels
    joined = cut[pairs.row] == cut[pairs.col]
    np.testing.assert_allclose(pairs.data, (shares + joined) / 2, atol=1e-12)


def test_factors_mend_a_partition():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], [30, 20, 10])

    def astray(share):
        return np.where(rng.random(60) < share, rng.integers(0, 3, 60), truth)

    H = CoAssociation([astray(0.1) for _ in range(5)]).memberships
    start = astray(0.3)
    assert adjusted_rand_score(truth, start) < 0.7
    assert adjusted_rand_score(truth, _factors(H, start, 3)) > 0.9


def test_members_see_many_features_in_few_directions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6)) @ rng.normal(size=(6, 300))
    Z, narrow = maxabs_scale(X), see(X, "maxabs", 0)
    assert narrow.shape == (120, 64)
    np.testing.assert_allclose(narrow @ narrow.T, Z @ Z.T, atol=1e-8)
    few = X[:, :50]
    np.testing.assert_array_equal(see(few, "maxabs", 0), maxabs_scale(few))


def test_ranks_do_not_depend_on_the_unit_of_a_feature():
    X = np.random.default_rng(0).normal(size=(40, 3)).round(1)
    np.testing.assert_array_equal(see(X, "ranks", 0), see(np.exp(X), "ranks", 0))


def test_a_squashed_feature_forgets_how_far_an_outlier_is():
    X = np.random.default_rng(0).normal(size=(40, 1))
    near, far = X.copy(), X.copy()
    near[0], far[0] = 50, 5_000
    np.testing.assert_allclose(
        see(near, "squashed", 0), see(far, "squashed", 0), atol=1e-3
    )
    assert np.abs(see(far, "squashed", 0)).max() <= 1


@pytest.mark.parametrize("view", VIEWS)
def test_views_of_constant_features_are_finite(view):
    X = np.column_stack([np.ones(20), np.zeros(20), np.arange(20.0)])
    assert np.isfinite(see(X, view, 0)).all()
    assert np.isfinite(see(X[:, :2], view, 0)).all()


def test_unequal_blobs_are_found(fitted, blobs):
    best = fitted.cuts_[0]
    assert adjusted_rand_score(blobs[1], best.labels) == 1.0
    assert [cut.agreement for cut in fitted.cuts_] == sorted(
        (cut.agreement for cut in fitted.cuts_), reverse=True
    )
    assert fitted.stability_.min() > 0
    assert fitted.stability_.max() <= 1 + 1e-12


def test_a_sample_between_two_clusters_is_less_stable():
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(0, 1, (40, 2)), rng.normal(8, 1, (40, 2)), [[4.0, 4.0]]])
    stability = EnsembleGraph(2, random_state=0).fit(X).stability_
    assert stability[-1] < np.median(stability)


def test_new_samples_join_their_cluster(fitted, blobs):
    X, y = blobs
    W = fitted.to_new(X + 1e-3)
    assert W.shape == (150, 150)
    to_cluster = W @ np.eye(3)[y]
    np.testing.assert_array_equal(to_cluster.argmax(axis=1), y)


def test_same_graph_on_any_number_of_threads(blobs):
    one = EnsembleGraph(3, n_rounds=1, random_state=5, n_jobs=1).fit(blobs[0])
    two = clone(one).set_params(n_jobs=3).fit(blobs[0])
    assert (one.affinity_ != two.affinity_).nnz == 0
    for a, b in zip(one.members_, two.members_, strict=True):
        np.testing.assert_array_equal(a.labels, b.labels)
    for a, b in zip(one.cuts_, two.cuts_, strict=True):
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
    builder = EnsembleGraph(4, n_rounds=1, random_state=0).fit(X)
    assert np.isfinite(builder.affinity_.data).all()
    assert np.isfinite(builder.stability_).all()
    assert builder.cuts_[0].labels.shape == (len(X),)
    assert np.isfinite(builder.to_new(X).data).all()


def test_one_sample_is_refused():
    with pytest.raises(ValueError, match="minimum of 2"):
        EnsembleGraph(2).fit([[1.0, 2.0]])


def test_all_but_one_thread_can_be_asked_for(blobs):
    builder = EnsembleGraph(3, n_rounds=1, random_state=0, n_jobs=-2).fit(blobs[0])
    assert builder.affinity_.shape == (150, 150)
