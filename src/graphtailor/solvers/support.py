"""The support: the pairs of samples on which S may be nonzero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from scipy import sparse


@dataclass(frozen=True)
class Support:
    """A symmetric pattern of pairs without the diagonal, and the given graph on it.

    Attributes
    ----------
    indptr, indices : ndarray
        The pattern in CSR form, column indices sorted.
    mirror : ndarray of shape (n_pairs,)
        Place of pair (j, i) for the pair (i, j) at each place.
    given : ndarray of shape (n_pairs,)
        W on the pattern.
    """

    indptr: np.ndarray
    indices: np.ndarray
    mirror: np.ndarray
    given: np.ndarray

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.indptr) - 1

    def matrix(self, values: np.ndarray) -> sparse.csr_array:
        """The matrix with these values on the pattern."""
        shape = (self.n_samples, self.n_samples)
        return sparse.csr_array((values, self.indices, self.indptr), shape=shape)

    def symmetric(self, values: np.ndarray) -> np.ndarray:
        """Values of the symmetric part, ``(S + S') / 2``."""
        return (values + values[self.mirror]) / 2

    def renumbered(self, order: np.ndarray) -> tuple[Support, np.ndarray]:
        """The support of the samples in another order.

        Parameters
        ----------
        order : ndarray of shape (n,)
            Which sample takes each place.

        Returns
        -------
        support : Support
            With sample ``order[k]`` as its sample k.
        source : ndarray of shape (n_pairs,)
            Where each of its pairs stood: values on it are ``values[source]``.
        """
        indptr = np.zeros_like(self.indptr)
        np.cumsum(np.diff(self.indptr)[order], out=indptr[1:])
        indices, source = np.empty_like(self.indices), np.empty_like(self.mirror)
        _renumber(
            *(self.indptr, self.indices, self.mirror),
            *(order, np.argsort(order), indptr[:-1].copy(), indices, source),
        )
        mirror = _mirror_of(indptr, indices)
        return Support(indptr, indices, mirror, self.given[source]), source


def support_of(W: Any, pairs: Any, dtype: Any) -> Support:
    """The pattern that holds the edges of `W` and the given `pairs`.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        The given graph, symmetric with a zero diagonal.
    pairs : sparse array of shape (n, n), or None
        Further pairs (any nonzero entry, in either direction); None stands for
        all pairs of samples.
    dtype : dtype
        Type of the values.

    Returns
    -------
    Support
        The symmetric pattern with W on it.
    """
    n = W.shape[0]
    if pairs is None:
        indices = np.broadcast_to(np.arange(n), (n, n))[~np.eye(n, dtype=bool)]
        indptr = np.arange(n + 1) * (n - 1)
    else:
        # Matrices of bits: sums of them merge sorted rows, in little memory.
        further = _stored(pairs).T.tocsr()
        further.sum_duplicates()
        both = _stored(W).T.tocsr() + further + further.T.tocsr()
        indptr, indices = _without_diagonal(both.indptr, both.indices)
    narrow = max(n, len(indices)) <= np.iinfo(np.int32).max
    kind = np.int32 if narrow else np.int64
    indptr, indices = indptr.astype(kind), indices.astype(kind, copy=False)
    given = _values_on(indptr, indices, W, dtype)
    return Support(indptr, indices, _mirror_of(indptr, indices), given)


def _stored(A: Any) -> sparse.csr_array:
    """True at every stored entry of A."""
    A = sparse.csr_array(A)
    ones = np.ones(A.nnz, dtype=bool)
    return sparse.csr_array((ones, A.indices, A.indptr), shape=A.shape)


def _values_on(
    indptr: np.ndarray, indices: np.ndarray, A: Any, dtype: Any
) -> np.ndarray:
    A = sparse.csr_array(A)
    if not A.has_canonical_format:
        A = A.copy()
        A.sum_duplicates()
    values = np.zeros(len(indices), dtype=dtype)
    _pick(indptr, indices, A.indptr, A.indices, A.data, values)
    return values


@njit(cache=True, nogil=True)
def _pick(
    indptr: np.ndarray,
    indices: np.ndarray,
    a_indptr: np.ndarray,
    a_indices: np.ndarray,
    a_data: np.ndarray,
    values: np.ndarray,
) -> None:
    """Write the entries of A that lie on the pattern into `values`."""
    for i in range(len(indptr) - 1):
        e, last = indptr[i], indptr[i + 1]
        for t in range(a_indptr[i], a_indptr[i + 1]):
            while e < last and indices[e] < a_indices[t]:
                e += 1
            if e < last and indices[e] == a_indices[t]:
                values[e] = a_data[t]


@njit(cache=True, nogil=True)
def _without_diagonal(
    indptr: np.ndarray, indices: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    kept = np.empty_like(indptr)
    count = 0
    for i in range(len(indptr) - 1):
        kept[i] = count
        for e in range(indptr[i], indptr[i + 1]):
            if indices[e] != i:
                indices[count] = indices[e]
                count += 1
    kept[-1] = count
    return kept, indices[:count].copy()


@njit(cache=True, nogil=True)
def _mirror_of(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Place of (j, i) for each (i, j) of a symmetric pattern."""
    mirror = np.empty_like(indices)
    place = indptr[:-1].copy()
    # Rows come in order, so that row j meets its columns in order.
    for e in range(len(indices)):
        j = indices[e]
        mirror[e] = place[j]
        place[j] += 1
    return mirror


@njit(cache=True, nogil=True)
def _renumber(
    indptr: np.ndarray,
    indices: np.ndarray,
    mirror: np.ndarray,
    order: np.ndarray,
    number: np.ndarray,
    place: np.ndarray,
    new_indices: np.ndarray,
    source: np.ndarray,
) -> None:
    """Fill the renumbered pattern; `place` holds the beginnings of its rows."""
    # Sample k hands itself to the rows of its neighbours: they fill up in order.
    for k in range(len(order)):
        i = order[k]
        for e in range(indptr[i], indptr[i + 1]):
            row = number[indices[e]]
            new_indices[place[row]] = k
            source[place[row]] = mirror[e]
            place[row] += 1
