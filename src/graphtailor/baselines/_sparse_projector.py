"""Solver of convex sparse spectral clustering."""

import warnings
from typing import NamedTuple

import numpy as np
from numba import njit

from graphtailor.baselines._fantope import FantopeProjector
from graphtailor.linalg.eigen import leading_eigenvectors

_RELAXATION = 1.6
_FIRST_PENALTY = 0.1
# The penalty is balanced this often and so long; then it stays, and converges.
_BALANCE_EVERY, _BALANCE_UNTIL = 5, 150


class SparseProjector(NamedTuple):
    """The solution, with the multiplier that proves it optimal."""

    projector: np.ndarray
    dual: np.ndarray
    objective: list[float]
    converged: bool


def sparse_projector(
    W: np.ndarray,
    c: int,
    lam: float | None = None,
    *,
    tol: float = 1e-5,
    max_iter: int = 500,
) -> SparseProjector:
    r"""Solve the convex problem for a normalised affinity with zero diagonal.

    Alternating directions on a sparse copy :math:`P` and a feasible copy
    :math:`Q`, from the solution of :math:`\lambda = 0`. Without `lam`, half the gap
    after the c-th eigenvalue divided by n is taken, which is always useful.
    """
    n = len(W)
    identity = np.eye(n)
    values, vectors = leading_eigenvectors(W, min(2 * c, n), 0)
    if lam is None:
        lam = max(values[c - 1] - values[c], 0) / (2 * n) if c < n else 0.0
    elif lam >= W.max():
        warnings.warn(
            f"lam={lam:g} is so large that the solution is (n_clusters / n) I, from "
            f"which no clusters can be read. Use lam below {W.max():.3g}.",
            UserWarning,
            stacklevel=3,
        )
        dual = -(1 + lam) * identity
        return SparseProjector(c / n * identity, dual, [c * (1 + lam)], True)
    projector = FantopeProjector(vectors, c)
    Q = vectors[:, :c] @ vectors[:, :c].T
    mu, P, U = _FIRST_PENALTY, np.empty_like(W), (W - identity) / _FIRST_PENALTY
    objective: list[float] = []
    converged, moved = False, 1.0
    while not converged and len(objective) < max_iter:
        _sparse_step(Q, U, W, lam / mu, 1 / mu, P)
        Q_new = projector.project(U, moved)
        step, split, size, fit = _feasible_step(Q_new, Q, P, U, W)
        Q, moved = Q_new, max(step, split)
        objective.append(c - fit + lam * size)
        converged = moved <= tol and projector.is_exact(U + Q, Q, tol)
        done = len(objective)
        if done % _BALANCE_EVERY == 0 and done <= _BALANCE_UNTIL and step and split:
            factor = np.clip(np.sqrt(split / step), 0.2, 5)
            mu, U = mu * factor, U / factor
    return SparseProjector(Q, mu * U, objective, bool(converged))


@njit(cache=True, nogil=True)
def _sparse_step(
    Q: np.ndarray,
    U: np.ndarray,
    W: np.ndarray,
    threshold: float,
    step: float,
    P: np.ndarray,
) -> None:
    """Soft-threshold to P, and turn the scaled multiplier U into what Q projects."""
    n = Q.shape[0]
    for i in range(n):
        for j in range(n):
            v = Q[i, j] - U[i, j] + W[i, j] * step
            if i == j:
                v -= step
            P[i, j] = np.sign(v) * max(abs(v) - threshold, 0.0)
            U[i, j] += _RELAXATION * P[i, j] + (1 - _RELAXATION) * Q[i, j]


@njit(cache=True, nogil=True)
def _feasible_step(
    Q: np.ndarray, Q_old: np.ndarray, P: np.ndarray, U: np.ndarray, W: np.ndarray
) -> tuple[float, float, float, float]:
    """Finish the multiplier; the two residuals, ``|Q|_1`` and ``<Q, W>``."""
    step, split, size, fit = 0.0, 0.0, 0.0, 0.0
    n = Q.shape[0]
    for i in range(n):
        for j in range(n):
            q = Q[i, j]
            step = max(step, abs(q - Q_old[i, j]))
            split = max(split, abs(q - P[i, j]))
            size += abs(q)
            fit += q * W[i, j]
            U[i, j] -= q
    return step, split, size, fit
