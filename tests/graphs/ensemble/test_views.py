"""Views: scalings of weighted samples, and their neighbours."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist
from scipy.stats import norm, rankdata

from graphtailor.decide.sizes import DIRECTIONS
from graphtailor.graphs.ensemble.views import (
    SPARSE_VIEWS,
    VIEWS,
    WEIGHTED_VIEWS,
    make_view,
    view_names,
)
from graphtailor.graphs.weights import normalize_affinity

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 3)) * [1.0, 10.0, 0.1] + [0.0, 3.0, 0.0]
MASSES = RNG.integers(1, 5, size=40)
COPIES = np.repeat(np.arange(40), MASSES)
every_view = pytest.mark.parametrize("name", VIEWS)


def points(X, name, masses=None):
    return make_view(
        X, name, 0, np.ones(X.shape[0]) if masses is None else masses
    ).points


def proportional(A, B):
    """Whether two arrays are equal but for one positive factor."""
    return np.allclose(A / np.abs(A).max(), B / np.abs(B).max(), atol=1e-5)


@every_view
def test_a_view_is_small_float32(name):
    Z = points(1e200 * X, name)
    assert Z.dtype == np.float32
    assert np.abs(Z).max() == pytest.approx(1)


@every_view
def test_a_mass_is_a_number_of_copies(name):
    weighted, copied = points(X, name, MASSES), points(X[COPIES], name)
    # Quartiles of copies lie between the middles of single copies.
    tolerance = 0.1 if name == "squashed" else 1e-5
    np.testing.assert_allclose(weighted[COPIES], copied, atol=tolerance)


@every_view
def test_a_sample_without_rows_changes_no_other(name):
    far = np.vstack([X, [[1e3, -1e3, 1e3]]])
    Z = points(far, name, np.append(MASSES, 0))
    assert np.isfinite(Z).all()
    assert proportional(Z[:-1], points(X, name, MASSES))


@every_view
def test_constant_features_are_finite(name):
    constant = np.column_stack([np.ones(20), np.zeros(20), np.arange(20.0)])
    assert np.isfinite(points(constant, name)).all()
    assert np.isfinite(points(constant[:, :2], name)).all()


def test_what_each_view_compares():
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    centred = X - X.mean(axis=0)
    ranks = norm.ppf((rankdata(X, axis=0) - 0.5) / 40)
    assert proportional(points(X, "as it is"), X)
    assert proportional(points(X, "standard"), standard)
    assert proportional(points(X, "unit rows"), unit)
    assert proportional(
        points(X, "centred unit rows"),
        centred / np.linalg.norm(centred, axis=1, keepdims=True),
    )
    assert proportional(points(X, "ranks"), ranks)


def test_ranks_do_not_depend_on_the_unit_of_a_feature():
    rounded = X.round(1)
    np.testing.assert_array_equal(
        points(rounded, "ranks"), points(np.exp(rounded / 10), "ranks")
    )


def test_a_squashed_feature_forgets_how_far_an_outlier_is():
    near, far = X[:, :1].copy(), X[:, :1].copy()
    near[0], far[0] = 50, 5_000
    np.testing.assert_allclose(
        points(near, "squashed"), points(far, "squashed"), atol=1e-3
    )


@pytest.mark.parametrize("name", sorted(set(VIEWS) - set(WEIGHTED_VIEWS)))
def test_the_other_views_undo_weights_of_features(name):
    np.testing.assert_allclose(
        points(X, name), points(X * [3.0, 1.0, 0.2], name), atol=1e-5
    )


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", SPARSE_VIEWS)
def test_many_features_are_seen_in_few_directions(name, container):
    wide = RNG.normal(size=(70, 6)) @ RNG.normal(size=(6, 80))
    Z = points(container(wide), name)
    assert Z.shape == (70, DIRECTIONS)
    unit = wide if name == "as it is" else wide / np.linalg.norm(wide, axis=1)[:, None]
    assert proportional(pdist(Z), pdist(unit))


def test_the_graph_of_a_view_by_its_formula():
    view = make_view(X, "as it is", 0, MASSES)
    D = cdist(view.points, view.points).astype(float)
    np.fill_diagonal(D, np.inf)
    near = np.argsort(D, axis=1)[:, :4]
    W = np.zeros((40, 40))
    width = np.take_along_axis(D, near, axis=1).mean()
    np.put_along_axis(
        W, near, np.exp(-np.square(np.take_along_axis(D, near, axis=1) / width)), axis=1
    )
    expected = normalize_affinity(sparse.csr_array((W + W.T) / 2))
    np.testing.assert_allclose(
        view.graph(4).toarray(), expected.toarray(), rtol=1e-4, atol=1e-7
    )


def test_names_of_views():
    assert view_names("auto", X) == tuple(VIEWS)
    assert view_names("auto", sparse.csr_array(X)) == SPARSE_VIEWS
    assert view_names("ranks", X) == ("ranks",)
    assert view_names(["ranks", "standard"], X) == ("ranks", "standard")


@pytest.mark.parametrize("views", ["upside down", ("ranks", "upside down"), ()])
def test_an_unknown_view_is_refused_with_the_names(views):
    with pytest.raises(ValueError, match="views=") as refused:
        view_names(views, X)
    assert all(repr(name) in str(refused.value) for name in VIEWS)


@pytest.mark.parametrize("name", sorted(set(VIEWS) - set(SPARSE_VIEWS)))
def test_a_view_that_would_fill_sparse_rows_is_refused(name):
    with pytest.raises(ValueError, match="sparse X dense") as refused:
        view_names((name,), sparse.csr_array(X))
    assert all(repr(known) in str(refused.value) for known in SPARSE_VIEWS)
