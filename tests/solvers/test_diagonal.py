"""The weighted problem, where samples stand for many and S has a diagonal."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from graphtailor.solvers.multistart import descend_from
from graphtailor.solvers.problem import DescentProblem, alternate, fit_indicator
from graphtailor.solvers.support import support_of
from graphtailor.solvers.terms import joint_terms, objective
from graphtailor.solvers.v_step import best_entry


def build(alpha=1.0, beta=1.0, n=25, c=3, dtype=np.float64, full=False, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4)).astype(dtype)
    W = rng.uniform(size=(n, n)) * (rng.uniform(size=(n, n)) < 0.3)
    W = (W + W.T) / 2
    diagonal = np.diag(W) + 2.0 * rng.uniform(size=n)
    np.fill_diagonal(W, 0)
    support = support_of(sparse.csr_array(W), None if full else W_pairs(W), dtype)
    problem = DescentProblem(X, support, alpha, beta, 1, diagonal)
    V = rng.uniform(size=(n, c)) * (rng.uniform(size=(n, c)) < 0.7)
    return problem, X, W + np.diag(diagonal), V.astype(dtype)


def W_pairs(W):
    return sparse.csr_array((W > 0).astype(float))


def by_the_book(X, S, V, W, alpha, beta):
    """The diagonal of S takes no part in self-expression."""
    X, S, V = (A.astype(np.float64) for A in (X, S, V))
    return (
        alpha * np.linalg.norm(X - (S - np.diag(np.diag(S))).T @ X) ** 2
        + np.linalg.norm(S - V @ V.T) ** 2
        + beta * np.linalg.norm(S - W) ** 2
    )


def quartic(p, q, x):
    return x**4 + 2 * p * x**2 + 4 * q * x


@settings(max_examples=300)
@given(st.floats(-1e3, 0), st.floats(-1e3, 1e3))
def test_best_entry_where_p_is_negative(p, q):
    x = best_entry(p, q)
    assert x >= 0
    candidates = np.linspace(0, np.sqrt(-p) + np.cbrt(abs(q)), 4001)
    lowest = quartic(p, q, candidates).min()
    assert quartic(p, q, x) <= lowest + 1e-12 * (1 + abs(lowest))
    if x > 0:
        assert abs(x**3 + p * x + q) <= 1e-12 * (x**3 + abs(p) * x + abs(q))


@pytest.mark.parametrize("p", [-1e-300, -1e-150, -1e-8, -1.0, -1e8, -1e100])
def test_best_entry_turns_to_zero_where_the_quartic_does(p):
    """From q = (-2p/3)^(3/2) / 2 on the quartic is positive for every x > 0."""
    turn = (-2 * p / 3) ** 1.5 / 2
    assert best_entry(p, 1.001 * turn) == 0
    x = best_entry(p, 0.999 * turn)
    # There the largest root is near sqrt(-2p/3).
    assert x == pytest.approx(np.sqrt(-2 * p / 3), rel=1e-2)
    assert best_entry(p, 0.0) == pytest.approx(np.sqrt(-p), rel=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("beta", [0.0, 0.5, 100.0])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 100.0])
def test_alternation_never_raises_the_objective(alpha, beta, dtype):
    problem, X, W, V = build(alpha, beta, dtype=dtype)
    s, result = alternate(problem, problem.given, V, max_iter=40, tol=0)
    rise = np.diff(result.objective) / result.objective[:-1]
    tolerance = 1e-10 if dtype == np.float64 else 1e-6
    assert rise.max() <= tolerance
    S = result.S.toarray()
    np.testing.assert_array_equal(np.diag(S), problem.diagonal(s))
    exact = by_the_book(X, S, result.V, W, alpha, beta)
    # Where V fits S, large numbers cancel.
    accuracy = 10 * tolerance * max(exact, problem.size)
    assert result.objective[-1] == pytest.approx(exact, abs=accuracy)
    assert s.dtype == result.V.dtype == dtype


@pytest.mark.parametrize("beta", [0.0, 1.0, 100.0])
def test_fits_of_the_indicator_never_raise_the_objective(beta):
    problem, X, W, V = build(1.0, beta)
    V_new, history = fit_indicator(problem, problem.given, V, max_iter=30, tol=0)
    assert (np.diff(history) / history[:-1]).max() <= 1e-12
    for value, indicator in ((history[0], V), (history[-1], V_new)):
        S = problem.matrix(problem.given).toarray().T
        exact = by_the_book(X, S, indicator, W, 1.0, beta)
        assert value == pytest.approx(exact, rel=1e-10)


def test_every_entry_of_a_sweep_against_brute_force():
    problem, X, W, V = build(0.0, 0.0, n=8, c=2, seed=3)
    S = problem.matrix(problem.given).toarray().T
    slow = V.copy()
    for place in np.ndindex(slow.shape):

        def at(x, place=place):
            moved = slow.copy()
            moved[place] = x
            return by_the_book(X, S, moved, W, 0, 0)

        # The quartic may have two valleys: search round the lowest of many points.
        grid = np.linspace(0, 3, 301)
        near = grid[np.argmin([at(x) for x in grid])]
        bounds = (max(near - 0.02, 0), near + 0.02)
        best = optimize.minimize_scalar(at, bounds=bounds, options={"xatol": 1e-11})
        slow[place] = best.x if best.fun < at(0.0) else 0.0
    fast, _ = fit_indicator(problem, problem.given, V, max_iter=1, tol=0)
    np.testing.assert_allclose(fast, slow, atol=1e-5)


@pytest.mark.parametrize("beta", [0.2, 3.0])
def test_the_diagonal_ends_at_its_best(beta):
    problem, _, W, V = build(2.0, beta)
    _, result = alternate(problem, problem.given, V, max_iter=5000, tol=1e-15)
    own = (np.square(result.V).sum(axis=1) + beta * np.diag(W)) / (1 + beta)
    np.testing.assert_allclose(result.S.diagonal(), own, rtol=1e-6)


def test_alone_the_diagonal_is_that_of_the_given_graph():
    problem, X, W, _ = build(5.0, 20.0)
    s, value = problem.representation_alone()
    np.testing.assert_array_equal(problem.diagonal(s), np.diag(W))
    plain = DescentProblem(X, problem.support, 5.0, 20.0, 1)
    others, plain_value = plain.representation_alone()
    np.testing.assert_array_equal(problem.off_diagonal(s), others)
    assert value == plain_value


@pytest.mark.parametrize("beta", [0.5, 50.0])
def test_several_starts_keep_the_diagonal(beta):
    problem, X, W, V = build(1.0, beta)
    starts = [
        ("random", lambda seed=seed: np.random.default_rng(seed).uniform(size=V.shape))
        for seed in range(3)
    ]
    result, tried = descend_from(problem, starts, max_iter=200, tol=1e-8)
    exact = by_the_book(X, result.S.toarray(), result.V, W, 1.0, beta)
    assert result.objective[-1] == pytest.approx(exact, rel=1e-10)
    lowest = min(start.objective for start in tried)
    assert result.objective[-1] <= lowest * (1 + 1e-12)
    assert result.S.diagonal().min() > 0


@pytest.mark.parametrize(("alpha", "beta"), [(0.0, 0.0), (1.5, 0.4), (10.0, 100.0)])
def test_a_weighted_sample_stands_for_equal_ones(alpha, beta):
    """With x~ = sqrt(w) x, v~ = sqrt(w) v and S~_ij = sqrt(w_i w_j) S_ij, W~ alike.

    The weighted objective is that of the plain model on w_i copies of each sample,
    where S and W are equal on all copies of a pair and v on all copies of a sample:
    copies of one sample do not represent each other, and a copy's pair with itself
    counts as one between copies.
    """
    rng = np.random.default_rng(7)
    masses = np.array([1, 3, 2, 4, 1])
    n, root = len(masses), np.sqrt(masses)
    X, V = rng.normal(size=(n, 3)), rng.uniform(size=(n, 2))
    S, W = rng.uniform(size=(n, n)), rng.uniform(size=(n, n))
    W = (W + W.T) / 2
    both = np.outer(root, root)
    W_others = sparse.csr_array(both * (W - np.diag(np.diag(W))))
    support = support_of(W_others, None, np.float64)
    weighted = DescentProblem(
        X * root[:, None], support, alpha, beta, 1, masses * np.diag(W)
    )
    rows, cols = np.divmod(np.flatnonzero(~np.eye(n, dtype=bool)), n)
    s = np.r_[(both * S).T[rows, cols], masses * np.diag(S)]
    value = weighted.objective(s, V * root[:, None])

    copies = np.repeat(np.arange(n), masses)
    S_all, W_all = S[np.ix_(copies, copies)], W[np.ix_(copies, copies)]
    of_one = copies[:, None] == copies
    expression, *others = joint_terms(X[copies], W_all, alpha, beta)
    expanded = expression.value(np.where(of_one, 0, S_all), V[copies])
    expanded += objective(others, S_all, V[copies])
    assert value == pytest.approx(expanded, rel=1e-12)

    # The plain model has zeros on its own diagonal: that alone makes a difference.
    np.fill_diagonal(S_all, 0)
    np.fill_diagonal(W_all, 0)
    expression, *others = joint_terms(X[copies], W_all, alpha, beta)
    plain = expression.value(np.where(of_one, 0, S_all), V[copies])
    plain += objective(others, S_all, V[copies])
    squares = np.square(V).sum(axis=1)
    own = np.square(np.diag(S) - squares) + beta * np.square(np.diag(S - W))
    self_pairs = masses @ (own - np.square(squares))
    assert value == pytest.approx(plain + self_pairs, rel=1e-12)
