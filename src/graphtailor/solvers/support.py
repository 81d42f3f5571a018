"""The support: the pairs of samples on which S may be nonzero."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse

from graphtailor.linalg.sparse import pattern_of, row_index, with_data, without_diagonal
from graphtailor.linalg.types import Matrix


@dataclass(frozen=True)
class Support:
    """A symmetric pattern of pairs without the diagonal, and the given graph on it.

    The pattern is in CSR form with sorted columns. `mirror` has the place of pair
    (j, i) for the pair (i, j) at each place, and `given` has W on the pattern.
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

    def renumbered(self, order: np.ndarray) -> tuple["Support", np.ndarray]:
        """The support with sample ``order[k]`` as its sample k.

        The second array has the place at which each of its pairs stood before: values
        on it are ``values[source]``.
        """
        number = np.argsort(order)
        before = self.matrix(np.arange(len(self.indices)))
        places = (number[row_index(before)], number[before.indices])
        source = sparse.csr_array((before.data, places), shape=before.shape)
        pattern = _narrow(source)
        given = self.given[source.data]
        return Support(*pattern, _mirror_of(source), given), source.data


def support_of(W: Matrix, pairs: sparse.csr_array | None, dtype: DTypeLike) -> Support:
    """The pattern that holds the edges of `W` and further pairs, in either direction.

    `W` is symmetric; its diagonal is left out. Every stored entry of `pairs` is a pair;
    None stands for all pairs of samples. `dtype` is the type of the values.
    """
    W = without_diagonal(sparse.csr_array(W))
    if pairs is None:
        pattern = sparse.csr_array(~np.eye(W.shape[0], dtype=bool))
    else:
        # Matrices of bits: sums of them merge sorted rows, in little memory.
        further = without_diagonal(pattern_of(sparse.csr_array(pairs), bool))
        pattern = pattern_of(W, bool) + further + further.T.tocsr()
    given = np.zeros(pattern.nnz, dtype=dtype)
    # Products with ones pick the places of the edges; they are counted from 1, as SciPy
    # drops zeros.
    places = with_data(pattern, np.arange(1.0, pattern.nnz + 1)).multiply(pattern_of(W))
    given[places.data.astype(np.int64) - 1] = W.data
    return Support(*_narrow(pattern), _mirror_of(pattern), given)


def _narrow(pattern: sparse.csr_array) -> tuple[np.ndarray, np.ndarray]:
    """Row pointers and columns, in 32 bits where these are enough."""
    enough = max(pattern.shape[0], pattern.nnz) <= np.iinfo(np.int32).max
    kind = np.int32 if enough else np.int64
    return (
        pattern.indptr.astype(kind, copy=False),
        pattern.indices.astype(kind, copy=False),
    )


def _mirror_of(pattern: sparse.csr_array) -> np.ndarray:
    """Place of (j, i) for each (i, j) of a symmetric pattern."""
    numbers = np.arange(pattern.nnz, dtype=pattern.indices.dtype)
    return with_data(pattern, numbers).T.tocsr().data
