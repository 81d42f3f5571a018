"""Approximate leading eigenvectors by a polynomial filter."""

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

# The filter is a Chebyshev polynomial that is small below this eigenvalue. It is
# applied a few times, with an orthogonalisation after each.
_DAMPED_BELOW, _DEGREE, _FILTERS = 0.7, 8, 3


def smooth_vectors(
    W: sparse.csr_array, width: int, random_state: int | np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Approximate leading eigenpairs of a normalised affinity, at a fixed cost.

    A polynomial of W takes random vectors near the leading eigenvectors. Lanczos
    iterations are exact, but slow where eigenvalues are nearly equal, as in graphs of
    many loose parts; members need not be exact.
    """
    rng = check_random_state(random_state)
    n = W.shape[0]
    W = W.astype(np.float32)
    Q = rng.normal(size=(n, min(width + 5, n))).astype(np.float32)
    for _ in range(_FILTERS):
        Q = np.linalg.qr(_filtered(W, Q))[0]
    values, turn = np.linalg.eigh(Q.T @ (W @ Q))
    leading = np.argsort(-values, kind="stable")[:width]
    return values[leading], Q @ turn[:, leading]


def _filtered(W: sparse.csr_array, Q: np.ndarray) -> np.ndarray:
    """T(W) Q for the Chebyshev polynomial T of the interval [-1, 0.7]."""
    slope, shift = 2 / (1 + _DAMPED_BELOW), (1 - _DAMPED_BELOW) / (1 + _DAMPED_BELOW)
    before, Q = Q, np.float32(slope) * (W @ Q) + np.float32(shift) * Q
    for _ in range(_DEGREE - 1):
        following = np.float32(2 * slope) * (W @ Q) + np.float32(2 * shift) * Q
        following -= before
        before, Q = Q, following
    return Q
