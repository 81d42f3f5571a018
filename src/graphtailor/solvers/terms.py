"""The three terms of the joint objective: value, and pieces of the gradient.

The terms know nothing of solvers. Each offers its value and the two nonnegative pieces
of its S-gradient that a multiplicative update divides: the gradient is twice the second
piece minus the first. S may be dense or sparse for the value.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from graphtailor.linalg.sparse import stored, to_dense
from graphtailor.linalg.types import Matrix


class Term(Protocol):
    """A term of the objective."""

    def value(self, S: Matrix, V: np.ndarray) -> float:
        """The term at (S, V)."""

    def multiplicative_pieces(
        self, S: np.ndarray, V: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Two nonnegative matrices: half the gradient is the second minus the first."""


def _sum_of_squares(A: Matrix) -> float:
    values = stored(A)
    return float(np.vdot(values, values))


class SelfExpression:
    r"""Every sample from the others: :math:`\alpha \|X - S^T X\|_F^2`."""

    def __init__(self, X: Matrix, alpha: float) -> None:
        self.X = X
        self.alpha = alpha

    def value(self, S: Matrix, V: np.ndarray) -> float:
        """The term at (S, V)."""
        return self.alpha * _sum_of_squares(self.X - safe_sparse_dot(S.T, self.X))

    def multiplicative_pieces(
        self, S: np.ndarray, V: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        r"""Pieces :math:`\alpha(K^+ + K^- S)` and :math:`\alpha(K^+ S + K^-)`."""
        K, K_absolute = self._gram()
        KS = self.X @ (self.X.T @ S)
        # Rounding must not make any piece negative.
        if K_absolute is None:  # K >= 0: its negative part is zero
            return self.alpha * K, self.alpha * np.maximum(KS, 0)
        AS = K_absolute @ S
        # Twice K^+ S and K^- S.
        plus_S, minus_S = np.maximum(AS + KS, 0), np.maximum(AS - KS, 0)
        positive = self.alpha * ((K_absolute + K) + minus_S) / 2
        negative = self.alpha * (plus_S + (K_absolute - K)) / 2
        return positive, negative

    def _gram(self) -> tuple[np.ndarray, np.ndarray | None]:
        """K = XX' and \\|K\\|, computed once; None in place of \\|K\\| where K >= 0."""
        if not hasattr(self, "_K"):
            self._K = self.X @ self.X.T
            self._K_absolute = np.abs(self._K) if self._K.min() < 0 else None
        return self._K, self._K_absolute


class IndicatorFit:
    r"""The clusters and the graph fit each other: :math:`\|S - VV^T\|_F^2`."""

    def value(self, S: Matrix, V: np.ndarray) -> float:
        """The term at (S, V), without forming VV'."""
        V = np.asarray(V, dtype=np.float64)
        cross = float(np.vdot(V, S @ V))
        return max(_sum_of_squares(S) - 2 * cross + _sum_of_squares(V.T @ V), 0.0)

    def multiplicative_pieces(
        self, S: np.ndarray, V: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Pieces VV' and S."""
        return V @ V.T, S


class GraphFidelity:
    r"""Stay near the given graph: :math:`\beta \|S - W\|_F^2`."""

    def __init__(self, W: Matrix, beta: float) -> None:
        self.W = W
        self.beta = beta

    def value(self, S: Matrix, V: np.ndarray) -> float:
        """The term at (S, V)."""
        return self.beta * _sum_of_squares(S - self.W)

    def multiplicative_pieces(
        self, S: np.ndarray, V: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Pieces beta W and beta S."""
        return self.beta * to_dense(self.W), self.beta * S


def joint_terms(X: Matrix, W: Matrix, alpha: float, beta: float) -> list[Term]:
    """The three terms of the joint objective, in the order of the paper."""
    return [SelfExpression(X, alpha), IndicatorFit(), GraphFidelity(W, beta)]


def objective(terms: Sequence[Term], S: Matrix, V: np.ndarray) -> float:
    """Sum of the terms at (S, V)."""
    return sum(term.value(S, V) for term in terms)
