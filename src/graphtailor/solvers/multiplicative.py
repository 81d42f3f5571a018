"""Algorithm 1 of the paper: multiplicative updates, the reference solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from graphtailor.solvers.base import (
    JointProblem,
    Monitor,
    Search,
    Solver,
    SolverResult,
    Start,
    never_stop,
)
from graphtailor.solvers.starts import given_start
from graphtailor.solvers.terms import Term, joint_terms, objective

# Keeps 0/0 away; added to denominators only, as the theorem needs.
_TINY = 1e-100


class Multiplicative(Solver):
    """The multiplicative updates of the paper's Algorithm 1: dense, slow, exact.

    One start of positive random numbers, whatever `n_init` says, unless the model's
    `init` holds labels or an indicator. An iteration costs O(n^3), and it takes
    800 to 2,600 of them on the paper's data sets, so that its limits are wide: at most
    20,000 iterations, until no entry of S and none of V moves by 1e-4, as in the paper.
    """

    max_iter = 20_000
    tol = 1e-4

    def solve(
        self, problem: JointProblem, search: Search
    ) -> tuple[SolverResult, list[Start]]:
        """Run Algorithm 1 in float64; it knows no constraints."""
        if problem.constraints is not None:
            raise ValueError(
                "solver='multiplicative' is the paper's Algorithm 1, which takes no "
                "known classes and no pairs. Use solver='descent'."
            )
        X = problem.X
        X = (X.toarray() if sparse.issparse(X) else X).astype(np.float64, copy=False)
        kind, S, V = self._start(problem, search)
        W = problem.W.toarray().astype(np.float64, copy=False)
        result = solve_multiplicative(
            joint_terms(X, W, problem.alpha, problem.beta),
            *(S, V),
            max_iter=search.max_iter,
            tol=search.tol,
            monitor=search.monitor,
        )
        start = Start(kind, float(result.objective[-1]), result.V.argmax(axis=1))
        S, V = sparse.csr_array(result.S), result.V
        dtype = problem.dtype
        return replace(result, S=S.astype(dtype), V=V.astype(dtype)), [start]

    def not_converged(self, result: SolverResult, search: Search) -> str:
        """Names the largest change that was left and the two limits."""
        return (
            f"Algorithm 1 did not converge in max_iter={search.max_iter} iterations: "
            f"an entry of S or V still moved by {result.stopping_value:.1e}, and "
            f"tol={search.tol:g} was asked for. Raise max_iter or tol."
        )

    def _start(
        self, problem: JointProblem, search: Search
    ) -> tuple[str, np.ndarray, np.ndarray]:
        n, c = problem.W.shape[0], problem.n_clusters
        if isinstance(search.init, str):
            return "random", *multiplicative_start(n, c, search.random_state)
        V = given_start(search.init, problem.W, c)
        S = V @ V.T
        np.fill_diagonal(S, 0.0)
        return "given", S, V


def multiplicative_start(
    n: int, c: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Positive random S (zero diagonal) and V, as the study starts."""
    V = 1.0 - random_state.uniform(size=(n, c))  # in (0, 1]: a zero would stay zero
    S = 1.0 - random_state.uniform(size=(n, n))
    np.fill_diagonal(S, 0.0)
    return S, V


def solve_multiplicative(
    terms: Sequence[Term],
    S: np.ndarray,
    V: np.ndarray,
    *,
    max_iter: int = 500,
    tol: float = 1e-4,
    monitor: Monitor = never_stop,
) -> SolverResult:
    r"""Minimise the joint objective by the study's Algorithm 1.

    .. math::
        S &\leftarrow S \odot \left(\frac{VV^T + \alpha K^+ + \alpha K^- S + \beta W}
        {S + \alpha K^+ S + \alpha K^- + \beta S}\right)^{1/2} \\
        V &\leftarrow V \odot \left(\frac{SV + S^TV}{2 VV^TV}\right)^{1/4}

    with :math:`K = XX^T` split into its positive and negative entries. The terms hold
    dense X and W. The objective never rises. An iteration costs :math:`O(n^3)`, or
    :math:`O(n^2 (d + c))` where no entry of K is negative.
    """
    history = [objective(terms, S, V)]
    moved, reason = np.inf, "max_iter"
    for iteration in range(max_iter):
        S_new = update_representation(terms, S, V)
        V_new = update_indicator(S_new, V)
        moved = max(np.abs(V_new - V).max(), np.abs(S_new - S).max())
        S, V = S_new, V_new
        history.append(objective(terms, S, V))
        stopped = monitor(iteration)
        if moved < tol or stopped:
            reason = "converged" if moved < tol else "callback"
            break
    return SolverResult(S, V, np.array(history), float(moved), reason)


def update_representation(
    terms: Sequence[Term], S: np.ndarray, V: np.ndarray
) -> np.ndarray:
    """One multiplicative step in S."""
    pieces = [term.multiplicative_pieces(S, V) for term in terms]
    numerator = sum(positive for positive, _ in pieces)
    denominator = sum(negative for _, negative in pieces)
    S_new = S * np.sqrt(numerator / (denominator + _TINY))
    np.fill_diagonal(S_new, 0.0)
    return S_new


def update_indicator(S: np.ndarray, V: np.ndarray) -> np.ndarray:
    """One multiplicative step in V."""
    ratio = (S @ V + S.T @ V) / (2 * (V @ (V.T @ V)) + _TINY)
    return V * np.sqrt(np.sqrt(ratio))
