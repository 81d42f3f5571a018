"""Lift: from the clusters of representatives to those of any rows."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from graphtailor import GraphTailor
from graphtailor.representatives import Representatives
from graphtailor.representatives import rows as rows_module
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.lift import Lifter, normalized
from graphtailor.representatives.rows import Rows

RNG = np.random.default_rng(0)
X, NEW = RNG.normal(size=(60, 4)), RNG.normal(size=(50, 4))
either = pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])


def make_lifter(X, most=4000, unit=False, n_jobs=1):
    rows = Rows(X, unit=unit).scaled_by("maxabs", np.arange(X.shape[0]))
    representatives, _ = Representatives.of(rows, most, 0, 1)
    shares = np.random.default_rng(1).uniform(size=(len(representatives), 3))
    return Lifter(rows.empty(), representatives, shares, n_jobs)


def test_normalized_rows():
    V = np.array([[1.0, 3.0], [0.0, 0.0]], dtype=np.float32)
    found = normalized(V)
    np.testing.assert_array_equal(found, [[0.25, 0.75], [0.5, 0.5]])
    assert found.dtype == np.float32


@either
@pytest.mark.parametrize("most", [20, 4000])
def test_an_indicator_is_the_normalised_mean_by_shares(most, container):
    lifter = make_lifter(container(X), most)
    found = lifter.indicator_of(container(NEW))
    rows = lifter.representatives.memberships(
        lifter.scaling.like(container(NEW)).take(slice(None))
    )
    mean = np.einsum("nk,nkc->nc", rows.shares, lifter.shares[rows.nearest])
    expected = mean / mean.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_fitted_rows_have_the_shares_of_their_representative():
    lifter = make_lifter(X)
    place = lifter.representatives.memberships(lifter.scaling.like(X).take(slice(None)))
    expected = normalized(lifter.shares)[place.nearest[:, 0]]
    np.testing.assert_array_equal(lifter.indicator_of(X), expected)


@either
@pytest.mark.parametrize("unit", [False, True])
@pytest.mark.parametrize("most", [20, 4000])
def test_each_row_for_itself_in_any_blocks_on_any_threads(
    most, unit, container, monkeypatch
):
    lifter = make_lifter(container(X), most, unit)
    both = container(np.vstack([NEW, X]))
    whole = lifter.indicator_of(both)
    alone = np.vstack([lifter.indicator_of(both[i : i + 1]) for i in range(0, 110, 9)])
    assert alone.tobytes() == whole[::9].tobytes()
    monkeypatch.setattr(rows_module, "_ROWS_PER_BLOCK", 16)
    for n_jobs in (1, 3):
        blocks = make_lifter(container(X), most, unit, n_jobs).indicator_of(both)
        assert blocks.tobytes() == whole.tobytes()


def test_pairs_are_lifted_as_rows_are():
    given = GivenPairs.of(cdist(X, X), "precomputed", 1)
    shares = RNG.uniform(size=(60, 3))
    lifter = Lifter(Rows(cdist(X, X)).empty(), given, shares)
    np.testing.assert_array_equal(lifter.indicator_of(cdist(X, X)), normalized(shares))
    new = lifter.indicator_of(cdist(NEW, X))
    np.testing.assert_allclose(new.sum(axis=1), 1)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("fitted", [sparse.csr_array, np.asarray])
def test_new_rows_may_be_dense_or_sparse_whatever_the_fit_was(fitted, metric):
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(60, 8)) * (rng.uniform(size=(60, 8)) < 0.5)
    model = GraphTailor(3, metric=metric, random_state=0).fit(fitted(X))
    for given in (X, sparse.csr_array(X)):
        assert model.predict_proba(given).tobytes() == model.indicator_.tobytes()


def test_distances_are_the_means_to_all_linked_points_but_the_last():
    lifter = make_lifter(X)
    scaled = lifter.scaling.like(np.vstack([NEW, X[:5]])).take(slice(None))
    points = lifter.representatives.points
    among = np.sort(cdist(points, points), axis=1)[:, 1:5].mean(axis=1)
    apart = np.sort(cdist(scaled, points), axis=1)
    expected = np.append(apart[:50, :4].mean(axis=1), apart[50:, 1:5].mean(axis=1))
    found = lifter.place(np.vstack([NEW, X[:5]])).distance
    np.testing.assert_allclose(found, expected / np.quantile(among, 0.95))
    assert (lifter.place(X).distance <= 1).mean() == pytest.approx(0.95)


def test_a_row_is_far_also_where_no_direction_of_the_search_sees_it():
    wide = np.hstack(
        [np.random.default_rng(0).normal(size=(70, 70)), np.zeros((70, 1))]
    )
    odd = wide[:1] + [*[0] * 70, 1000.0]
    representatives, _ = Representatives.of(Rows(wide), 4000, 0, 1)
    lifter = Lifter(Rows(wide[:0]), representatives, np.ones((70, 1)))
    assert lifter.place(odd).distance > 50


def test_fitted_rows_are_not_searched_for_again(monkeypatch):
    model = GraphTailor(2, random_state=0, representatives=40).fit(X)
    expected = model.place(X)
    monkeypatch.delattr(Representatives, "memberships")
    found = model.place(X, fitted=True)
    np.testing.assert_allclose(found.distance, expected.distance)
    np.testing.assert_array_equal(found.indicator, expected.indicator)
