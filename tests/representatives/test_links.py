"""Links: how rows belong to their nearest representatives, and the way back."""

import numpy as np
import pytest
from scipy import sparse

from graphtailor.representatives.links import Links, Memberships


def samples(m=20, n=200, d=3, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(m, d)).astype(dtype)
    return points, rng.normal(size=(n, d)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("k", [1, 3, 20])
@pytest.mark.parametrize("d", [1, 3, 7])
def test_shares_by_their_formula(d, k, dtype):
    points, X = samples(d=d, dtype=dtype)
    links = Links(points, None, 0.8, k)
    D = np.linalg.norm(X[:, None].astype(float) - points.astype(float), axis=2)
    nearest = np.argsort(D, axis=1, kind="stable")[:, :k]
    B = np.exp(-np.square(np.take_along_axis(D, nearest, axis=1) / 0.8))
    rows = links.memberships(X)
    found = np.zeros_like(D)
    np.put_along_axis(found, rows.nearest.astype(int), rows.shares, axis=1)
    expected = np.zeros_like(D)
    np.put_along_axis(expected, nearest, B / B.sum(axis=1, keepdims=True), axis=1)
    np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_row_that_is_a_representative_belongs_to_it_alone():
    points, _ = samples()
    rows = Links.to(points, None, 5).memberships(points)
    np.testing.assert_array_equal(rows.nearest[:, 0], np.arange(20))
    np.testing.assert_array_equal(rows.shares[:, 0], 1)
    np.testing.assert_array_equal(rows.count(20), 1)


def test_the_mean_distance_of_neighbours_is_the_bandwidth():
    points, _ = samples()
    D = np.sort(np.linalg.norm(points[:, None] - points, axis=2), axis=1)[:, 1:6]
    assert Links.to(points, None, 5).bandwidth == pytest.approx(D.mean(), rel=1e-9)


@pytest.mark.parametrize("d", [2, 8])
@pytest.mark.parametrize("far", [1e2, 1e8, 1e100, 1e160, 1e300])
def test_a_far_row_has_shares(far, d):
    points, _ = samples(d=d)
    rows = Links(points, None, 0.5, 5).memberships(np.full((1, d), far))
    assert np.isfinite(rows.shares).all()
    assert rows.shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_row_in_any_company(container, dtype):
    points, X = samples(d=7, dtype=dtype)
    links = Links(points, None, 0.8, 5)
    together = links.memberships(container(X))
    for i in range(0, len(X), 3):
        alone = links.memberships(container(X[i : i + 1]))
        for one, many in zip(alone, together, strict=True):
            assert one[0].tobytes() == many[i].tobytes()


def test_lift_is_the_mean_by_shares():
    rows = Memberships(
        np.array([[0, 1], [1, 2]], dtype=np.int32), np.array([[0.25, 0.75], [1.0, 0.0]])
    )
    V = np.array([[1.0, 0.0], [0.0, 1.0], [5.0, 5.0]])
    np.testing.assert_array_equal(rows.lift(V), [[0.25, 0.75], [0.0, 1.0]])
