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

from graphtailor.dask.cluster import is_dask
from graphtailor.decide.memory import check_memory_for
from graphtailor.decide.n_clusters import choose_n_clusters
from graphtailor.decide.settings import BETA, first_alpha
from graphtailor.decide.shapes import choose_graph
from graphtailor.decide.tiers import TIERS, choose_tier, make_tier
from graphtailor.kernel_map import KERNELS
from graphtailor.linalg.scaling import SCALINGS
from graphtailor.models.samples import is_pairwise
from graphtailor.models.solve import SOLVERS
from graphtailor.solvers.base import SolverResult
from graphtailor.solvers.starts import STARTS


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
    n_clusters : int or "auto", default=8
        Number of clusters. "auto" takes it from the spectrum of the given graph, of at
        most 2,000 samples and up to 40 clusters: see `n_clusters_path_`.
    alpha : float or "auto", default="auto"
        Weight of self-expression. Features and samples are scaled first, so that
        it means the same on every data set. Without effect where only a graph or
        distances are given. "auto" tries 0, 100 and 1,000 on an ensemble's graph, and
        takes the one whose clusters agree most with its members. On a graph of
        neighbours it tries 0, 100, 1,000 and 10,000, each with diffusion 4 and 16
        unless that is given, and takes the setting whose clusters agree most with those
        of the others: see `selection_`. Nothing is tried for more than 5,000 samples
        (300 in the tier "full"), or where a start or a graph builder is given: "auto"
        is then 100, and 0 for anchors, whose rows represent each other.
    beta : float or "auto", default="auto"
        Weight of the given graph. "auto" is 100. From 10 on the learned graph depends
        on ``alpha / (1 + beta)`` alone, so that there is nothing to try.
    solver : {"descent", "multiplicative"}, default="descent"
        Coordinate descent on a sparse support, or the study's Algorithm 1, which is
        dense, slow and kept as the reference: one random start, no support.
    graph : {"auto", "knn", "ensemble", "precomputed"} or builder, default="auto"
        The given graph: nearest neighbours; how often many quick clusterings, fits of
        this model among them, put two samples together
        (:class:`~graphtailor.graphs.EnsembleGraph`); an affinity matrix in the
        place of X; or a builder such as ``NeighborGraph(weights="binary")``. In the
        tier "anchors" "ensemble" is made of clusterings of the anchors. "auto" is
        "ensemble" for up to 5,000 samples, and "knn" for more, where near neighbours
        already show clusters that are not compact (such as moons and rings, which most
        clusterings cut through), where X is sparse, and where `alpha`, `diffusion`,
        `n_neighbors`, `support`, `scaling`, `init`, `metric`, `kernel` or `tier` are
        not left as they are or `beta` is below 10.
    n_neighbors : int or "auto", default="auto"
        Neighbours of a sample in the "knn" graph; "auto" is
        :math:`p = \lfloor \log_2 n + 1 \rfloor`.
    metric : str or callable, default="euclidean"
        Metric of the "knn" graph; "precomputed" takes distances in place of X.
    kernel : str or callable, default="linear"
        "linear", "rbf", "poly", "cosine", "laplacian" or "precomputed". The model sees
        features whose inner products are this kernel, in the place of the scaled
        samples: neighbours are taken by the distance between them, which for "rbf"
        keeps the order of the samples' own. The map is exact up to 500 samples and uses
        500 of them as landmarks beyond. A callable takes two samples; with
        "precomputed" X is the kernel matrix. Not for anchors.
    gamma : float or "auto", default="auto"
        Coefficient of "rbf", "laplacian" and "poly". "auto" lets "rbf" and "laplacian"
        fall to 1/e at twice the mean distance between near neighbours, and brings the
        inner products of "poly" to the order of 1.
    degree, coef0 : float, default=3 and 1
        Of the kernel "poly", :math:`(\gamma \langle x, y\rangle + c_0)^{degree}`.
    diffusion : int or "auto", default="auto"
        Steps of a random walk that spread the given graph along its paths before the
        clusters are read off it; 8 is a good number where clusters are long and
        thin. "auto" is chosen with `alpha` where that is "auto", takes none on other
        graphs of samples and on that of an ensemble, and on one of anchors as many as
        its spectrum asks for.
    tier : {"auto", "full", "sparse", "anchors"}, default="auto"
        How many pairs the model looks at. "full": all of them. "sparse": those of
        near neighbours, see `support`. "anchors": a few thousand weighted anchors
        stand for all samples. "auto" takes "full" up to 16 samples, "sparse" up to
        200,000, and "anchors" above, where samples with the default graph are given.
    support : int or "auto", default="auto"
        In the tier "sparse" S may be nonzero between a sample and its ``support * p``
        nearest ones; "auto" is 3, and 1 above 20,000 samples or
        2 million numbers in X.
    anchors : int, "auto" or ndarray of shape (m, d), default="auto"
        Number of anchors, or anchors of your own; "auto" takes more until the
        clusters no longer depend on their number.
    scaling : {"maxabs", "minmax", "standard"} or None, default="maxabs"
        Scaling of the features. "maxabs" keeps zeros and signs.
    init : {"mixed", "random", "spectral", "k-means"} or ndarray, default="mixed"
        Kind of the starts ("mixed" takes the three kinds in turn), or a start of
        your own: labels of shape (n,) or an indicator of shape (n, n_clusters).
    n_init : int or "auto", default="auto"
        Number of starts; the one with the lowest objective is kept, in the tier
        "anchors" the one with the lowest normalised cut. "auto" is 36 up to 2,000
        samples, 12 if `beta` is below 10, which makes starts slower, and in the tier
        "anchors"; fewer on larger graphs, down to one above 12,000. At each of several
        settings it is 6, and fewer for more than 1,000 samples, down to 3. On the graph
        of an ensemble it is 2; starts are its best cuts, up to four, before others, and
        of anchors the best one alone.
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
    indicator_ : ndarray of shape (n, n_clusters_)
        V; the mean is taken over equal samples.
    n_clusters_ : int
        Number of clusters that were looked for.
    n_clusters_path_ : dict of str to ndarray
        Where that was chosen: "n_clusters", the numbers tried, with their "score", of
        which the highest was taken (data without clusters reach 0.2 to 0.7, clear
        clusters 0.9 and more), and the "eigenvalue" of the graph behind it.
    tier_ : {"full", "sparse", "anchors"}
        The tier that was taken. With "anchors" the graphs below, `starts_` and
        `objective_` are of the m anchors.
    graph_ : str or builder
        The graph that was given, in the place of "auto" "knn" or "ensemble".
    alpha_, beta_ : float
        The weights of self-expression and of the given graph that were used.
    diffusion_ : int
        In the tiers "full" and "sparse": the steps that were used.
    selection_ : dict of str to ndarray
        Where `alpha` was chosen: "alpha", "beta" and "diffusion" of the settings that
        were tried, and "agreement", the mean correlation of each one's clusters (as
        matrices of pairs) with those of all, or of an ensemble's members. The highest
        was taken.
    gamma_ : float or None
        Where a kernel other than "linear" is used: its gamma, if it has one.
    ensemble_ : EnsembleGraph
        Where `graph_` is "ensemble", but for anchors: its `members_`, their `cuts_`,
        and `stability_`, how surely each sample belongs to its cluster. Not part of a
        saved model.
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
    anchors_ : ndarray of shape (m, d)
        In the tier "anchors": the anchors, in the units of X.
    anchor_labels_ : ndarray of shape (m,)
        Their clusters.
    anchor_masses_ : ndarray of shape (m,)
        How many samples each one stands for.
    anchor_stability_ : float or None
        Adjusted Rand index between the clusters by these anchors and by twice as many;
        None if that was not tried.
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

    Missing values are refused. Fill those of numbers with scikit-learn's
    ``KNNImputer`` behind a ``MaxAbsScaler``, and make a feature of each category, with
    "missing" as one of them, by its ``OneHotEncoder``: ``benchmarks/missing.py``
    measures both against the median, which is worse.

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
        "n_clusters": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "alpha": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "beta": [Interval(Real, 0, None, closed="left"), StrOptions({"auto"})],
        "solver": [StrOptions(set(SOLVERS))],
        "graph": [
            StrOptions({"auto", "knn", "ensemble", "precomputed"}),
            HasMethods(["fit", "to_new", "get_params"]),
        ],
        "n_neighbors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "metric": [str, callable],
        "kernel": [StrOptions(set(KERNELS)), callable],
        "gamma": [Interval(Real, 0, None, closed="neither"), StrOptions({"auto"})],
        "degree": [Interval(Real, 1, None, closed="left")],
        "coef0": [Interval(Real, 0, None, closed="left")],
        "diffusion": [
            Interval(Integral, 0, None, closed="left"),
            StrOptions({"auto"}),
        ],
        "tier": [StrOptions({"auto", *TIERS})],
        "support": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "anchors": [
            Interval(Integral, 1, None, closed="left"),
            StrOptions({"auto"}),
            "array-like",
        ],
        "scaling": [StrOptions(set(SCALINGS)), None],
        "init": [StrOptions(set(STARTS)), "array-like"],
        "n_init": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
        "warm_start": ["boolean"],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        alpha: float | str = "auto",
        beta: float | str = "auto",
        solver: str = "descent",
        graph: Any = "auto",
        n_neighbors: int | str = "auto",
        metric: Any = "euclidean",
        kernel: Any = "linear",
        gamma: float | str = "auto",
        degree: float = 3,
        coef0: float = 1,
        diffusion: int | str = "auto",
        tier: str = "auto",
        support: int | str = "auto",
        anchors: Any = "auto",
        scaling: str | None = "maxabs",
        init: Any = "mixed",
        n_init: int | str = "auto",
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
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.diffusion = diffusion
        self.tier = tier
        self.support = support
        self.anchors = anchors
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
            `metric` says "precomputed". Of a Dask array or DataFrame the blocks stay
            with their workers: `labels_` and `indicator_` are then Dask arrays.
        y : None
            Ignored.

        Returns
        -------
        self : GraphTailor
            The fitted model.
        """
        for name in ("selection_", "ensemble_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        self.beta_ = BETA if isinstance(self.beta, str) else float(self.beta)
        if is_dask(X):
            from graphtailor.dask import fit_collection

            self._choose_n_clusters(None)
            return fit_collection(self, X)
        X = self._checked(X, dtype=[np.float64, np.float32])
        self._choose_n_clusters(X)
        if X.shape[0] < self.n_clusters_:
            raise ValueError(
                f"n_samples={X.shape[0]} should be >= n_clusters={self.n_clusters_}. "
                "Give more samples or ask for fewer clusters."
            )
        self.tier_ = choose_tier(self, X.shape[0])
        self.graph_ = choose_graph(self, X)
        check_memory_for(self, X)
        self.alpha_ = first_alpha(self)
        self._tier = make_tier(self).fit(self, X)
        self.labels_ = self.indicator_.argmax(axis=1)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Clusters of samples, new or fitted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, d)
            Samples; or their affinities or distances to the fitted ones, of shape
            (n_new, n). A Dask array or DataFrame gives a Dask array.

        Returns
        -------
        ndarray of shape (n_new,)
            Labels. A row that equals a fitted sample gets that sample's label.
        """
        return self._indicator_of(X).argmax(axis=1)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Soft memberships of samples, new or fitted.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, d)
            As for :meth:`predict`.

        Returns
        -------
        ndarray of shape (n_new, n_clusters_)
            Indicator rows divided by their sums; the largest is at the label.
        """
        rows = self._indicator_of(X)
        return rows / rows.sum(axis=1, keepdims=True)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = (
            is_pairwise(self.graph, self.metric) or self.kernel == "precomputed"
        )
        # scikit-learn's checks read this of everything that has predict_proba.
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags

    def _indicator_of(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        if is_dask(X):
            from graphtailor.dask import indicator_of_collection

            return indicator_of_collection(self, X)
        X = self._checked(X, dtype=self._tier.indicator.dtype, reset=False)
        return self._tier.indicator_of(X)

    def _checked(self, X: Any, **wanted: Any) -> Any:
        # scikit-learn adds entries up to see whether all are finite; the sum of very
        # large ones is not, which it then looks into.
        with np.errstate(over="ignore", invalid="ignore"):
            return validate_data(self, X, accept_sparse="csr", order="C", **wanted)

    def _html_repr(self) -> str:
        # Imported late: the pictures are for notebooks alone.
        from graphtailor.report.notebook import model_html

        return model_html(self)

    def _choose_n_clusters(self, X: Any) -> None:
        """Set `n_clusters_`; X is None where the rows are not at hand."""
        if not isinstance(self.n_clusters, str):
            self.n_clusters_ = int(self.n_clusters)
        elif X is None or not isinstance(self.init, str):
            what = "X is a Dask collection" if X is None else "init is an array"
            raise ValueError(
                f"n_clusters='auto' does not go where {what}. Give a number; that of "
                "a fit to a sample of the rows is its n_clusters_."
            )
        elif not self.warm_start or not hasattr(self, "indicator_"):
            self.n_clusters_, self.n_clusters_path_ = choose_n_clusters(self, X)

    def _take_result(self, result: SolverResult) -> None:
        self.representation_ = result.S
        self.affinity_matrix_ = sparse.csr_array((result.S + result.S.T) * 0.5)
        self.objective_ = result.objective
        self.n_iter_ = result.n_iter
        self.converged_ = result.converged
        if result.reason == "max_iter":
            warnings.warn(
                f"The descent did not converge in max_iter={self.max_iter} iterations: "
                f"it stood at {result.stopping_value:.1e} where tol={self.tol:g} was "
                "asked for. Raise max_iter or tol.",
                ConvergenceWarning,
                stacklevel=5,
            )
