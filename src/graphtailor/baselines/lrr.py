"""Low-rank representation of the samples by the samples."""

from __future__ import annotations

from numbers import Real

import numpy as np
from scipy import linalg
from sklearn.utils._param_validation import Interval, StrOptions

from graphtailor.baselines._base import (
    LOOP_CONSTRAINTS,
    N_INIT_CONSTRAINTS,
    BaseClusterer,
    EmbeddingMixin,
)
from graphtailor.baselines._lrr_solver import low_rank_representation
from graphtailor.baselines._readout import unit_rows
from graphtailor.linalg.types import MatrixLike, ParameterConstraints, RandomState


class LRR(EmbeddingMixin, BaseClusterer):
    r"""Low-rank representation, then spectral clustering of its coefficients.

    .. math:: \min_{C, E} \|C\|_* + \lambda \|E\|_{2,1}
              \quad \text{s.t.} \quad X = C X + E ,

    where the second norm adds the lengths of the rows, so that whole samples are
    taken for outliers. With the SVD :math:`X = P \operatorname{diag}(s) Q^\top`
    of rank :math:`r` the problem shrinks exactly to :math:`n \times r` unknowns.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
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
    max_iter : int, default=2000
        Iterations at most.
    tol : float, default=1e-6
        Relative size of the primal and the dual residuals at which to stop.
    n_init : int, default=20
        K-means starts, of which the best is kept.
    random_state : int, RandomState or None, default=None
        Seed of K-means and of the Lanczos iterations.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample.
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
    n_iter_ : int
        Iterations done; 1 where a closed form holds.
    converged_ : bool
        Whether the residuals fell below `tol`.

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

    _parameter_constraints: ParameterConstraints = {  # noqa: RUF012
        **BaseClusterer._parameter_constraints,
        **LOOP_CONSTRAINTS,
        **N_INIT_CONSTRAINTS,
        "lam": [Interval(Real, 0, None, closed="neither"), None],
        "readout": [StrOptions({"spectral", "angular", "recovered"})],
    }

    _dense_arrays = (9.2, 3.0)

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        lam: float | None = None,
        readout: str = "spectral",
        max_iter: int = 2000,
        tol: float = 1e-6,
        n_init: int = 20,
        random_state: RandomState = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.readout = readout
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

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
