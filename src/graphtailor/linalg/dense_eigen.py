"""Some eigenpairs of a dense symmetric matrix, on which LAPACK can rely."""

from __future__ import annotations

import numpy as np
from scipy import linalg


def eigenpairs(
    A: np.ndarray, first: int, last: int, B: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs `first` to `last` of ``A x = l B x``, in rising order.

    LAPACK's quickest routine for a part of the spectrum may end in an internal error,
    or give too few pairs where the cut parts equal eigenvalues. Divide and conquer,
    which finds all of them, then takes its place.

    Parameters
    ----------
    A : ndarray of shape (n, n)
        Symmetric matrix.
    first, last : int
        Numbers of the pairs, both included; 0 is the smallest.
    B : ndarray of shape (n, n), default=None
        Symmetric and positive definite; None is the identity.

    Returns
    -------
    values : ndarray of shape (last - first + 1,)
        Eigenvalues.
    vectors : ndarray of shape (n, last - first + 1)
        Eigenvectors.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.linalg.dense_eigen import eigenpairs
    >>> eigenpairs(np.diag([3.0, 1.0, 2.0]), 1, 2)[0]
    array([2., 3.])
    """
    try:
        values, vectors = linalg.eigh(A, B, subset_by_index=[first, last])
    except linalg.LinAlgError:
        values = vectors = np.empty(0)
    if len(values) == last - first + 1:
        return values, vectors
    values, vectors = linalg.eigh(A, B, driver="evd" if B is None else "gvd")
    return values[first : last + 1], vectors[:, first : last + 1]
