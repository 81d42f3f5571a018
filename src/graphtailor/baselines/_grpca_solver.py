"""Solver of robust PCA on graphs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import linalg, sparse

from graphtailor.baselines._operators import (
    penalty_factor,
    singular_value_threshold,
    soft_threshold,
)
from graphtailor.baselines.rpca import RELAXATION, Decomposition, rpca_range
from graphtailor.linalg.sparse import positive_definite_factors, solve_columns
from graphtailor.linalg.types import Matrix

# Up to this number of samples a dense inverse is faster than sparse factors.
_DENSE = 500


def graph_robust_pca(
    X: np.ndarray,
    W: Matrix,
    lam: float,
    gamma: float,
    *,
    tol: float = 1e-5,
    max_iter: int = 1000,
) -> Decomposition:
    r"""Solve robust PCA on the graph with normalised affinity `W`.

    The `dual` of the result is the multiplier of :math:`X = L + S`. At
    :math:`L = X` it is :math:`P Q^\top + 2 \gamma \Phi X`, and optimal if no entry
    exceeds `lam`; a warning tells.
    """
    X = np.asarray(X, dtype=np.float64)
    used = np.any(X, axis=0)
    if 0 < np.count_nonzero(used) < len(used):  # L and S are 0 where X has nothing
        part = graph_robust_pca(X[:, used], W, lam, gamma, tol=tol, max_iter=max_iter)
        return part.widened(used)
    Phi = sparse.csc_array(sparse.eye_array(X.shape[0]) - W)
    polar, slope = rpca_range(X)[2], gamma * (Phi @ X)
    dual = polar + 2 * slope
    high = float(np.abs(dual).max())
    if lam < high:
        return _alternate(X, Phi, lam, gamma, tol, max_iter)
    warnings.warn(
        f"lam={lam:g} makes the low-rank part all of X and the sparse part 0. "
        f"With gamma={gamma:g} use lam below {high:.3g}.",
        UserWarning,
        stacklevel=3,
    )
    value = float(np.sum((polar + slope) * X))
    return Decomposition(X, np.zeros_like(X), dual, [value], True)


def _alternate(
    X: np.ndarray,
    Phi: sparse.csc_array,
    lam: float,
    gamma: float,
    tol: float,
    max_iter: int,
) -> Decomposition:
    """Alternate between L and the pair of S = X - L and the copy M = L.

    These are two blocks, for which the method converges.
    """
    size = linalg.norm(X)
    r = np.count_nonzero(X) / (2 * np.abs(X).sum())
    solve = _smoother(Phi, gamma, r)
    S, M = np.zeros_like(X), np.zeros_like(X)
    # Multipliers of X = L + S and of M = L, divided by the penalty r.
    Y, Z = np.zeros_like(X), np.zeros_like(X)
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        L, values = singular_value_threshold((X - S + Y + M + Z) / 2, 1 / (2 * r))
        # What the relaxed L leaves to S and Y, and what it gives to M and Z.
        Y += RELAXATION * (X - S - L)
        Y += S
        S_new = soft_threshold(Y, lam / r)
        Y -= S_new
        Z -= RELAXATION * (L - M)
        Z -= M
        M_new = solve(-Z)
        Z += M_new
        dual = linalg.norm((S_new - S) - (M_new - M))
        S, M = S_new, M_new
        primal = np.hypot(linalg.norm(X - L - S), linalg.norm(M - L))
        smooth = gamma * _roughness(L, Phi)
        objective.append(float(values.sum() + lam * np.abs(X - L).sum() + smooth))
        primal /= size
        dual /= max(linalg.norm(Y), linalg.norm(Z), np.finfo(np.float64).tiny)
        converged = primal <= tol and dual <= tol
        factor = 1.0 if converged else penalty_factor(len(objective), primal, dual)
        if factor != 1.0:
            r *= factor
            Y /= factor
            Z /= factor
            solve = _smoother(Phi, gamma, r)
    return Decomposition(L, X - L, r * Y, objective, bool(converged))


def _roughness(L: np.ndarray, Phi: sparse.csc_array) -> float:
    r""":math:`\operatorname{tr}(L^\top \Phi L)`, by the smaller product."""
    if L.shape[0] < L.shape[1]:
        return float(Phi.multiply(L @ L.T).sum())
    return float(np.vdot(L, Phi @ L))


def _smoother(
    Phi: sparse.csc_array, gamma: float, r: float
) -> Callable[[np.ndarray], np.ndarray]:
    r"""Product with :math:`(I + (2 \gamma / r) \Phi)^{-1}`."""
    system = sparse.eye_array(Phi.shape[0]) + 2 * gamma / r * Phi
    if Phi.shape[0] <= _DENSE:
        return linalg.inv(system.toarray()).__matmul__
    return partial(solve_columns, positive_definite_factors(system))
