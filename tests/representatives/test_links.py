"""Rows and anchors: shares, what anchors share of the rows, and the way back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from graphtailor.representatives.links import (
    AnchorLinks,
    Memberships,
    SharedRows,
    lift,
)

UNIT = 2.0**-30


def samples(m=20, n=200, d=3, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    anchors = rng.normal(size=(m, d)).astype(dtype)
    return anchors, rng.normal(size=(n, d)).astype(dtype)


def dense_weights(links, X):
    """B by its formula, on the k nearest anchors."""
    D = np.linalg.norm(X[:, None].astype(float) - links.anchors.astype(float), axis=2)
    B = np.exp(-np.square(D / links.bandwidth))
    nearest = np.argsort(D, axis=1, kind="stable")[:, : links.search.k]
    near = np.zeros_like(B)
    np.put_along_axis(near, nearest, np.take_along_axis(B, nearest, axis=1), axis=1)
    return near


def sum_up(links, *blocks):
    shared = SharedRows(len(links.anchors))
    for block in blocks:
        shared.add(links.memberships(block))
    return shared


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [1, 3, 5, 40])
@pytest.mark.parametrize("d", [1, 3, 7])
def test_shares_and_strengths_by_their_formula(d, k, dtype):
    anchors, X = samples(d=d, dtype=dtype)
    links = AnchorLinks(anchors, 0.8, k)
    B = dense_weights(links, X)
    rows = links.memberships(X)
    assert rows.shares.dtype == dtype
    found = np.zeros_like(B)
    np.put_along_axis(found, rows.anchors.astype(int), rows.shares, axis=1)
    tolerance = 1e-13 if dtype == np.float64 else 1e-6
    np.testing.assert_allclose(
        found, B / B.sum(axis=1, keepdims=True), atol=tolerance, rtol=0
    )
    np.testing.assert_allclose(rows.strength, B.sum(axis=1), rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [1, 3, 5])
def test_the_graph_by_its_formula(k, dtype):
    """To a unit for each row: that is what rounding may cost a pair."""
    anchors, X = samples(dtype=dtype)
    links = AnchorLinks(anchors, 0.8, k)
    B = dense_weights(links, X)
    G = sum_up(links, X).graph()
    expected = B.T @ (B / B.sum(axis=1, keepdims=True))
    rounding = len(X) * UNIT
    if dtype == np.float32:
        rounding += 3e-7 * len(X)
    np.testing.assert_allclose(G.toarray(), expected, atol=rounding, rtol=0)
    np.testing.assert_allclose(
        G.sum(axis=1), B.sum(axis=0), atol=len(anchors) * rounding, rtol=0
    )
    assert (G != G.T).nnz == 0
    assert G.data.min() > 0


def test_the_mean_distance_is_the_bandwidth():
    anchors, X = samples()
    links = AnchorLinks.from_sample(anchors, X, 5)
    D = np.sort(np.linalg.norm(X[:, None] - anchors, axis=2), axis=1)[:, :5]
    assert links.bandwidth == pytest.approx(D.mean(), rel=1e-12)


def test_the_bandwidth_is_that_of_all_rows():
    """A sample keeps the order of the table, which may be sorted by its clusters."""
    rng = np.random.default_rng(0)
    tight = 1e-3 * rng.normal(size=(6000, 2))
    wide = 10 + rng.normal(size=(6000, 2))
    anchors = np.vstack([tight[:50], wide[:50]])
    sorted_rows = np.vstack([tight, wide])
    mixed = sorted_rows[rng.permutation(12_000)]
    one = AnchorLinks.from_sample(anchors, sorted_rows, 5).bandwidth
    two = AnchorLinks.from_sample(anchors, mixed, 5).bandwidth
    assert one == pytest.approx(two, rel=0.1)


@given(st.lists(st.integers(1, 199), max_size=6), st.randoms(use_true_random=False))
def test_any_split_of_the_rows_gives_the_same_bits(borders, random):
    anchors, X = samples()
    links = AnchorLinks(anchors, 0.8, 5)
    whole = sum_up(links, X).units
    blocks = np.split(X, sorted(set(borders)))
    random.shuffle(blocks)
    np.testing.assert_array_equal(sum_up(links, *blocks).units, whole)
    parts = sum(sum_up(links, block).units for block in blocks)
    np.testing.assert_array_equal(parts, whole)


def test_the_sums_of_very_many_rows_fit():
    """A thousand million rows on one anchor, told by their number of units."""
    links = AnchorLinks(np.zeros((1, 2)), 1.0, 1)
    units = sum_up(links, np.zeros((1, 2))).units
    assert units[0, 0] == 2**30
    assert 10**9 * int(units[0, 0]) < np.iinfo(units.dtype).max


@pytest.mark.parametrize("d", [2, 8])
@pytest.mark.parametrize("far", [1e2, 1e8, 1e100, 1e160, 1e300])
def test_a_far_row_has_shares_but_no_say(far, d):
    anchors, _ = samples(d=d)
    links = AnchorLinks(anchors, 0.5, 5)
    rows = links.memberships(np.full((1, d), far))
    assert np.isfinite(rows.shares).all()
    assert rows.shares.min() >= 0
    assert rows.shares.sum() == pytest.approx(1)
    assert rows.strength[0] == 0
    assert sum_up(links, np.full((1, d), far)).graph().nnz == 0


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_rows_on_the_only_anchor(container):
    anchors = np.array([[3.0, 0.0, 4.0]])
    X = container(np.repeat(anchors, 9, axis=0))
    links = AnchorLinks.from_sample(anchors, X, 5)
    rows = links.memberships(X)
    assert links.bandwidth == 0
    np.testing.assert_array_equal(rows.shares, 1)
    np.testing.assert_array_equal(rows.strength, 1)
    assert sum_up(links, X).graph().toarray() == pytest.approx(9)


def test_equal_anchors_share_their_rows():
    anchors = np.zeros((5, 2))
    links = AnchorLinks.from_sample(anchors, np.zeros((10, 2)), 5)
    rows = links.memberships(np.zeros((10, 2)))
    np.testing.assert_allclose(rows.shares, 0.2)
    G = sum_up(links, np.zeros((10, 2))).graph()
    np.testing.assert_allclose(G.toarray(), 10 * 5 * 0.2**2, atol=10 * UNIT)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_row_in_any_company(container, dtype):
    anchors, X = samples(d=7, dtype=dtype)
    links = AnchorLinks(anchors, 0.8, 5)
    together = links.memberships(container(X))
    for i in range(0, len(X), 3):
        alone = links.memberships(container(X[i : i + 1]))
        for one, many in zip(alone, together, strict=True):
            assert one[0].tobytes() == many[i].tobytes()


def test_sparse_rows_have_the_shares_of_dense_ones():
    anchors, X = samples(d=7)
    X[np.abs(X) < 0.5] = 0
    links = AnchorLinks(anchors, 0.8, 5)
    dense, thin = links.memberships(X), links.memberships(sparse.csr_array(X))
    np.testing.assert_array_equal(dense.anchors, thin.anchors)
    np.testing.assert_allclose(dense.shares, thin.shares, atol=1e-9)
    np.testing.assert_allclose(dense.strength, thin.strength, rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_lift_is_the_mean_by_shares(dtype):
    anchors, X = samples(dtype=dtype)
    V = np.random.default_rng(1).uniform(size=(20, 4)).astype(dtype)
    rows = AnchorLinks(anchors, 0.8, 5).memberships(X)
    lifted = lift(rows, V)
    expected = np.einsum("nk,nkc->nc", rows.shares, V[rows.anchors])
    assert lifted.dtype == dtype
    np.testing.assert_allclose(lifted, expected, rtol=1e-5)


def test_lift_of_constant_columns():
    rows = Memberships(
        np.array([[0, 1], [1, 2]], dtype=np.int32),
        np.array([[0.25, 0.75], [1.0, 0.0]]),
        np.ones(2),
    )
    V = np.array([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    np.testing.assert_array_equal(lift(rows, V), [[0.25, 0.75], [0.0, 1.0]])
