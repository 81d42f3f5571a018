"""Weights of the edges of a graph Laplacian by maximum likelihood."""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy.linalg import lapack

from graphtailor.linalg.magnitude import comfortable_factor

_LARGEST_EXPONENT = 50.0
# Binary orders of magnitude of r about 1 within which 11'/n does not drown the weights.
_REACH = 20


class EdgeWeights(NamedTuple):
    """Symmetric weights with zero diagonal, and how they were found."""

    weights: np.ndarray
    objective: list[float]
    converged: bool


def fit_edge_weights(
    r: np.ndarray, *, tol: float = 1e-3, max_iter: int = 500
) -> EdgeWeights:
    r"""Minimise :math:`\sum_e r_e w_e - \log\det(\Theta(w) + 1 1^\top/n)`.

    With :math:`R_e` the effective resistance of an edge, the optimum has
    :math:`R_e \le r_e`, with equality where :math:`w_e > 0`, and
    :math:`\sum_e r_e w_e = n - 1`. In :math:`v_e = r_e w_e` this is a D-optimal
    design, for which :math:`v_e \leftarrow v_e R_e / r_e` keeps the sum and never
    raises the objective. Larger exponents of :math:`R_e / r_e`, by the rule of
    Barzilai and Borwein, are tried with the sum restored, and lowered if the
    objective would rise. Edges with an infinite :math:`r_e` are not allowed; the others
    must connect all nodes. At the end the objective is within (n - 1) log(1 + tol) of
    its minimum.

    References
    ----------
    S. Silvey, D. Titterington, B. Torsney, An algorithm for optimal designs on a
    finite design space, Communications in Statistics 7(14), 1978.

    J. Barzilai, J. Borwein, Two-Point Step Size Gradient Methods, IMA J. Numerical
    Analysis 8(1), 1988.
    """
    unit = comfortable_factor(r[np.isfinite(r)], _REACH)
    if unit != 1.0:
        fit = fit_edge_weights(r * unit, tol=tol, max_iter=max_iter)
        shift = (len(r) - 1) * np.log(unit)
        shifted = [value - shift for value in fit.objective]
        return EdgeWeights(fit.weights * unit, shifted, fit.converged)
    n = len(r)
    w = np.triu(1 / r, 1)
    w *= (n - 1) / np.count_nonzero(w)
    factor, log_det = _factor(w)
    objective: list[float] = []
    # Logarithms of R_e / r_e, now and one iteration ago.
    logs, logs_old = np.zeros_like(w), np.zeros_like(w)
    exponent, log_scale, worst = 1.0, 0.0, np.inf
    while len(objective) < max_iter:
        inverse = lapack.dpotri(factor, lower=1, overwrite_c=1)[0]
        worst = _log_ratios(inverse.T, r, w, logs)
        if objective:
            if worst <= 1 + tol:
                break
            exponent = _spectral_exponent(w, r, logs, logs_old, exponent, log_scale)
        while True:
            w_new, log_scale = _scaled(w, logs, r, exponent)
            factor, log_det_new = _factor(w_new)
            if log_det_new >= log_det or exponent == 1:
                break
            exponent = max(exponent / 4, 1.0)
        w, log_det = w_new, log_det_new
        logs, logs_old = logs_old, logs
        objective.append(n - 1 - log_det)
    return EdgeWeights(w + w.T, objective, bool(worst <= 1 + tol))


def _factor(w: np.ndarray) -> tuple[np.ndarray, float]:
    """Cholesky factor and log-determinant of the Laplacian plus 11'/n."""
    M = _shifted_laplacian(w)
    # In LAPACK's order the upper triangle of rows is the lower one of columns.
    factor, failed = lapack.dpotrf(M.T, lower=1, overwrite_a=1)
    if failed:
        return factor, -np.inf
    return factor, 2 * float(np.log(factor.diagonal()).sum())


@njit(cache=True, nogil=True)
def _shifted_laplacian(w: np.ndarray) -> np.ndarray:
    """Upper triangle of ``Theta + 11'/n`` from the upper triangle of weights."""
    n = len(w)
    M = np.zeros((n, n))
    degrees = np.zeros(n)
    for i in range(n):
        for j in range(i + 1, n):
            degrees[i] += w[i, j]
            degrees[j] += w[i, j]
            M[i, j] = 1 / n - w[i, j]
        M[i, i] = 1 / n + degrees[i]
    return M


@njit(cache=True, nogil=True)
def _log_ratios(M: np.ndarray, r: np.ndarray, w: np.ndarray, logs: np.ndarray) -> float:
    """Fill in ``log(R_e / r_e)`` from the upper triangle of the inverse.

    Returns the largest ratio of all allowed edges, also of those without weight.
    """
    n = len(r)
    worst = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            ratio = (M[i, i] + M[j, j] - 2 * M[i, j]) / r[i, j]
            worst = max(worst, ratio)
            if w[i, j] > 0:
                logs[i, j] = np.log(max(ratio, 1e-300))
    return worst


@njit(cache=True, nogil=True)
def _spectral_exponent(
    w: np.ndarray,
    r: np.ndarray,
    logs: np.ndarray,
    logs_old: np.ndarray,
    exponent: float,
    log_scale: float,
) -> float:
    """Step length from the last change of ``log w`` and of the ratios."""
    n = len(w)
    along, change = 0.0, 0.0
    for i in range(n):
        for j in range(i + 1, n):
            if w[i, j] > 0:
                moved = exponent * logs_old[i, j] + log_scale
                fell = logs_old[i, j] - logs[i, j]
                along += r[i, j] * w[i, j] * moved * fell
                change += r[i, j] * w[i, j] * fell * fell
    if change <= 0 or along <= 0:
        return 1.0
    return min(max(along / change, 1.0), _LARGEST_EXPONENT)


@njit(cache=True, nogil=True)
def _scaled(
    w: np.ndarray, logs: np.ndarray, r: np.ndarray, exponent: float
) -> tuple[np.ndarray, float]:
    """``w_e (R_e / r_e)^exponent``, scaled to the sum the optimum has."""
    n = len(w)
    new = np.zeros((n, n))
    total = 0.0
    for i in range(n):
        for j in range(i + 1, n):
            if w[i, j] > 0:
                new[i, j] = w[i, j] * np.exp(exponent * logs[i, j])
                total += r[i, j] * new[i, j]
    scale = (n - 1) / total
    return new * scale, np.log(scale)
