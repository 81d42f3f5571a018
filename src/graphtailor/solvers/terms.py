"""The three terms of the joint objective. S and W may be dense or sparse."""

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from graphtailor.linalg.sparse import stored
from graphtailor.linalg.types import Matrix


def sum_of_squares(A: Matrix) -> float:
    """The squared Frobenius norm."""
    values = stored(A)
    return float(np.vdot(values, values))


def self_expression(X: Matrix, S: Matrix) -> float:
    r"""Every sample from the others: :math:`\|X - S^T X\|_F^2`."""
    return sum_of_squares(X - safe_sparse_dot(S.T, X))


def indicator_fit(S: Matrix, V: np.ndarray) -> float:
    r"""The clusters and the graph: :math:`\|S - VV^T\|_F^2`, without forming VV'."""
    cross = float(np.vdot(V, S @ V))
    return max(sum_of_squares(S) - 2 * cross + sum_of_squares(V.T @ V), 0.0)


def objective(
    X: Matrix, W: Matrix, S: Matrix, V: np.ndarray, *, alpha: float, beta: float
) -> float:
    r"""The joint objective.

    .. math::
        \alpha \|X - S^T X\|_F^2 + \|S - VV^T\|_F^2 + \beta \|S - W\|_F^2
    """
    V = np.asarray(V, dtype=np.float64)
    fidelity = beta * sum_of_squares(S - W)
    return alpha * self_expression(X, S) + indicator_fit(S, V) + fidelity
