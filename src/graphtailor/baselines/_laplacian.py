"""Smallest eigenvectors of a sparse Laplacian, component by component."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu

from graphtailor.linalg.dense_eigen import eigenpairs
from graphtailor.linalg.eigen_check import DENSE_UP_TO, are_leading, told_unsure

# Below this size LAPACK is quicker than Lanczos.
_DENSE_BELOW = 400
# The Laplacian is singular: it is shifted by this much before it is factored.
_SHIFT = 1e-6
# Products with the inverse that look for an eigenvalue that was left out.
_CHECK_STEPS = 20


def laplacian_eigenvectors(A: sparse.csr_array, c: int) -> tuple[np.ndarray, int]:
    """The `c` smallest eigenvectors of the Laplacian, and how many parts it has.

    The eigenvalue 0 belongs to the connected components, whose eigenvectors are
    constant on them: these are written down, largest component first, and only
    the others are computed. Lanczos alone could miss copies of the eigenvalue.

    Parameters
    ----------
    A : csr_array of shape (n, n)
        Symmetric nonnegative affinity; the Laplacian is diag(A 1) - A.
    c : int
        Number of eigenvectors, at most n.

    Returns
    -------
    vectors : ndarray of shape (n, c)
        Orthonormal columns, smallest eigenvalue first.
    n_components : int
        Connected components of the graph.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from graphtailor.baselines._laplacian import laplacian_eigenvectors
    >>> pair = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> laplacian_eigenvectors(sparse.csr_array(pair), 1)[0].round(3).ravel()
    array([0.707, 0.707])
    """
    n = A.shape[0]
    n_components, component = connected_components(A, directed=False)
    sizes = np.bincount(component)
    largest = np.argsort(-sizes, kind="stable")[:c]
    known = (component[:, None] == largest) / np.sqrt(sizes[largest])
    rest = c - known.shape[1]
    if rest:
        L = sparse.diags_array(np.asarray(A.sum(axis=1)).ravel()) - A
        dense = n <= _DENSE_BELOW or 3 * c > n
        others = (_by_lapack if dense else _by_lanczos)(L, known, rest)
        known = np.hstack([known, others])
    return known, n_components


def _by_lapack(L: sparse.csr_array, known: np.ndarray, k: int) -> np.ndarray:
    # The known vectors are moved beyond the largest eigenvalue.
    far = 1 + 2 * L.diagonal().max()
    return eigenpairs(L.toarray() + far * (known @ known.T), 0, k - 1)[1]


def _by_lanczos(L: sparse.csr_array, known: np.ndarray, k: int) -> np.ndarray:
    n = L.shape[0]
    solve = splu(sparse.csc_array(L + _SHIFT * sparse.eye_array(n))).solve

    def inverse(x: np.ndarray) -> np.ndarray:
        y = solve(x - known @ (known.T @ x))
        return y - known @ (known.T @ y)

    operator = LinearOperator((n, n), matvec=inverse, dtype=np.float64)
    # Any fixed vector without structure will do: the result is deterministic.
    start = inverse(np.cos(np.arange(n, dtype=np.float64)))
    found = None
    try:
        values, vectors = eigsh(operator, k=k, which="LA", v0=start)
    except ArpackNoConvergence:
        pass
    else:
        found = values[::-1], vectors[:, ::-1]
        if are_leading(inverse, *found, _CHECK_STEPS):
            return found[1]
    return _by_lapack(L, known, k) if n <= DENSE_UP_TO else told_unsure(found, n)[1]
