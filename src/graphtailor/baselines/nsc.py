"""Nonnegative spectral clustering with a discriminative term."""

from typing import Any, NamedTuple

import numpy as np
from scipy import linalg, sparse
from sklearn.utils import check_random_state

from graphtailor.baselines._base import BaseClusterer, GraphMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.baselines._readout import spectral_labels
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.types import ABOVE_0, AT_LEAST_0, MatrixLike

# Added to the clusters of the start: a multiplicative step cannot leave 0.
_SOFTNESS = 0.2
_TINY = 1e-300


@clusterer(lam=AT_LEAST_0, xi=ABOVE_0)
class NonnegativeSpectralClustering(GraphMixin, BaseClusterer):
    r"""Nonnegative spectral clustering with discriminative regularisation (NSDR).

    The indicator of spectral clustering stays nonnegative, so that its rows are read
    without K-means, and the samples must be able to predict it,

    .. math:: \min_{F \ge 0} \operatorname{tr} F^\top (I - W + \lambda R) F
              + \tfrac{\xi}{2} \|F^\top F - I\|_F^2 ,

    with the normalised affinity :math:`W` of the given graph. :math:`\operatorname{tr}
    F^\top R F` is the least error of a ridge regression with intercept of :math:`F` on
    the samples. The label of a sample is the largest entry in its row of :math:`F`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. One may end up empty.
    lam : float, default=1.0
        Weight :math:`\lambda` of the regression; 0 leaves it out.
    xi : float, default=10.0
        Weight :math:`\xi` that holds the columns of :math:`F` orthogonal. With
        ``lam=0, xi=1`` the problem is that of :class:`SymNMF`.
    tol : float, default=1e-3
        Stop when no entry of :math:`F` changes by more.
    n_init : int, default=20
        K-means starts of the spectral clustering that :math:`F` starts from.
    random_state : int, RandomState or None, default=None
        Seed of that spectral clustering.

    Attributes
    ----------
    indicator_ : ndarray of shape (n_samples, n_clusters)
        :math:`F`.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        :math:`W`.
    objective_ : ndarray of shape (n_iter_ + 1,)
        Value at the start and after each iteration; it never rises.

    Notes
    -----
    The gradient is a difference of nonnegative parts, and an iteration multiplies
    :math:`F` by the fourth root of their ratio, as in SymNMF, so that the objective
    never rises: :math:`O(n^2 c)`, or :math:`O(n p c)` with ``lam=0``. The ridge of the
    regression is the mean of the squared singular values of the centred samples.

    References
    ----------
    Y. Yang, H. T. Shen, F. Nie, R. Ji, X. Zhou, Nonnegative Spectral Clustering with
    Discriminative Regularization, AAAI 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor.baselines import NonnegativeSpectralClustering
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = load_wine(return_X_y=True)
    >>> model = NonnegativeSpectralClustering(3, random_state=0)
    >>> clustering_accuracy(y, model.fit_predict(X / X.max(axis=0))) > 0.94
    True
    """

    lam: float = 1.0
    xi: float = 10.0
    max_iter: int = 1000
    tol: float = 1e-3
    n_init: int = 20

    def _bytes_needed(self, n: int, d: int) -> float:
        return super()._bytes_needed(n, d) + (8 * 4.0 * n * n if self.lam else 0)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=self.lam > 0)
        W = self._fit_graph(X).affinity_
        rng = check_random_state(self.random_state)
        labels, _ = spectral_labels(
            W, self.n_clusters, n_init=self.n_init, random_state=rng
        )
        parts = Parts(sparse.eye_array(X.shape[0], format="csr"), W)
        if self.lam:
            R = self.lam * regression_error(X)
            parts = Parts(parts.plus + np.maximum(R, 0), W + np.maximum(-R, 0))
        F, history, converged = nonnegative_indicator(
            parts,
            soft_clusters(labels, self.n_clusters),
            self.xi,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        self.affinity_matrix_ = W
        self.indicator_ = F.astype(X.dtype, copy=False)
        self._finish(F.argmax(axis=1), history, len(history) - 1, converged)


class Parts(NamedTuple):
    """A symmetric matrix as the difference of two nonnegative ones."""

    plus: Any
    minus: Any


def regression_error(X: np.ndarray) -> np.ndarray:
    """The R for which f'Rf is the least error of a ridge regression of f on `X`."""
    X = times(X.astype(np.float64), comfortable_factor(X))
    X = X - X.mean(axis=0)
    n = len(X)
    P, s, _ = linalg.svd(X, full_matrices=False)
    ridge = float(np.mean(s**2)) or 1.0
    P = P * (s / np.sqrt(s**2 + ridge))
    return np.eye(n) - 1 / n - P @ P.T


def soft_clusters(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """Positive columns of unit length that are largest on the clusters."""
    F = np.eye(n_clusters)[labels] + _SOFTNESS
    return F / np.linalg.norm(F, axis=0)


def nonnegative_indicator(
    parts: Parts, F: np.ndarray, xi: float, *, tol: float, max_iter: int
) -> tuple[np.ndarray, list[float], bool]:
    """Multiplicative steps from a start; F, the objectives, and whether they met."""
    history = [_objective(parts, F, xi)]
    for _ in range(max_iter):
        pull = parts.minus @ F + xi * F
        push = parts.plus @ F + xi * (F @ (F.T @ F)) + _TINY
        moved = F * np.sqrt(np.sqrt(pull / push))
        history.append(_objective(parts, moved, xi))
        change, F = np.abs(moved - F).max(), moved
        if change < tol:
            return F, history, True
    return F, history, False


def _objective(parts: Parts, F: np.ndarray, xi: float) -> float:
    cut = np.sum(F * (parts.plus @ F)) - np.sum(F * (parts.minus @ F))
    return float(cut + xi / 2 * np.sum((F.T @ F - np.eye(F.shape[1])) ** 2))
