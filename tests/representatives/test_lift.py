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
