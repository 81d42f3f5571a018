"""Representatives: distinct rows with their multiplicities, or weighted anchors."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor
from graphtailor.decide.separation import find_separation
from graphtailor.decide.sizes import SAMPLED_ROWS_PER_ANCHOR
from graphtailor.representatives import Representatives
from graphtailor.representatives import rows as rows_module
from graphtailor.representatives.representatives import place_representatives, sampled
from graphtailor.representatives.rows import Rows

RNG = np.random.default_rng(0)
DISTINCT = RNG.normal(size=(30, 4))
COPIES = RNG.integers(0, 30, size=100)
X = DISTINCT[COPIES]
either = pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])


def represent(X, most, n_jobs=1, seed=0):
    return Representatives.of(Rows(X), most, seed, n_jobs)


def dense(points):
    return points.toarray() if sparse.issparse(points) else points


@either
@pytest.mark.parametrize("most", [30, 4000])
def test_few_distinct_rows_represent_themselves(most, container):
    found, memberships = represent(container(X), most)
    assert found.exact
    assert len(found) == len(np.unique(COPIES)) == len(np.unique(X, axis=0))
    nearest = memberships.nearest[:, 0]
    np.testing.assert_array_equal(dense(found.points)[nearest], X)
    np.testing.assert_array_equal(memberships.shares[:, 0], 1)
    np.testing.assert_array_equal(found.masses, np.bincount(nearest))
    assert found.masses.sum() == 100


@either
def test_more_distinct_rows_have_anchors(container):
    blobs, _ = make_blobs(400, 3, centers=5, random_state=0)
    found, memberships = represent(container(blobs), 40)
    assert not found.exact
    assert len(found) == len(found.masses) == 40
    assert found.masses.sum() == 400
    np.testing.assert_allclose(memberships.shares.sum(axis=1), 1, rtol=1e-6)
    # Anchors lie among the rows that they stand for.
    nearest = dense(found.points)[memberships.nearest[:, 0]]
    error = np.square(blobs - nearest).sum()
    assert error < 0.2 * np.square(blobs - blobs.mean(axis=0)).sum()


@either
@pytest.mark.parametrize("d", [4, 90])
def test_distinct_rows_do_not_depend_on_the_order_of_rows(d, container):
    many = RNG.normal(size=(30, d))[COPIES]
    order = np.random.default_rng(1).permutation(100)
    one, _ = represent(container(many), 4000)
    two, _ = represent(container(many[order]), 4000)
    assert dense(one.points).tobytes() == dense(two.points).tobytes()
    np.testing.assert_array_equal(one.masses, two.masses)


def test_two_rows_more_than_the_most_are_represented_by_means():
    one, two = represent(DISTINCT, 30)[0], represent(DISTINCT, 28)[0]
    assert one.exact
    assert not two.exact
    assert len(two) <= 28
    assert two.masses.sum() == 30


@either
@pytest.mark.parametrize("most", [15, 4000])
def test_blocks_and_threads_do_not_matter(most, container, monkeypatch):
    whole, memberships = represent(container(X), most)
    monkeypatch.setattr(rows_module, "_ROWS_PER_BLOCK", 7)
    for n_jobs in (1, 3):
        found, rows = represent(container(X), most, n_jobs)
        assert dense(found.points).tobytes() == dense(whole.points).tobytes()
        np.testing.assert_array_equal(found.masses, whole.masses)
        for one, two in zip(rows, memberships, strict=True):
            assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize("most", [15, 4000])
def test_a_prediction_agrees_with_the_fit(most):
    found, memberships = represent(X, most)
    for one, two in zip(found.memberships(X[:9]), memberships, strict=True):
        assert one.tobytes() == two[:9].tobytes()


def test_anchors_that_coincide_are_not_a_users_concern():
    """K-means warns of them: float32 does not tell rows apart beside an outlier."""
    rows = np.r_[np.linspace(0, 1, 30), 1e5][:, None].astype(np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        links = place_representatives(rows, 15, 0)
    assert not links.exact
    assert 1 < links.n_points < 15


def test_the_type_of_numbers_is_kept():
    for dtype in (np.float32, np.float64):
        for most in (15, 4000):
            assert represent(X.astype(dtype), most)[0].points.dtype == dtype


def test_anchors_are_placed_by_a_sample():
    assert len(sampled(10**6, 10, 0)) == 10 * SAMPLED_ROWS_PER_ANCHOR
    np.testing.assert_array_equal(sampled(100, 10, 0), np.arange(100))


def test_anchors_know_what_they_share_of_the_rows():
    """Two bars that no row joins, though anchors across the gap are neighbours."""
    bars = RNG.uniform(-9, 9, size=(600, 2)) * [1, 0.05]
    side = np.repeat([0, 1], 300)
    bars[:, 1] += 3 * side
    found, memberships = represent(bars, 40)
    of_anchor = np.empty(40, dtype=int)
    of_anchor[memberships.nearest[:, 0]] = side
    W = found.shared_view(found.points).graph(5)
    assert not W.diagonal().any()
    assert abs(W - W.T).max() < 1e-15
    rows, cols = W.nonzero()
    assert W.data[of_anchor[rows] != of_anchor[cols]].sum() < 0.05 * W.data.sum()
    exact = represent(bars, 4000)[0]
    assert exact.shared is exact.shared_view(exact.points) is None


@pytest.mark.parametrize("n", [50, 60, 80, 120])
def test_anchors_of_few_rows_do_not_stand_alone(n):
    """Most of them equal their only row, and are joined to the next ones by it."""
    blobs, _ = make_blobs(n, 3, centers=3, cluster_std=0.7, random_state=1)
    found, _ = represent(blobs / np.abs(blobs).max(), 40)
    view = found.shared_view(found.points)
    assert view.graph(5).sum(axis=1).min() > 0
    found = find_separation(view, found.points, 10)
    assert found is None or not found.shapes


def test_unequal_clusters_are_found_by_anchors():
    blobs, y = make_blobs([300, 100, 50], 3, cluster_std=0.7, random_state=2)
    model = GraphTailor(3, representatives=150, random_state=0).fit(blobs)
    assert adjusted_rand_score(y, model.labels_) > 0.99
