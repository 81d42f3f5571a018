"""Robust PCA on graphs."""

from typing import ClassVar

import numpy as np
from sklearn.utils._param_validation import StrOptions

from graphtailor.baselines._grpca_solver import graph_robust_pca
from graphtailor.baselines._parameters import ABOVE_0, AT_LEAST_0, clusterer
from graphtailor.baselines.rpca import LowRankClusterer, default_weight
from graphtailor.graphs import GraphBuilder
from graphtailor.linalg.types import MatrixLike, ParameterConstraints, RandomState


@clusterer
class GRPCA(LowRankClusterer):
    r"""Robust PCA with a low-rank part that is smooth on the graph, then K-means.

    .. math:: \min_{L, S} \|L\|_* + \lambda \|S\|_1
              + \gamma \operatorname{tr}(L^\top \Phi L)
              \quad \text{s.t.} \quad X = L + S ,

    with the normalised Laplacian :math:`\Phi = I - W` of the given graph. The
    problem is convex; alternating directions on a copy of :math:`L` solve it.
    With :math:`\gamma = 0` this is :class:`RPCA`.

    Parameters
    ----------
    lam : float or None, default=None
        Weight :math:`\lambda` of the sparse part; None is
        :math:`2 / \sqrt{\max(n, d)}`, as in :class:`RPCA`.
    gamma : float or None, default=None
        Weight of the graph. It is measured in inverses of `X`: for :math:`tX` the
        same result needs :math:`\gamma / t`. None is
        :math:`1 / (\sqrt{\max(n, d)} \max |x_{ij}|)`.
    readout : {"rows", "scores"}, default="rows"
        What K-means sees: the rows of :math:`L`, or its leading `n_clusters`
        principal scores.
    tol : float, default=1e-5
        Relative size of the primal and the dual residual at which to stop.

    Attributes
    ----------
    low_rank_, sparse_ : ndarray of shape (n_samples, n_features)
        :math:`L` and :math:`S = X - L`.
    embedding_ : ndarray of shape (n_samples, k)
        What K-means saw.
    objective_ : ndarray of shape (n_iter_,)
        Value at :math:`(L, X - L)` after each iteration.

    Notes
    -----
    One :math:`d \times d` eigen-decomposition, :math:`O(n d^2)` products and a
    sparse solve an iteration; :math:`2 \gamma \Phi + r I` is factored once.

    References
    ----------
    N. Shahid, V. Kalofolias, X. Bresson, M. Bronstein, P. Vandergheynst, Robust
    Principal Component Analysis on Graphs, ICCV 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor.baselines import GRPCA
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = load_wine(return_X_y=True)
    >>> model = GRPCA(3, n_init=10, random_state=0).fit(X / X.max(axis=0))
    >>> clustering_accuracy(y, model.labels_) > 0.94
    True
    """

    lam: float | None = None
    gamma: float | None = None
    graph: str | GraphBuilder = "knn"
    n_neighbors: int | str = "auto"
    readout: str = "rows"
    max_iter: int = 1000
    tol: float = 1e-5
    n_init: int = 1
    init: str = "random"
    random_state: RandomState = None

    _allowed: ClassVar[ParameterConstraints] = {
        "lam": [*ABOVE_0, None],
        "gamma": [*AT_LEAST_0, None],
        "readout": [StrOptions({"rows", "scores"})],
    }

    _dense_arrays = (1.0, 14.0)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        W = self._fit_graph(X).affinity_
        lam = default_weight(X.shape) if self.lam is None else float(self.lam)
        gamma = self.gamma
        if gamma is None:
            gamma = 1 / (np.sqrt(max(X.shape)) * (np.abs(X).max() or 1))
        result = graph_robust_pca(
            X, W, lam, float(gamma), tol=self.tol, max_iter=self.max_iter
        )
        self._take(result, X.dtype)
