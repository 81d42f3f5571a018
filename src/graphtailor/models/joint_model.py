"""JointModel: the paper's model of one graph, and nothing else."""

import warnings
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.callback import with_callbacks
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from graphtailor.dask.cluster import is_dask
from graphtailor.decide.memory import check_memory_of_joint_model
from graphtailor.graphs.aliases import GRAPHS, graph_builder
from graphtailor.graphs.base import GraphBuilder, Input
from graphtailor.graphs.constraints import Constraints
from graphtailor.linalg.scaling import SCALINGS
from graphtailor.linalg.types import AT_LEAST_0, COUNT, Matrix, MatrixLike, RandomState
from graphtailor.models.base import Clusterer, warn_of_broken_links
from graphtailor.models.prediction import fill_empty_rows, indicator_of_new
from graphtailor.models.progress import FitProgress, fit_progress
from graphtailor.models.samples import Samples
from graphtailor.solvers import Descent, Multiplicative, Solver
from graphtailor.solvers.base import JointProblem, Search, SolverResult, Start
from graphtailor.solvers.s_step import ColumnSweeper
from graphtailor.solvers.starts import STARTS

SOLVERS: dict[str, type[Solver]] = {
    "descent": Descent,
    "multiplicative": Multiplicative,
}


@dataclass(eq=False, repr=False)
class JointModel(Clusterer):
    r"""The paper's model: clusters and the graph they live on, learned together.

    It minimises

    .. math::
        \alpha \|X - S^T X\|_F^2 + \|S - VV^T\|_F^2 + \beta \|S - W\|_F^2
        \quad\text{over}\quad V \ge 0,\; S \ge 0,\; \mathrm{diag}(S) = 0

    where W is a given graph of the samples, S the learned one (column j represents
    sample j by the others) and V the indicator of the clusters: the label of a
    sample is the position of the largest value in its row [1]_. It decides nothing;
    :class:`~graphtailor.GraphTailor` does.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters.
    alpha, beta : float, default=100.0
        Weights of self-expression and of the given graph.
    graph : {"knn", "precomputed"} or GraphBuilder, default="knn"
        The given graph. "knn" is ``NeighborGraph()``, "precomputed" is
        ``PrecomputedGraph()``, for which X is an affinity matrix.
    scaling : {"maxabs", "minmax", "standard", "length"} or None, default="maxabs"
        Scaling of the features ("length": none), after which all rows are divided by
        their root mean square length, so that `alpha` means the same on every data
        set. None leaves X exactly as given: `alpha` is then the alpha of the paper.
    solver : {"descent", "multiplicative"} or Solver, default="descent"
        "descent" is ``Descent()``; "multiplicative" is ``Multiplicative()``, the
        paper's Algorithm 1.
    init : {"mixed", "random", "spectral", "k-means"} or ndarray, default="mixed"
        Kind of the starts ("mixed" takes the three kinds in turn), or a start of
        your own: labels of shape (n,) or an indicator of shape (n, n_clusters).
    n_init : int, default=12
        Number of starts; the one with the lowest objective is kept.
    max_iter : int or None, default=None
        Most iterations of a start; None takes the solver's own limit.
    tol : float or None, default=None
        When a start has converged; None takes the solver's own tolerance.
    random_state : int, RandomState or None, default=None
        Seed of the starts. The same seed gives the same result on any number of
        threads.
    n_jobs : int or None, default=None
        Threads.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster of each sample. Equal samples have equal labels.
    indicator_ : ndarray of shape (n, n_clusters)
        V; the mean is taken over equal samples.
    known_classes_ : ndarray of shape (n_clusters,) or None
        The known class of each cluster, None for a cluster without one.
    representation_, affinity_matrix_ : csr_array of shape (n, n)
        The learned S, and the learned graph :math:`(S + S^T)/2`.
    graph_ : GraphBuilder
        The fitted builder; ``graph_.affinity_`` is W.
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

    References
    ----------
    .. [1] Y. Jia, H. Liu, J. Hou, S. Kwong, "Clustering-aware Graph Construction: A
       Joint Learning Perspective", IEEE Transactions on Signal and Information
       Processing over Networks, 2020.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor import JointModel
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = load_wine(return_X_y=True)
    >>> model = JointModel(n_clusters=3, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_) > 0.9
    True
    >>> bool((model.predict(X) == model.labels_).all())
    True
    """

    n_clusters: int = 8
    _: KW_ONLY
    alpha: float = 100.0
    beta: float = 100.0
    graph: str | GraphBuilder = "knn"
    scaling: str | None = "maxabs"
    solver: str | Solver = "descent"
    init: Any = "mixed"
    n_init: int = 12
    max_iter: int | None = None
    tol: float | None = None
    random_state: RandomState = None
    n_jobs: int | None = None

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "n_clusters": COUNT,
        "alpha": AT_LEAST_0,
        "beta": AT_LEAST_0,
        "graph": [StrOptions(set(GRAPHS)), GraphBuilder],
        "scaling": [StrOptions(set(SCALINGS)), None],
        "solver": [StrOptions(set(SOLVERS)), Solver],
        "init": [StrOptions(set(STARTS)), "array-like"],
        "n_init": COUNT,
        "max_iter": [*COUNT, None],
        "tol": [*AT_LEAST_0, None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    _graph_argument, _fitted_attribute = "graph='precomputed'", "starts_"

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=False)
    def fit(
        self,
        X: MatrixLike,
        y: object = None,
        *,
        known: ArrayLike | None = None,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
    ) -> Self:
        """Learn the graph and the clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, d)
            Samples; or affinities or distances of shape (n, n) where the graph builder
            takes those.
        y : None
            Ignored.
        known : array-like of shape (n,), default=None
            Class of each sample whose class is known; -1, None and NaN stand for those
            whose class is not. A known row of V is zero but for its class.
        must_link, cannot_link : array-like of shape (m, 2), default=None
            Pairs of samples, by their positions, that are in one cluster, and that are
            in different ones. Must-linked samples share one row of V; the objective
            has a term for each cannot-link, four times the product of its two rows.

        Returns
        -------
        self : JointModel
            The fitted model.
        """
        builder = graph_builder(self.graph)
        X = self._checked(X, dtype=[np.float64, np.float32])
        self._check_enough(X.shape[0], self.n_clusters)
        constraints = Constraints.of(known, must_link, cannot_link, X.shape[0])
        if constraints is not None:
            constraints.check_number(self.n_clusters)
        check_memory_of_joint_model(X, builder, self._solver, self.n_clusters)
        if "n_jobs" in builder.get_params(deep=False) and isinstance(self.graph, str):
            builder.set_params(n_jobs=self.n_jobs)
        samples = Samples.of(X, self.scaling, builder.input)
        if constraints is not None:
            constraints = constraints.with_equal_rows(samples.equal.group)
        return self._fit_graph(samples, builder.fit(samples.rows), constraints)

    def _fit_graph(
        self,
        samples: Samples,
        builder: GraphBuilder,
        constraints: Constraints | None = None,
    ) -> Self:
        """Fit to samples whose graph is known."""
        self._constraints = constraints
        problem = JointProblem(
            samples.for_self_expression(samples.rows),
            builder.affinity_.astype(samples.rows.dtype),
            float(self.alpha),
            float(self.beta),
            self.n_clusters,
            lambda times: _near(builder, times),
            constraints,
        )
        with fit_progress(self, 2) as progress:
            search = self._search(progress)
            progress.begin("starts", self.n_init)
            result, starts = self._solver.solve(problem, search)
        self._take(samples, builder, problem, result, starts)
        if result.reason == "max_iter":
            message = self._solver.not_converged(result, search)
            warnings.warn(message, ConvergenceWarning, stacklevel=4)
        return self

    def _take(
        self,
        samples: Samples,
        builder: GraphBuilder,
        problem: JointProblem,
        result: SolverResult,
        starts: list[Start],
    ) -> None:
        """Keep a solution; equal samples share their mean indicator."""
        near = problem.near(1)
        near = problem.W if near is None else near
        V = fill_empty_rows(result.V, near, result.V)
        of_distinct = samples.equal.mean_of_equal_rows(V)
        self._set_fitted(samples, builder, of_distinct, result, starts)
        _warn_of_missing_clusters(of_distinct, self.n_clusters)

    def _set_fitted(
        self,
        samples: Samples,
        builder: GraphBuilder,
        of_distinct: np.ndarray,
        result: SolverResult,
        starts: list[Start],
    ) -> None:
        """Set all fitted attributes, of a fit or from a file."""
        self._samples, self._indicator = samples, of_distinct
        self.graph_ = builder
        self.indicator_ = of_distinct[samples.equal.group]
        if self._constraints is not None:
            # Known classes are the first columns.
            first = np.arange(self._constraints.n_classes)
            found, broken = self._constraints.enforce(self.indicator_, first)
            warn_of_broken_links(broken, self.n_clusters)
            self.indicator_ = found
            self._indicator = samples.equal.mean_of_equal_rows(self.indicator_)
        self.labels_ = self.indicator_.argmax(axis=1)
        self.representation_ = result.S
        self.affinity_matrix_ = sparse.csr_array((result.S + result.S.T) * 0.5)
        self.objective_ = result.objective
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        self.starts_ = starts

    @property
    def known_classes_(self) -> np.ndarray | None:
        """The known class of each cluster; None where no class was known."""
        known = self._constraints
        if known is None:
            return None
        return known.names(np.arange(known.n_classes), self.n_clusters)

    @property
    def _solver(self) -> Solver:
        if isinstance(self.solver, str):
            return SOLVERS[self.solver]()
        return self.solver

    def _search(self, progress: FitProgress) -> Search:
        solver = self._solver
        max_iter = solver.max_iter if self.max_iter is None else self.max_iter

        def after_iteration(iteration: int) -> bool:
            if progress.stage != "descent":
                progress.begin("descent", max_iter)
            return progress.step("iteration")

        return Search(
            init=self.init,
            n_init=self.n_init,
            max_iter=max_iter,
            tol=solver.tol if self.tol is None else self.tol,
            random_state=check_random_state(self.random_state),
            n_jobs=self.n_jobs,
            after_start=lambda: progress.step("start"),
            monitor=after_iteration,
        )

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
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
        rows = self._indicator_of(X)
        return rows / rows.sum(axis=1, keepdims=True)

    def set_params(self, **params: object) -> Self:
        """Set parameters; ``graph__n_neighbors`` reaches the object behind an alias."""
        for name, objects in (("graph", GRAPHS), ("solver", SOLVERS)):
            value = params.get(name, getattr(self, name))
            nested = any(key.startswith(f"{name}__") for key in params)
            if nested and isinstance(value, str) and value in objects:
                params[name] = objects[value]()
        return super().set_params(**params)

    @property
    def _input(self) -> Input:
        known = isinstance(self.graph, GraphBuilder) or self.graph in GRAPHS
        return graph_builder(self.graph).input if known else "samples"

    @property
    def _n_features_out(self) -> int:
        return self.indicator_.shape[1]

    def _indicator_of(self, X: MatrixLike) -> np.ndarray:
        check_is_fitted(self)
        samples = self._samples
        X = self._checked(X, dtype=self._indicator.dtype, reset=False)
        rows = samples.scale(X)
        group = samples.equal.find(rows)
        indicator = self._indicator[np.maximum(group, 0)]
        new = np.flatnonzero(group < 0)
        if len(new):
            indicator[new] = self._indicator_of_new(rows[new])
        return indicator

    def _indicator_of_new(self, rows: Matrix) -> np.ndarray:
        samples = self._samples
        X = samples.for_self_expression(samples.rows)
        return indicator_of_new(
            ColumnSweeper(X, float(self.alpha), float(self.beta), self.n_jobs),
            samples.for_self_expression(rows),
            self.graph_.to_new(rows),
            _near(self.graph_, self._solver.reach, rows),
            self._indicator[samples.equal.group],
        )

    def _checked(self, X: MatrixLike, **wanted: object) -> Matrix:
        if is_dask(X):
            raise ValueError(
                "X is a Dask collection, which JointModel does not take. Use "
                "GraphTailor, or gather the rows with X.compute()."
            )
        return super()._checked(X, **wanted)


def _near(
    builder: GraphBuilder, times: int | None, rows: Matrix | None = None
) -> sparse.csr_array | None:
    """Ones between samples and their ``times * p`` nearest fitted ones, or all."""
    n = builder.affinity_.shape[0]
    width = n if times is None else times * builder.n_neighbors_
    edges = builder.nearest(width, rows)
    if edges is None:
        return None
    shape = (n if rows is None else rows.shape[0], n)
    places = (edges.rows, edges.cols)
    return sparse.csr_array((np.ones(len(edges.rows)), places), shape=shape)


def _warn_of_missing_clusters(of_distinct: np.ndarray, n_clusters: int) -> None:
    n_distinct, n_found = len(of_distinct), len(np.unique(of_distinct.argmax(axis=1)))
    if n_distinct < n_clusters:
        message = (
            f"Only {n_distinct} samples are different from each other: fewer than "
            f"n_clusters={n_clusters} clusters are found."
        )
    elif n_found < n_clusters:
        message = (
            f"Only {n_found} of n_clusters={n_clusters} clusters hold a sample. Ask "
            "for fewer clusters, or give a graph with more neighbours."
        )
    else:
        return
    warnings.warn(message, ConvergenceWarning, stacklevel=5)
