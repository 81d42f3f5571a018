"""Projections on the fantope of matrices that change little from one to the next."""

import numpy as np

from graphtailor.baselines._operators import project_capped_simplex
from graphtailor.linalg.eigen import eigenpairs

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
