"""Algorithm 1 of the study: multiplicative updates, dense, the reference solver."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtailor.solvers.base import Monitor, SolverResult, never_stop
from graphtailor.solvers.terms import joint_terms, objective

# Keeps 0/0 away; added to denominators only, as the theorem needs.
_TINY = 1e-100


def multiplicative_start(
    n: int, c: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Positive random S (zero diagonal) and V, as the study starts."""
    V = 1.0 - random_state.uniform(size=(n, c))  # in (0, 1]: a zero would stay zero
    S = 1.0 - random_state.uniform(size=(n, n))
    np.fill_diagonal(S, 0.0)
    return S, V


def solve_multiplicative(
    X: np.ndarray,
    W: Any,
    S: np.ndarray,
    V: np.ndarray,
    *,
    alpha: float,
    beta: float,
    max_iter: int = 500,
    tol: float = 1e-4,
    monitor: Monitor = never_stop,
) -> SolverResult:
    r"""Minimise the joint objective by the study's Algorithm 1.

    .. math::
        S &\leftarrow S \odot \left(\frac{VV^T + \alpha K^+ + \alpha K^- S + \beta W}
        {S + \alpha K^+ S + \alpha K^- + \beta S}\right)^{1/2} \\
        V &\leftarrow V \odot \left(\frac{SV + S^TV}{2 VV^TV}\right)^{1/4}

    with :math:`K = XX^T` split into its positive and negative entries. The
    objective never rises. An iteration costs :math:`O(n^3)`, or
    :math:`O(n^2 (d + c))` where no entry of K is negative.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples.
    W : {ndarray, csr_array} of shape (n, n)
        The given graph.
    S, V : ndarray of shape (n, n) and (n, c)
        Start: positive, S with a zero diagonal.
    alpha, beta : float
        Weights of self-expression and of the given graph.
    max_iter : int, default=500
        Most iterations.
    tol : float, default=1e-4
        Stop once no entry of S and none of V moves by this much.
    monitor : callable, default=never_stop
        Called with the number of each finished iteration; true ends the solver.

    Returns
    -------
    SolverResult
        Solution and history.
    """
    W = W.toarray() if hasattr(W, "toarray") else W
    terms = joint_terms(X, W, alpha, beta)
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


def update_representation(terms: Any, S: np.ndarray, V: np.ndarray) -> np.ndarray:
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
