"""Operations on CSR arrays that SciPy does not have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from scipy import sparse
from scipy.sparse.linalg import splu


def positive_definite_factors(A: Any) -> Any:
    """SuperLU's factors of a sparse symmetric positive definite matrix."""
    # Such a matrix needs no pivots off its diagonal, which keeps the fill-in small.
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


def row_index(A: sparse.csr_array) -> np.ndarray:
    """The row of each stored entry of a CSR array, in the order of its data."""
    return np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))


def with_data(A: sparse.csr_array, data: np.ndarray) -> sparse.csr_array:
    """A CSR array with the pattern of `A` and other values."""
    return sparse.csr_array((data, A.indices, A.indptr), shape=A.shape)


def pattern_of(A: sparse.csr_array) -> sparse.csr_array:
    """A CSR array with 1 where `A` stores an entry."""
    return with_data(A, np.ones(A.nnz))


def scale_both(A: sparse.csr_array, left: np.ndarray, right: np.ndarray) -> Any:
    """``diag(left) A diag(right)``; symmetric to the last bit if `A` is and both agree.

    Parameters
    ----------
    A : csr_array of shape (n, m)
        Any matrix.
    left : ndarray of shape (n,)
        Factors of the rows.
    right : ndarray of shape (m,)
        Factors of the columns.

    Returns
    -------
    csr_array of shape (n, m)
        The scaled matrix.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from graphtailor.linalg.sparse import scale_both
    >>> A = sparse.csr_array(np.ones((2, 2)))
    >>> scale_both(A, np.array([1.0, 2.0]), np.array([3.0, 0.0])).toarray()
    array([[3., 0.],
           [6., 0.]])
    """
    # The product of the two factors is the same for an entry and for its mirror image.
    return with_data(A, A.data * (left[row_index(A)] * right[A.indices]))


def largest_in_rows(A: sparse.csr_array, keep: int) -> sparse.csr_array:
    """Keep the `keep` largest entries of each row; ties go to the lowest column.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> from graphtailor.linalg.sparse import largest_in_rows
    >>> largest_in_rows(sparse.csr_array(np.array([[2.0, 3.0, 2.0]])), 2).toarray()
    array([[2., 3., 0.]])
    """
    n, widest = A.shape[0], int(np.diff(A.indptr).max(initial=0))
    rows = KeptEntries(n, min(keep, widest), A.data.dtype)
    _keep_largest(A.indptr, A.indices, A.data, rows.columns, rows.negated, rows.counts)
    return rows.to_csr(A.shape)


class KeptEntries:
    """The largest entries of each row of a matrix, filled in by compiled loops.

    Parameters
    ----------
    n : int
        Rows.
    keep : int
        Entries of a row at most.
    dtype : dtype
        Type of the entries.

    Attributes
    ----------
    columns : ndarray of shape (n, keep)
        Columns of the entries.
    negated : ndarray of shape (n, keep)
        Their values with the sign changed, in rising order.
    counts : ndarray of shape (n,)
        Entries of each row.
    """

    def __init__(self, n: int, keep: int, dtype: Any) -> None:
        self.columns = np.empty((n, keep), dtype=np.int64)
        self.negated = np.empty((n, keep), dtype=dtype)
        self.counts = np.zeros(n, dtype=np.int64)

    def to_csr(self, shape: tuple[int, int]) -> sparse.csr_array:
        """The matrix, with sorted columns."""
        filled = np.arange(self.columns.shape[1]) < self.counts[:, None]
        places = np.concatenate([[0], np.cumsum(self.counts)])
        entries = (-self.negated[filled], self.columns[filled], places)
        A = sparse.csr_array(entries, shape=shape)
        A.sort_indices()
        return A


@njit(cache=True, nogil=True)
def insert_smallest(
    keys: np.ndarray, indices: np.ndarray, row: int, held: int, key: float, index: int
) -> int:
    """Offer an entry to a row that holds the smallest keys seen, in rising order.

    Equal keys are in the order of their indices. The number of entries that the row
    holds afterwards is returned; it never exceeds the width of the arrays.
    """
    width = keys.shape[1]
    place = held
    while place > 0 and (
        keys[row, place - 1] > key
        or (keys[row, place - 1] == key and indices[row, place - 1] > index)
    ):
        if place < width:
            keys[row, place] = keys[row, place - 1]
            indices[row, place] = indices[row, place - 1]
        place -= 1
    if place >= width:
        return held
    keys[row, place] = key
    indices[row, place] = index
    return min(held + 1, width)


@njit(cache=True, nogil=True)
def _keep_largest(
    indptr: np.ndarray,
    indices: np.ndarray,
    data: np.ndarray,
    columns: np.ndarray,
    negated: np.ndarray,
    counts: np.ndarray,
) -> None:
    for i in range(len(counts)):
        held = 0
        for e in range(indptr[i], indptr[i + 1]):
            column = np.int64(indices[e])  # one index type, compiled once
            held = insert_smallest(negated, columns, i, held, -data[e], column)
        counts[i] = held


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
    for i in range(len(Z)):
        for p in range(lower_ptr[i], lower_ptr[i + 1]):
            if lower_index[p] < i:
                _subtract_row(Z, i, lower[p], lower_index[p])
    for i in range(len(Z) - 1, -1, -1):
        pivot = 1.0
        for p in range(upper_ptr[i], upper_ptr[i + 1]):
            if upper_index[p] > i:
                _subtract_row(Z, i, upper[p], upper_index[p])
            elif upper_index[p] == i:
                pivot = upper[p]
        for c in range(Z.shape[1]):
            Z[i, c] /= pivot


@njit(cache=True, nogil=True)
def _subtract_row(Z: np.ndarray, i: int, value: float, j: int) -> None:
    for c in range(Z.shape[1]):
        Z[i, c] -= value * Z[j, c]
