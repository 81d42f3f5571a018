"""Agreement of partitions, against the explicit n x n matrices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.distance import squareform

from graphtailor.graphs.ensemble.co_association import CoAssociation, level_doubts


@st.composite
def ensembles(draw, least_mass=1):
    """Members, a partition of the same samples from 0, and masses."""
    n = draw(st.integers(3, 8))

    def partition(most):
        labels = st.lists(st.integers(0, most), min_size=n, max_size=n)
        return np.unique(draw(labels), return_inverse=True)[1]

    members = [partition(3) for _ in range(draw(st.integers(1, 4)))]
    masses = st.lists(st.integers(least_mass, 3), min_size=n, max_size=n)
    return members, partition(2), np.array(draw(masses))


def together(labels):
    """Off-diagonal entries of the 0/1 matrix of a partition."""
    P = (labels[:, None] == labels[None]).astype(float)
    return P[~np.eye(len(labels), dtype=bool)]


def brute_agreement(members, labels):
    """Mean of the correlations; 0 for a matrix that is constant."""
    if len(labels) < 2:
        return 0.0
    P = together(labels)
    values = []
    for member in members:
        Q = together(member)
        constant = P.std() == 0 or Q.std() == 0
        values.append(0.0 if constant else np.corrcoef(P, Q)[0, 1])
    return np.mean(values)


def brute_shares(members):
    """Matrix of the shares of members, weighted by the spread of their matrices."""
    spread = np.array([together(member).std() for member in members])
    weights = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0)
    same = [member[:, None] == member[None] for member in members]
    return np.tensordot(weights / (weights.sum() or 1), same, 1)


def copied(members, labels, masses):
    """The same ensemble with every sample as often as its mass says."""
    return [np.repeat(member, masses) for member in members], np.repeat(labels, masses)


@given(ensembles())
@settings(max_examples=60)
def test_agreement_is_the_mean_correlation(case):
    members, labels, masses = case
    found = CoAssociation(members).agreement(labels)
    assert found == pytest.approx(brute_agreement(members, labels), abs=1e-9)
    found = CoAssociation(members, masses).agreement(labels)
    expected = brute_agreement(*copied(members, labels, masses))
    assert found == pytest.approx(expected, abs=1e-9)


@given(ensembles(least_mass=0))
@settings(max_examples=60)
def test_a_sample_of_mass_a_equals_a_copies(case):
    members, labels, masses = case
    weighted = CoAssociation(members, masses)
    more, copies = copied(members, labels, masses)
    if len(copies) == 0:
        return
    explicit = CoAssociation(more)
    # All sums are of whole numbers but for the weights of the members.
    assert weighted.agreement(labels) == pytest.approx(
        explicit.agreement(copies), abs=1e-12
    )
    place = np.repeat(np.arange(len(labels)), masses)
    rows, cols = np.divmod(np.arange(len(place) ** 2), len(place))
    np.testing.assert_allclose(
        weighted.on_pairs(place[rows], place[cols]),
        explicit.on_pairs(rows, cols),
        atol=1e-12,
    )
    shares = level_doubts(weighted.shares_of(labels), labels)
    c = int(copies.max()) + 1
    held = np.isin(np.arange(c), copies)
    np.testing.assert_allclose(
        shares[place][:, :c][:, held],
        level_doubts(explicit.shares_of(copies), copies)[:, held],
        atol=1e-5,  # shares that are level differ by a trace
    )
    assert shares.min() >= -1e-12
    assert shares.max() <= 1 + 1e-12


@given(ensembles())
@settings(max_examples=60)
def test_an_improved_partition_is_best_among_its_neighbours(case):
    members, labels, masses = case
    more, copies = copied(members, labels, masses)
    ensemble = CoAssociation(members, masses)
    improved, value = ensemble.improve(labels, 100)
    assert value >= brute_agreement(more, copies) - 1e-9
    assert value == pytest.approx(
        brute_agreement(more, np.repeat(improved, masses)), abs=1e-9
    )
    n_clusters = len(set(labels))
    assert len(set(improved)) == n_clusters
    for i in range(len(labels)):
        for b in range(n_clusters):
            moved = improved.copy()
            moved[i] = b
            if len(set(moved)) == n_clusters:
                assert brute_agreement(more, np.repeat(moved, masses)) <= value + 1e-9


def test_improving_does_not_change_its_argument():
    labels = np.array([0, 1, 0, 1])
    CoAssociation([np.array([0, 0, 1, 1])]).improve(labels)
    np.testing.assert_array_equal(labels, [0, 1, 0, 1])


@given(ensembles())
@settings(max_examples=60)
def test_shares_of_clusters_are_means_over_their_other_rows(case):
    members, labels, _ = case
    found = level_doubts(CoAssociation(members).shares_of(labels), labels)
    A = brute_shares(members)
    for i in range(len(labels)):
        rows = [np.flatnonzero(labels == b) for b in range(labels.max() + 1)]
        others = [some[some != i] for some in rows]
        expected = [A[i, some].mean() if len(some) else 1.0 for some in others]
        expected = np.array(expected)
        # As doubtful as can be; no member speaks for a cluster with a share of 0.
        level = (expected >= expected[labels[i]]) & (expected > 0)
        level[labels[i]] = True
        expected[level] = expected[level].mean()
        np.testing.assert_allclose(found[i], expected, atol=1e-5)


@given(ensembles())
@settings(max_examples=60)
def test_the_largest_share_is_that_of_the_partition(case):
    members, labels, masses = case
    shares = level_doubts(CoAssociation(members, masses).shares_of(labels), labels)
    for V in (shares, shares.astype(np.float32)):
        np.testing.assert_array_equal(V.argmax(axis=1), labels)
    assert shares.max() <= 1 + 1e-12


def test_a_long_cluster_keeps_its_rows():
    """No member joins its ends, and a compact one is nearer to some of them."""
    labels = np.array([0, 0, 0, 0, 0, 0, 1, 1])
    members = [np.array([0, 0, 1, 1, 2, 2, 2, 2]), np.array([0, 0, 0, 1, 1, 2, 2, 2])]
    shares = level_doubts(CoAssociation(members).shares_of(labels), labels)
    np.testing.assert_array_equal(shares.argmax(axis=1), labels)


@given(ensembles())
@settings(max_examples=40)
def test_pairs_distances_and_memberships_hold_the_same_shares(case):
    members = case[0]
    n = len(members[0])
    ensemble, A = CoAssociation(members), brute_shares(members)
    rows, cols = np.divmod(np.arange(n * n), n)
    np.testing.assert_allclose(
        ensemble.on_pairs(rows, cols).reshape(n, n), A, atol=1e-12
    )
    if A[0, 0] > 0:
        np.testing.assert_allclose(
            squareform(ensemble.distances()), 1 - A, atol=1e-6, rtol=0
        )
        H = ensemble.memberships
        product = (H @ H.T).toarray()
        np.testing.assert_allclose(product / product[0, 0], A, atol=1e-12)


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
