"""Views: scalings that know what each sample stands for, and their neighbours."""

import numpy as np
import pytest

from graphtailor.graphs.ensemble.views import VIEWS, make_view, view_names


def points(X, name, masses=None):
    masses = np.ones(len(X)) if masses is None else masses
    return make_view(X, name, 0, masses).points


def test_many_features_are_projected_and_keep_their_products():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 6)) @ rng.normal(size=(6, 300))
    narrow = points(X, "as it is").astype(float)
    assert narrow.shape == (120, 64)
    scale = np.linalg.norm(X) / np.linalg.norm(narrow)
    products = narrow @ narrow.T * scale**2
    np.testing.assert_allclose(products, X @ X.T, atol=1e-4 * np.abs(X @ X.T).max())


def test_ranks_do_not_depend_on_the_unit_of_a_feature():
    X = np.random.default_rng(0).normal(size=(40, 3)).round(1)
    np.testing.assert_array_equal(points(X, "ranks"), points(np.exp(X), "ranks"))


def test_a_squashed_feature_forgets_how_far_an_outlier_is():
    X = np.random.default_rng(0).normal(size=(40, 1))
    near, far = X.copy(), X.copy()
    near[0], far[0] = 50, 5_000
    np.testing.assert_allclose(
        points(near, "squashed"), points(far, "squashed"), atol=1e-3
    )


@pytest.mark.parametrize("name", VIEWS)
def test_a_mass_counts_as_equal_rows(name):
    rng = np.random.default_rng(0)
    X, masses = rng.normal(size=(30, 3)) + 1, rng.integers(1, 9, 30)
    repeated = np.repeat(X, masses, axis=0)
    first = np.cumsum(masses) - masses
    weighted, plain = points(X, name, masses.astype(float)), points(repeated, name)
    tolerance = 0.06 if name == "squashed" else 1e-6  # quantiles are interpolated
    np.testing.assert_allclose(weighted, plain[first], atol=tolerance)


@pytest.mark.parametrize("name", VIEWS)
def test_views_of_constant_features_are_finite(name):
    X = np.column_stack([np.ones(20), np.zeros(20), np.arange(20.0)])
    assert np.isfinite(points(X, name)).all()
    assert np.isfinite(points(X[:, :2], name)).all()


def test_the_graph_takes_the_nearest_of_the_neighbours_found():
    X = np.random.default_rng(0).normal(size=(50, 2))
    view = make_view(X, "as it is", 0, np.ones(50))
    W = view.graph(4)
    assert abs(W - W.T).max() == 0
    assert np.diff(W.indptr).min() >= 4
    assert np.diff(W.indptr).mean() <= 8
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    for i in range(50):
        assert W[i, np.argsort(distances[i])[1]] > 0


def test_unknown_views_are_named():
    with pytest.raises(ValueError, match="'sideways'"):
        view_names(("standard", "sideways"), np.eye(3))
