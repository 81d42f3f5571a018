"""The support: the pairs of samples on which S may be nonzero."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
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

    def values_of(self, A: Any) -> np.ndarray:
        """Values of a sparse matrix at the pairs of the pattern; the rest is left."""
        rows = np.repeat(np.arange(self.n_samples), np.diff(self.indptr))
        keys = rows * np.int64(self.n_samples) + self.indices
        entries = A.tocoo()
        wanted = entries.row * np.int64(self.n_samples) + entries.col
        places = np.minimum(np.searchsorted(keys, wanted), max(len(keys) - 1, 0))
        found = keys[places] == wanted if len(keys) else np.zeros(0, dtype=bool)
        values = np.zeros(len(keys), dtype=self.given.dtype)
        values[places[found]] = entries.data[found]
        return values

    def symmetric(self, values: np.ndarray) -> np.ndarray:
        """Values of the symmetric part, ``(S + S') / 2``."""
        return (values + values[self.mirror]) / 2


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
    edges = W.tocoo()
    if pairs is None:
        rows, cols = np.divmod(np.arange(n * n, dtype=np.int64), n)
    else:
        extra = pairs.tocoo()
        rows = np.concatenate([edges.row, extra.row, extra.col])
        cols = np.concatenate([edges.col, extra.col, extra.row])
    off_diagonal = rows != cols
    keys = np.unique(rows[off_diagonal] * np.int64(n) + cols[off_diagonal])
    rows, cols = np.divmod(keys, n)
    indptr = np.searchsorted(rows, np.arange(n + 1))
    mirror = np.searchsorted(keys, cols * np.int64(n) + rows)
    empty = np.zeros(len(keys), dtype=dtype)
    support = Support(indptr, cols.astype(np.int64), mirror, empty)
    return replace(support, given=support.values_of(W))
