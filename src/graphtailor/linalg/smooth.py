"""Approximate leading eigenvectors by a random walk."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

# Steps of the walk that approaches the leading eigenvectors, and the steps between
# two orthogonalisations.
_WALKS, _STEPS_OF_A_WALK = 10, 8


def smooth_vectors(
    W: sparse.csr_array, width: int, random_state: int | np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Approximate leading eigenpairs of a normalised affinity, at a fixed cost.

    A lazy random walk takes random vectors near the leading eigenvectors. Lanczos
    iterations are exact, but slow where eigenvalues are nearly equal, as in graphs of
    many loose parts; members need not be exact.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        Symmetric, normalised by the degrees.
    width : int
        Number of vectors, at most n.
    random_state : int or RandomState
        Seed of the random vectors.

    Returns
    -------
    values : ndarray of shape (width,)
        Approximate eigenvalues, largest first.
    vectors : ndarray of shape (n, width)
        Orthonormal columns.
    """
    rng = check_random_state(random_state)
    n = W.shape[0]
    Q = rng.normal(size=(n, min(width + 5, n)))
    for _ in range(_WALKS):
        for _ in range(_STEPS_OF_A_WALK):
            Q = (Q + W @ Q) / 2
        Q = np.linalg.qr(Q)[0]
    values, turn = np.linalg.eigh(Q.T @ (W @ Q))
    leading = np.argsort(-values, kind="stable")[:width]
    return values[leading], Q @ turn[:, leading]
