"""What the user brings in place of samples: a graph, or distances."""

import warnings
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from graphtailor.graphs.adapters import both_triangles
from graphtailor.graphs.base import GraphBuilder, Input
from graphtailor.graphs.weights import normalize_rows_to, symmetrize
from graphtailor.linalg.magnitude import largest_entry
from graphtailor.linalg.sparse import checked_matrix
from graphtailor.linalg.types import Matrix, MatrixLike


class PrecomputedGraph(GraphBuilder):
    """A graph that the user brings: any nonnegative affinity matrix.

    The mean of both directions is taken of a directed graph, and a triangle stands for
    both triangles. Samples without an edge are reported by a warning.

    Attributes
    ----------
    weights_ : csr_array of shape (n, n)
        The affinity, symmetric (the mean of both directions), diagonal set to 0.
    affinity_ : csr_array of shape (n, n)
        The same, normalised by the degrees.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.graphs import PrecomputedGraph
    >>> A = np.array([[0, 2, 0], [2, 0, 2], [0, 2, 0]])
    >>> PrecomputedGraph().fit(A).affinity_.toarray().round(3)
    array([[0.   , 0.707, 0.   ],
           [0.707, 0.   , 0.707],
           [0.   , 0.707, 0.   ]])
    """

    @property
    def input(self) -> Input:
        """Affinities."""
        return "affinities"

    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Take the affinity matrix `X` of shape (n, n), dense or sparse."""
        A = self._check(X)
        if A.shape[0] != A.shape[1]:
            raise ValueError(
                f"A precomputed affinity must be square, but has shape {A.shape}. "
                "Give one row and one column for each sample, or the samples "
                "themselves to a model of samples."
            )
        A = sparse.csr_array(both_triangles(A))
        A.setdiag(0)
        A.eliminate_zeros()
        self._take(symmetrize(A, "average"))
        _warn_of_isolated(np.flatnonzero(self.degrees_ == 0), A.shape[0])
        return self

    def to_new(self, X_new: MatrixLike) -> sparse.csr_array:
        """Normalise affinities of shape (n_new, n) as those of the fitted samples."""
        check_is_fitted(self)
        A = self._check(X_new)
        if A.shape[1] != len(self.degrees_):
            raise ValueError(
                f"Affinities of new samples have {A.shape[1]} columns, but there must "
                f"be one for each of the {len(self.degrees_)} fitted samples."
            )
        return normalize_rows_to(A, self.degrees_)

    def _check(self, X: MatrixLike) -> sparse.csr_array:
        A = sparse.csr_array(
            checked_matrix(X, dtype=[np.float64, np.float32]), copy=True
        )
        if A.nnz and A.data.min() < 0:
            raise ValueError(
                "A precomputed affinity must not be negative, but its smallest "
                f"entry is {A.data.min():g}. Shift it, take its absolute value, or "
                "give distances, with metric='precomputed'."
            )
        _check_sums("affinities", A)
        return A


def _warn_of_isolated(isolated: np.ndarray, n_samples: int) -> None:
    if len(isolated):
        warnings.warn(
            f"Samples without an edge: {len(isolated)} of {n_samples}, such as sample "
            f"{isolated[0]}. The graph does not say which cluster they belong to. "
            "Remove them or give them edges.",
            UserWarning,
            stacklevel=4,
        )


def check_distances(D: Any) -> None:
    """Refuse precomputed distances that are not square or are negative."""
    if D.shape[0] != D.shape[1]:
        raise ValueError(
            f"Precomputed distances must be square, but have shape {D.shape}."
        )
    values = D.data if sparse.issparse(D) else D
    if values.size and values.min() < 0:
        raise ValueError(
            "Precomputed distances must not be negative, but the smallest is "
            f"{values.min():g}. For affinities use graph='precomputed'."
        )
    _check_sums("distances", D)


def _check_sums(what: str, pairs: Matrix) -> None:
    """Refuse values so large that the sum over all pairs may not exist."""
    largest = largest_entry(pairs)
    if largest > np.finfo(pairs.dtype).max / max(pairs.shape) ** 2:
        raise ValueError(
            f"The largest of the {what} is {largest:.3g}, and their sums are out of "
            "the range of floating-point numbers. Divide all of them by the largest."
        )
