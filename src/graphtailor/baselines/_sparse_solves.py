"""Solves with a sparse positive definite matrix for many right-hand sides."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse
from scipy.sparse.linalg import splu


def positive_definite_factors(A: Any) -> Any:
    """SuperLU's factors of a sparse symmetric positive definite matrix."""
    # Without pivoting, as the matrix is positive definite: the least fill-in.
    return splu(
        sparse.csc_array(A),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )


def solve_columns(lu: Any, B: np.ndarray) -> np.ndarray:
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
