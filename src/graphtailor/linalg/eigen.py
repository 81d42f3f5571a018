"""Eigenvectors: dense ones by LAPACK, leading ones by Lanczos iterations, checked."""

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from graphtailor.decide.sizes import DENSE_BELOW, DENSE_UP_TO
from graphtailor.linalg.sparse import positive_definite_factors
from graphtailor.linalg.threads import single_threaded
from graphtailor.linalg.types import Matrix, RandomState

# Eigenvalues and, in columns, their vectors.
Eigenpairs = tuple[np.ndarray, np.ndarray]
Product = Callable[[np.ndarray], np.ndarray]

# Lanczos iterations on a graph end within this many restarts, or have stalled; those
# on the inverse of a matrix, whose eigenvalues lie far apart, may take more.
_RESTARTS = 30
_RESTARTS_OF_INVERSE = 300
# No eigenvalue of a normalised affinity is above 1: the matrix shifted to here is
# positive definite.
_JUST_ABOVE_ONE = 1.001
# Relative accuracy of the eigenvalues 1 / (shift - eigenvalue) of an inverse.
_ACCURACY = 1e-10
# Share of the largest eigenvalue that residuals may reach, and by which an eigenvalue
# that was left out must exceed the smallest one found. Converged pairs reach 1e-15.
_SHARE = 1e-8
# Steps in which the check looks for what was left out, at most: one second for ten
# thousand samples.
_MOST_STEPS = 4_000
# Probability with which the check may overlook one.
_OVERLOOKED = 1e-3
# Share of its products below which the remainder of a step is rounding.
_ROUNDING = 1e-12
# SciPy 1.17 and later draw vectors for a restart from the entropy of the system unless
# they are given a generator.
_TAKES_RNG = "rng" in inspect.signature(eigsh).parameters


@single_threaded()
def eigenpairs(
    A: np.ndarray, first: int, last: int, B: np.ndarray | None = None
) -> Eigenpairs:
    """Eigenpairs `first` to `last` of ``A x = l B x``, in rising order.

    LAPACK's quickest routine for a part of the spectrum may end in an internal error,
    or give too few pairs where the cut separates equal eigenvalues. Divide and conquer
    on the whole spectrum then takes its place.
    """
    try:
        values, vectors = linalg.eigh(A, B, subset_by_index=[first, last])
    except linalg.LinAlgError:
        values = vectors = np.empty(0)
    if len(values) == last - first + 1:
        return values, vectors
    values, vectors = linalg.eigh(A, B, driver="evd" if B is None else "gvd")
    return values[first : last + 1], vectors[:, first : last + 1]


@single_threaded()
def leading_eigenvectors(
    W: Matrix, k: int, random_state: RandomState = None
) -> Eigenpairs:
    r"""The `k` largest eigenvalues of a normalised affinity, and their vectors.

    Lanczos iterations may miss copies of a repeated eigenvalue, and the
    normalised affinity of a disconnected graph has eigenvalue 1 once for every
    component. Those eigenvectors are known (:math:`\sqrt{\text{degree}}` on one
    component), so they are written down and projected out, and Lanczos is left
    with the rest.
    """
    if _is_for_lapack(W.shape[0], k):
        return _dense(W, k)
    known = _component_vectors(W, k)
    if known.shape[1] == k:
        return np.ones(k), known
    values, vectors = _beside(W, known, k - known.shape[1], random_state)
    return np.r_[np.ones(known.shape[1]), values], np.hstack([known, vectors])


def largest_eigenpairs(
    apply: Product, dense: Callable[[], Any], start: np.ndarray, k: int
) -> Eigenpairs:
    """The `k` largest eigenpairs of any symmetric matrix, largest first.

    Small matrices go to LAPACK, large ones to Lanczos iterations. If the check of
    those fails, LAPACK helps as long as it can hold the matrix.
    """
    if _is_for_lapack(len(start), k):
        return _dense(dense(), k)
    found, correct = _lanczos(apply, start, k, _RESTARTS)
    return found if found and correct else _by_lapack(dense, len(start), k, found)


def eigenpairs_below(M: Any, shift: float, known: np.ndarray, k: int) -> Eigenpairs:
    """The `k` largest eigenpairs of a sparse matrix beside some known eigenvectors.

    Lanczos iterations on the inverse of ``shift I - M`` find them quickly however
    close to each other they lie.
    """
    n = M.shape[0]

    def dense() -> np.ndarray:
        # The known vectors are moved below all other eigenvalues.
        far = 1 + 2 * float(abs(M).sum(axis=1).max())
        return M.toarray() - far * (known @ known.T)

    if _is_for_lapack(n, k):
        return _dense(dense(), k)
    factors = positive_definite_factors(shift * sparse.eye_array(n) - M)

    def inverse(x: np.ndarray) -> np.ndarray:
        y = factors.solve(x - known @ (known.T @ x))
        return y - known @ (known.T @ y)

    start = inverse(np.random.RandomState(0).uniform(-1, 1, size=n))
    found, correct = _lanczos(inverse, start, k, _RESTARTS_OF_INVERSE, _ACCURACY)
    if found:
        found = shift - 1 / found[0], found[1]
    return found if found and correct else _by_lapack(dense, n, k, found)


def are_leading(apply: Product, values: np.ndarray, vectors: np.ndarray) -> bool:
    r"""Check the pairs that an iteration gave for the largest eigenvalues.

    Residuals :math:`\|A v - \lambda v\|` reveal wrong pairs. They do not reveal that
    one of several close eigenvalues was left out: a separate Lanczos process [1]_,
    from a random start, looks for the largest eigenvalue of A outside the given
    vectors. It only gives values below the true one, so that it never rejects a
    correct answer. It takes enough steps to see what lies in the upper half between
    the smallest value found and the largest one.

    References
    ----------
    .. [1] C. Lanczos, "An Iteration Method for the Solution of the Eigenvalue Problem
       of Linear Differential and Integral Operators", Journal of Research of the
       National Bureau of Standards 45(4), 1950.
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
    outside = _largest_outside(apply, vectors, _steps(values, len(vectors), allowed))
    return bool(outside <= values.min() + allowed)


def _steps(values: np.ndarray, n: int, allowed: float) -> int:
    r"""Steps after which a Lanczos process has reached the middle of the values.

    From a random start it is below the largest eigenvalue by more than the share
    :math:`\varepsilon` of the whole spectrum with a probability of at most
    :math:`1.65 \sqrt n e^{-(2 m - 1) \sqrt \varepsilon}` after m steps [1]_.

    References
    ----------
    .. [1] J. Kuczynski, H. Wozniakowski, "Estimating the Largest Eigenvalue by the
       Power and Lanczos Algorithms with a Random Start", SIAM Journal on Matrix
       Analysis and Applications 13(4), 1992.
    """
    least, top = 2 * len(values) + 20, float(values.max())
    half = (top - float(values.min())) / 2
    if half <= allowed:
        return least
    # The lower end is not known: for the matrices here it is no further from 0.
    share = half / (2 * abs(top))
    wanted = np.log(1.65 * np.sqrt(n) / _OVERLOOKED) / (2 * np.sqrt(share))
    return max(least, min(int(wanted) + 1, _MOST_STEPS))


def _largest_outside(apply: Product, vectors: np.ndarray, steps: int) -> float:
    """The largest Ritz value on the complement of the vectors.

    It goes without the costly orthogonalisation against all steps before, which would
    only keep copies of the same value away.
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
        if beta <= _ROUNDING * max(map(abs, diagonal)):
            break  # the steps span all that can be reached from the start
        beside.append(beta)
        last, x = x, y / beta
    if not diagonal:
        return -np.inf
    beside = beside[: len(diagonal) - 1]
    return float(linalg.eigvalsh_tridiagonal(diagonal, beside)[-1])


def _is_for_lapack(n: int, k: int) -> bool:
    return n <= DENSE_BELOW or 3 * k > n


def _lanczos(
    apply: Product, start: np.ndarray, k: int, restarts: int, tol: float = 0.0
) -> tuple[Eigenpairs | None, bool]:
    """The largest eigenpairs, None without convergence, and whether they are right."""
    n = len(start)
    # A basis this wide does not stall where eigenvalues crowd.
    how = {"which": "LA", "v0": start, "ncv": min(n, 4 * k + 40)}
    if _TAKES_RNG:
        how["rng"] = np.random.default_rng(0)
    operator = LinearOperator((n, n), lambda x: apply(np.ravel(x)), dtype=np.float64)
    try:
        values, vectors = eigsh(operator, k=k, maxiter=restarts, tol=tol, **how)
    except ArpackNoConvergence:
        return None, False
    order = np.argsort(-values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    return (values, vectors), are_leading(apply, values, vectors)


def _by_lapack(
    dense: Callable[[], Any], n: int, k: int, found: Eigenpairs | None
) -> Eigenpairs:
    """The last resort, which never fails but needs n x n numbers.

    If that is too many, the unchecked pairs are returned with a warning.
    """
    if n <= DENSE_UP_TO:
        return _dense(dense(), k)
    trouble = (
        f"The leading eigenvectors of a graph of {n} samples could not be separated: "
        "its eigenvalues lie too close together. Use more n_neighbors or fewer "
        "n_clusters."
    )
    if found is None:
        raise ValueError(trouble)
    warnings.warn(trouble, ConvergenceWarning, stacklevel=3)
    return found


def _dense(A: Any, k: int) -> Eigenpairs:
    """The `k` largest eigenpairs by LAPACK, largest first."""
    n = A.shape[0]
    A = np.asarray(A.toarray() if sparse.issparse(A) else A, dtype=np.float64)
    values, vectors = eigenpairs((A + A.T) / 2, n - k, n - 1)
    return values[::-1], vectors[:, ::-1]


def _beside(
    W: Matrix, known: np.ndarray, k: int, random_state: RandomState
) -> Eigenpairs:
    """The largest eigenpairs of a normalised affinity beside the known ones."""

    def without_known(x: np.ndarray) -> np.ndarray:
        x = x - known @ (known.T @ x)
        # Shifted by 1, the known vectors sit at 0, below every eigenvalue sought.
        y = W @ x + x
        return y - known @ (known.T @ y)

    start = check_random_state(random_state).uniform(-1, 1, size=W.shape[0])
    found, correct = _lanczos(without_known, without_known(start), k, _RESTARTS)
    if found and correct:
        return found[0] - 1, found[1]
    # Eigenvalues crowd below 1.
    return eigenpairs_below(sparse.csr_array(W), _JUST_ABOVE_ONE, known, k)


def _component_vectors(W: Matrix, most: int) -> np.ndarray:
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
    if _is_for_lapack(m, 1):
        return np.abs(_dense(block, 1)[1][:, 0])
    return np.abs(_beside(block, np.empty((m, 0)), 1, 0)[1][:, 0])
