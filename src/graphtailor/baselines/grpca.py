"""Robust PCA on graphs."""

import warnings
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import linalg, sparse
from sklearn.utils._param_validation import StrOptions

from graphtailor.baselines import _operators as op
from graphtailor.baselines import rpca
from graphtailor.baselines._base import GraphMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.linalg.sparse import positive_definite_factors, solve_columns
from graphtailor.linalg.types import ABOVE_0, AT_LEAST_0, Matrix, MatrixLike


@clusterer(
    lam=[*ABOVE_0, None],
    gamma=[*AT_LEAST_0, None],
    readout=[StrOptions({"rows", "scores"})],
)
class GRPCA(GraphMixin, rpca.LowRankClusterer):
    r"""Robust PCA with a low-rank part that is smooth on the graph, then K-means.

    .. math:: \min_{L, S} \|L\|_* + \lambda \|S\|_1
              + \gamma \operatorname{tr}(L^\top \Phi L)
              \quad \text{s.t.} \quad X = L + S ,

    with the normalised Laplacian :math:`\Phi = I - W` of the given graph. The
    problem is convex; alternating directions on a copy of :math:`L` solve it.
    With :math:`\gamma = 0` this is :class:`RPCA`.

    Parameters
    ----------
    lam : float or None, default=None
        Weight :math:`\lambda` of the sparse part; None is
        :math:`2 / \sqrt{\max(n, d)}`, as in :class:`RPCA`.
    gamma : float or None, default=None
        Weight of the graph. It is measured in inverses of `X`: for :math:`tX` the
        same result needs :math:`\gamma / t`. None is
        :math:`1 / (\sqrt{\max(n, d)} \max |x_{ij}|)`.
    readout : {"rows", "scores"}, default="rows"
        What K-means sees: the rows of :math:`L`, or its leading `n_clusters`
        principal scores.
    tol : float, default=1e-5
        Relative size of the primal and the dual residual at which to stop.

    Attributes
    ----------
    low_rank_, sparse_ : ndarray of shape (n_samples, n_features)
        :math:`L` and :math:`S = X - L`.
    embedding_ : ndarray of shape (n_samples, k)
        What K-means saw.
    objective_ : ndarray of shape (n_iter_,)
        Value at :math:`(L, X - L)` after each iteration.

    Notes
    -----
    One :math:`d \times d` eigen-decomposition, :math:`O(n d^2)` products and a
    sparse solve an iteration; :math:`2 \gamma \Phi + r I` is factored once.

    References
    ----------
    N. Shahid, V. Kalofolias, X. Bresson, M. Bronstein, P. Vandergheynst, Robust
    Principal Component Analysis on Graphs, ICCV 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor.baselines import GRPCA
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = load_wine(return_X_y=True)
    >>> model = GRPCA(3, n_init=10, random_state=0).fit(X / X.max(axis=0))
    >>> clustering_accuracy(y, model.labels_) > 0.94
    True
    """

    lam: float | None = None
    gamma: float | None = None
    readout: str = "rows"
    max_iter: int = 1000
    tol: float = 1e-5

    _dense_arrays = (1.0, 14.0)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        W = self._fit_graph(X).affinity_
        lam = rpca.default_weight(X.shape) if self.lam is None else float(self.lam)
        gamma = self.gamma
        if gamma is None:
            gamma = 1 / (np.sqrt(max(X.shape)) * (np.abs(X).max() or 1))
        result = graph_robust_pca(
            X, W, lam, float(gamma), tol=self.tol, max_iter=self.max_iter
        )
        self._take(result, X.dtype)


def graph_robust_pca(
    X: np.ndarray,
    W: Matrix,
    lam: float,
    gamma: float,
    *,
    tol: float = 1e-5,
    max_iter: int = 1000,
) -> rpca.Decomposition:
    r"""Solve robust PCA on the graph with normalised affinity `W`.

    The `dual` of the result is the multiplier of :math:`X = L + S`. At
    :math:`L = X` it is :math:`P Q^\top + 2 \gamma \Phi X`, and optimal if no entry
    exceeds `lam`; a warning tells.
    """
    # Rows one after the other, as the loops read them: selected columns are not so.
    X = np.ascontiguousarray(X, dtype=np.float64)
    used = np.any(X, axis=0)
    if 0 < np.count_nonzero(used) < len(used):  # L and S are 0 where X has nothing
        part = graph_robust_pca(X[:, used], W, lam, gamma, tol=tol, max_iter=max_iter)
        return part.widened(used)
    Phi = sparse.csc_array(sparse.eye_array(X.shape[0]) - W)
    low, _, polar = rpca.rpca_range(X)
    if lam <= low:  # the graph has no say where L is 0
        return rpca.robust_pca(X, lam)
    slope = gamma * (Phi @ X)
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
    return rpca.Decomposition(X, np.zeros_like(X), dual, [value], True)


class _Copies(NamedTuple):
    """X = L + S and L = M, with their multipliers divided by the penalty."""

    L: np.ndarray
    S: np.ndarray
    M: np.ndarray
    Y: np.ndarray  # of X = L + S
    Z: np.ndarray  # of M = L
    moved: np.ndarray  # what S moved by, plus the old M


def _alternate(
    X: np.ndarray,
    Phi: sparse.csc_array,
    lam: float,
    gamma: float,
    tol: float,
    max_iter: int,
) -> rpca.Decomposition:
    """Alternate between L and the pair of S = X - L and the copy M = L.

    These are two blocks, for which the method converges.
    """
    size = linalg.norm(X)
    r = np.count_nonzero(X) / (2 * np.abs(X).sum())
    smooth = _smoother(Phi, gamma, r)
    # Written in place: for wide tables new arrays would take most of the time.
    state = _Copies(*(np.zeros(X.shape) for _ in range(6)))
    L, S, M, Y, Z, _ = state
    target = np.empty(X.shape)
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        np.subtract(X, S, out=target)
        target += Y
        target += M
        target += Z
        target /= 2
        low_rank = op.singular_value_threshold(target, 1 / (2 * r), out=L)
        error, absolute = _advance_sparse(X, state, lam / r)
        smooth(Z, M)
        gap, change, y_size, z_size = _advance_smooth(state)
        rough = gamma * _roughness(low_rank, Phi)
        objective.append(float(low_rank.values.sum() + lam * absolute + rough))
        primal = np.sqrt(error + gap) / size
        multipliers = np.sqrt(max(y_size, z_size))
        dual = np.sqrt(change) / max(multipliers, np.finfo(np.float64).tiny)
        converged = primal <= tol and dual <= tol
        factor = 1.0 if converged else op.penalty_factor(len(objective), primal, dual)
        if factor != 1.0:
            r *= factor
            Y /= factor
            Z /= factor
            smooth = _smoother(Phi, gamma, r)
    return rpca.Decomposition(L, X - L, r * Y, objective, bool(converged))


@njit(cache=True, nogil=True)
def _advance_sparse(X: np.ndarray, state: _Copies, bound: float) -> tuple[float, float]:
    """Renew S and Y, and leave in Z what is to be smoothed to the new M.

    The sums are of the squares of X - L - S and of the absolute values of X - L.
    """
    L, S, M, Y, Z, moved = state
    error, absolute = 0.0, 0.0
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            rest = X[i, j] - L[i, j]
            y = Y[i, j] + rpca.RELAXATION * (rest - S[i, j]) + S[i, j]
            s = y - min(max(y, -bound), bound)
            Y[i, j] = y - s
            Z[i, j] = M[i, j] + rpca.RELAXATION * (L[i, j] - M[i, j]) - Z[i, j]
            moved[i, j] = s - S[i, j] + M[i, j]
            S[i, j] = s
            error += (rest - s) ** 2
            absolute += abs(rest)
    return error, absolute


@njit(cache=True, nogil=True)
def _advance_smooth(state: _Copies) -> tuple[float, float, float, float]:
    """Renew Z; the sums of squares of M - L, of the dual residual, of Y and of Z."""
    L, _, M, Y, Z, moved = state
    gap, change, y_size, z_size = 0.0, 0.0, 0.0, 0.0
    for i in range(L.shape[0]):
        for j in range(L.shape[1]):
            z = M[i, j] - Z[i, j]
            Z[i, j] = z
            gap += (M[i, j] - L[i, j]) ** 2
            change += (moved[i, j] - M[i, j]) ** 2
            y_size += Y[i, j] ** 2
            z_size += z * z
    return gap, change, y_size, z_size


def _roughness(low_rank: op.Shrunk, Phi: sparse.csc_array) -> float:
    r""":math:`\operatorname{tr}(L^\top \Phi L)`, by the smaller product."""
    L = low_rank.matrix
    if L.shape[0] < L.shape[1]:
        L = low_rank.vectors * low_rank.values
    return float(np.vdot(L, Phi @ L))


def _smoother(
    Phi: sparse.csc_array, gamma: float, r: float
) -> Callable[[np.ndarray, np.ndarray], object]:
    r"""Write :math:`(I + (2 \gamma / r) \Phi)^{-1}` times the first to the second."""
    system = sparse.eye_array(Phi.shape[0]) + 2 * gamma / r * Phi
    # Up to this number of samples a dense inverse is faster than sparse factors.
    if Phi.shape[0] <= 500:
        return partial(np.matmul, linalg.inv(system.toarray()))
    factors = positive_definite_factors(system)
    return lambda B, out: np.copyto(out, solve_columns(factors, B))
