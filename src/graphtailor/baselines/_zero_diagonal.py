"""Smoothing on a graph with a zero diagonal, for all samples at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse
from scipy.sparse.linalg import splu


def zero_diagonal_step(L: sparse.csr_array, B: np.ndarray) -> np.ndarray:
    r"""Minimise :math:`\|Q - B\|_F^2 + \operatorname{tr}(Q^\top L Q)` with zero diagonal.

    That is :math:`M (B - \operatorname{diag}(\rho))` with :math:`M = (I + L)^{-1}`
    and :math:`\rho` such that the diagonal vanishes.
    """  # noqa: E501 (the formula does not break)
    n = len(B)
    # Without pivoting, as the matrix is positive definite: the least fill-in.
    lu = splu(
        sparse.csc_array(L + sparse.eye_array(n)),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    Q, M = _solve(lu, B), _solve(lu, np.eye(n))
    Q -= M * (Q.diagonal() / M.diagonal())
    np.fill_diagonal(Q, 0)
    return Q


def _solve(lu: Any, B: np.ndarray) -> np.ndarray:
    """Solve for all columns at once, along contiguous rows.

    SuperLU goes column by column, which for n right-hand sides is much slower.
    """
    L, U = sparse.csr_array(lu.L), sparse.csr_array(lu.U)
    Z = B[np.argsort(lu.perm_r)]
    _substitute(L.indptr, L.indices, L.data, U.indptr, U.indices, U.data, Z)
    return Z[lu.perm_c]


@njit(cache=True, nogil=True)
def _substitute(
    lower_ptr: np.ndarray,
    lower_index: np.ndarray,
    lower: np.ndarray,
    upper_ptr: np.ndarray,
    upper_index: np.ndarray,
    upper: np.ndarray,
    Z: np.ndarray,
) -> None:
    """Forward and backward substitution in the rows of Z."""
    n, m = Z.shape
    for i in range(n):
        for p in range(lower_ptr[i], lower_ptr[i + 1]):
            j, value = lower_index[p], lower[p]
            if j < i:
                for c in range(m):
                    Z[i, c] -= value * Z[j, c]
    for i in range(n - 1, -1, -1):
        pivot = 1.0
        for p in range(upper_ptr[i], upper_ptr[i + 1]):
            j, value = upper_index[p], upper[p]
            if j > i:
                for c in range(m):
                    Z[i, c] -= value * Z[j, c]
            elif j == i:
                pivot = value
        for c in range(m):
            Z[i, c] /= pivot
