"""L2-Graph: ridge regression of every sample on the others."""

from typing import Any

import numpy as np
from scipy import linalg, sparse
from sklearn.utils._param_validation import StrOptions

from graphtailor.baselines._base import (
    BaseClusterer,
    SpectralMixin,
    resolve_n_neighbors,
)
from graphtailor.baselines._operators import smallest_in_rows
from graphtailor.baselines._parameters import clusterer
from graphtailor.baselines._readout import directions
from graphtailor.linalg.types import ABOVE_0, COUNT, MatrixLike, ParameterConstraints

# Rows of coefficients held at a time while the largest of them are picked.
_ROWS_PER_BLOCK = 1024

L2_PARAMETERS: ParameterConstraints = {
    "lam": ABOVE_0,
    "n_neighbors": [*COUNT, StrOptions({"auto"}), None],
}


@clusterer(**L2_PARAMETERS)
class L2Graph(SpectralMixin, BaseClusterer):
    r"""Spectral clustering of the L2-Graph.

    Every sample is represented by the others,

    .. math:: \min_{c_i} \tfrac12 \|x_i - X^\top c_i\|^2
              + \tfrac{\lambda}{2} \|c_i\|^2
              \quad \text{s.t.} \quad c_{ii} = 0 ,

    for all samples at once by one factorisation: with
    :math:`P = (X X^\top + \lambda I)^{-1}` it is :math:`c_{ij} = -P_{ij}/P_{ii}`.
    Then, as in the authors' program, the coefficients of each sample are divided by
    the largest of them, the two directions are added,
    :math:`M = |C| + |C|^\top`, the `n_neighbors` largest entries in each row of
    :math:`M` are kept, and the rest is made symmetric, :math:`A = M + M^\top`.

    Parameters
    ----------
    lam : float, default=1
        Weight :math:`\lambda`. It is measured in squares of `X`: for :math:`tX`
        the same result needs :math:`t^2 \lambda`.
    n_neighbors : int, "auto" or None, default="auto"
        Entries kept for a sample; "auto" is
        :math:`\lfloor \log_2 n + 1 \rfloor`, None keeps all.

    Attributes
    ----------
    affinity_matrix_ : csr_array or ndarray of shape (n_samples, n_samples)
        :math:`A`; dense if `n_neighbors` is None.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Spectral embedding of :math:`A`.
    objective_ : ndarray of shape (1,)
        Sum of the minima over all samples, before any coefficient is dropped.

    Notes
    -----
    :math:`O(n d^2 + n^2 d)` if there are fewer features than samples,
    :math:`O(n^3)` otherwise.

    References
    ----------
    X. Peng, Z. Yu, Z. Yi, H. Tang, Constructing the L2-Graph for Robust Subspace
    Learning and Subspace Clustering, IEEE Trans. Cybernetics 47(4), 2017.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.baselines import L2Graph
    >>> X = np.array([[1.0, 0], [2, 0], [3, 0], [0, 1], [0, 2], [0, 3]])
    >>> L2Graph(2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    lam: float = 1.0
    n_neighbors: int | str | None = "auto"
    normalize_samples: bool = False

    def _bytes_needed(self, n: int, d: int) -> float:
        return l2_bytes(n, d, self.n_neighbors)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        affinity, objective = l2_affinity(
            X, self.lam, self.n_neighbors, self.normalize_samples
        )
        self._finish(self._cut(affinity, X.dtype), objective)


def l2_bytes(n: int, d: int, n_neighbors: int | str | None) -> float:
    """Bytes that the L2-Graph holds at its peak: blocks of rows, unless all is kept."""
    factor = (3.3 if d >= n else 0.0) * n * n
    block = 8.2 * n * n if n_neighbors is None else 5.0 * min(_ROWS_PER_BLOCK, n) * n
    return 8 * (max(factor, block) + n * min(n, d))


def _ridge_factor(X: np.ndarray, lam: float) -> np.ndarray:
    r"""The F of :class:`RidgeOnOthers`, from the smaller Gram matrix."""
    n, d = X.shape
    gram = X.T @ X if d < n else X @ X.T
    gram.flat[:: len(gram) + 1] += lam
    R = linalg.cholesky(gram, overwrite_a=True)
    if d < n:
        return linalg.solve_triangular(R, X.T, trans="T").T
    return linalg.solve_triangular(R, np.sqrt(lam) * np.eye(n))


class RidgeOnOthers:
    r"""Ridge regression of every row of `X` on the other rows.

    With :math:`P = (X X^\top + \lambda I)^{-1}` all the coefficients are
    :math:`-P_{ij} / P_{ii}`, and the minimum of sample :math:`i` is
    :math:`(1 / P_{ii} - \lambda) / 2`. :math:`\lambda P` is kept as
    :math:`F F^\top`, or by the Woodbury identity as :math:`I - F F^\top`.
    """

    def __init__(self, X: np.ndarray, lam: float) -> None:
        n, d = X.shape
        try:
            self._factor = _ridge_factor(X, lam)
        except linalg.LinAlgError:  # lam is lost in the rounding of the squares of X
            P, s, _ = linalg.svd(X, full_matrices=False)
            size = np.hypot(s, np.sqrt(lam))
            self._factor = P * ((s if d < n else np.sqrt(lam)) / size)
        self._sign = 1.0 if d < n else -1.0
        diagonal = np.einsum("ij,ij->i", self._factor, self._factor)
        if d < n:
            diagonal = np.maximum(1 - diagonal, np.finfo(np.float64).eps)
        self._diagonal = diagonal[:, None]
        self.objective = float(np.sum(lam / diagonal - lam) / 2)

    def products(self, first: int, last: int) -> np.ndarray:
        """Rows `first` to `last` of :math:`F F^T`, without its diagonal."""
        rows = self._factor[first:last] @ self._factor.T
        rows[np.arange(last - first), np.arange(first, last)] = 0
        return rows

    def coefficients(self, first: int, last: int) -> np.ndarray:
        """Coefficients of samples `first` to `last` in all samples."""
        scale = self._sign / self._diagonal[first:last]
        return self.products(first, last) * scale


def l2_affinity(
    X: np.ndarray,
    lam: float,
    n_neighbors: int | str | None = "auto",
    normalize_samples: bool = False,
) -> tuple[Any, float]:
    """The L2-Graph of the rows of `X`, and the sum of the ridge objectives.

    The graph is dense if `n_neighbors` is None.
    """
    X = X.astype(np.float64, copy=False)
    ridge = RidgeOnOthers(directions(X) if normalize_samples else X, lam)
    n = X.shape[0]
    if n_neighbors is None:
        sizes = np.abs(ridge.products(0, n))
        relative = sizes * _inverse(sizes.max(axis=1))[:, None]
        return relative + relative.T, ridge.objective
    k = resolve_n_neighbors(n_neighbors, n)
    starts = range(0, n, _ROWS_PER_BLOCK)
    blocks = [(first, min(first + _ROWS_PER_BLOCK, n)) for first in starts]
    # A row of coefficients divided by its largest entry is a row of the products
    # divided by its own largest entry, and the products are symmetric.
    largest = [np.abs(ridge.products(*block)).max(axis=1) for block in blocks]
    weights = _inverse(np.concatenate(largest))
    kept = sparse.csr_array(
        sparse.vstack([_largest_of(ridge, *block, weights, k) for block in blocks])
    )
    kept.eliminate_zeros()
    return sparse.csr_array(kept + kept.T), ridge.objective


def _inverse(values: np.ndarray) -> np.ndarray:
    """1 / values; 0 for a sample without coefficients."""
    return np.divide(1, values, where=values > 0, out=np.zeros_like(values))


def _largest_of(
    ridge: RidgeOnOthers, first: int, last: int, weights: np.ndarray, k: int
) -> sparse.csr_array:
    """The `k` largest entries in rows `first` to `last` of |C| + |C|'."""
    sizes = np.abs(ridge.products(first, last))
    sizes *= weights[first:last, None] + weights
    columns = smallest_in_rows(-sizes, k)
    values = np.take_along_axis(sizes, columns, axis=1)
    rows = np.repeat(np.arange(last - first), k)
    shape = (last - first, len(weights))
    return sparse.csr_array((values.ravel(), (rows, columns.ravel())), shape)
