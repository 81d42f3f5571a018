"""Representations of the samples and the affinity of the representations, jointly."""

from typing import NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from graphtailor.baselines._operators import adaptive_neighbor_weights, economy_svd
from graphtailor.graphs import symmetrize
from graphtailor.linalg import sparse as csr

_RELAXATION = 1.6
_FIRST_PENALTY, _LARGEST_PENALTY, _GROWTH = 1.0, 1e6, 1.07


class JointRepresentation(NamedTuple):
    """Representation C, affinity A (rows sum to 1), error E, and the history."""

    representation: np.ndarray
    affinity: sparse.csr_array
    error: np.ndarray
    objective: list[float]
    converged: bool


def laplacian(A: sparse.csr_array) -> sparse.csr_array:
    """Laplacian of ``(A + A') / 2``."""
    A = symmetrize(A, "average")
    return sparse.csr_array(sparse.diags_array(np.asarray(A.sum(axis=1)).ravel()) - A)


def squared_row_distances(Q: np.ndarray) -> np.ndarray:
    """Squared distances between all rows, with exact zeros on the diagonal."""
    return _gram_to_distances(Q @ Q.T)


def sparse_error_representation(
    X: np.ndarray,
    beta: float,
    gamma: float,
    neighbors: int | sparse.csr_array,
    *,
    tol: float = 1e-4,
    max_iter: int = 400,
) -> JointRepresentation:
    r"""Alternating directions for the entrywise loss.

    A copy :math:`Q` of :math:`C` has the zero diagonal and the graph term. Its
    step takes :math:`M = (4 \gamma L_A + \mu I)^{-1}`, by a sparse factorisation;
    that of :math:`C` takes products with the singular vectors of `X` only. Instead of
    the number of neighbours an affinity may be given: the problem is then convex, and
    a constant penalty converges to its optimum; with a changing affinity only a growing
    one settles.
    """
    n = len(X)
    # Rows one after the other, as the loops read them: selected columns are not so.
    X = np.ascontiguousarray(X)
    V, s, Ft = economy_svd(X)
    w = s * s
    if isinstance(neighbors, int):
        A, xi = adaptive_neighbor_weights(squared_row_distances(X), neighbors)
    else:
        A, xi = neighbors, np.zeros(n)
    mu = _FIRST_PENALTY
    C, U, Q = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    # Written in place: for wide tables new arrays would take most of the time.
    CX, CX_new, Y, E = (np.zeros(X.shape) for _ in range(4))
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        Q_old, Q = Q, zero_diagonal_step(4 * gamma / mu * laplacian(A), C + U)
        absolute = _shrink_error(X, CX, Y, E, 1 / mu)
        # N is the relaxed Q less the multiplier; U takes its place.
        N = _mix(Q, C, U)
        a = 1 + 2 * beta / mu
        NV = N @ V
        H = (Y @ Ft.T * s - NV * (w / a)) / (w + a)
        np.matmul((NV / a + H) * s, Ft, out=CX_new)
        growth = min(_GROWTH, _LARGEST_PENALTY / mu) if A is not neighbors else 1.0
        gaps = (
            *_advance(H @ V.T, N, Q, C, U, a),
            *_advance_error(X, CX, CX_new, Y, E, growth),
            np.abs(Q - Q_old).max(),
        )
        CX, CX_new = CX_new, CX
        converged = max(gaps) <= tol
        mu *= growth
        U /= growth
        distances = squared_row_distances(Q)
        if isinstance(neighbors, int):
            A, xi = adaptive_neighbor_weights(distances, neighbors)
        value = absolute + beta * np.sum(Q * Q)
        objective.append(float(value + gamma * graph_terms(A, distances, xi)))
    return JointRepresentation(Q, A, X - Q @ X, objective, bool(converged))


def squared_error_representation(
    X: np.ndarray,
    beta: float,
    gamma: float,
    k: int,
    *,
    tol: float = 1e-4,
    max_iter: int = 400,
) -> JointRepresentation:
    """Alternate between both closed forms for the squared loss."""
    V, s, _ = economy_svd(X)
    A, _ = adaptive_neighbor_weights(squared_row_distances(X), k)
    C = np.zeros((len(X), len(X)))
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        C_old, C = C, sylvester_step(V, s, A, beta, gamma)
        distances = squared_row_distances(C)
        A, xi = adaptive_neighbor_weights(distances, k)
        E = X - C @ X
        value = np.sum(E * E) + beta * np.sum(C * C)
        objective.append(float(value + gamma * graph_terms(A, distances, xi)))
        converged = np.abs(C - C_old).max() <= tol
    return JointRepresentation(C, A, E, objective, bool(converged))


def graph_terms(A: sparse.csr_array, distances: np.ndarray, xi: np.ndarray) -> float:
    r""":math:`\sum_{ij} d_{ij} a_{ij} + \sum_i \xi_i \|a_i\|^2`."""
    rows = csr.row_index(A)
    linear = np.sum(A.data * distances[rows, A.indices])
    return float(linear + np.sum(A.data**2 * xi[rows]))


def sylvester_step(
    V: np.ndarray, s: np.ndarray, A: sparse.csr_array, beta: float, gamma: float
) -> np.ndarray:
    r"""Solve :math:`(\beta I + 2 \gamma L_A) C + C K = K`, with :math:`K = X X^\top`.

    In the left singular vectors `V` of X, with the singular values `s`, it falls apart
    into one sparse system a vector.
    """
    L = sparse.csc_array(2 * gamma * laplacian(A))
    identity = sparse.eye_array(L.shape[0], format="csc")
    columns = np.empty_like(V)
    for j, w in enumerate(s**2):
        columns[:, j] = csr.positive_definite_factors(L + (beta + w) * identity).solve(
            w * V[:, j]
        )
    return columns @ V.T


def zero_diagonal_step(L: sparse.csr_array, B: np.ndarray) -> np.ndarray:
    r"""Minimise :math:`\|Q - B\|_F^2 + \operatorname{tr}(Q^\top L Q)` with zero diagonal.

    That is :math:`M (B - \operatorname{diag}(\rho))` with :math:`M = (I + L)^{-1}`
    and :math:`\rho` such that the diagonal vanishes.
    """  # noqa: E501 (the formula does not break)
    n = len(B)
    lu = csr.positive_definite_factors(L + sparse.eye_array(n))
    Q, M = csr.solve_columns(lu, B), csr.solve_columns(lu, np.eye(n))
    Q -= M * (Q.diagonal() / M.diagonal())
    np.fill_diagonal(Q, 0)
    return Q


@njit(cache=True, nogil=True)
def _shrink_error(
    X: np.ndarray, CX: np.ndarray, Y: np.ndarray, E: np.ndarray, bound: float
) -> float:
    """Renew E and return its absolute sum; Y becomes X + Y less the relaxed E."""
    absolute = 0.0
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            rest = X[i, j] - CX[i, j]
            y = rest + Y[i, j]
            error = y - min(max(y, -bound), bound)
            E[i, j] = error
            Y[i, j] += X[i, j] - _RELAXATION * error - (1 - _RELAXATION) * rest
            absolute += abs(error)
    return absolute


@njit(cache=True, nogil=True)
def _advance_error(
    X: np.ndarray,
    CX: np.ndarray,
    CX_new: np.ndarray,
    Y: np.ndarray,
    E: np.ndarray,
    growth: float,
) -> tuple[float, float]:
    """Renew the multiplier Y; the largest X - CX - E, and the largest step of CX."""
    gap, moved = 0.0, 0.0
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            new = CX_new[i, j]
            Y[i, j] = (Y[i, j] - new) / growth
            gap = max(gap, abs(X[i, j] - new - E[i, j]))
            moved = max(moved, abs(new - CX[i, j]))
    return gap, moved


@njit(cache=True, nogil=True)
def _mix(Q: np.ndarray, C: np.ndarray, U: np.ndarray) -> np.ndarray:
    N = np.empty_like(Q)
    for i in range(Q.shape[0]):
        for j in range(Q.shape[1]):
            N[i, j] = _RELAXATION * Q[i, j] + (1 - _RELAXATION) * C[i, j] - U[i, j]
    return N


@njit(cache=True, nogil=True)
def _advance(
    G: np.ndarray, N: np.ndarray, Q: np.ndarray, C: np.ndarray, U: np.ndarray, a: float
) -> tuple[float, float]:
    """Set ``C = N / a + G`` and ``U = C - N``; ``|C - Q|`` and the step at most."""
    gap, moved = 0.0, 0.0
    for i in range(Q.shape[0]):
        for j in range(Q.shape[1]):
            new = N[i, j] / a + G[i, j]
            gap = max(gap, abs(new - Q[i, j]))
            moved = max(moved, abs(new - C[i, j]))
            C[i, j] = new
            U[i, j] = new - N[i, j]
    return gap, moved


@njit(cache=True, nogil=True)
def _gram_to_distances(K: np.ndarray) -> np.ndarray:
    """Overwrite a Gram matrix by squared distances; the diagonal is read first."""
    n = len(K)
    squares = np.empty(n)
    for i in range(n):
        squares[i] = K[i, i]
    for i in range(n):
        for j in range(n):
            K[i, j] = max(squares[i] + squares[j] - 2 * K[i, j], 0.0)
        K[i, i] = 0.0
    return K
