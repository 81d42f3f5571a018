"""Leading left singular vectors of a sparse matrix, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from sklearn.utils import check_random_state

from graphtailor.linalg.dense_eigen import eigenpairs
from graphtailor.linalg.eigen_check import (
    DENSE_UP_TO,
    are_leading,
    largest_first,
    told_unsure,
)

# Below this size LAPACK is quicker than Lanczos.
_DENSE_BELOW = 600
# Iterations that have not come to an end after so many restarts have stalled.
_RESTARTS = 30


def left_singular_vectors(N: sparse.csr_array, k: int, random_state: Any) -> np.ndarray:
    """Left singular vectors of the `k` largest singular values.

    From the eigenvectors of the smaller of NN' and N'N. SciPy's own `svds` tells
    neither a value that it left out nor one that it did not reach.

    Parameters
    ----------
    N : csr_array of shape (n, m)
        The matrix.
    k : int
        Number of vectors, below the smaller of n and m.
    random_state : int, RandomState or None
        Start vector of the Lanczos iterations.

    Returns
    -------
    ndarray of shape (n, k)
        Unit columns, that of the largest singular value first; zero where a singular
        value is.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> N = sparse.csr_array(np.diag([1.0, 3.0, 2.0]))
    >>> np.abs(left_singular_vectors(N, 2, 0)).round(6)
    array([[0., 0.],
           [1., 0.],
           [0., 1.]])
    """
    if N.shape[0] <= N.shape[1]:
        return _gram_vectors(N, k, random_state)[1]
    values, right = _gram_vectors(sparse.csr_array(N.T), k, random_state)
    lengths = np.sqrt(np.maximum(values, 0.0))
    nonzero = lengths > np.sqrt(np.finfo(np.float64).eps) * lengths[0]
    return (N @ right) * np.where(nonzero, 1 / np.where(nonzero, lengths, 1.0), 0.0)


def _gram_vectors(
    A: sparse.csr_array, k: int, random_state: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Leading eigenpairs of AA', largest first."""
    size = A.shape[0]
    found = None
    if size > _DENSE_BELOW:

        def apply(x: np.ndarray) -> np.ndarray:
            return A @ (A.T @ np.ravel(x))

        start = check_random_state(random_state).uniform(-1, 1, size=size)
        operator = LinearOperator((size, size), matvec=apply, dtype=np.float64)
        width = min(size, 4 * k + 40)
        how = {"which": "LA", "v0": start, "ncv": width, "maxiter": _RESTARTS}
        try:
            found = largest_first(*eigsh(operator, k=k, **how))
        except ArpackNoConvergence:
            pass  # singular values too close together: LAPACK does not mind
        else:
            if are_leading(apply, *found, width // 2):
                return found
    if size > DENSE_UP_TO:
        return told_unsure(found, size)
    return largest_first(*eigenpairs((A @ A.T).toarray(), size - k, size - 1))
