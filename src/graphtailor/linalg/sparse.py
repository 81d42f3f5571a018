"""Operations on CSR arrays that SciPy does not have."""

from typing import Any, NamedTuple, Self

import numpy as np
from numba import njit
from numpy.typing import DTypeLike
from scipy import sparse
from scipy.sparse.linalg import splu
from sklearn.utils import check_array

from graphtailor.linalg.threads import map_threads
from graphtailor.linalg.types import Matrix, MatrixLike

# scikit-learn adds entries up to see whether all are finite. The sum of very large ones
# of both signs is not, numpy would warn of it, and each of them is then looked at.
sums_may_overflow = np.errstate(over="ignore", invalid="ignore")
# Rows of a product that one thread takes at a time.
_ROWS_PER_BLOCK = 512


class CsrRows(NamedTuple):
    """A sparse matrix in CSR form, for compiled loops."""

    indptr: np.ndarray
    indices: np.ndarray
    data: np.ndarray

    @classmethod
    def of(cls, A: Matrix, dtype: Any = None) -> Self:
        """The parts of a matrix; `dtype` is the type of its places."""
        A = sparse.csr_array(A)
        places = (A.indptr, A.indices)
        if dtype is not None:
            places = (A.indptr.astype(dtype), A.indices.astype(dtype))
        return cls(*places, A.data)


class _Sums(NamedTuple):
    """Room for a row of a product."""

    values: np.ndarray  # sums by column
    reached_from: np.ndarray  # the row that reached each column last
    reached: np.ndarray  # the columns reached


class _Kept(NamedTuple):
    """The largest entries of each row, the first `counts` places of it."""

    columns: np.ndarray
    values: np.ndarray
    counts: np.ndarray


def to_dense(A: Matrix) -> np.ndarray:
    """The same matrix as a plain array."""
    return np.asarray(A) if isinstance(A, np.ndarray) else A.toarray()


def stored(A: Matrix) -> np.ndarray:
    """The numbers that a matrix stores; all entries of a plain array."""
    return A if isinstance(A, np.ndarray) else A.data


def positive_definite_factors(A: Matrix) -> Any:
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
    Z = B[np.argsort(lu.perm_r)]
    _substitute(CsrRows.of(lu.L), CsrRows.of(lu.U), Z)
    return Z[lu.perm_c]


def intact(X: Any, name: str = "X") -> Any:
    """`X` itself; a damaged sparse matrix and masked entries are refused.

    Compiled loops, ours and SciPy's, would read memory that is not the matrix's own,
    and numpy forgets a mask where it makes an array of its values.
    """
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        raise ValueError(
            f"{name} has masked entries, which would lose their mask. Fill them first, "
            "for instance with numpy.ma.filled or dask.array.ma.filled."
        )
    if sparse.issparse(X) and X.format in ("csr", "csc", "bsr", "coo"):
        try:
            if X.format == "coo":
                sparse.coo_array((X.data, (X.row, X.col)), shape=X.shape)
            else:
                X.check_format(full_check=True)
        except ValueError as error:
            raise ValueError(
                f"{name} is a damaged sparse matrix: {error}. Build it again from its "
                "rows, columns and values."
            ) from error
    return X


@sums_may_overflow
def checked_matrix(X: MatrixLike, **wanted: object) -> Matrix:
    """Numbers without gaps, dense or CSR, as scikit-learn checks them; intact."""
    return check_array(intact(X), accept_sparse="csr", **wanted)


def row_index(A: sparse.csr_array) -> np.ndarray:
    """The row of each stored entry of a CSR array, in the order of its data."""
    return np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))


def with_data(A: sparse.csr_array, data: np.ndarray) -> sparse.csr_array:
    """A CSR array with the pattern of `A` and other values."""
    return sparse.csr_array((data, A.indices, A.indptr), shape=A.shape)


def with_short_indices(A: sparse.csr_array) -> sparse.csr_array:
    """`A` with indices of 32 bits where they are long enough.

    Some of scikit-learn's estimators, such as SpectralClustering, take no others.
    """
    if max(*A.shape, A.nnz) > np.iinfo(np.int32).max:
        return A
    places = (A.indices.astype(np.int32), A.indptr.astype(np.int32))
    return sparse.csr_array((A.data, *places), shape=A.shape)


def pattern_of(A: sparse.csr_array, dtype: DTypeLike = np.float64) -> sparse.csr_array:
    """A CSR array with 1 where `A` stores an entry."""
    return with_data(A, np.ones(A.nnz, dtype=dtype))


def without_diagonal(A: sparse.csr_array) -> sparse.csr_array:
    """The entries of `A` off its diagonal, with sorted columns and none twice."""
    others = row_index(A) != A.indices
    places = (row_index(A)[others], A.indices[others])
    return sparse.csr_array((A.data[others], places), shape=A.shape)


def scale_both(
    A: sparse.csr_array, left: np.ndarray, right: np.ndarray
) -> sparse.csr_array:
    """``diag(left) A diag(right)``; symmetric to the last bit if `A` is."""
    # The product of the two factors is the same for an entry and for its mirror image.
    return with_data(A, A.data * (left[row_index(A)] * right[A.indices]))


def largest_in_rows(A: sparse.csr_array, keep: int) -> sparse.csr_array:
    """Keep the `keep` largest entries of each row; ties go to the lowest column."""
    return largest_of_product(sparse.eye_array(A.shape[0], format="csr"), A, keep)


def largest_of_product(
    A: sparse.csr_array, B: sparse.csr_array, keep: int, n_jobs: int | None = 1
) -> sparse.csr_array:
    """A @ B with the `keep` largest entries of each row; ties to the lowest column.

    The whole product would have many times their number. It has the type of B.
    """
    n, keep = A.shape[0], min(keep, B.shape[1])
    columns = np.empty((n, keep), dtype=np.int64)
    kept = np.empty((n, keep), dtype=B.dtype)
    counts = np.zeros(n, dtype=np.int64)
    factors = [CsrRows.of(M, np.int64) for M in (A.astype(B.dtype, copy=False), B)]

    def block(first: int) -> None:
        rows = slice(first, first + _ROWS_PER_BLOCK)
        d = B.shape[1]
        sums = _Sums(np.empty(d, B.dtype), np.full(d, -1), np.empty(d, dtype=np.int64))
        out = _Kept(columns[rows], kept[rows], counts[rows])
        _largest_of_product(*factors, sums, first, out)

    if keep:
        map_threads(block, range(0, n, _ROWS_PER_BLOCK), n_jobs)
    filled = np.arange(keep) < counts[:, None]
    places = np.concatenate([[0], np.cumsum(counts)])
    entries = (kept[filled], columns[filled], places)
    product = sparse.csr_array(entries, shape=(n, B.shape[1]))
    product.sort_indices()
    return product


def smallest_in_rows(scores: np.ndarray, k: int) -> np.ndarray:
    """Positions of the k smallest values of each row, in rising order."""
    found = np.empty((len(scores), k), dtype=np.int64)
    _smallest_in_rows(scores, np.empty_like(scores, shape=k), found)
    return found


# Loops take arrays to write to: numba takes 0.05 s to compile each np.empty.
@njit(cache=True, nogil=True)
def _smallest_in_rows(
    scores: np.ndarray, values: np.ndarray, found: np.ndarray
) -> None:
    k = len(values)
    for i in range(scores.shape[0]):
        held = 0
        for j in range(scores.shape[1]):
            value = scores[i, j]
            if held == k and not value < values[k - 1]:
                continue
            place = held if held < k else k - 1
            while place > 0 and values[place - 1] > value:
                values[place] = values[place - 1]
                found[i, place] = found[i, place - 1]
                place -= 1
            values[place] = value
            found[i, place] = j
            held = held + 1 if held < k else k


@njit(cache=True, nogil=True)
def _largest_of_product(
    A: CsrRows, B: CsrRows, room: _Sums, first: int, out: _Kept
) -> None:
    a_indptr, a_indices, a_data = A
    b_indptr, b_indices, b_data = B
    sums, reached_from, reached = room
    columns, kept, counts = out
    for i in range(len(counts)):
        m = 0
        for e in range(a_indptr[first + i], a_indptr[first + i + 1]):
            for f in range(b_indptr[a_indices[e]], b_indptr[a_indices[e] + 1]):
                j = b_indices[f]
                if reached_from[j] != i:
                    reached_from[j] = i
                    sums[j] = 0
                    reached[m] = j
                    m += 1
                sums[j] += a_data[e] * b_data[f]
        held, keep = 0, columns.shape[1]
        for a in range(m):
            j = reached[a]
            place = held
            # Equal entries are in the order of their columns.
            while place > 0 and (
                kept[i, place - 1] < sums[j]
                or (kept[i, place - 1] == sums[j] and columns[i, place - 1] > j)
            ):
                if place < keep:
                    kept[i, place] = kept[i, place - 1]
                    columns[i, place] = columns[i, place - 1]
                place -= 1
            if place < keep:
                kept[i, place] = sums[j]
                columns[i, place] = j
                held = held + 1 if held < keep else keep
        counts[i] = held


@njit(cache=True, nogil=True)
def _substitute(L: CsrRows, U: CsrRows, Z: np.ndarray) -> None:
    """Forward and backward substitution in the rows of Z."""
    for i in range(len(Z)):
        for p in range(L.indptr[i], L.indptr[i + 1]):
            if L.indices[p] < i:
                _subtract_row(Z, i, L.data[p], L.indices[p])
    for i in range(len(Z) - 1, -1, -1):
        pivot = 1.0
        for p in range(U.indptr[i], U.indptr[i + 1]):
            if U.indices[p] > i:
                _subtract_row(Z, i, U.data[p], U.indices[p])
            elif U.indices[p] == i:
                pivot = U.data[p]
        for c in range(Z.shape[1]):
            Z[i, c] /= pivot


@njit(cache=True, nogil=True)
def _subtract_row(Z: np.ndarray, i: int, value: float, j: int) -> None:
    for c in range(Z.shape[1]):
        Z[i, c] -= value * Z[j, c]
