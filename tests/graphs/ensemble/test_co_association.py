"""Co-association against brute force on full matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import squareform

from graphtailor.graphs.ensemble.co_association import CoAssociation

partitions = st.integers(3, 9).flatmap(
    lambda n: st.tuples(
        st.lists(
            st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1, max_size=5
        ),
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
        st.lists(st.integers(1, 3), min_size=n, max_size=n),
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


@given(partitions)
@settings(max_examples=60)
def test_agreement_is_the_mean_correlation_over_all_rows(case):
    members, labels, masses = case
    ensemble = CoAssociation([np.array(member) for member in members], masses)
    expected = brute_agreement(
        [np.repeat(member, masses) for member in members], np.repeat(labels, masses)
    )
    assert ensemble.agreement(np.array(labels)) == pytest.approx(expected, abs=1e-9)


@given(partitions)
@settings(max_examples=60)
def test_improved_partition_is_best_among_its_neighbours(case):
    members, labels, _ = case
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


def test_memberships_and_distances_are_the_co_association():
    rng = np.random.default_rng(1)
    members = [rng.integers(0, k, size=10) for k in (2, 4)]
    ensemble = CoAssociation(members)
    A = (ensemble.memberships @ ensemble.memberships.T).toarray()
    rows, cols = np.divmod(np.arange(100), 10)
    found = ensemble.on_pairs(rows, cols).reshape(10, 10)
    np.testing.assert_allclose(A / A[0, 0], found, atol=1e-12)
    np.testing.assert_allclose(squareform(ensemble.distances()), 1 - found, atol=1e-6)


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


def test_the_finer_members_are_kept_or_all_of_them():
    coarse, fine = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 2])
    ensemble = CoAssociation([coarse, fine], np.array([1, 2, 1, 1]))
    assert ensemble.at_least(2).codes.shape[1] == 2
    judges = ensemble.at_least(3)
    assert judges.agreement(fine) == pytest.approx(1)
    np.testing.assert_array_equal(judges.masses, ensemble.masses)
    assert ensemble.at_least(4).codes.shape[1] == 2


def test_shares_of_clusters_are_means_over_their_other_rows():
    members = [np.array([0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1])]
    labels = np.array([0, 0, 1, 1, 1])
    ensemble = CoAssociation(members)
    shares = ensemble.memberships_of(labels)
    rows, cols = np.divmod(np.arange(25), 5)
    pairs = ensemble.on_pairs(rows, cols).reshape(5, 5)
    for i in range(5):
        for b in range(2):
            others = np.flatnonzero((labels == b) & (np.arange(5) != i))
            assert shares[i, b] == pytest.approx(pairs[i, others].mean())


def test_the_largest_share_is_that_of_the_partition():
    """A long cluster, whose ends no member joins, next to a compact one."""
    labels = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    members = [np.array([0, 0, 1, 1, 2, 2, 2, 2]), np.array([0, 0, 0, 1, 1, 2, 2, 2])]
    shares = CoAssociation(members).memberships_of(labels)
    np.testing.assert_array_equal(shares.argmax(axis=1), labels)
