"""Theorem 1 of the study, and the majorisers of its proof."""

import numpy as np
import pytest
from scipy import optimize

from graphtailor.datasets import load_dataset
from graphtailor.graphs import NeighborGraph
from graphtailor.solvers.multiplicative import (
    DenseProblem,
    multiplicative_start,
    solve_multiplicative,
    update_indicator,
)
from graphtailor.solvers.terms import objective

CORNERS = [0.0, 0.01, 1.0, 1000.0]


def data(name):
    if name == "mixed":
        return np.random.default_rng(0).normal(size=(30, 5))
    if name == "positive":
        return np.random.default_rng(0).uniform(size=(30, 5))
    if name == "wide":
        return np.random.default_rng(0).normal(size=(20, 90))
    if name == "wide and positive":
        return np.random.default_rng(0).uniform(size=(20, 90))
    X = load_dataset(name).data[::4]
    return X / np.abs(X).max(axis=0, initial=1e-9)


def solve(X, W, S, V, *, alpha, beta, **limits):
    return solve_multiplicative(DenseProblem(X, W, alpha, beta), S, V, **limits)


def step(problem, S, V):
    return problem.update_representation(S, V, problem.expressed(S))


def problem(name="mixed", c=3, seed=0):
    X = data(name)
    W = NeighborGraph().fit(X).affinity_.toarray()
    S, V = multiplicative_start(len(X), c, np.random.RandomState(seed))
    return X, W, S, V


@pytest.mark.parametrize("name", ["mixed", "positive", "iris", "wine", "ionosphere"])
@pytest.mark.parametrize("beta", CORNERS)
@pytest.mark.parametrize("alpha", CORNERS)
def test_theorem_1(name, alpha, beta):
    """No half-step raises the objective; positive stays positive, the diagonal 0."""
    X, W, S, V = problem(name)
    steps, weights = DenseProblem(X, W, alpha, beta), {"alpha": alpha, "beta": beta}
    value = start = objective(X, W, S, V, **weights)
    off_diagonal = ~np.eye(len(X), dtype=bool)
    for _ in range(25):
        S = step(steps, S, V)
        after_s = objective(X, W, S, V, **weights)
        V = update_indicator(S, V)
        after_v = objective(X, W, S, V, **weights)
        assert after_s <= value * (1 + 1e-10) + 1e-14 * start
        assert after_v <= after_s * (1 + 1e-10) + 1e-14 * start
        value = after_v
        np.testing.assert_array_equal(np.diag(S), 0)
        assert S[off_diagonal].min() > 0
        assert V.min() > 0


def test_rounding_makes_no_entry_negative():
    """Orthogonal rows: K is nonnegative, and KS comes out as a little less than 0."""
    X = np.array([[-1.0, 1, 0, 1, -1, -1], [-1, -1, -1, 0, 1, -1]]) / np.sqrt(5)
    S = np.array([[0, 0.35410589], [0.56241279, 0]])
    assert (X @ (X.T @ S)).min() < 0
    new = step(DenseProblem(1e3 * X, 0 * S, 1.0, 0.0), S, np.ones((2, 1)))
    assert np.isfinite(new).all()
    assert new.min() >= 0


@pytest.mark.parametrize("name", ["mixed", "positive", "wide", "wide and positive"])
def test_step_as_printed(name):
    X, W, S, V = problem(name)
    alpha, beta, K = 1.3, 0.4, X @ X.T
    plus, minus = np.maximum(K, 0), np.maximum(-K, 0)
    above = V @ V.T + alpha * plus + alpha * minus @ S + beta * W
    below = S + alpha * plus @ S + alpha * minus + beta * S
    printed = S * np.sqrt(above / below)
    np.fill_diagonal(printed, 0)
    np.testing.assert_allclose(
        step(DenseProblem(X, W, alpha, beta), S, V), printed, rtol=1e-12
    )


@pytest.mark.parametrize("name", ["mixed", "iris", "wine", "ionosphere"])
def test_float32_follows_float64(name):
    X, W, S, V = problem(name)
    limits = {"max_iter": 200, "tol": 0}
    exact = solve(X, W, S, V, alpha=1, beta=1, **limits)
    quick = solve_multiplicative(DenseProblem(X, W, 1, 1, "float32"), S, V, **limits)
    assert quick.S.dtype == quick.V.dtype == np.float32
    np.testing.assert_allclose(quick.S, exact.S, atol=1e-4)
    np.testing.assert_allclose(quick.V, exact.V, atol=1e-4)
    np.testing.assert_allclose(quick.objective, exact.objective, rtol=1e-4)


@pytest.mark.parametrize("name", ["mixed", "wide and positive"])
def test_history_and_reasons(name):
    X, W, S, V = problem(name)
    result = solve(X, W, S, V, alpha=1, beta=1, max_iter=7)
    assert (result.n_iter, result.reason, result.converged) == (7, "max_iter", False)
    assert result.stopping_value > 1e-4
    assert (np.diff(result.objective) <= 1e-10 * result.objective[0]).all()
    for at, found in ((0, (S, V)), (-1, (result.S, result.V))):
        exact = objective(X, W, *found, alpha=1, beta=1)
        assert result.objective[at] == pytest.approx(exact)
    done = solve(X, W, S, V, alpha=1, beta=1, max_iter=5000, tol=1e-4)
    assert done.converged
    assert done.stopping_value < 1e-4
    told = []
    stopped = solve(
        X, W, S, V, alpha=1, beta=1, monitor=lambda i: told.append(i) or i == 3
    )
    assert (stopped.reason, stopped.n_iter, told) == ("callback", 4, [0, 1, 2, 3])


def test_warm_start_goes_on_where_it_stopped():
    X, W, S, V = problem()
    whole = solve(X, W, S, V, alpha=1, beta=1, max_iter=10, tol=0)
    half = solve(X, W, S, V, alpha=1, beta=1, max_iter=5, tol=0)
    rest = solve(X, W, half.S, half.V, alpha=1, beta=1, max_iter=5, tol=0)
    np.testing.assert_array_equal(rest.V, whole.V)
    np.testing.assert_array_equal(rest.S, whole.S)


def test_the_start_is_not_changed():
    X, W, S, V = problem()
    S0, V0 = S.copy(), V.copy()
    solve(X, W, S, V, alpha=1, beta=1, max_iter=3)
    np.testing.assert_array_equal(S, S0)
    np.testing.assert_array_equal(V, V0)


@pytest.mark.parametrize("t", [1e-3, 0.5, 7.0, 1e4])
@pytest.mark.parametrize("name", ["mixed", "positive"])
def test_scaled_samples_with_scaled_alpha_give_the_same_iterates(t, name):
    X, W, S, V = problem(name)
    one = solve(X, W, S, V, alpha=2, beta=0.5, max_iter=20)
    other = solve(t * X, W, S, V, alpha=2 / t**2, beta=0.5, max_iter=20)
    np.testing.assert_allclose(other.S, one.S, rtol=1e-8)
    np.testing.assert_allclose(other.V, one.V, rtol=1e-8)
    np.testing.assert_allclose(other.objective, one.objective, rtol=1e-8)


def test_permuted_samples_give_permuted_iterates():
    X, W, S, V = problem()
    order = np.random.default_rng(1).permutation(len(X))
    both = np.ix_(order, order)
    one = solve(X, W, S, V, alpha=1, beta=1, max_iter=20)
    other = solve(X[order], W[both], S[both], V[order], alpha=1, beta=1, max_iter=20)
    np.testing.assert_allclose(other.S, one.S[both], rtol=1e-8)
    np.testing.assert_allclose(other.V, one.V[order], rtol=1e-8)


def test_given_graph_alone_leads_to_symmetric_factorisation():
    """Without self-expression and with an endless beta S is W, and V fits W."""
    X, W, S, V = problem()
    result = solve(X, W, S, V, alpha=0, beta=1e8, max_iter=300, tol=0)
    np.testing.assert_allclose(result.S, W, atol=1e-6)
    expected = V
    np.testing.assert_allclose(
        update_indicator(W, V),
        expected
        * ((2 * W @ expected) / (2 * expected @ expected.T @ expected)) ** 0.25,
        rtol=1e-12,
    )


def test_a_fixed_point_satisfies_the_optimality_conditions():
    X, W, S, V = problem("positive")
    result = solve(X, W, S, V, alpha=0.1, beta=1, max_iter=20000, tol=1e-9)
    S, V = result.S, result.V
    gradient = 2 * (2 * S + 0.1 * X @ (X.T @ S - X.T) - V @ V.T - W)
    off_diagonal = ~np.eye(len(X), dtype=bool)
    assert np.abs(np.minimum(S, gradient))[off_diagonal].max() < 1e-3
    gradient = 4 * V @ V.T @ V - 2 * (S + S.T) @ V
    assert np.abs(np.minimum(result.V, gradient)).max() < 1e-3


def majoriser_s(S, T, K, V, W, alpha, beta):
    """f_s(S, S') of the proof, on the entries with S' > 0."""
    A = (1 + beta) * np.eye(len(K)) + alpha * np.maximum(K, 0)
    B = alpha * np.maximum(-K, 0)
    C = 2 * (V @ V.T + beta * W + alpha * np.maximum(K, 0))
    on = T > 0
    log = np.where(on, np.log(np.where(on, S, 1) / np.where(on, T, 1)), 0)
    bilinear = np.einsum("ik,kj,ij->", B, T, T)
    bilinear += np.einsum("ik,kj,ij->", B, T * log, T)
    bilinear += np.einsum("ik,kj,ij->", B, T, T * log)
    ratio = np.where(on, S**2 / np.where(on, T, 1), 0)
    return (
        -bilinear
        + (A @ T * ratio).sum()
        + (2 * B * (ratio + T) / 2).sum()
        - (C * T * (1 + log))[on].sum()
    )


def s_part(S, K, V, W, alpha, beta):
    """The part of the objective that depends on S."""
    quadratic = np.trace(S.T @ ((1 + beta) * S + alpha * K @ S))
    return quadratic - 2 * np.sum(S * (V @ V.T + beta * W + alpha * K))


def majoriser_v(V, T, S):
    log = np.log(V / T)
    quartic = (T @ T.T @ T * V**4 / T**3).sum()
    bilinear = np.einsum("ji,jk,ik->", S, T, T)
    bilinear += np.einsum("ji,jk,ik->", S, T * log, T)
    bilinear += np.einsum("ji,jk,ik->", S, T, T * log)
    return quartic - 2 * bilinear


def v_part(V, S):
    return np.linalg.norm(V.T @ V) ** 2 - 2 * np.sum(V * (S @ V))


@pytest.fixture
def small():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(6, 3))
    W = rng.uniform(size=(6, 6))
    W = (W + W.T) / 2
    np.fill_diagonal(W, 0)
    S, V = multiplicative_start(6, 2, np.random.RandomState(3))
    return X, W, S, V


def test_majoriser_of_the_representation(small):
    X, W, S, V = small
    alpha, beta, K = 0.7, 0.3, X @ X.T
    args = (K, V, W, alpha, beta)
    gap = majoriser_s(S, S, *args) - s_part(S, *args)
    rng = np.random.default_rng(0)
    for spread in (0.01, 0.5, 3.0):
        other = S * np.exp(rng.normal(scale=spread, size=S.shape))
        above = majoriser_s(other, S, *args) - s_part(other, *args) - gap
        assert above >= -1e-9 * abs(majoriser_s(other, S, *args))
    off_diagonal = S > 0

    def along_logarithms(z):
        T = np.zeros_like(S)
        T[off_diagonal] = np.exp(z)
        return majoriser_s(T, S, *args)

    best = optimize.minimize(
        along_logarithms, np.log(S[off_diagonal]), method="BFGS", options={"gtol": 1e-7}
    )
    update = step(DenseProblem(X, W, alpha, beta), S, V)
    np.testing.assert_allclose(update[off_diagonal], np.exp(best.x), rtol=1e-4)


def test_majoriser_of_the_indicator(small):
    _, _, S, V = small
    gap = majoriser_v(V, V, S) - v_part(V, S)
    assert gap == pytest.approx(0, abs=1e-10)
    rng = np.random.default_rng(0)
    for spread in (0.01, 0.5, 2.0):
        other = V * np.exp(rng.normal(scale=spread, size=V.shape))
        assert majoriser_v(other, V, S) >= v_part(other, S) - 1e-9
    best = optimize.minimize(
        lambda z: majoriser_v(np.exp(z).reshape(V.shape), V, S),
        np.log(V.ravel()),
        method="BFGS",
        options={"gtol": 1e-7},
    )
    np.testing.assert_allclose(
        update_indicator(S, V).ravel(), np.exp(best.x), rtol=1e-4
    )


def test_separate_groups_of_both_signs_stay_finite():
    """Orthogonal groups: VV' and K vanish together between them."""
    rng = np.random.default_rng(0)
    X = np.zeros((40, 30))
    X[:20, :15] = rng.normal(size=(20, 15))
    X[20:, 15:] = rng.uniform(size=(20, 15))
    W = np.kron(np.eye(2), np.ones((20, 20))) / 19
    np.fill_diagonal(W, 0)
    S, V = multiplicative_start(40, 2, np.random.RandomState(0))
    result = solve(X, W, S, V, alpha=1000, beta=1, max_iter=400, tol=0)
    assert np.isfinite(result.S).all()
    assert np.isfinite(result.V).all()
    assert (np.diff(result.objective) <= 1e-10 * result.objective[:-1]).all()
