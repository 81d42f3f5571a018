"""Combinatorial graph Laplacian learning."""

from numbers import Integral

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn.utils._param_validation import Interval, StrOptions

from graphtailor.baselines._base import BaseClusterer, SpectralMixin
from graphtailor.baselines._edge_weights import fit_edge_weights
from graphtailor.baselines._operators import smallest_in_rows
from graphtailor.baselines._parameters import clusterer
from graphtailor.linalg.types import AT_LEAST_0, MatrixLike


@clusterer(
    alpha=[*AT_LEAST_0, None],
    mask=[StrOptions({"complete", "neighbors"})],
    reg_type=[Interval(Integral, 1, 2, closed="both")],
)
class CGL(SpectralMixin, BaseClusterer):
    r"""Combinatorial graph Laplacian of the samples, then spectral clustering.

    .. math:: \min_\Theta \operatorname{tr}(\Theta (S + H))
              - \log\det(\Theta + 1 1^\top / n)

    over the Laplacians :math:`\Theta = \sum_e w_e b_e b_e^\top` with weights
    :math:`w_e \ge 0` on the allowed edges. :math:`S` is the covariance of the
    samples, each without its own mean over the features, and
    :math:`H = \alpha (2 I - 1 1^\top)`. In the weights this is
    :math:`\sum_e r_e w_e - \log\det`, with
    :math:`r_{ij} = \|\tilde x_i - \tilde x_j\|^2 / d + 4 \alpha`: a design problem,
    solved by multiplicative steps that never raise the objective.

    Parameters
    ----------
    alpha : float or None, default=None
        Weight of the regularisation; more gives denser graphs. It is measured in
        squares of `X`: for :math:`tX` the same graph needs :math:`t^2 \alpha`.
        None is a hundredth of the mean of
        :math:`\|\tilde x_i - \tilde x_j\|^2 / d`.
    mask : {"complete", "neighbors"}, default="complete"
        Edges allowed: all, or the `n_neighbors` nearest of each sample with a
        minimum spanning tree, which keeps the graph connected.
    n_neighbors : int or "auto", default="auto"
        Neighbours in the mask; "auto" is :math:`\lfloor \log_2 n + 1 \rfloor`.
    reg_type : {1, 2}, default=1
        2 takes :math:`H = \alpha (I - 1 1^\top)`, which is half as strong.
    tol : float, default=1e-3
        Stop when no effective resistance exceeds :math:`r_e` by more than this
        share, which is the optimality condition. The objective is then less than
        `tol` times n - 1 above its minimum.

    Attributes
    ----------
    laplacian_ : ndarray of shape (n_samples, n_samples)
        :math:`\Theta`.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        The weights, without those negligible at both of their ends.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Spectral embedding of the affinity.
    alpha_ : float
        :math:`\alpha` as it was used.
    objective_ : ndarray of shape (n_iter_,)
        Value after each iteration; it never rises.

    Notes
    -----
    One Cholesky factorisation and inverse of an :math:`n \times n` matrix an
    iteration, :math:`n^3` operations.

    The authors' algorithm is another one: it goes through the nodes, solves a
    nonnegative quadratic program for the weights of each, and stops when a cycle
    changes little; the objective may rise on the way. The problem is convex, so that
    both have the same minimum. The scores of this class are therefore those of the
    authors' model at its optimum, not of their program at its stopping rule.

    References
    ----------
    H. Egilmez, E. Pavez, A. Ortega, Graph Learning from Data under Laplacian and
    Structural Constraints, IEEE J. Selected Topics in Signal Processing 11(6), 2017.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor.baselines import CGL
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = load_iris(return_X_y=True)
    >>> labels = CGL(3, random_state=0).fit_predict(X)
    >>> clustering_accuracy(y, labels) > 0.9
    True
    """

    alpha: float | None = None
    mask: str = "complete"
    n_neighbors: int | str = "auto"
    reg_type: int = 1
    max_iter: int = 500
    tol: float = 1e-3

    _dense_arrays = (10.3, 1.5)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        n = X.shape[0]
        r = squared_distances(X)
        mean = r.sum() / (n * (n - 1))
        self.alpha_ = (0.01 * mean or 1.0) if self.alpha is None else float(self.alpha)
        r += (4 if self.reg_type == 1 else 2) * self.alpha_
        # A squared distance of 0 would ask for an infinite weight.
        np.maximum(r, 1e-8 * r.mean() or 1.0, out=r)
        np.fill_diagonal(r, np.inf)
        if self.mask == "neighbors":
            k = self._number_of_neighbors(n)
            r = np.where(connected_neighbors(r, k), r, np.inf)
        fit = fit_edge_weights(r, tol=self.tol, max_iter=self.max_iter)
        self.laplacian_ = np.diag(fit.weights.sum(axis=1)) - fit.weights
        labels = self._cut(drop_negligible(fit.weights), X.dtype)
        self._finish(labels, fit.objective, converged=fit.converged)


def squared_distances(X: np.ndarray) -> np.ndarray:
    """Mean over the features of squared differences, each sample without its mean."""
    X = np.asarray(X, dtype=np.float64)
    X = X - X.mean(axis=1, keepdims=True)
    K = X @ X.T / X.shape[1]
    squares = K.diagonal()
    r = np.maximum(squares[:, None] + squares - 2 * K, 0)
    np.fill_diagonal(r, 0)
    return (r + r.T) / 2


def connected_neighbors(r: np.ndarray, k: int) -> np.ndarray:
    """Mask of the `k` nearest of each sample, and of a minimum spanning tree."""
    mask = np.zeros(r.shape, dtype=bool)
    np.put_along_axis(mask, smallest_in_rows(r, k), True, axis=1)
    np.fill_diagonal(mask, False)
    finite = np.where(np.isfinite(r), r, 0)
    mask |= minimum_spanning_tree(finite).toarray() > 0
    return mask | mask.T


def drop_negligible(weights: np.ndarray) -> sparse.csr_array:
    """The weights as a sparse matrix, without those that matter at neither end."""
    strongest = weights.max(axis=1)
    # Edges weaker than this, compared with the best of both ends, leave the affinity.
    least = 1e-4 * np.minimum.outer(strongest, strongest)
    return sparse.csr_array(np.where(weights > least, weights, 0))
