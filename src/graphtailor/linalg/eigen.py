"""Leading eigenvectors of a normalised affinity, with repeated eigenvalues right."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh, splu
from sklearn.utils import check_random_state

from graphtailor.linalg.dense_eigen import eigenpairs
from graphtailor.linalg.eigen_check import (
    DENSE_UP_TO,
    are_leading,
    largest_first,
    told_unsure,
)

# Below this size LAPACK is quicker than Lanczos and has no trouble with clusters
# of eigenvalues.
_DENSE_BELOW = 600
# Where a factorisation is shifted to: no eigenvalue is above 1.
_JUST_ABOVE_ONE = 1.001
# Of 1 / (shift - eigenvalue).
_ACCURACY = 1e-10
# Products with the inverse that look for an eigenvalue that was left out.
_INVERSE_STEPS = 20
# Iterations that have not come to an end after so many restarts have stalled.
_RESTARTS = 30


def leading_eigenvectors(
    W: Any, k: int, random_state: Any = None
) -> tuple[np.ndarray, np.ndarray]:
    r"""The `k` largest eigenvalues of a normalised affinity, and their vectors.

    Lanczos iterations may miss copies of a repeated eigenvalue, and the
    normalised affinity of a disconnected graph has eigenvalue 1 once for every
    component. Those eigenvectors are known (:math:`\sqrt{\text{degree}}` on one
    component), so they are written down and projected out, and Lanczos is left
    with the rest.

    Parameters
    ----------
    W : csr_array or ndarray of shape (n, n)
        Symmetric affinity normalised by :func:`normalize_affinity`.
    k : int
        Number of eigenpairs, at most n.
    random_state : int, RandomState or None, default=None
        Start vector of the Lanczos iterations.

    Returns
    -------
    eigenvalues : ndarray of shape (k,)
        Largest first.
    eigenvectors : ndarray of shape (n, k)
        Orthonormal columns.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.linalg.eigen import leading_eigenvectors
    >>> two_pairs = np.kron(np.eye(2), np.array([[0.0, 1.0], [1.0, 0.0]]))
    >>> values, vectors = leading_eigenvectors(two_pairs, 2)
    >>> values.round(6)
    array([1., 1.])
    """
    n = W.shape[0]
    if n <= _DENSE_BELOW or k > n // 3:
        return _dense(W.toarray() if sparse.issparse(W) else W, k)
    known = _component_vectors(W, k)
    if known.shape[1] == k:
        return np.ones(k), known
    values, vectors = _lanczos(W, known, k - known.shape[1], random_state)
    return np.r_[np.ones(known.shape[1]), values], np.hstack([known, vectors])


def slow_eigenvectors(
    W: Any, k: int, degrees: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    r"""As :func:`leading_eigenvectors`, quick where many eigenvalues lie near 1.

    Such are the graphs of long chains. The eigenvalues of :math:`(W - \sigma I)^{-1}`
    for :math:`\sigma` just above 1 lie far apart, and a sparse W of few neighbours is
    quick to factorise.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        Symmetric affinity normalised by :func:`normalize_affinity`.
    k : int
        Number of eigenpairs, at most n.
    degrees : ndarray of shape (n,)
        What it was normalised by: their roots on one component are an eigenvector.

    Returns
    -------
    eigenvalues : ndarray of shape (k,)
        Largest first.
    eigenvectors : ndarray of shape (n, k)
        Orthonormal columns.
    """
    n = W.shape[0]
    if n <= _DENSE_BELOW or k > n // 3:
        return leading_eigenvectors(W, k, 0)
    known = _roots_on_components(W, degrees, k)
    if known.shape[1] == k:
        return np.ones(k), known
    values, vectors = _by_factors(W, known, k - known.shape[1])
    return np.r_[np.ones(known.shape[1]), values], np.hstack([known, vectors])


def _by_factors(W: Any, known: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs but for the known ones of eigenvalue 1, which are projected out."""
    n = W.shape[0]
    shift = _JUST_ABOVE_ONE * sparse.eye_array(n)
    factors = splu(sparse.csc_array(W - shift))

    def inverse(x: np.ndarray) -> np.ndarray:
        y = factors.solve(x - known @ (known.T @ x))
        return y - known @ (known.T @ y)

    found = None
    try:
        values, vectors = eigsh(
            W,
            k=k,
            sigma=_JUST_ABOVE_ONE,
            OPinv=LinearOperator((n, n), matvec=inverse, dtype=np.float64),
            v0=inverse(np.random.RandomState(0).uniform(-1, 1, size=n)),
            # With fewer vectors it stalls where eigenvalues crowd.
            ncv=min(n, 4 * k + 40),
            tol=_ACCURACY,
        )
    except ArpackNoConvergence:
        pass
    else:
        found = largest_first(values, vectors)
        inverses = 1 / (_JUST_ABOVE_ONE - found[0])
        if are_leading(lambda x: -inverse(x), inverses, found[1], _INVERSE_STEPS):
            return found
    return _by_lapack(W, known, k, found)


def _by_lapack(
    W: Any, known: np.ndarray, k: int, found: tuple[np.ndarray, np.ndarray] | None
) -> tuple[np.ndarray, np.ndarray]:
    """The last resort: it never fails, but needs n x n numbers.

    For too many of them, what was found before is returned with a warning.
    """
    n = W.shape[0]
    if n <= DENSE_UP_TO:
        W = W.toarray() if sparse.issparse(W) else W
        # The known vectors are moved from 1 to -1, below all others.
        return _dense(W - 2 * (known @ known.T), k)
    return told_unsure(found, n)


def _roots_on_components(W: Any, degrees: np.ndarray, most: int) -> np.ndarray:
    """Unit vectors of the roots of the degrees, one for a component of some weight."""
    _, component = connected_components(W, directed=False)
    weight = np.bincount(component, weights=degrees)
    heaviest = np.argsort(-weight, kind="stable")[:most]
    heaviest = heaviest[weight[heaviest] > 0]
    vectors = np.where(component[:, None] == heaviest, np.sqrt(degrees)[:, None], 0.0)
    return vectors / np.sqrt(weight[heaviest])


def _dense(W: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    n = W.shape[0]
    W = np.asarray(W, dtype=np.float64)
    W = (W + W.T) / 2
    values, vectors = eigenpairs(W, n - k, n - 1)
    return values[::-1], vectors[:, ::-1]


def _component_vectors(W: Any, most: int) -> np.ndarray:
    """Eigenvectors of eigenvalue 1 where it is repeated, largest component first."""
    n = W.shape[0]
    pattern = W if sparse.issparse(W) else sparse.csr_array(W)
    _, component = connected_components(pattern, directed=False)
    sizes = np.bincount(component)
    # An isolated sample has an all-zero row, eigenvalue 0: unless it has a loop.
    loops = np.bincount(component, weights=pattern.diagonal())
    order = [c for c in np.argsort(-sizes, kind="stable") if sizes[c] > 1 or loops[c]]
    if len(order) == 1:
        return np.empty((n, 0))
    order = order[:most]
    vectors = np.zeros((n, len(order)))
    for column, c in enumerate(order):
        members = np.flatnonzero(component == c)
        vectors[members, column] = _perron_vector(W[members][:, members])
    return vectors


def _perron_vector(block: Any) -> np.ndarray:
    """Positive unit eigenvector of eigenvalue 1 of one connected component."""
    m = block.shape[0]
    if m <= _DENSE_BELOW:
        dense = block.toarray() if sparse.issparse(block) else block
        return np.abs(_dense(dense, 1)[1][:, 0])
    return np.abs(_lanczos(block, np.empty((m, 0)), 1, 0)[1][:, 0])


def _lanczos(
    W: Any, known: np.ndarray, k: int, random_state: Any
) -> tuple[np.ndarray, np.ndarray]:
    n = W.shape[0]

    def without_known(x: np.ndarray) -> np.ndarray:
        x = x - known @ (known.T @ x)
        # Shifted by 1, the deflated vectors sit at 0, below every eigenvalue sought.
        y = W @ x + x
        return y - known @ (known.T @ y)

    start = check_random_state(random_state).uniform(-1, 1, size=n)
    width = min(n, 4 * k + 40)
    operator = LinearOperator((n, n), matvec=without_known, dtype=np.float64)
    try:
        values, vectors = eigsh(
            operator,
            k=k,
            which="LA",
            v0=without_known(start),
            ncv=width,
            maxiter=_RESTARTS,
        )
    except ArpackNoConvergence:  # eigenvalues crowd below 1
        return _by_factors(sparse.csr_array(W), known, k)
    values, vectors = largest_first(values, vectors)
    if not are_leading(without_known, values, vectors, width // 2):
        return _by_factors(sparse.csr_array(W), known, k)
    return values - 1, vectors
