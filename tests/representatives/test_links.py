"""Links: the nearest representatives of rows, by the formula, each row for itself."""

import copy

import numpy as np
import pytest
from scipy import sparse

from graphtailor.decide.sizes import DIRECTIONS
from graphtailor.representatives import links as links_module
from graphtailor.representatives.links import (
    Links,
    Memberships,
    compared,
    find_directions,
)


def samples(m=20, n=90, d=3, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(m, d)).astype(dtype)
    return points, rng.normal(size=(n, d)).astype(dtype)


def dense_shares(links, X):
    """Shares by their formula, on the k nearest points."""
    D = np.linalg.norm(X[:, None].astype(float) - links.points.astype(float), axis=2)
    B = np.exp(-np.square(D / links.bandwidth))
    nearest = np.argsort(D, axis=1, kind="stable")[:, : links.k]
    near = np.zeros_like(B)
    np.put_along_axis(near, nearest, np.take_along_axis(B, nearest, axis=1), axis=1)
    return near / near.sum(axis=1, keepdims=True)


def as_matrix(rows, m):
    found = np.zeros((len(rows.nearest), m))
    np.put_along_axis(found, rows.nearest.astype(int), rows.shares, axis=1)
    return found


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [1, 3, 5, 40])
@pytest.mark.parametrize("d", [1, 3, 7])
def test_shares_by_their_formula(d, k, dtype):
    points, X = samples(d=d, dtype=dtype)
    links = Links.to(points, None, k, exact=True)
    rows = links.memberships(X)
    assert rows.nearest.shape == rows.shares.shape == (90, min(k, 20))
    np.testing.assert_allclose(as_matrix(rows, 20), dense_shares(links, X), atol=1e-6)


def test_the_bandwidth_is_the_mean_distance_to_the_nearest_other_points():
    points, _ = samples()
    D = np.sort(np.linalg.norm(points[:, None] - points, axis=2), axis=1)
    links = Links.to(points, None, 5, exact=True)
    assert links.bandwidth == pytest.approx(D[:, 1:6].mean(), rel=1e-7)


def test_the_bandwidth_is_that_of_all_points(monkeypatch):
    """Points may be sorted by their clusters."""
    monkeypatch.setattr(links_module, "_ROWS_FOR_BANDWIDTH", 100)
    rng = np.random.default_rng(0)
    tight, wide = 1e-3 * rng.normal(size=(300, 2)), 10 + rng.normal(size=(300, 2))
    sorted_points = np.vstack([tight, wide])
    mixed = sorted_points[rng.permutation(600)]
    one, two = (
        Links.to(points, None, 5, exact=True).bandwidth
        for points in (sorted_points, mixed)
    )
    assert one == pytest.approx(two, rel=0.3)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("d", [4, 90])
def test_an_equal_row_belongs_to_its_representative_alone(d, dtype, container):
    """Also where rows are compared in a projection in which others are as near."""
    points, _ = samples(d=d, dtype=dtype)
    points[10:, : d - 1] = points[:10, : d - 1]  # pairs that differ in one feature
    given = container(points)
    links = Links.to(given, find_directions(given, 0), 5, exact=True)
    rows = links.memberships(given)
    np.testing.assert_array_equal(rows.nearest[:, 0], np.arange(20))
    np.testing.assert_array_equal(rows.shares, np.eye(1, 5).repeat(20, axis=0))
    np.testing.assert_array_equal(rows.tally(20).masses, 1)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("d", [7, 90])
def test_a_row_in_any_company(d, dtype, container):
    points, X = samples(d=d, dtype=dtype)
    points = container(points)
    links = Links.to(points, find_directions(points, 0), 5, exact=True)
    together = links.memberships(container(X))
    for i in range(0, len(X), 7):
        alone = links.memberships(container(X[i : i + 1]))
        for one, many in zip(alone, together, strict=True):
            assert one[0].tobytes() == many[i].tobytes()


def test_sparse_rows_have_the_shares_of_dense_ones():
    points, X = samples(d=90)
    X[np.abs(X) < 0.5] = 0
    directions = find_directions(points, 0)
    dense = Links.to(points, directions, 5, exact=True).memberships(X)
    thin = Links.to(sparse.csr_array(points), directions, 5, exact=True).memberships(
        sparse.csr_array(X)
    )
    np.testing.assert_array_equal(dense.nearest, thin.nearest)
    np.testing.assert_allclose(dense.shares, thin.shares, atol=1e-5)


@pytest.mark.parametrize("d", [2, 8])
@pytest.mark.parametrize("far", [1e2, 1e8, 1e100, 1e160, 1e300])
def test_a_far_row_has_shares(far, d):
    points, _ = samples(d=d)
    rows = Links.to(points, None, 5, exact=True).memberships(np.full((1, d), far))
    assert np.isfinite(rows.shares).all()
    assert rows.shares.min() >= 0
    assert rows.shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_a_single_representative(container):
    points = container(np.array([[3.0, 0.0, 4.0]]))
    links = Links.to(points, find_directions(points, 0), 5, exact=True)
    assert links.bandwidth == 0
    rows = links.memberships(container(np.array([[3.0, 0.0, 4.0], [9.0, 9.0, 9.0]])))
    np.testing.assert_array_equal(rows.nearest, 0)
    np.testing.assert_array_equal(rows.shares, 1)


def test_many_features_are_compared_in_their_largest_directions():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6)) @ rng.normal(size=(6, 100))
    assert find_directions(X[:, :DIRECTIONS], 0) is None
    directions = find_directions(X, 0)
    assert directions.shape == (100, 50)
    Z = compared(X, directions, 1.0)
    np.testing.assert_allclose(Z @ Z.T, X @ X.T, rtol=1e-4, atol=1e-3)
    assert find_directions(sparse.csr_array(X[:, :10]), 0).shape == (10, 10)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_lift_is_the_mean_by_shares(dtype):
    points, X = samples(dtype=dtype)
    V = np.random.default_rng(1).uniform(size=(20, 4)).astype(dtype)
    rows = Links.to(points, None, 5, exact=True).memberships(X)
    lifted = rows.lift(V)
    expected = np.einsum("nk,nkc->nc", rows.shares, V[rows.nearest])
    assert lifted.dtype == dtype
    np.testing.assert_allclose(lifted, expected, rtol=1e-5)


def test_lift_and_masses_by_hand():
    rows = Memberships(
        np.array([[0, 1], [1, 2]], dtype=np.int32), np.array([[0.25, 0.75], [1.0, 0.0]])
    )
    V = np.array([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    np.testing.assert_array_equal(rows.lift(V), [[0.25, 0.75], [0.0, 1.0]])
    np.testing.assert_array_equal(rows.tally(4).masses, [1, 1, 0, 0])


def test_a_tally_by_its_formula():
    points, X = samples()
    rows = Links.to(points, None, 5, exact=True).memberships(X)
    B = np.zeros((90, 20))
    units = np.maximum(np.rint(rows.shares * links_module._UNITS), 1)
    np.put_along_axis(B, rows.nearest.astype(int), units, axis=1)
    tally = rows.tally(20)
    np.testing.assert_array_equal(tally.shared.toarray(), B.T @ B)
    np.testing.assert_array_equal(tally.masses, np.bincount(rows.nearest[:, 0]))


@pytest.mark.parametrize("size", [1, 7, 90])
def test_any_split_of_the_rows_gives_the_same_tally(size, monkeypatch):
    points, X = samples()
    rows = Links.to(points, None, 5, exact=True).memberships(X)
    whole = rows.tally(20)
    order = np.random.default_rng(1).permutation(90)
    mixed = Memberships(*(part[order] for part in rows))
    monkeypatch.setattr(links_module, "_ROWS_AT_ONCE", size)
    for split in (rows, mixed):
        tally = split.tally(20)
        np.testing.assert_array_equal(tally.masses, whole.masses)
        np.testing.assert_array_equal(tally.shared.toarray(), whole.shared.toarray())
    nothing = Memberships(*(part[:0] for part in rows)).tally(20)
    np.testing.assert_array_equal((whole + nothing).masses, whole.masses)


def test_links_that_are_sent_to_a_worker_leave_their_index_behind():
    """Dask copies them by their state; the copy gives the same bytes."""
    points, X = samples()
    links = Links.to(points, None, 5, exact=True)
    rows = links.memberships(X)
    sent = copy.copy(links)
    assert set(vars(sent)) == {"points", "directions", "bandwidth", "k", "exact"}
    for one, two in zip(rows, sent.memberships(X), strict=True):
        assert one.tobytes() == two.tobytes()
