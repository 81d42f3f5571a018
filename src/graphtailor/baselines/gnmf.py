"""Nonnegative matrix factorisation, smooth on a graph."""

import numpy as np
from sklearn.utils import Tags, check_random_state

from graphtailor.baselines import nmf
from graphtailor.baselines._base import BaseClusterer, GraphMixin, RowsMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.linalg.sparse import stored
from graphtailor.linalg.types import AT_LEAST_0, Matrix, MatrixLike

_TINY = 1e-300


@clusterer(lam=AT_LEAST_0)
class GNMF(GraphMixin, RowsMixin, BaseClusterer):
    r"""Graph regularised nonnegative matrix factorisation, then K-means.

    .. math:: \min_{V, U \ge 0} \|X - V U^\top\|_F^2
              + \lambda \operatorname{tr}(V^\top L V) ,

    with the Laplacian :math:`L = D - G` of the given graph, by multiplicative
    updates. At the end the columns of :math:`U` are scaled to unit length,
    :math:`V` takes up their norms, and its rows are clustered. With
    :math:`\lambda = 0` the factors are those of :class:`NMFClustering`, which then
    solves for :math:`V` once more.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, and of components.
    lam : float, default=100
        Weight :math:`\lambda` of the graph.
    tol : float, default=1e-5
        Stop when the objective falls by less than this share of itself.
    random_state : int, RandomState or None, default=None
        Seed of the first factors and of K-means.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_clusters)
        :math:`V`.
    components_ : ndarray of shape (n_clusters, n_features)
        :math:`U^\top`, rows of unit length.
    objective_ : ndarray of shape (n_iter_ + 1,)
        Value at the start and after each iteration, before :math:`U` is scaled.

    Notes
    -----
    :math:`O(n d c + n p c)` an iteration.

    For :math:`\lambda > 0` the objective has no minimiser: dividing :math:`V` by
    :math:`t` and multiplying :math:`U` by it keeps the fit and divides the graph
    term by :math:`t^2`. The iterations drift that way slowly, so that `tol` is
    seldom reached; the result depends on the start and on `max_iter`, and
    objectives of two runs cannot be compared.

    References
    ----------
    D. Cai, X. He, J. Han, T. Huang, Graph Regularized Nonnegative Matrix
    Factorization for Data Representation, IEEE TPAMI 33(8), 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor.baselines import GNMF
    >>> X = load_wine().data
    >>> model = GNMF(3, lam=0.01, random_state=0).fit(X / X.max(axis=0))
    >>> bool(model.objective_[-1] < model.objective_[0])
    True
    """

    lam: float = 100.0
    max_iter: int = 500
    tol: float = 1e-5

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X)
        nmf.check_nonnegative_samples(X, self)
        G = self._fit_graph(X).weights_
        rng = check_random_state(self.random_state)
        data = X.astype(np.float64, copy=False)
        start = nmf.initial_factors(data, self.n_clusters, rng)
        V, U, history, converged = gnmf_factorize(
            data, G, self.lam, start, max_iter=self.max_iter, tol=self.tol
        )
        V, U = nmf.unit_columns(V, U)
        self.components_ = U.T.astype(X.dtype, copy=False)
        labels = self._cluster_rows(V.astype(X.dtype, copy=False), X.dtype, rng)
        self._finish(labels, history, len(history) - 1, converged)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def gnmf_factorize(
    X: Matrix,
    G: Matrix,
    lam: float,
    start: tuple[np.ndarray, np.ndarray],
    *,
    max_iter: int,
    tol: float,
) -> tuple[np.ndarray, np.ndarray, list[float], bool]:
    """Multiplicative updates of `V`, then of `U`, from the given positive factors."""
    V, U = start
    degrees = np.asarray(G.sum(axis=1)).reshape(-1, 1)
    square = np.sum(stored(X) ** 2)
    XU, UtU, GV = X @ U, U.T @ U, G @ V

    def objective() -> float:
        fit = square - 2 * np.sum(XU * V) + np.sum((V.T @ V) * UtU)
        return float(fit + lam * (np.sum(degrees * V * V) - np.sum(V * GV)))

    history = [objective()]
    for _ in range(max_iter):
        V = V * (XU + lam * GV) / np.maximum(V @ UtU + lam * degrees * V, _TINY)
        U = U * (X.T @ V) / np.maximum(U @ (V.T @ V), _TINY)
        # Serves the objective now and the next V-step.
        XU, UtU, GV = X @ U, U.T @ U, G @ V
        history.append(objective())
        if history[-2] - history[-1] <= tol * abs(history[-2]):
            return V, U, history, True
    return V, U, history, False
