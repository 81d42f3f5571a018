"""GraphTailor: the joint model as a scikit-learn estimator."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from graphtailor.joint.columns import ColumnSweeper
from graphtailor.joint.prediction import fill_empty_rows, indicator_of_new
from graphtailor.joint.result import SolverResult
from graphtailor.joint.scaling import SCALINGS
from graphtailor.joint.solve import SOLVERS
from graphtailor.joint.space import SampleSpace, is_pairwise
from graphtailor.joint.starts import STARTS


class GraphTailor(ClusterMixin, CallbackSupportMixin, BaseEstimator):
    r"""Clusters and the graph they live on, learned together.

    The joint model of [1]_ minimises

    .. math::
        \alpha \|X - S^T X\|_F^2 + \|S - VV^T\|_F^2 + \beta \|S - W\|_F^2
        \quad\text{over}\quad V \ge 0,\; S \ge 0,\; \mathrm{diag}(S) = 0

    where W is a given graph of the samples, S the learned one (column j represents
    sample j by the others) and V the indicator of the clusters: the label of a
    sample is the position of the largest value in its row.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    alpha : float, default=100.0
        Weight of self-expression. Features and samples are scaled first, so that
        it means the same on every data set. Without effect where only a graph or
        distances are given.
    beta : float, default=100.0
        Weight of the given graph.
    solver : {"descent", "multiplicative"}, default="descent"
        Coordinate descent on a sparse support, or the study's Algorithm 1, which is
        dense, slow and kept as the reference: one random start, no support.
    graph : {"knn", "precomputed"} or graph builder, default="knn"
        The given graph: nearest neighbours, an affinity matrix in the place of X,
        or a builder such as ``NeighborGraph(weights="binary")``.
    n_neighbors : int or "auto", default="auto"
        Neighbours of a sample in the "knn" graph; "auto" is
        :math:`p = \lfloor \log_2 n + 1 \rfloor`.
    metric : str or callable, default="euclidean"
        Metric of the "knn" graph; "precomputed" takes distances in place of X.
    diffusion : int, default=0
        Steps of a lazy random walk that spread the given graph along its paths
        before the model sees it; 8 is a good number where clusters are long and thin.
    support : int or "full", default=3
        S may be nonzero between a sample and its ``support * p`` nearest ones, or
        anywhere.
    scaling : {"maxabs", "minmax", "standard"} or None, default="maxabs"
        Scaling of the features. "maxabs" keeps zeros and signs.
    init : {"mixed", "random", "spectral", "k-means"} or ndarray, default="mixed"
        Kind of the starts ("mixed" takes the three kinds in turn), or a start of
        your own: labels of shape (n,) or an indicator of shape (n, n_clusters).
    n_init : int, default=12
        Number of starts; the one with the lowest objective is kept.
    max_iter : int, default=500
        Most iterations of a start.
    tol : float, default=1e-5
        A descent has converged when an iteration lowers the objective by less than
        this times :math:`\|W\|_F^2`. For "multiplicative": when no entry of S and V
        moves by more.
    warm_start : bool, default=False
        Start from the solution of the last fit.
    random_state : int, RandomState or None, default=None
        Seed of the starts. The same seed gives the same result on any number of
        threads.
    n_jobs : int or None, default=-1
        Threads; -1 is all of them.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster of each sample. Equal samples have equal labels.
    indicator_ : ndarray of shape (n, n_clusters)
        V; the mean is taken over equal samples.
    affinity_matrix_ : csr_array of shape (n, n)
        The learned graph, :math:`(S + S^T)/2`.
    representation_ : csr_array of shape (n, n)
        The learned S.
    given_graph_ : csr_array of shape (n, n)
        W.
    objective_ : ndarray of shape (n_iter_ + 1,)
        Objective at the start and after every iteration of the best start.
    n_iter_ : int
        Number of its iterations.
    converged_ : bool
        Whether it converged.
    starts_ : list of Start
        Kind, objective and labels of every start.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has string column names.

    See Also
    --------
    graphtailor.graphs.NeighborGraph : The given graph, with all its options.
    sklearn.cluster.SpectralClustering : Cuts a graph that was built beforehand.

    Notes
    -----
    An iteration of the descent costs :math:`O(|E| (d + c) + n c^2)` time for a
    support of \|E\| pairs, and no n x n array is ever formed.

    References
    ----------
    .. [1] Y. Jia, H. Liu, J. Hou, S. Kwong, "Clustering-aware Graph Construction: A
       Joint Learning Perspective", IEEE Transactions on Signal and Information
       Processing over Networks, 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = load_wine(return_X_y=True)
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_) > 0.94
    True
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "beta": [Interval(Real, 0, None, closed="left")],
        "solver": [StrOptions(set(SOLVERS))],
        "graph": [
            StrOptions({"knn", "precomputed"}),
            HasMethods(["fit", "to_new", "get_params"]),
        ],
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "metric": [str, callable],
        "diffusion": [Interval(Integral, 0, None, closed="left")],
        "support": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"full"}),
        ],
        "scaling": [StrOptions(set(SCALINGS)), None],
        "init": [StrOptions(set(STARTS)), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        alpha: float = 100.0,
        beta: float = 100.0,
        solver: str = "descent",
        graph: Any = "knn",
        n_neighbors: int | str = "auto",
        metric: Any = "euclidean",
        diffusion: int = 0,
        support: int | str = 3,
        scaling: str | None = "maxabs",
        init: Any = "mixed",
        n_init: int = 12,
        max_iter: int = 500,
        tol: float = 1e-5,
        warm_start: bool = False,
        random_state: Any = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.beta = beta
        self.solver = solver
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.metric = metric
        self.diffusion = diffusion
        self.support = support
        self.scaling = scaling
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.random_state = random_state
        self.n_jobs = n_jobs

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the graph and the clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, d)
            Samples; or affinities or distances of shape (n, n) where `graph` or
            `metric` says "precomputed".
        y : None
            Ignored.

        Returns
        -------
        self : GraphTailor
            The fitted model.
        """
        X = validate_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
        )
        if X.shape[0] < self.n_clusters:
            raise ValueError(
                f"n_samples={X.shape[0]} should be >= n_clusters={self.n_clusters}. "
                "Give more samples or ask for fewer clusters."
            )
        space = self._space = self._make_space().fit(X)
        if space.known_rows.n_distinct < self.n_clusters:
            warnings.warn(
                f"Only {space.known_rows.n_distinct} samples are different from each "
                f"other: fewer than n_clusters={self.n_clusters} clusters are found.",
                ConvergenceWarning,
                stacklevel=2,
            )
        solve = SOLVERS[self.solver]
        result, self.starts_, nearby = solve(self, space, self._last_solution(space))
        return self._finish(result, fill_empty_rows(result.V, nearby, result.V))

    def predict(self, X: Any) -> np.ndarray:
        """Clusters of samples, new or fitted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, d)
            Samples; or their affinities or distances to the fitted ones, of shape
            (n_new, n).

        Returns
        -------
        ndarray of shape (n_new,)
            Labels. A row that equals a fitted sample gets that sample's label.
        """
        return self.predict_proba(X).argmax(axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Soft memberships of samples, new or fitted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, d)
            As for :meth:`predict`.

        Returns
        -------
        ndarray of shape (n_new, n_clusters)
            Indicator rows divided by their sums; the largest is at the label.
        """
        check_is_fitted(self)
        X = validate_data(
            self,
            X,
            accept_sparse="csr",
            dtype=self.indicator_.dtype,
            order="C",
            reset=False,
        )
        space = self._space
        samples = space.scale(X)
        group = space.known_rows.find(samples)
        rows = self._group_indicator[np.maximum(group, 0)]
        new = np.flatnonzero(group < 0)
        if len(new):
            rows[new] = self._indicator_of_new(samples[new])
        return rows / rows.sum(axis=1, keepdims=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = is_pairwise(self.graph, self.metric)
        # scikit-learn's checks read this of everything that has predict_proba.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    def _make_space(self) -> SampleSpace:
        return SampleSpace(
            graph=self.graph,
            n_neighbors=self.n_neighbors,
            metric=self.metric,
            diffusion=self.diffusion,
            support=self.support,
            scaling=self.scaling,
        )

    def _last_solution(self, space: SampleSpace) -> tuple[Any, np.ndarray] | None:
        """S and V to go on from, if that is wanted and there was a fit."""
        if not self.warm_start or not hasattr(self, "indicator_"):
            return None
        shape = (space.n_samples, self.n_clusters)
        if self.indicator_.shape != shape:
            raise ValueError(
                f"warm_start needs a last fit with {shape[0]} samples and {shape[1]} "
                f"clusters, but that was of shape {self.indicator_.shape}. Use "
                "warm_start=False."
            )
        return self.representation_, self.indicator_

    def _finish(self, result: SolverResult, V: np.ndarray) -> Self:
        known = self._space.known_rows
        self._group_indicator = known.mean_of_equal_rows(V)
        self.indicator_ = self._group_indicator[known.group]
        self.labels_ = self.indicator_.argmax(axis=1)
        self.representation_ = result.S
        self.affinity_matrix_ = sparse.csr_array((result.S + result.S.T) * 0.5)
        self.given_graph_ = self._space.given_graph
        self.objective_ = result.objective
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        if result.reason == "max_iter":
            warnings.warn(
                f"The descent did not converge in max_iter={self.max_iter} iterations: "
                f"it stood at {result.stopping_value:.1e} where tol={self.tol:g} was "
                "asked for. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        return self

    def _indicator_of_new(self, samples: Any) -> np.ndarray:
        space = self._space
        X = space.for_self_expression(space.samples)
        return indicator_of_new(
            ColumnSweeper(X, self.alpha, self.beta, self.n_jobs),
            space.for_self_expression(samples),
            space.builder.to_new(samples),
            space.nearest_pairs(samples),
            self.indicator_,
        )
