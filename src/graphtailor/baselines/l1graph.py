"""L1 graph: sparse regression of every sample on the others."""

import warnings
from numbers import Real
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lasso_path
from sklearn.utils._param_validation import Interval

from graphtailor.baselines._base import BaseClusterer, SpectralMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.baselines._readout import directions
from graphtailor.baselines.lrr import absolute_affinity
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.svd import with_few_features
from graphtailor.linalg.types import MatrixLike


@clusterer(lam=[Interval(Real, 0, 1, closed="neither")])
class L1Graph(SpectralMixin, BaseClusterer):
    r"""Spectral clustering of the l1 graph: sparse subspace clustering.

    Every sample is represented by few of the others,

    .. math:: \min_{c_i} \tfrac12 \|x_i - X^\top c_i\|^2 + \lambda_i \|c_i\|_1
              \quad \text{s.t.} \quad c_{ii} = 0, \qquad
              \lambda_i = \lambda \max_{j \ne i} |x_i^\top x_j| .

    The coefficients of each sample are divided by the largest of them, and
    :math:`|C| + |C|^\top` is the graph. Samples of one subspace represent each other,
    so that the graph falls into the subspaces [1]_; it adapts the number of
    neighbours to each sample [2]_.

    Parameters
    ----------
    lam : float, default=0.2
        Weight :math:`\lambda` as a share of the weight from which on all
        coefficients are 0. It has no unit.
    normalize_samples : bool, default=True
        Scale the samples to unit length first, as both papers do.
    max_iter : int, default=2000
        Most sweeps over the coefficients of one sample.
    tol : float, default=1e-3
        Stop when the duality gap falls below this share of :math:`\|x_i\|^2`.

    Attributes
    ----------
    representation_ : csr_array of shape (n_samples, n_samples)
        :math:`C`; row i holds the coefficients of sample i.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        The graph.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Its spectral embedding.
    objective_ : ndarray of shape (1,)
        Sum of the minima over all samples.
    n_iter_ : int
        Most sweeps that a sample needed.
    converged_ : bool
        Whether all samples reached `tol`.

    See Also
    --------
    SparseSpectralClustering : What the study calls SSC is convex sparse *spectral*
        clustering, another method.

    Notes
    -----
    One Lasso of scikit-learn for each sample: :math:`O(n^2 d)` for a sweep over all
    of them, or :math:`O(n^3)` where there are more features than samples. Cheng et al.
    write the noise as further unknowns with an l1 norm of their own; here it is the
    squared residual, as in the later papers on subspaces.

    References
    ----------
    .. [1] E. Elhamifar, R. Vidal, Sparse Subspace Clustering, CVPR 2009.
    .. [2] B. Cheng, J. Yang, S. Yan, Y. Fu, T. Huang, Learning with l1-Graph for Image
       Analysis, IEEE Trans. Image Processing 19(4), 2010.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.baselines import L1Graph
    >>> X = np.array([[1.0, 0], [2, 0], [3, 0], [0, 1], [0, 2], [0, 3]])
    >>> L1Graph(2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    lam: float = 0.2
    normalize_samples: bool = True
    max_iter: int = 2000
    tol: float = 1e-3

    _dense_arrays = (4.0, 3.0)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        rows = X.astype(np.float64)
        factor = 1.0 if self.normalize_samples else comfortable_factor(rows)
        rows = directions(rows) if self.normalize_samples else times(rows, factor)
        found = lasso_on_others(rows, self.lam, self.tol, self.max_iter)
        C = found.coefficients
        largest = np.abs(C).max(axis=1, keepdims=True)
        relative = np.divide(C, largest, out=np.zeros_like(C), where=largest > 0)
        labels = self._cut(sparse.csr_array(absolute_affinity(relative)), X.dtype)
        self.representation_ = sparse.csr_array(C.astype(X.dtype, copy=False))
        objective = found.objective / factor**2
        self._finish(labels, objective, found.n_iter, found.converged)


class LassoFit(NamedTuple):
    """Coefficients of all samples, the sum of their objectives, and the sweeps."""

    coefficients: np.ndarray
    objective: float
    n_iter: int
    converged: bool


def lasso_on_others(X: np.ndarray, lam: float, tol: float, max_iter: int) -> LassoFit:
    """The Lasso of every row of `X` on the other rows.

    `lam` is a share of the weight from which on all coefficients of a row are 0.
    """
    X = np.ascontiguousarray(with_few_features(X))
    n, d = X.shape
    C = np.zeros((n, n))
    columns = np.array(X.T, order="F")
    objective, most, converged = 0.0, 1, True
    for i, x in enumerate(X):
        columns[:, i] = 0  # a column of zeros has the coefficient 0
        weight = lam * float(np.abs(x @ columns).max())
        if weight > 0:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                _, found, gaps, sweeps = lasso_path(
                    columns,
                    x,
                    alphas=[weight / d],
                    precompute=False,
                    check_input=False,
                    return_n_iter=True,
                    tol=tol,
                    max_iter=max_iter,
                )
            C[i] = found[:, 0]
            most = max(most, int(sweeps[0]))
            converged &= bool(gaps[0] * d <= 1.001 * tol * (x @ x))
        residual = x - columns @ C[i]
        objective += residual @ residual / 2 + weight * np.abs(C[i]).sum()
        columns[:, i] = x
    return LassoFit(C, objective, most, converged)
