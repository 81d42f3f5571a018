"""Robust PCA on graphs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy import linalg, sparse
from scipy.sparse.linalg import splu
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval, StrOptions

from graphtailor.baselines._base import (
    GRAPH_CONSTRAINTS,
    KMEANS_CONSTRAINTS,
    BaseClusterer,
    EmbeddingMixin,
)
from graphtailor.baselines._operators import singular_value_threshold, soft_threshold
from graphtailor.baselines._readout import kmeans_labels
from graphtailor.baselines._zero_diagonal import _solve
from graphtailor.baselines.rpca import (
    RELAXATION,
    Decomposition,
    default_weight,
    low_rank_embedding,
    rpca_range,
)


class GRPCA(EmbeddingMixin, BaseClusterer):
    r"""Robust PCA with a low-rank part that is smooth on the graph, then K-means.

    .. math:: \min_{L, S} \|L\|_* + \lambda \|S\|_1
              + \gamma \operatorname{tr}(L^\top \Phi L)
              \quad \text{s.t.} \quad X = L + S ,

    with the normalised Laplacian :math:`\Phi = I - W` of the given graph. The
    problem is convex; alternating directions on a copy of :math:`L` solve it.
    With :math:`\gamma = 0` this is :class:`RPCA`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    lam : float or None, default=None
        Weight :math:`\lambda` of the sparse part; None is
        :math:`2 / \sqrt{\max(n, d)}`, as in :class:`RPCA`.
    gamma : float or None, default=None
        Weight of the graph. It is measured in inverses of `X`: for :math:`tX` the
        same result needs :math:`\gamma / t`. None is
        :math:`1 / (\sqrt{\max(n, d)} \max |x_{ij}|)`.
    graph : "knn" or builder, default="knn"
        The given graph.
    n_neighbors : int or "auto", default="auto"
        Neighbours in the graph; "auto" is :math:`\lfloor \log_2 n + 1 \rfloor`.
    readout : {"rows", "scores"}, default="rows"
        What K-means sees: the rows of :math:`L`, or its leading `n_clusters`
        principal scores.
    max_iter : int, default=1000
        Iterations at most.
    tol : float, default=1e-5
        Relative size of the primal and the dual residual at which to stop.
    n_init : int, default=1
        K-means starts, of which the best is kept.
    init : {"random", "k-means++"}, default="random"
        How a K-means start is drawn.
    random_state : int, RandomState or None, default=None
        Seed of K-means.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Cluster of each sample.
    low_rank_, sparse_ : ndarray of shape (n_samples, n_features)
        :math:`L` and :math:`S = X - L`.
    embedding_ : ndarray of shape (n_samples, k)
        What K-means saw.
    graph_ : builder
        The fitted builder of the graph.
    objective_ : ndarray of shape (n_iter_,)
        Value at :math:`(L, X - L)` after each iteration.
    n_iter_ : int
        Iterations done.
    converged_ : bool
        Whether the residuals fell below `tol`.

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

    _parameter_constraints: dict[str, list[Any]] = {  # noqa: RUF012
        **BaseClusterer._parameter_constraints,
        **GRAPH_CONSTRAINTS,
        **KMEANS_CONSTRAINTS,
        "lam": [Interval(Real, 0, None, closed="neither"), None],
        "gamma": [Interval(Real, 0, None, closed="left"), None],
        "readout": [StrOptions({"rows", "scores"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        lam: float | None = None,
        gamma: float | None = None,
        graph: Any = "knn",
        n_neighbors: int | str = "auto",
        readout: str = "rows",
        max_iter: int = 1000,
        tol: float = 1e-5,
        n_init: int = 1,
        init: str = "random",
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.lam = lam
        self.gamma = gamma
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.readout = readout
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.init = init
        self.random_state = random_state

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Cluster the rows of `X`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted estimator.
        """
        X = self._validate(X, dense=True)
        W = self._fit_graph(X).affinity_
        lam = default_weight(X.shape) if self.lam is None else float(self.lam)
        gamma = self.gamma
        if gamma is None:
            gamma = 1 / (np.sqrt(max(X.shape)) * (np.abs(X).max() or 1))
        result = graph_robust_pca(
            X, W, lam, float(gamma), tol=self.tol, max_iter=self.max_iter
        )
        self.low_rank_ = result.low_rank.astype(X.dtype, copy=False)
        self.sparse_ = result.sparse.astype(X.dtype, copy=False)
        self.embedding_ = low_rank_embedding(
            self.low_rank_, self.readout, self.n_clusters
        )
        labels = kmeans_labels(
            self.embedding_,
            self.n_clusters,
            n_init=self.n_init,
            init=self.init,
            random_state=self.random_state,
        )
        objective = result.objective
        self._finish(labels, objective, len(objective), result.converged)
        return self


def graph_robust_pca(
    X: np.ndarray,
    W: Any,
    lam: float,
    gamma: float,
    *,
    tol: float = 1e-5,
    max_iter: int = 1000,
) -> Decomposition:
    r"""Solve robust PCA on the graph with normalised affinity `W`.

    The `dual` of the result is the multiplier of :math:`X = L + S`. At
    :math:`L = X` it is :math:`P Q^\top + 2 \gamma \Phi X`, and optimal if no entry
    exceeds `lam`; a warning tells.
    """
    X = np.asarray(X, dtype=np.float64)
    Phi = sparse.csc_array(sparse.eye_array(X.shape[0]) - W)
    polar, slope = rpca_range(X)[2], gamma * (Phi @ X)
    dual = polar + 2 * slope
    high = float(np.abs(dual).max())
    if lam < high:
        return _alternate(X, Phi, lam, gamma, tol, max_iter)
    warnings.warn(
        f"lam={lam:g} makes the low-rank part all of X and the sparse part 0. "
        f"With gamma={gamma:g} use lam below {high:.3g}.",
        UserWarning,
        stacklevel=3,
    )
    value = float(np.sum((polar + slope) * X))
    return Decomposition(X, np.zeros_like(X), dual, [value], True)


def _alternate(
    X: np.ndarray,
    Phi: sparse.csc_array,
    lam: float,
    gamma: float,
    tol: float,
    max_iter: int,
) -> Decomposition:
    """Alternate between L and the pair of S = X - L and the copy M = L.

    These are two blocks, for which the method converges.
    """
    size = linalg.norm(X)
    r = X.size / (2 * np.abs(X).sum())
    solve = _smoother(Phi, gamma, r)
    S, M = np.zeros_like(X), np.zeros_like(X)
    # Multipliers of X = L + S and of M = L, divided by the penalty r.
    Y, Z = np.zeros_like(X), np.zeros_like(X)
    objective: list[float] = []
    converged = False
    while not converged and len(objective) < max_iter:
        L, values = singular_value_threshold((X - S + Y + M + Z) / 2, 1 / (2 * r))
        L_split = RELAXATION * L + (1 - RELAXATION) * (X - S)
        L_copy = RELAXATION * L + (1 - RELAXATION) * M
        S_new = soft_threshold(X - L_split + Y, lam / r)
        M_new = solve(L_copy - Z)
        Y += X - L_split - S_new
        Z += M_new - L_copy
        dual = linalg.norm((S_new - S) - (M_new - M))
        S, M = S_new, M_new
        primal = np.hypot(linalg.norm(X - L - S), linalg.norm(M - L))
        smooth = gamma * np.sum(L * (Phi @ L))
        objective.append(float(values.sum() + lam * np.abs(X - L).sum() + smooth))
        scale = max(linalg.norm(Y), linalg.norm(Z))
        converged = primal <= tol * size and dual <= tol * scale
    return Decomposition(L, X - L, r * Y, objective, bool(converged))


def _smoother(
    Phi: sparse.csc_array, gamma: float, r: float
) -> Callable[[np.ndarray], np.ndarray]:
    r"""Product with :math:`(I + (2 \gamma / r) \Phi)^{-1}`."""
    system = sparse.eye_array(Phi.shape[0]) + 2 * gamma / r * Phi
    # Without pivoting, as the matrix is positive definite: the least fill-in.
    lu = splu(
        sparse.csc_array(system),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    return partial(_solve, lu)
