"""Singular vectors, and quick approximations of leading eigenvectors."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from graphtailor.linalg.eigen import Eigenpairs, largest_eigenpairs
from graphtailor.linalg.threads import single_threaded
from graphtailor.linalg.types import RandomState

# The filter is a Chebyshev polynomial that is small below this eigenvalue. It is
# applied a few times, with an orthogonalisation after each.
_DAMPED_BELOW, _DEGREE, _FILTERS = 0.7, 8, 3


@single_threaded()
def left_singular_vectors(
    N: sparse.csr_array, k: int, random_state: RandomState
) -> np.ndarray:
    """Left singular vectors of the `k` largest singular values.

    They come from the eigenvectors of the smaller of NN' and N'N. SciPy's own `svds`
    reports neither a value that it left out nor one that it did not reach.
    """
    if N.shape[0] <= N.shape[1]:
        return _gram_eigenpairs(N, k, random_state)[1]
    values, right = _gram_eigenpairs(sparse.csr_array(N.T), k, random_state)
    lengths = np.sqrt(np.maximum(values, 0.0))
    nonzero = lengths > np.sqrt(np.finfo(np.float64).eps) * lengths[0]
    return (N @ right) * np.where(nonzero, 1 / np.where(nonzero, lengths, 1.0), 0.0)


def with_few_features(X: np.ndarray) -> np.ndarray:
    """Rows of at most n features, with the same products and distances.

    That is the triangle of a QR decomposition: wide rows, turned until all but n of
    their features are 0.
    """
    if X.shape[1] <= X.shape[0]:
        return X
    triangle: Any = np.linalg.qr(X.T.astype(np.float64), mode="r")
    return np.ascontiguousarray(triangle.T, dtype=X.dtype)


def _gram_eigenpairs(
    A: sparse.csr_array, k: int, random_state: RandomState
) -> Eigenpairs:
    """Leading eigenpairs of AA', largest first."""
    start = check_random_state(random_state).uniform(-1, 1, size=A.shape[0])
    return largest_eigenpairs(lambda x: A @ (A.T @ x), lambda: A @ A.T, start, k)


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
