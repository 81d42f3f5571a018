"""Proximal maps and projections that several methods share."""

from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse

# The penalty of alternating directions is balanced this often and for this long; then
# it stays, which is what their convergence needs.
_BALANCE_EVERY, _BALANCE_UNTIL = 10, 200


def soft_threshold(A: np.ndarray, t: float) -> np.ndarray:
    r"""Proximal map of :math:`t\|A\|_1`: every entry moves towards 0 by `t`."""
    # A minus its clipped self: two passes, and no negative zeros.
    return A - np.clip(A, -t, t)


class Shrunk(NamedTuple):
    """A matrix, its singular values, and singular vectors of its shorter side."""

    matrix: np.ndarray
    values: np.ndarray
    vectors: np.ndarray


def singular_value_threshold(
    A: np.ndarray, t: float, out: np.ndarray | None = None
) -> Shrunk:
    r"""Proximal map of :math:`t\|A\|_*`: singular values shrink by `t`.

    Only the right (or left) singular vectors above the threshold are needed,
    :math:`A \, Q \operatorname{diag}(1 - t/s) Q^\top`, and they are eigenvectors
    of the smaller Gram matrix. A threshold so small that squaring would cost
    accuracy is served by the economy SVD. The matrix is written to `out`, if that is
    given.
    """
    wide = A.shape[0] < A.shape[1]
    # The Gram matrix squares the condition number: above this ratio of threshold to
    # norm the error of the singular values it gives stays below 1e-12 of the norm.
    if t <= 1e-4 * np.linalg.norm(A):
        P, s, Qt = linalg.svd(A, full_matrices=False)
        kept = s > t
        values, P, Qt = s[kept] - t, P[:, kept], Qt[kept]
        L = np.matmul(P * values, Qt, out=out)
        return Shrunk(L, values, P if wide else Qt.T)
    # All pairs by divide and conquer: a subset costs more from a fifth of them on.
    squares, Q = linalg.eigh(A @ A.T if wide else A.T @ A, driver="evd")
    kept = squares > t * t
    s, Q = np.sqrt(squares[kept]), Q[:, kept]
    shrunk = Q * (1 - t / s)
    # The cheaper order of the two products.
    if 2 * len(s) <= len(Q):
        factors = (Q, shrunk.T @ A) if wide else (A @ shrunk, Q.T)
    else:
        factors = (Q @ shrunk.T, A) if wide else (A, shrunk @ Q.T)
    return Shrunk(np.matmul(*factors, out=out), (s - t)[::-1], Q[:, ::-1])


def economy_svd(X: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Singular vectors P, values s and vectors Q' of `X`, without values that are 0."""
    P, s, Qt = linalg.svd(X, full_matrices=False)
    kept = s > max(X.shape) * np.finfo(np.float64).eps * s[0]
    return P[:, kept], s[kept], Qt[kept]


def penalty_factor(iteration: int, primal: float, dual: float) -> float:
    """What to multiply the penalty of alternating directions by after an iteration."""
    if iteration % _BALANCE_EVERY or iteration > _BALANCE_UNTIL or not primal * dual:
        return 1.0
    factor = float(np.clip(np.sqrt(primal / dual), 0.2, 5.0))
    # Residuals within this factor of each other count as balanced.
    return factor if max(factor, 1 / factor) > 1.5 else 1.0


def shrink_rows(A: np.ndarray, t: float) -> np.ndarray:
    r"""Proximal map of :math:`t\|A\|_{2,1}`: every row gets shorter by `t`."""
    norms = np.linalg.norm(A, axis=1, keepdims=True)
    safe = np.where(norms > 0, norms, 1.0)
    return A * np.maximum(1 - t / safe, 0)


def project_simplex(V: np.ndarray) -> np.ndarray:
    """Project every row on the simplex: nonnegative, with sum 1."""
    ordered = -np.sort(-V, axis=1)
    excess = np.cumsum(ordered, axis=1) - 1
    ranks = np.arange(1, V.shape[1] + 1)
    support = np.count_nonzero(ordered * ranks > excess, axis=1)
    theta = np.take_along_axis(excess, support[:, None] - 1, axis=1) / support[:, None]
    return np.maximum(V - theta, 0)


def project_capped_simplex(y: np.ndarray, k: float) -> np.ndarray:
    r"""Project on :math:`\{0 \le x \le 1, \sum x = k\}`.

    The answer is :math:`\operatorname{clip}(y - t, 0, 1)`; its sum falls
    piecewise linearly in `t`, with breakpoints at :math:`y_i - 1` and
    :math:`y_i`, so `t` is found by one sort and one interpolation.
    """
    m = len(y)
    if k >= m:
        return np.ones(m)
    breaks = np.r_[y - 1, y]
    order = np.argsort(breaks)
    breaks = breaks[order]
    slopes = np.cumsum(np.r_[-np.ones(m), np.ones(m)][order])
    sums = m + np.r_[0, np.cumsum(slopes[:-1] * np.diff(breaks))]
    j = int(np.searchsorted(-sums, -k, side="right")) - 1
    j = min(max(j, 0), 2 * m - 2)
    t = breaks[j] + ((k - sums[j]) / slopes[j] if slopes[j] else 0.0)
    inside = (y > t) & (y < t + 1)
    if inside.any():  # the running sums carry rounding: solve the bracket afresh
        t = (y[inside].sum() + np.count_nonzero(y >= t + 1) - k) / inside.sum()
    return np.clip(y - t, 0, 1)


def adaptive_neighbor_weights(
    distances: np.ndarray, k: int
) -> tuple[sparse.csr_array, np.ndarray]:
    r"""Neighbour weights that fall linearly to 0 at the (k+1)-th neighbour.

    Row by row the minimiser of :math:`\sum_j d_j s_j + \xi s_j^2` on the simplex,
    with the :math:`\xi` for which exactly the `k` nearest keep weight:

    .. math:: s_j = \frac{d_{k+1} - d_j}{2 \xi}, \qquad
              2 \xi = k\, d_{k+1} - \sum_{h \le k} d_h .
    """
    n = distances.shape[0]
    k = max(min(k, n - 2), 1)
    others = np.array(distances, dtype=np.float64)
    np.fill_diagonal(others, np.inf)
    indices = smallest_in_rows(others, min(k + 1, n - 1))
    nearest = np.take_along_axis(others, indices, axis=1)
    margins = nearest[:, -1:] - nearest[:, :k]
    total = margins.sum(axis=1, keepdims=True)
    equal = total <= 0
    weights = np.where(equal, 1 / k, margins / np.where(equal, 1.0, total))
    rows = np.repeat(np.arange(n), k)
    S = sparse.csr_array((weights.ravel(), (rows, indices[:, :k].ravel())), (n, n))
    S.eliminate_zeros()
    return S, total.ravel() / 2


def smallest_in_rows(D: np.ndarray, k: int) -> np.ndarray:
    """Columns of the `k` smallest entries of each row, in order, ties by index."""
    bound = np.partition(D, k - 1, axis=1)[:, k - 1 : k]
    rows, cols = np.nonzero(bound >= D)
    order = np.lexsort((cols, D[rows, cols], rows))
    starts = np.searchsorted(rows, np.arange(D.shape[0]))
    return cols[order][starts[:, None] + np.arange(k)]
