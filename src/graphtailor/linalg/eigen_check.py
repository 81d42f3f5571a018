"""Whether an iteration found the leading eigenpairs: none wrong, none left out."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

# Share of the largest eigenvalue that residuals may reach, and by which an eigenvalue
# that was left out must exceed the smallest one found. What converged is near 1e-15.
_SHARE = 1e-8
# Share of its products below which what is left of a step is rounding.
_SEEN = 1e-12
# Beyond it the n x n numbers of LAPACK take minutes and half a gigabyte.
DENSE_UP_TO = 8_000


def are_leading(
    apply: Callable[[np.ndarray], np.ndarray],
    values: np.ndarray,
    vectors: np.ndarray,
    steps: int,
) -> bool:
    r"""Check the pairs that an iteration gave for the largest eigenvalues.

    Residuals :math:`\|A v - \lambda v\|` show what is no eigenpair. That one of several
    close eigenvalues was left out does not show in them: a Lanczos process [1]_ of its
    own, from a random start, looks for the largest eigenvalue of A outside the given
    vectors. It only gives values below the true one, so that it never rejects what is
    right; what it may overlook differs little from the smallest eigenvalue found.

    Parameters
    ----------
    apply : callable
        Product of the symmetric A with a vector.
    values : ndarray of shape (k,)
        Eigenvalues.
    vectors : ndarray of shape (n, k)
        Eigenvectors.
    steps : int
        Products spent on the search for an eigenvalue that was left out.

    Returns
    -------
    bool
        Whether nothing speaks against them.

    References
    ----------
    .. [1] C. Lanczos, "An Iteration Method for the Solution of the Eigenvalue Problem
       of Linear Differential and Integral Operators", Journal of Research of the
       National Bureau of Standards 45(4), 1950.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.diag([3.0, 2.0, 1.0])
    >>> values, vectors = np.array([3.0, 1.0]), np.eye(3)[:, [0, 2]]
    >>> are_leading(lambda x: A @ x, values, vectors, 5)
    False
    """
    if not (np.isfinite(values).all() and np.isfinite(vectors).all()):
        return False
    allowed = _SHARE * max(float(np.abs(values).max()), np.finfo(np.float64).tiny)
    products = np.column_stack([apply(v) for v in vectors.T])
    if linalg.norm(products - vectors * values, axis=0).max() > allowed:
        return False
    gram = vectors.T @ vectors
    if np.abs(gram - np.eye(len(values))).max() > _SHARE:
        return False
    return bool(_largest_outside(apply, vectors, steps) <= values.min() + allowed)


def _largest_outside(
    apply: Callable[[np.ndarray], np.ndarray], vectors: np.ndarray, steps: int
) -> float:
    """The largest Ritz value on the complement of the vectors.

    Without the costly orthogonalisation against all steps before: it would only keep
    copies of the same value away.
    """
    n, k = vectors.shape
    x = np.asarray(np.random.RandomState(0).uniform(-1, 1, size=n))
    x = x - vectors @ (vectors.T @ x)
    x /= linalg.norm(x)
    last, beta = np.zeros(n), 0.0
    diagonal: list[float] = []
    beside: list[float] = []
    for _ in range(min(steps, n - k)):
        y = apply(x)
        y = y - vectors @ (vectors.T @ y)
        alpha = float(x @ y)
        diagonal.append(alpha)
        y -= alpha * x + beta * last
        beta = float(linalg.norm(y))
        if beta <= _SEEN * max(map(abs, diagonal)):
            break  # all that the start can see has been seen
        beside.append(beta)
        last, x = x, y / beta
    if not diagonal:
        return -np.inf
    beside = beside[: len(diagonal) - 1]
    return float(linalg.eigvalsh_tridiagonal(diagonal, beside)[-1])


def largest_first(
    values: np.ndarray, vectors: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Eigenpairs in falling order."""
    order = np.argsort(-values)
    return values[order], vectors[:, order]


def told_unsure(
    found: tuple[np.ndarray, np.ndarray] | None, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """What an iteration found of a matrix too large for LAPACK, with a warning.

    An error where it found nothing.
    """
    trouble = (
        f"The leading eigenvectors of a graph of {n} samples could not be told apart: "
        "its eigenvalues lie too close together. Use more n_neighbors or fewer "
        "n_clusters."
    )
    if found is None:
        raise ValueError(trouble)
    warnings.warn(trouble, ConvergenceWarning, stacklevel=3)
    return found
