"""Solver of convex sparse spectral clustering."""

import warnings
from typing import NamedTuple

import numpy as np
from numba import njit

from graphtailor.baselines._operators import project_capped_simplex
from graphtailor.linalg.eigen import eigenpairs, leading_eigenvectors

_RELAXATION = 1.6
_FIRST_PENALTY = 0.1
# The penalty is balanced this often and so long; then it stays, and converges.
_BALANCE_EVERY, _BALANCE_UNTIL = 5, 150
# Below this size the direct projection is quicker.
_DIRECT_BELOW = 400
_KRYLOV_STEPS = 3
_RESTARTS = 10


def project_fantope(T: np.ndarray, k: int) -> np.ndarray:
    r"""Project a symmetric matrix on :math:`\{0 \preceq P \preceq I, \operatorname{tr} P = k\}`.

    The eigenvalues of `T` are projected on the capped simplex. Those that end at
    0 take no part, so the leading eigenpairs suffice: their number is doubled
    until the last of them ends at 0, which makes the result exact.
    """  # noqa: E501 (the formula does not break)
    n = T.shape[0]
    m = min(2 * k, n)
    while True:
        # Beyond a third of the spectrum all of it costs no more.
        m = n if 3 * m > n else m
        values, vectors = eigenpairs(T, n - m, n - 1)
        weights = project_capped_simplex(values, k)
        if m == n or weights[0] == 0:
            break
        m *= 2
    kept = weights > 0
    half = vectors[:, kept] * np.sqrt(weights[kept])
    return half @ half.T


class FantopeProjector:
    r"""Projection on :math:`\{0 \preceq Q \preceq I, \operatorname{tr} Q = k\}`.

    Does what :func:`project_fantope` does, for a sequence of large matrices: the
    leading eigenvectors of one start a block Krylov iteration for the next, which
    takes products with a block of vectors only.
    """

    def __init__(self, vectors: np.ndarray, k: int) -> None:
        n = len(vectors)
        self.k = k
        self._vectors = vectors
        self._rng = np.random.default_rng(0)
        self._direct = n <= _DIRECT_BELOW or 8 * _KRYLOV_STEPS * k > n

    def project(self, T: np.ndarray, scale: float) -> np.ndarray:
        """Project `T`; errors of a tenth of `scale` do no harm."""
        if self._direct:
            return project_fantope(T, self.k)
        tol = float(np.clip(0.1 * scale, 1e-12, 1e-3))
        for _ in range(_RESTARTS):
            values, vectors, residuals = _krylov(T, self._vectors)
            weights = project_capped_simplex(values, self.k)
            self._vectors = vectors
            if weights[-1] > 0:
                # There may be more eigenvalues above the threshold: look for them.
                more = self._rng.standard_normal((len(T), self.k))
                self._vectors = np.hstack([vectors, more])
            elif residuals[weights > 0].max() <= tol:
                break
        kept = weights > 0
        half = vectors[:, kept] * np.sqrt(weights[kept])
        return half @ half.T

    def is_exact(self, T: np.ndarray, Q: np.ndarray, tol: float) -> bool:
        """Whether `Q` is the projection of `T`, by a direct computation.

        If it is not, an eigenvector was missed, and the next projections are
        direct.
        """
        if not self._direct:
            self._direct = np.abs(project_fantope(T, self.k) - Q).max() > tol
            return not self._direct
        return True


def _krylov(
    T: np.ndarray, start: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ritz pairs of `T` on the block Krylov space of `start`, with residual norms."""
    m = start.shape[1]
    basis = np.linalg.qr(start)[0]
    image = T @ basis
    block = image
    for _ in range(_KRYLOV_STEPS):
        # Twice, as the block may be all but inside the basis already.
        for _ in range(2):
            block = np.linalg.qr(block - basis @ (basis.T @ block))[0]
        basis = np.hstack([basis, block])
        block = T @ block
        image = np.hstack([image, block])
    small = basis.T @ image
    values, rotation = np.linalg.eigh((small + small.T) / 2)
    values, rotation = values[::-1][:m], rotation[:, ::-1][:, :m]
    vectors = basis @ rotation
    residuals = np.linalg.norm(image @ rotation - vectors * values, axis=0)
    return values, vectors, residuals


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
