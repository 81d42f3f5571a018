"""Coordinate descent: monotone, stationary, exact on a full support."""

import numpy as np
import pytest
from scipy import sparse

from graphtailor.graphs import NeighborGraph
from graphtailor.linalg.threads import Workers
from graphtailor.solvers.descent import descend_from
from graphtailor.solvers.multiplicative import (
    DenseProblem,
    multiplicative_start,
    solve_multiplicative,
)
from graphtailor.solvers.problem import DescentProblem, Limits, alternate, fit_indicator
from graphtailor.solvers.starts import scale_to
from graphtailor.solvers.support import support_of
from graphtailor.solvers.terms import objective
from graphtailor.solvers.v_step import gram

CORNERS = [0.0, 0.01, 1.0, 1000.0]


def build(alpha=1.0, beta=1.0, n=60, dtype=np.float64, full=False, thin=False, seed=0):
    """Three groups of samples of both signs, of unit mean square norm."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(3, 5))[np.arange(n) % 3] * 2 + rng.normal(size=(n, 5))
    X = (X / np.sqrt(np.square(X).sum(axis=1).mean())).astype(dtype)
    builder = NeighborGraph().fit(X)
    W = builder.affinity_.astype(dtype)
    edges = builder.nearest(3 * builder.n_neighbors_)
    pairs = sparse.csr_array(
        (np.ones(len(edges.rows)), (edges.rows, edges.cols)), shape=(n, n)
    )
    support = support_of(W, None if full else pairs, dtype)
    samples = sparse.csr_array(X) if thin else X
    problem = DescentProblem(samples, support, alpha, beta, n_jobs=1)
    V = scale_to(W, rng.uniform(size=(n, 3))).astype(dtype)
    return problem, X, W, V


def check_monotone(history, dtype=np.float64):
    rise = np.diff(history) / np.abs(history[:-1])
    assert rise.max(initial=0) <= (1e-10 if dtype == np.float64 else 1e-6)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("beta", CORNERS)
@pytest.mark.parametrize("alpha", CORNERS)
def test_alternation_never_raises_the_objective(alpha, beta, dtype):
    problem, X, W, V = build(alpha, beta, dtype=dtype)
    s, result = alternate(problem, problem.support.given, V, Limits(40, 0))
    check_monotone(result.objective, dtype)
    S = problem.support.matrix(s).toarray().T
    np.testing.assert_array_equal(result.S.toarray(), S)
    exact = objective(
        *(X.astype(float), W.toarray().astype(float), S.astype(float), result.V),
        alpha=alpha,
        beta=beta,
    )
    tolerance = 1e-10 if dtype == np.float64 else 1e-5
    assert result.objective[-1] == pytest.approx(exact, rel=tolerance, abs=1e-12)
    assert s.min() >= 0
    assert result.V.min() >= 0
    assert s.dtype == result.V.dtype == dtype


@pytest.mark.parametrize("beta", [0.0, 1.0, 1000.0])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 1000.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fits_of_the_indicator_never_raise_the_objective(alpha, beta, dtype):
    problem, _, _, V = build(alpha, beta, dtype=dtype)
    s = problem.support.given
    V_new, history = fit_indicator(problem, s, V, Limits(30, 0))
    check_monotone(np.array(history), dtype)
    tolerance = 1e-10 if dtype == np.float64 else 1e-5
    assert history[0] == pytest.approx(problem.objective(s, V), rel=tolerance)
    assert history[-1] == pytest.approx(problem.objective(s, V_new), rel=tolerance)


@pytest.mark.parametrize("beta", [0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("alpha", [0.0, 1.0, 100.0])
def test_optimality_conditions(alpha, beta):
    """What is left of min(x, gradient), relative to the curvature of an entry."""
    problem, X, W, V = build(alpha, beta)
    _, result = alternate(problem, problem.support.given, V, Limits(20000, 1e-15))
    assert result.converged
    S, V = result.S.toarray(), result.V
    gradient = 2 * ((1 + beta) * S + alpha * X @ (X.T @ S - X.T) - V @ V.T)
    gradient -= 2 * beta * W.toarray()
    curvature = 2 * (1 + beta + alpha * np.square(X).sum(axis=1))[:, None]
    on = problem.support.matrix(np.ones(len(problem.support.indices))).toarray() > 0
    assert np.abs(np.minimum(S, gradient / curvature))[on].max() < 1e-5
    gradient = 4 * V @ V.T @ V - 2 * (S + S.T) @ V
    assert np.abs(np.minimum(V, gradient)).max() < 1e-4
    np.testing.assert_array_equal(S[~on], 0)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 100.0])
def test_representation_alone(alpha):
    """It minimises its own problem: nothing is gained by going on."""
    problem, X, W, _ = build(alpha, 100.0)
    s, value = problem.representation_alone()
    S = problem.support.matrix(s).toarray().T
    K = X @ X.T
    gradient = 2 * (101.0 * (S - W.toarray()) + alpha * (K @ S - K))
    on = problem.support.matrix(np.ones(len(s))).toarray() > 0
    curvature = 2 * (101.0 + alpha * np.diag(K))[:, None]
    assert np.abs(np.minimum(S, gradient / curvature))[on].max() < 1e-4
    assert value == pytest.approx(alpha * np.linalg.norm(X - S.T @ X) ** 2)


def test_given_graph_alone():
    """Without self-expression and with an endless beta S stays at W."""
    problem, _, W, V = build(0.0, 1e9)
    _, result = alternate(problem, problem.support.given * 0, V, Limits(50, 0))
    np.testing.assert_allclose(result.S.toarray(), W.toarray(), atol=1e-7)


@pytest.mark.parametrize("full", [False, True])
def test_sparse_samples_give_the_same_solution(full):
    one, _, _, V = build(10.0, 1.0, full=full)
    other, _, _, _ = build(10.0, 1.0, full=full, thin=True)
    s = one.support.given
    _, dense = alternate(one, s, V, Limits(30, 0))
    _, thin = alternate(other, s, V, Limits(30, 0))
    np.testing.assert_allclose(thin.V, dense.V, atol=1e-8)
    np.testing.assert_allclose(thin.objective, dense.objective, rtol=1e-9)


@pytest.mark.parametrize(("alpha", "beta"), [(0.1, 1), (1, 1), (1, 10), (10, 0.1)])
def test_a_full_support_reaches_what_the_reference_solver_reaches(alpha, beta):
    problem, X, W, _ = build(alpha, beta, n=30, full=True)
    best = np.inf
    for seed in range(3):
        S, V = multiplicative_start(30, 3, np.random.RandomState(seed))
        dense = DenseProblem(X, W, alpha, beta)
        result = solve_multiplicative(dense, S, V, max_iter=1500, tol=1e-6)
        best = min(best, result.objective[-1])
    starts = [
        ("random", lambda seed=seed: np.random.default_rng(seed).uniform(size=(30, 3)))
        for seed in range(3)
    ]
    result, _ = descend_from(problem, starts, max_iter=3000, tol=1e-9)
    assert result.objective[-1] <= best * (1 + 1e-4)


def test_a_wider_support_never_ends_higher():
    narrow, _, _, V = build(10.0, 1.0)
    wide, _, _, _ = build(10.0, 1.0, full=True)
    _, small = alternate(narrow, narrow.support.given, V, Limits(2000, 1e-12))
    # From the solution on the narrow support the wide one can only go down.
    S = small.S.T.tocsr()
    rows = np.repeat(np.arange(60), np.diff(wide.support.indptr))
    s = S.toarray()[rows, wide.support.indices]
    assert wide.objective(s, small.V) == pytest.approx(small.objective[-1])
    _, large = alternate(wide, s, small.V, Limits(100, 0))
    assert large.objective[-1] <= small.objective[-1]


def test_history_and_reasons():
    problem, _, _, V = build()
    given = problem.support.given
    _, cut = alternate(problem, given, V, Limits(3, 0))
    assert (cut.reason, cut.n_iter, cut.converged) == ("max_iter", 3, False)
    _, done = alternate(problem, given, V, Limits(5000, 1e-6))
    assert done.converged
    assert done.stopping_value <= 1e-6
    told = []
    _, stopped = alternate(
        problem,
        given,
        V,
        Limits(50, 0),
        monitor=lambda i: told.append(i) or i == 4,
    )
    assert (stopped.reason, stopped.n_iter, told) == ("callback", 5, [0, 1, 2, 3, 4])


def test_the_start_is_not_changed():
    problem, _, _, V = build()
    s, before = problem.support.given.copy(), V.copy()
    alternate(problem, s, V, Limits(3, 0))
    fit_indicator(problem, s, V, Limits(3, 0))
    np.testing.assert_array_equal(s, problem.support.given)
    np.testing.assert_array_equal(V, before)


def test_gram_matrix_is_kept_up_to_date():
    problem, _, _, V = build()
    G = gram(V)
    symmetric = problem.support.symmetric(problem.support.given)
    with Workers(1) as workers:
        for _ in range(50):
            problem.step_indicator(symmetric, V, G, workers)
    np.testing.assert_allclose(G, V.T @ V, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("beta", [0.5, 100.0])
class TestSeveralStarts:
    """Below and above the beta from which all starts share one S."""

    @staticmethod
    def starts(V, count=5):
        def make(seed):
            return np.random.default_rng(seed).uniform(size=V.shape) * V.max()

        return [("random", lambda seed=seed: make(seed)) for seed in range(count)]

    def test_the_lowest_is_kept(self, beta):
        problem, _, _, V = build(1.0, beta)
        result, tried = descend_from(problem, self.starts(V), max_iter=300, tol=1e-7)
        assert len(tried) == 5
        lowest = min(start.objective for start in tried)
        assert result.objective[-1] <= lowest * (1 + 1e-12)
        check_monotone(result.objective)
        assert all(start.labels.shape == (60,) for start in tried)

    def test_iterations_are_counted_and_capped(self, beta):
        problem, _, _, V = build(1.0, beta)
        for max_iter in (1, 2, 5):
            result, _ = descend_from(problem, self.starts(V), max_iter=max_iter, tol=0)
            assert result.n_iter <= max_iter
            assert result.reason == "max_iter"

    def test_stop_after_a_start(self, beta):
        problem, _, _, V = build(1.0, beta)
        calls = []

        def after_start():
            calls.append(0)
            return len(calls) == 2

        _, tried = descend_from(
            problem, self.starts(V), max_iter=50, tol=1e-6, after_start=after_start
        )
        assert len(tried) == len(calls) == 2

    def test_threads_do_not_change_a_byte(self, beta):
        one, _, _, V = build(1.0, beta)
        two = DescentProblem(one.X, one.support, 1.0, beta, n_jobs=2)
        first, _ = descend_from(one, self.starts(V), max_iter=60, tol=1e-6)
        second, _ = descend_from(two, self.starts(V), max_iter=60, tol=1e-6)
        assert first.V.tobytes() == second.V.tobytes()
        assert first.S.data.tobytes() == second.S.data.tobytes()
        assert first.objective.tobytes() == second.objective.tobytes()
