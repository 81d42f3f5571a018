"""Low-rank representation of the samples by the samples."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import linalg
from sklearn.utils._param_validation import StrOptions

from graphtailor.baselines import _operators as op
from graphtailor.baselines._base import BaseClusterer, SpectralMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.baselines._readout import directions, unit_rows
from graphtailor.linalg.types import ABOVE_0, MatrixLike

_RELAXATION = 1.6
# Singular values of C lie in [0, 1], rows of E are shorter than those of X: with
# these thresholds on that scale about fifty iterations do.
_RANK_PENALTY = 3.0
_ERROR_THRESHOLD = 0.1


@clusterer(
    lam=[*ABOVE_0, None], readout=[StrOptions({"spectral", "angular", "recovered"})]
)
class LRR(SpectralMixin, BaseClusterer):
    r"""Low-rank representation, then spectral clustering of its coefficients.

    .. math:: \min_{C, E} \|C\|_* + \lambda \|E\|_{2,1}
              \quad \text{s.t.} \quad X = C X + E ,

    where the second norm adds the lengths of the rows, so that whole samples are
    taken for outliers. With the SVD :math:`X = P \operatorname{diag}(s) Q^\top`
    of rank :math:`r` the problem shrinks exactly to :math:`n \times r` unknowns.

    Parameters
    ----------
    lam : float or None, default=None
        Weight :math:`\lambda` of the error. It is measured in inverses of `X`:
        for :math:`tX` the same result needs :math:`\lambda / t`. It does nothing
        outside the interval :math:`(a, b)` of :func:`lrr_range`, and a warning
        says so; None is :math:`a^{1/4} b^{3/4}`.
    readout : {"spectral", "angular", "recovered"}, default="spectral"
        Spectral clustering of :math:`|C| + |C|^\top`; of the fourth powers of
        the cosines between the rows of :math:`A \operatorname{diag}(\sqrt{s})`,
        where :math:`C = A \operatorname{diag}(s) B^\top`; or K-means on the rows
        of :math:`C X`.
    tol : float, default=1e-6
        Relative size of the primal and the dual residuals at which to stop.

    Attributes
    ----------
    representation_ : ndarray of shape (n_samples, n_samples)
        :math:`C`; row i holds the coefficients of sample i.
    error_ : ndarray of shape (n_samples, n_features)
        :math:`E = X - C X`.
    affinity_matrix_ : ndarray of shape (n_samples, n_samples)
        The affinity of the read-out (of "spectral" for "recovered").
    embedding_ : ndarray of shape (n_samples, k)
        What K-means saw.
    objective_ : ndarray of shape (n_iter_,)
        Value at :math:`(C, X - C X)` after each iteration.

    Notes
    -----
    One SVD of `X`, then :math:`O(n r^2)` an iteration, and :math:`O(n^2 r)` for
    :math:`C` at the end.

    References
    ----------
    G. Liu, Z. Lin, S. Yan, J. Sun, Y. Yu, Y. Ma, Robust Recovery of Subspace
    Structures by Low-Rank Representation, IEEE TPAMI 35(1), 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.baselines import LRR
    >>> X = np.array([[1.0, 0], [2, 0], [3, 0], [0, 1], [0, 2], [0, 3]])
    >>> LRR(2, lam=0.4, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    lam: float | None = None
    readout: str = "spectral"
    max_iter: int = 2000
    tol: float = 1e-6

    _dense_arrays = (9.2, 3.0)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        result = low_rank_representation(
            X, self.lam, tol=self.tol, max_iter=self.max_iter
        )
        C = result.coefficients @ result.basis.T
        recovered = C @ X
        if self.readout == "recovered":
            self.affinity_matrix_ = absolute_affinity(C)
            labels = self._cluster_rows(recovered, X.dtype)
        elif self.readout == "angular":
            labels = self._cut(angular_affinity(result.coefficients), X.dtype)
        else:
            labels = self._cut(absolute_affinity(C), X.dtype)
        self.representation_ = C.astype(X.dtype, copy=False)
        self.error_ = (X - recovered).astype(X.dtype, copy=False)
        self._finish(labels, result.objective, converged=result.converged)


def angular_affinity(coefficients: np.ndarray) -> np.ndarray:
    """Fourth powers of the cosines between the scaled left singular vectors."""
    A, s, _ = linalg.svd(coefficients, full_matrices=False)
    rows = unit_rows(A * np.sqrt(s))
    affinity = (rows @ rows.T) ** 4
    np.fill_diagonal(affinity, 0)
    return affinity


def absolute_affinity(C: np.ndarray) -> np.ndarray:
    """``|C| + |C'|`` without its diagonal."""
    affinity = np.abs(C)
    affinity = affinity + affinity.T
    np.fill_diagonal(affinity, 0)
    return affinity


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
    X: np.ndarray, lam: float | None = None, *, tol: float = 1e-6, max_iter: int = 2000
) -> Representation:
    """Solve the low-rank representation; warn if `lam` is outside its range."""
    X = np.asarray(X, dtype=np.float64)
    P, s, _ = op.economy_svd(X)
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
    Y, Z = (P / s - op.shrink_rows(P / s, lam)) / nu, P / mu
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        J, values, _ = op.singular_value_threshold(C + Z, 1 / mu)
        rest = T - C * s
        E = op.shrink_rows(rest + Y, lam / nu)
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
