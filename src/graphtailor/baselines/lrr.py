"""Low-rank representation of the samples by the samples."""

from typing import ClassVar

import numpy as np
from scipy import linalg
from sklearn.utils._param_validation import StrOptions

from graphtailor.baselines._base import BaseClusterer, EmbeddingMixin
from graphtailor.baselines._lrr_solver import low_rank_representation
from graphtailor.baselines._parameters import ABOVE_0, clusterer
from graphtailor.baselines._readout import unit_rows
from graphtailor.linalg.types import MatrixLike, ParameterConstraints, RandomState


@clusterer
class LRR(EmbeddingMixin, BaseClusterer):
    r"""Low-rank representation, then spectral clustering of its coefficients.

    .. math:: \min_{C, E} \|C\|_* + \lambda \|E\|_{2,1}
              \quad \text{s.t.} \quad X = C X + E ,

    where the second norm adds the lengths of the rows, so that whole samples are
    taken for outliers. With the SVD :math:`X = P \operatorname{diag}(s) Q^\top`
    of rank :math:`r` the problem shrinks exactly to :math:`n \times r` unknowns.

    Parameters
    ----------
    lam : float or None, default=None
        Weight :math:`\lambda` of the error. It is measured in inverses of `X`:
        for :math:`tX` the same result needs :math:`\lambda / t`. It does nothing
        outside the interval :math:`(a, b)` of :func:`lrr_range`, and a warning
        says so; None is :math:`a^{1/4} b^{3/4}`.
    readout : {"spectral", "angular", "recovered"}, default="spectral"
        Spectral clustering of :math:`|C| + |C|^\top`; of the fourth powers of
        the cosines between the rows of :math:`A \operatorname{diag}(\sqrt{s})`,
        where :math:`C = A \operatorname{diag}(s) B^\top`; or K-means on the rows
        of :math:`C X`.
    tol : float, default=1e-6
        Relative size of the primal and the dual residuals at which to stop.

    Attributes
    ----------
    representation_ : ndarray of shape (n_samples, n_samples)
        :math:`C`; row i holds the coefficients of sample i.
    error_ : ndarray of shape (n_samples, n_features)
        :math:`E = X - C X`.
    affinity_matrix_ : ndarray of shape (n_samples, n_samples)
        The affinity of the read-out (of "spectral" for "recovered").
    embedding_ : ndarray of shape (n_samples, k)
        What K-means saw.
    objective_ : ndarray of shape (n_iter_,)
        Value at :math:`(C, X - C X)` after each iteration.

    Notes
    -----
    One SVD of `X`, then :math:`O(n r^2)` an iteration, and :math:`O(n^2 r)` for
    :math:`C` at the end.

    References
    ----------
    G. Liu, Z. Lin, S. Yan, J. Sun, Y. Yu, Y. Ma, Robust Recovery of Subspace
    Structures by Low-Rank Representation, IEEE TPAMI 35(1), 2013.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.baselines import LRR
    >>> X = np.array([[1.0, 0], [2, 0], [3, 0], [0, 1], [0, 2], [0, 3]])
    >>> LRR(2, lam=0.4, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    lam: float | None = None
    readout: str = "spectral"
    max_iter: int = 2000
    tol: float = 1e-6
    n_init: int = 20
    random_state: RandomState = None

    _allowed: ClassVar[ParameterConstraints] = {
        "lam": [*ABOVE_0, None],
        "readout": [StrOptions({"spectral", "angular", "recovered"})],
    }

    _dense_arrays = (9.2, 3.0)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        result = low_rank_representation(
            X, self.lam, tol=self.tol, max_iter=self.max_iter
        )
        C = result.coefficients @ result.basis.T
        recovered = C @ X
        if self.readout == "recovered":
            self.affinity_matrix_ = absolute_affinity(C)
            labels = self._cluster_rows(recovered, X.dtype)
        elif self.readout == "angular":
            labels = self._cut(angular_affinity(result.coefficients), X.dtype)
        else:
            labels = self._cut(absolute_affinity(C), X.dtype)
        self.representation_ = C.astype(X.dtype, copy=False)
        self.error_ = (X - recovered).astype(X.dtype, copy=False)
        objective = result.objective
        self._finish(labels, objective, len(objective), result.converged)


def angular_affinity(coefficients: np.ndarray) -> np.ndarray:
    """Fourth powers of the cosines between the scaled left singular vectors."""
    A, s, _ = linalg.svd(coefficients, full_matrices=False)
    rows = unit_rows(A * np.sqrt(s))
    affinity = (rows @ rows.T) ** 4
    np.fill_diagonal(affinity, 0)
    return affinity


def absolute_affinity(C: np.ndarray) -> np.ndarray:
    """``|C| + |C'|`` without its diagonal."""
    affinity = np.abs(C)
    affinity = affinity + affinity.T
    np.fill_diagonal(affinity, 0)
    return affinity
