"""Rows that equal a fitted sample, by a hash of each."""

from itertools import count

import numpy as np
from scipy import sparse

from graphtailor.linalg.sparse import stored
from graphtailor.linalg.types import Matrix

# Rows compared and values hashed at a time.
_CHUNK, _VALUES_AT_ONCE = 1 << 14, 1 << 15


class KnownRows:
    """Finds rows that equal a fitted sample to the last bit.

    It holds 24 bytes a sample, and refers to the samples themselves.
    """

    def __init__(self, X: Matrix) -> None:
        self._X = X
        # Different rows with one hash are hardly ever met: another seed parts them.
        for self._seed in count():
            hashes = row_hashes(X, self._seed)
            self._hashes, first, member = np.unique(
                hashes, return_index=True, return_inverse=True
            )
            again = np.flatnonzero(first[member] != np.arange(len(member)))
            equal = _equal_rows(X, again, X, first[member[again]])
            if equal.all():
                break
            _check_numbers(X[again[~equal]])
        appearance = np.argsort(first)
        self._first = first
        self._number = np.empty_like(appearance)
        self._number[appearance] = np.arange(len(first))
        self.group = self._number[member]

    @property
    def n_distinct(self) -> int:
        """Number of different rows."""
        return len(self._hashes)

    def find(self, X_new: Matrix) -> np.ndarray:
        """Group of each row, as in `group`; -1 for a row not seen before."""
        hashes = row_hashes(X_new, self._seed)
        place = np.searchsorted(self._hashes, hashes)
        place = np.minimum(place, self.n_distinct - 1)
        hits = np.flatnonzero(self._hashes[place] == hashes)
        place = place[hits]
        found = np.full(X_new.shape[0], -1)
        equal = _equal_rows(X_new, hits, self._X, self._first[place])
        found[hits[equal]] = self._number[place[equal]]
        return found

    def mean_of_equal_rows(self, V: np.ndarray) -> np.ndarray:
        """Means of the rows of V over equal samples, one row a group."""
        counts = np.bincount(self.group, minlength=self.n_distinct)
        member = (np.ones(len(V)), (self.group, np.arange(len(V))))
        sums = sparse.csr_array(member, (self.n_distinct, len(V))) @ V
        return (sums / counts[:, None]).astype(V.dtype)


def few_distinct_rows(X: Matrix, most: int) -> KnownRows | None:
    """The rows of `X` by their equals, or None if more than `most` are different."""
    # The first rows show in nearly all cases that there are more.
    if KnownRows(X[: 4 * most]).n_distinct > most:
        return None
    known = KnownRows(X)
    return known if known.n_distinct <= most else None


def row_hashes(X: Matrix, seed: int) -> np.ndarray:
    """64 bits for each row, the same for equal rows, dense or sparse."""
    n, d = X.shape
    keys = _mix(np.arange(seed * d, (seed + 1) * d, dtype=np.uint64))
    if not isinstance(X, np.ndarray):
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        sums = np.zeros(X.nnz + 1, dtype=np.uint64)
        np.cumsum(_hashes(X.data, keys[X.indices]), out=sums[1:])
        return np.diff(sums[X.indptr])
    hashes = np.empty(n, dtype=np.uint64)
    step = max(_VALUES_AT_ONCE // max(d, 1), 1)
    for first in range(0, n, step):
        rows = slice(first, first + step)
        hashes[rows] = _hashes(X[rows], keys).sum(axis=1)
    return hashes


def _hashes(values: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """64 bits for each value in its column; 0 for 0, with either sign."""
    values = np.ascontiguousarray(values)
    bits = values.view(np.uint32 if values.itemsize == 4 else np.uint64)
    return np.where(values == 0, np.uint64(0), _mix(bits ^ keys))


def _mix(z: np.ndarray) -> np.ndarray:
    """The finaliser of the SplitMix64 generator (Steele, Lea and Flood, 2014)."""
    z = z + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def _check_numbers(rows: Matrix) -> None:
    """Refuse NaN, which differs from itself under every seed."""
    if np.isnan(stored(rows)).any():
        raise ValueError(
            "X has NaN where equal rows are looked for. Values of X may have been too "
            "large to be scaled: give X in other units."
        )


def _equal_rows(
    A: Matrix, rows: np.ndarray, B: Matrix, others: np.ndarray
) -> np.ndarray:
    """Whether row ``rows[t]`` of A equals row ``others[t]`` of B, for each t."""
    equal = np.empty(len(rows), dtype=bool)
    for begin in range(0, len(rows), _CHUNK):
        part = slice(begin, begin + _CHUNK)
        differ = A[rows[part]] != B[others[part]]
        if sparse.issparse(differ):
            equal[part] = np.diff(differ.tocsr().indptr) == 0
        else:
            equal[part] = ~differ.any(axis=1)
    return equal
