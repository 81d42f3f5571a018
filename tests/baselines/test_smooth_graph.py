"""Graphs of smooth signals: the minimum, its conditions, and the rule for theta."""

import warnings

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning

from graphtailor.baselines import SmoothGraph
from graphtailor.baselines.smooth_graph import smooth_weights, theta_for


def squares(X):
    return cdist(X, X, "sqeuclidean")


@pytest.mark.parametrize("theta", [0.05, 0.5, 5.0])
def test_equals_a_general_solver(rng, theta):
    z = theta * squares(rng.standard_normal((9, 3)))
    fit = smooth_weights(z, tol=1e-12, max_iter=100)
    # Where a loss has linear and squared terms of a variable that is declared
    # symmetric, cvxpy 1.6.0 finds another minimum: symmetry is a constraint here.
    W = cp.Variable((9, 9))
    degrees = cp.sum(W, axis=1)
    loss = cp.sum(cp.multiply(W, z)) - cp.sum(cp.log(degrees)) + cp.sum_squares(W) / 2
    problem = cp.Problem(cp.Minimize(loss), [W >= 0, W == W.T, cp.diag(W) == 0])
    assert fit.objective[-1] == pytest.approx(problem.solve(cp.CLARABEL), abs=1e-6)
    assert_allclose(fit.weights.toarray(), W.value, atol=1e-4)


def test_conditions_of_the_minimum_hold(rng):
    z = squares(rng.standard_normal((60, 4)))
    fit = smooth_weights(theta_for(z, 6) * z, tol=1e-13, max_iter=100)
    W = fit.weights.toarray()
    inverse = 1 / W.sum(axis=1)
    slope = theta_for(z, 6) * z + W - np.add.outer(inverse, inverse) / 2
    np.fill_diagonal(slope, 0)
    assert fit.converged
    assert slope.min() > -1e-6
    assert_allclose(slope[W > 0], 0, atol=1e-6)


def test_the_dual_objective_never_falls_and_few_steps_are_enough(rng):
    z = squares(rng.standard_normal((80, 3)))
    fit = smooth_weights(theta_for(z, 7) * z, tol=1e-10, max_iter=100)
    assert np.diff(fit.objective).min() >= 0
    assert len(fit.objective) <= 20


@pytest.mark.parametrize("k", [3, 8, 20])
def test_theta_gives_about_as_many_edges_as_asked_for(rng, k):
    z = squares(rng.standard_normal((150, 5)))
    W = smooth_weights(theta_for(z, k) * z, tol=1e-8, max_iter=100).weights
    assert k / 1.5 < W.nnz / 150 < 1.5 * k


def test_theta_keeps_exactly_k_edges_for_a_sample_alone(rng):
    """Brute force over the problem of one sample, between the two bounds."""
    row = np.sort(rng.uniform(1, 2, size=12))
    theta = theta_for(np.tile(np.r_[0, row], (13, 1)), 4)
    w = cp.Variable(12)
    loss = theta * row @ w - cp.log(cp.sum(w)) + cp.sum_squares(w) / 2
    cp.Problem(cp.Minimize(loss), [w >= 0]).solve(cp.CLARABEL)
    assert np.count_nonzero(w.value > 1e-5) == 4


def test_every_sample_has_an_edge_even_an_outlier(rng):
    X = np.vstack([rng.standard_normal((30, 2)), [[500.0, 500.0]]])
    model = SmoothGraph(1, random_state=0).fit(X)
    assert model.affinity_matrix_.sum(axis=1).min() > 0


def test_the_unit_is_that_of_theta(wine):
    X, _ = wine
    one = SmoothGraph(3, random_state=0).fit(X)
    two = SmoothGraph(3, theta=one.theta_ / 9, random_state=0).fit(3 * X)
    assert_allclose(
        one.affinity_matrix_.toarray(), two.affinity_matrix_.toarray(), atol=1e-6
    )


def test_too_few_steps_are_reported(wine):
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        SmoothGraph(3, max_iter=1, tol=1e-12, random_state=0).fit(wine[0])


def test_one_sample_far_from_tiny_ones_is_no_warning_of_scipy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(21, 50)) * np.logspace(-14, -12, 21)[:, None]
    X[-1] = rng.uniform(0.7, 0.9, 50)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SmoothGraph(21, random_state=0).fit(X)
    assert np.isfinite(model.affinity_matrix_.data).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_samples_far_apart_divide_by_no_zero():
    X = np.array([[9.2e-27, -2.3485338e05], [1e-24, 9.526856e06]], dtype=np.float32)
    assert set(SmoothGraph(2, random_state=0).fit_predict(X)) == {0, 1}


def test_a_huge_constant_column_hides_no_tiny_one(rng):
    X = np.c_[np.full(30, -1.45e70), 1e-86 * rng.standard_normal(30)]
    model = SmoothGraph(2, random_state=0).fit(X)
    alone = SmoothGraph(2, random_state=0).fit(X[:, 1:] * 1e86)
    np.testing.assert_array_equal(model.labels_, alone.labels_)
    assert np.isfinite(model.theta_)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_samples_that_lose_all_edges_to_far_ones_are_no_singular_matrix():
    X = np.array([[7e47, 0], [8e47, 0], [0, 0], [0, 0], [0, 0], [0, -2e128]])
    assert len(SmoothGraph(6, random_state=0).fit(X).labels_) == 6


def test_a_sample_beyond_all_others_overflows_nothing():
    points = np.array([[0.0], [1.0], [2.5], [1e80]])
    fit = smooth_weights(squares(points), tol=1e-6, max_iter=20)
    assert np.isfinite(fit.objective).all()
