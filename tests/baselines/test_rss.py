"""Joint representation and affinity: convex parts, closed forms, read-outs."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import cdist

from graphtailor.baselines import RSSA, RSSAR, RSSR
from graphtailor.baselines._operators import (
    adaptive_neighbor_weights,
    economy_svd,
    project_simplex,
)
from graphtailor.baselines._rss_solver import (
    graph_terms,
    laplacian,
    sparse_error_representation,
    squared_error_representation,
    squared_row_distances,
    sylvester_step,
    zero_diagonal_step,
)
from graphtailor.metrics import clustering_accuracy


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(12, 5))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    A, _ = adaptive_neighbor_weights(cdist(X, X, "sqeuclidean"), 3)
    return X, A


def convex_value(X, C, A, beta, gamma):
    gaps = np.sum(cdist(C, C, "sqeuclidean") * A.toarray())
    return np.abs(X - C @ X).sum() + beta * np.sum(C * C) + gamma * gaps


def convex(X, beta, gamma, A):
    """The convex problem for a given affinity, to high accuracy."""
    return sparse_error_representation(X, beta, gamma, A, tol=1e-9, max_iter=50_000)


def subspaces(rng, n_each=20, d=15, rank=2, parts=3):
    bases = np.linalg.qr(rng.normal(size=(d, parts * rank)))[0].T
    X = [rng.normal(size=(n_each, rank)) @ B for B in np.split(bases, parts)]
    return np.vstack(X), np.repeat(np.arange(parts), n_each)


@pytest.mark.parametrize(("beta", "gamma"), [(0.1, 0.1), (1.0, 1.0), (0.5, 0.05)])
def test_generic_solver_agrees_for_a_given_affinity(problem, beta, gamma):
    X, A = problem
    n = len(X)
    R = np.linalg.cholesky(laplacian(A).toarray() + 1e-13 * np.eye(n)).T
    C = cp.Variable((n, n))
    terms = (
        cp.sum(cp.abs(X - C @ X))
        + beta * cp.sum_squares(C)
        + 2 * gamma * cp.sum_squares(R @ C)
    )
    generic = cp.Problem(cp.Minimize(terms), [cp.diag(C) == 0])
    generic.solve(solver=cp.CLARABEL)
    result = convex(X, beta, gamma, A)
    assert result.converged
    assert_allclose(
        convex_value(X, result.representation, A, beta, gamma), generic.value, rtol=1e-6
    )
    assert_allclose(result.representation, C.value, atol=1e-3)


def test_objective_counts_all_terms(problem):
    X, A = problem
    result = convex(X, 0.3, 0.2, A)
    assert_allclose(
        result.objective[-1],
        convex_value(X, result.representation, A, 0.3, 0.2),
        rtol=1e-6,
    )
    joint = sparse_error_representation(X, 0.3, 0.2, 3, tol=1e-7)
    C = joint.representation
    distances = cdist(C, C, "sqeuclidean")
    weights, xi = adaptive_neighbor_weights(distances, 3)
    ridge = 0.2 * np.sum(xi * np.sum(weights.toarray() ** 2, axis=1))
    expected = convex_value(X, C, weights, 0.3, 0.2) + ridge
    assert_allclose(joint.objective[-1], expected, rtol=1e-4)
    assert_allclose(
        graph_terms(weights, distances, xi) * 0.2,
        ridge + 0.2 * np.sum(distances * weights.toarray()),
    )


@pytest.mark.parametrize("t", [0.2, 5.0])
def test_scale_for_a_given_affinity(problem, t):
    X, A = problem
    one = convex(X, 0.4, 0.3, A)
    other = convex(t * X, t * 0.4, t * 0.3, A)
    assert_allclose(other.representation, one.representation, atol=1e-5)
    assert_allclose(other.error, t * one.error, atol=1e-5 * t)


@pytest.mark.parametrize("k", [3, 5])
def test_constraints_hold(rng, k):
    X = rng.normal(size=(40, 8))
    result = sparse_error_representation(X, 1.0, 1.0, k)
    C, A = result.representation, result.affinity
    assert result.converged
    assert_array_equal(np.diag(C), 0)
    assert_allclose(C @ X + result.error, X, atol=1e-12)
    assert_array_equal(A.diagonal(), 0)
    assert A.data.min() > 0
    assert_allclose(A.sum(axis=1), 1)
    assert_array_equal(np.diff(A.indptr), k)
    expected, _ = adaptive_neighbor_weights(cdist(C, C, "sqeuclidean"), k)
    assert_allclose(A.toarray(), expected.toarray(), atol=1e-6)


def test_smoothing_step_against_its_optimality_conditions(rng):
    n = 30
    A, _ = adaptive_neighbor_weights(squared_row_distances(rng.normal(size=(n, 3))), 4)
    L = 2.5 * laplacian(A)
    B = rng.normal(size=(n, n))
    Q = zero_diagonal_step(L, B)
    assert_array_equal(np.diag(Q), 0)
    # Off the diagonal the gradient of |Q - B|^2 + tr(Q'LQ) vanishes.
    gradient = Q - B + L @ Q
    assert_allclose(gradient[~np.eye(n, dtype=bool)], 0, atol=1e-12)


def test_smoothing_step_without_edges_clears_the_diagonal(rng):
    B = rng.normal(size=(6, 6))
    Q = zero_diagonal_step(sparse.csr_array((6, 6)), B)
    assert_allclose(Q, B - np.diag(np.diag(B)))


def test_row_distances(rng):
    X = rng.normal(size=(20, 4))
    X[3] = X[7]
    D = squared_row_distances(X)
    assert_allclose(D, cdist(X, X, "sqeuclidean"), atol=1e-12)
    assert_array_equal(np.diag(D), 0)


@pytest.mark.parametrize("shape", [(20, 6), (10, 15)])
def test_closed_form_solves_its_sylvester_equation(rng, shape):
    X = rng.normal(size=shape)
    K = X @ X.T
    A, _ = adaptive_neighbor_weights(squared_row_distances(X), 3)
    beta, gamma = 0.7, 0.4
    C = sylvester_step(*economy_svd(X)[:2], A, beta, gamma)
    L = laplacian(A).toarray()
    residual = (beta * np.eye(len(X)) + 2 * gamma * L) @ C + C @ K - K
    assert_allclose(residual, 0, atol=1e-10)

    # Half the gradient of |X - CX|^2 + beta |C|^2 + 2 gamma tr(C'LC), by differences.
    def smooth(C):
        fit = np.sum((X - C @ X) ** 2) + beta * np.sum(C * C)
        return fit + 2 * gamma * np.sum(C * (L @ C))

    direction = rng.normal(size=C.shape)
    slope = smooth(C + 1e-4 * direction) - smooth(C - 1e-4 * direction)
    assert abs(slope) < 1e-8 * smooth(C)


def test_without_graph_the_closed_form_is_ridge_regression(rng):
    X = rng.normal(size=(25, 6))
    K = X @ X.T
    A, _ = adaptive_neighbor_weights(squared_row_distances(X), 3)
    C = sylvester_step(*economy_svd(X)[:2], A, 0.5, 0.0)
    assert_allclose(C, K @ np.linalg.inv(K + 0.5 * np.eye(25)), atol=1e-10)


def test_alternation_with_fixed_ridges_never_rises(rng):
    X = rng.normal(size=(30, 5))
    data, beta, gamma = economy_svd(X)[:2], 0.5, 0.8
    A, xi = adaptive_neighbor_weights(squared_row_distances(X), 4)
    xi = xi[:, None] / 10
    history = []
    for _ in range(12):
        C = sylvester_step(*data, A, beta, gamma)
        D = squared_row_distances(C)
        fit = np.sum((X - C @ X) ** 2) + beta * np.sum(C * C)
        off = ~np.eye(30, dtype=bool)
        for weights in (A.toarray(), None):
            if weights is None:
                rows = (-gamma * D / (2 * xi))[off].reshape(30, 29)
                weights = np.zeros((30, 30))
                weights[off] = project_simplex(rows).ravel()
            history.append(fit + np.sum(gamma * D * weights + xi * weights**2))
        A = sparse.csr_array(weights)
    assert np.diff(history).max() <= 1e-10 * history[0]
    assert history[-1] < history[0]


def test_squared_loss_settles(rng):
    X, y = subspaces(rng)
    result = squared_error_representation(X, 0.5, 0.5, 5)
    assert result.converged
    assert_allclose(result.representation @ X + result.error, X)
    C = sylvester_step(*economy_svd(X)[:2], result.affinity, 0.5, 0.5)
    assert_allclose(result.representation, C, atol=2e-4)
    labels = RSSR(3, loss="fro", random_state=0).fit_predict(X)
    assert clustering_accuracy(y, labels) == 1


@pytest.mark.parametrize("estimator", [RSSA, RSSR, RSSAR])
def test_subspaces_are_told_apart(rng, estimator):
    X, y = subspaces(rng)
    X[rng.uniform(size=X.shape) < 0.02] += 0.5
    model = estimator(3, random_state=0).fit(X)
    assert model.converged_
    assert clustering_accuracy(y, model.labels_) > 0.96


def test_three_readouts_of_one_optimisation(rng):
    X, _ = subspaces(rng)
    a, r, ar = (cls(3, random_state=0).fit(X) for cls in (RSSA, RSSR, RSSAR))
    for other in (r, ar):
        assert_array_equal(a.representation_, other.representation_)
        assert_array_equal(a.objective_, other.objective_)
    C, A = a.representation_, a.neighbor_weights_.toarray()
    assert_allclose(a.affinity_matrix_.toarray(), (A + A.T) / 2)
    assert_allclose(r.affinity_matrix_, np.abs(C) + np.abs(C.T))
    assert_allclose(ar.affinity_matrix_.toarray(), np.abs(A * C) + np.abs(A * C).T)


def test_samples_are_scaled_to_unit_length_if_wanted(rng):
    X, _ = subspaces(rng, n_each=8)
    stretched = X * rng.uniform(0.5, 4, size=(24, 1))
    one, other = RSSR(3).fit(X), RSSR(3).fit(stretched)
    assert_allclose(one.representation_, other.representation_, atol=1e-6)
    raw = RSSR(3, normalize_samples=False).fit(stretched)
    assert np.abs(raw.representation_ - one.representation_).max() > 1e-2


def test_samples_without_length_get_no_coefficients(rng):
    X, _ = subspaces(rng, n_each=8)
    X[[2, 11]] = 0
    model = RSSR(3, random_state=0).fit(X)
    assert_allclose(model.error_[[2, 11]], 0, atol=1e-3)
    assert np.isfinite(model.representation_).all()


def test_empty_features_change_nothing(wine):
    X, _ = wine
    wide = np.zeros((len(X), 3 * X.shape[1]))
    wide[:, 1::3] = X
    one = RSSA(3, t=0.5, random_state=0).fit(X)
    other = RSSA(3, t=0.5, random_state=0).fit(wide)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_allclose(one.representation_, other.representation_, atol=1e-9)
    np.testing.assert_allclose(other.error_[:, 1::3], one.error_, atol=1e-9)
    np.testing.assert_array_equal(np.delete(other.error_, np.s_[1::3], axis=1), 0)
