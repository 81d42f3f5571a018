"""Leading singular vectors, and rows turned into fewer features."""

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from graphtailor.linalg.eigen import Eigenpairs, largest_eigenpairs
from graphtailor.linalg.threads import single_threaded
from graphtailor.linalg.types import RandomState


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
