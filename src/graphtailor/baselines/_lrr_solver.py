"""Solver of the low-rank representation."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import linalg

from graphtailor.baselines._operators import (
    economy_svd,
    shrink_rows,
    singular_value_threshold,
)
from graphtailor.baselines._readout import directions

_RELAXATION = 1.6
# Singular values of C lie in [0, 1], rows of E are shorter than those of X: with
# these thresholds on that scale about fifty iterations do.
_RANK_PENALTY = 3.0
_ERROR_THRESHOLD = 0.1


class Representation(NamedTuple):
    """``C = coefficients @ basis.T``, with `basis` the left singular vectors of X."""

    coefficients: np.ndarray
    basis: np.ndarray
    objective: list[float]
    converged: bool


def lrr_range(P: np.ndarray, s: np.ndarray) -> tuple[float, float]:
    r"""Weights between which the representation depends on them.

    Up to :math:`1 / \|X X^\top \operatorname{diag}(1 / \|x_i\|)\|_2` it is 0, from
    :math:`\max_i \|p_i \operatorname{diag}(1/s)\|` on it is :math:`P P^\top`, for
    :math:`X = P \operatorname{diag}(s) Q^\top` with positive :math:`s`.
    """
    low = 1 / linalg.norm(s[:, None] * directions(P * s).T, 2)
    return low, float(linalg.norm(P / s, axis=1).max())


def low_rank_representation(
    X: np.ndarray,
    lam: float | None = None,
    *,
    tol: float = 1e-6,
    max_iter: int = 2000,
) -> Representation:
    """Solve the low-rank representation; warn if `lam` is outside its range."""
    X = np.asarray(X, dtype=np.float64)
    P, s, _ = economy_svd(X)
    if not len(s):
        return Representation(P, P, [0.0], True)
    low, high = lrr_range(P, s)
    if lam is None:
        lam = low**0.25 * high**0.75
    elif not low < lam < high:
        what = "C = 0" if lam <= low else "C the projector on the column space of X"
        warnings.warn(
            f"lam={lam:g} makes {what}, whatever its exact value. "
            f"It matters between {low:.3g} and {high:.3g}.",
            UserWarning,
            stacklevel=3,
        )
    if lam >= high:
        return Representation(P, P, [float(len(s))], True)
    if lam <= low:
        lengths = linalg.norm(P * s, axis=1)
        return Representation(np.zeros_like(P), P, [lam * lengths.sum()], True)
    return solve_reduced(P, s, lam, tol, max_iter)


def solve_reduced(
    P: np.ndarray, s: np.ndarray, lam: float, tol: float, max_iter: int
) -> Representation:
    r"""Alternating directions on :math:`T = C \operatorname{diag}(s) + E`, C = J.

    Both constraints have their own constant penalty, chosen on the scale of the two
    norms; the pair (J, E) stands against C, hence two blocks. The start is the
    solution for large `lam`, with its multipliers cut to what `lam` allows.
    """
    T = P * s
    size = linalg.norm(T)
    mu, nu = _RANK_PENALTY, lam * np.sqrt(len(T)) / (_ERROR_THRESHOLD * size)
    C = P
    # Multipliers of T = C diag(s) + E and of C = J, divided by their penalties.
    Y, Z = (P / s - shrink_rows(P / s, lam)) / nu, P / mu
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        J, values, _ = singular_value_threshold(C + Z, 1 / mu)
        rest = T - C * s
        E = shrink_rows(rest + Y, lam / nu)
        J_mixed = _RELAXATION * J + (1 - _RELAXATION) * C
        E_mixed = _RELAXATION * E + (1 - _RELAXATION) * rest
        C_new = (nu * (T - E_mixed + Y) * s + mu * (J_mixed - Z)) / (nu * s * s + mu)
        Y += T - C_new * s - E_mixed
        Z += C_new - J_mixed
        step = C_new - C
        C = C_new
        lengths = linalg.norm(T - J * s, axis=1)
        objective.append(float(values.sum() + lam * lengths.sum()))
        converged = (
            linalg.norm(T - C * s - E) <= tol * size
            and linalg.norm(C - J) <= tol * linalg.norm(C)
            and linalg.norm(step * s) <= tol * linalg.norm(Y)
            and linalg.norm(step) <= tol * linalg.norm(Z)
        )
    return Representation(J, P, objective, bool(converged))
