"""The constrained V-step finds the best entry and never raises the objective."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar

from graphtailor.graphs.constraints import Constraints
from graphtailor.linalg.threads import Workers
from graphtailor.solvers.problem import DescentProblem
from graphtailor.solvers.support import support_of
from graphtailor.solvers.v_step import gram
from graphtailor.solvers.v_step_constrained import (
    ConstrainedProblem,
    IndicatorRules,
    best_entry_of_group,
)


def problem(n=14, c=3, seed=0):
    rng = np.random.RandomState(seed)
    W = np.triu(rng.uniform(size=(n, n)) * (rng.uniform(size=(n, n)) < 0.5), 1)
    W = sparse.csr_array((W + W.T) / 4)
    known = np.where(np.arange(n) < 3, [0, 1, 1] + [-1] * (n - 3), -1)
    found = Constraints.of(known, [[4, 5], [5, 6], [1, 7]], [[8, 9], [4, 10]], n)
    rules = IndicatorRules.of(found, c)
    support = support_of(W, W, np.float64)
    X = np.empty((n, 0))
    V = rules.project(rng.uniform(size=(n, c)))
    return ConstrainedProblem(X, support, 0.0, 1.0, 1, rules), support.given.copy(), V


@pytest.mark.parametrize("p", [-3.0, -0.2, 0.0, 1.5])
@pytest.mark.parametrize("q", [-2.0, -1e-3, 0.0, 0.1, 2.0])
def test_best_entry_is_the_minimum(p, q):
    def value(x):
        return x**4 + 2 * p * x**2 + 4 * q * x

    grid = np.linspace(0, 5, 20_001)
    best = grid[value(grid).argmin()]
    if best > 0:
        near = (max(best - 1e-3, 0), best + 1e-3)
        best = minimize_scalar(value, bounds=near, method="bounded").x
    assert value(best_entry_of_group(p, q)) <= value(best) + 1e-12


def test_a_sweep_lowers_the_objective_by_what_it_says_and_keeps_the_rules():
    descent, s, V = problem()
    symmetric = descent.support.symmetric(s)
    G = gram(V)
    with Workers(1) as workers:
        for _ in range(5):
            before = descent.objective(s, V, 0.0)
            fell = descent.step_indicator(symmetric, V, G, workers)
            assert before - descent.objective(s, V, 0.0) == pytest.approx(fell)
            assert fell >= 0
    np.testing.assert_array_equal(V[4], V[5])
    np.testing.assert_array_equal(V[5], V[6])
    assert np.count_nonzero(V[:3], axis=1).max() == 1
    assert V[1, 1] > 0
    np.testing.assert_array_equal(V[1], V[7])
    np.testing.assert_allclose(G, V.T @ V)


def test_the_end_is_stationary_in_every_allowed_entry():
    descent, s, V = problem(seed=3)
    symmetric, G = descent.support.symmetric(s), gram(V)
    with Workers(1) as workers:
        for _ in range(400):
            descent.step_indicator(symmetric, V, G, workers)
    end = descent.objective(s, V, 0.0)
    rules = descent.rules
    for g, k in zip(*np.nonzero(rules.allowed), strict=True):
        for step in (1e-4, -1e-4):
            moved = V.copy()
            moved[rules.group == g, k] = np.maximum(
                moved[rules.group == g, k] + step, 0
            )
            assert descent.objective(s, moved, 0.0) >= end - 1e-9


def test_cannot_links_alone_add_a_linear_term():
    descent, s, V = problem()
    plain = DescentProblem(descent.X, descent.support, 0.0, 1.0, 1)
    added = descent.objective(s, V, 0.0) - plain.objective(s, V, 0.0)
    assert added == pytest.approx(4 * 2.0 * (V[8] @ V[9] + V[4] @ V[10]))
