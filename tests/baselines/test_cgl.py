"""Graph Laplacian learning: optimality, trees, an independent solver."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse.csgraph import connected_components
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from graphtailor.baselines import CGL
from graphtailor.baselines._edge_weights import fit_edge_weights
from graphtailor.baselines.cgl import (
    connected_neighbors,
    drop_negligible,
    squared_distances,
)
from graphtailor.metrics import clustering_accuracy, purity

EXACT = {"tol": 1e-8, "max_iter": 50_000}


def costs(rng, n=15, alpha=0.05):
    r = squared_distances(rng.normal(size=(n, 6))) + 4 * alpha
    np.fill_diagonal(r, np.inf)
    return r


def resistances(w):
    n = len(w)
    M = np.linalg.inv(np.diag(w.sum(axis=1)) - w + 1 / n)
    return np.diag(M)[:, None] + np.diag(M) - 2 * M


def value(w, r):
    n = len(w)
    shifted = np.diag(w.sum(axis=1)) - w + 1 / n
    allowed = np.isfinite(r)
    return np.sum(r[allowed] * w[allowed]) / 2 - np.linalg.slogdet(shifted)[1]


def coordinate_descent(r, sweeps=400):
    """Exact line minima over one edge after the other, with rank-one updates."""
    n = len(r)
    edges = [(i, j) for i in range(n) for j in range(i) if np.isfinite(r[i, j])]
    w = np.where(np.isfinite(r), 1 / r, 0) * 2 / n
    M = np.linalg.inv(np.diag(w.sum(axis=1)) - w + 1 / n)
    for _ in range(sweeps):
        for i, j in edges:
            b = M[:, i] - M[:, j]
            R = b[i] - b[j]
            delta = max(1 / r[i, j] - 1 / R, -w[i, j])
            w[i, j] += delta
            w[j, i] += delta
            M -= delta / (1 + delta * R) * np.outer(b, b)
    return w


def test_generic_solver_finds_nothing_better(rng):
    r = costs(rng, n=8)
    edges = [(i, j) for i in range(8) for j in range(i)]
    w = cp.Variable(len(edges), nonneg=True)
    B = np.array([np.eye(8)[i] - np.eye(8)[j] for i, j in edges]).T
    theta = B @ cp.diag(w) @ B.T
    cost = np.array([r[e] for e in edges])
    problem = cp.Problem(
        cp.Minimize(cost @ w - cp.log_det(theta + np.full((8, 8), 1 / 8)))
    )
    problem.solve(solver=cp.SCS, eps=1e-9, max_iters=100_000)
    fit = fit_edge_weights(r, **EXACT)
    assert fit.converged
    assert_allclose(fit.objective[-1], problem.value, atol=1e-5)
    assert_allclose(fit.objective[-1], value(fit.weights, r), rtol=1e-10)


@pytest.mark.parametrize("alpha", [0.0, 0.05, 2.0])
def test_optimality_conditions(rng, alpha):
    r = costs(rng, alpha=alpha)
    fit = fit_edge_weights(r, tol=1e-6, max_iter=50_000)
    w, n = fit.weights, len(r)
    off = ~np.eye(n, dtype=bool)
    R = resistances(w)[off]
    assert fit.converged
    assert_array_equal(w, w.T)
    assert w.min() >= 0
    assert np.all((1 + 2e-6) * r[off] >= R)
    strong = w[off] > 1e-3 * w.max()
    assert_allclose(R[strong], r[off][strong], rtol=1e-3)
    assert_allclose(np.sum(r[off] * w[off]) / 2, n - 1)


def test_coordinate_descent_agrees(rng):
    r = costs(rng)
    fit = fit_edge_weights(r, **EXACT)
    other = coordinate_descent(r)
    assert_allclose(fit.objective[-1], value(other, r), atol=1e-6)
    assert_allclose(fit.weights, other, atol=1e-3 * other.max())


@pytest.mark.parametrize("alpha", [1e-4, 0.05, 2.0])
@pytest.mark.parametrize("n", [5, 40])
def test_objective_never_rises(rng, n, alpha):
    fit = fit_edge_weights(costs(rng, n, alpha), tol=1e-7, max_iter=300)
    assert np.diff(fit.objective).max() <= 1e-10 * abs(fit.objective[0])


def test_distance_to_the_optimum_is_certified(rng):
    r = costs(rng, 30)
    best = fit_edge_weights(r, **EXACT).objective[-1]
    for tol in (1e-1, 1e-2, 1e-3):
        fit = fit_edge_weights(r, tol=tol)
        assert fit.converged
        assert -1e-9 <= fit.objective[-1] - best <= 29 * np.log1p(tol)


def test_weights_of_a_tree_are_inverse_costs(rng):
    n = 20
    r = np.full((n, n), np.inf)
    for i in range(1, n):
        j = rng.integers(i)
        r[i, j] = r[j, i] = rng.uniform(0.1, 5)
    w = fit_edge_weights(r).weights
    assert_allclose(w, np.where(np.isfinite(r), 1 / r, 0), rtol=1e-8)


def test_planted_laplacian_is_recovered_from_many_samples(rng):
    n = 8
    truth = np.triu(rng.uniform(0.5, 2, size=(n, n)) * (rng.random((n, n)) < 0.5), 1)
    truth += np.diag(np.full(n - 1, 1.0), 1)
    truth += truth.T
    covariance = np.linalg.pinv(np.diag(truth.sum(axis=1)) - truth)
    X = rng.multivariate_normal(np.zeros(n), covariance, size=200_000).T
    model = CGL(2, alpha=0, tol=1e-6, max_iter=5000).fit(X)
    # Each sample loses its mean over the many draws, which is close to 0.
    assert_allclose(-model.laplacian_ * (1 - np.eye(n)), truth, atol=0.05)


def test_laplacian_has_the_right_form(wine):
    model = CGL(3, random_state=0).fit(wine[0])
    L = model.laplacian_
    assert_allclose(L.sum(axis=1), 0, atol=1e-8 * L.max())
    assert np.all(L[~np.eye(178, dtype=bool)] <= 0)
    assert_array_equal(L, L.T)
    r = squared_distances(wine[0]) + 4 * model.alpha_
    assert_allclose(-np.sum(r * L * (1 - np.eye(178))) / 2, 177)


@pytest.mark.parametrize("t", [0.1, 20.0])
def test_scale_of_the_samples_and_of_the_weight(wine, t):
    X, _ = wine
    one = CGL(3, alpha=0.01, random_state=0).fit(X)
    other = CGL(3, alpha=0.01 * t**2, random_state=0).fit(t * X)
    assert_allclose(other.laplacian_ * t**2, one.laplacian_, rtol=1e-4, atol=1e-3)
    assert_array_equal(one.labels_, other.labels_)
    assert_allclose(CGL(3).fit(t * X).alpha_, t**2 * CGL(3).fit(X).alpha_)


def test_second_regularisation_is_half_as_strong(wine):
    X = wine[0][:40]
    first = CGL(2, alpha=0.01).fit(X)
    second = CGL(2, alpha=0.02, reg_type=2).fit(X)
    assert_array_equal(first.laplacian_, second.laplacian_)


def test_order_of_samples_does_not_matter(rng):
    r = costs(rng, 20)
    order = rng.permutation(20)
    w = fit_edge_weights(r, **EXACT).weights
    again = fit_edge_weights(r[order][:, order], **EXACT).weights
    assert_allclose(again, w[order][:, order], atol=1e-4 * w.max())


def test_golden_values_on_wine(wine):
    X, y = wine
    for alpha in (1, 10, 100):
        labels = CGL(3, alpha=alpha, tol=1e-4, random_state=0).fit_predict(X)
        nmi = normalized_mutual_info_score(y, labels, average_method="max")
        ari = adjusted_rand_score(y, labels)
        assert 0.9005 <= clustering_accuracy(y, labels) <= 0.9045
        assert 0.9005 <= purity(y, labels) <= 0.9045
        assert 0.6985 <= nmi <= 0.7065
        assert 0.7155 <= ari <= 0.7265


def test_mask_of_neighbours_is_connected():
    X, _ = make_blobs(60, centers=4, cluster_std=0.1, random_state=0)
    r = squared_distances(X) + 1e-6
    np.fill_diagonal(r, np.inf)
    mask = connected_neighbors(r, 3)
    assert_array_equal(mask, mask.T)
    assert not mask.diagonal().any()
    assert connected_components(mask)[0] == 1
    assert mask.sum(axis=1).min() >= 3


def test_masked_edges_carry_no_weight(wine):
    X, y = wine
    model = CGL(3, mask="neighbors", random_state=0).fit(X)
    r = squared_distances(X) + 4 * model.alpha_
    np.fill_diagonal(r, np.inf)
    mask = connected_neighbors(r, 8)
    assert_array_equal(model.laplacian_[~mask & ~np.eye(178, dtype=bool)], 0)
    assert model.converged_
    assert clustering_accuracy(y, model.labels_) > 0.9


def test_only_edges_negligible_at_both_ends_are_dropped():
    w = np.array([[0, 1e6, 1e-5], [1e6, 0, 1], [1e-5, 1, 0.0]])
    A = drop_negligible(w).toarray()
    assert_array_equal(A, [[0, 1e6, 0], [1e6, 0, 1], [0, 1, 0]])


def test_duplicates_without_regularisation(rng):
    X = np.repeat(rng.normal(size=(6, 4)), 3, axis=0)
    model = CGL(2, alpha=0, random_state=0).fit(X)
    assert np.isfinite(model.laplacian_).all()
    assert np.isfinite(model.objective_).all()
    assert all(len(set(model.labels_[i : i + 3])) == 1 for i in range(0, 18, 3))


def test_running_out_of_iterations_is_told(wine):
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        model = CGL(3, max_iter=3).fit(wine[0])
    assert not model.converged_
    assert len(model.objective_) == 3
