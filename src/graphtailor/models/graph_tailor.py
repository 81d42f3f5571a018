"""GraphTailor: the front door. It decides, and says what it decided and why."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import _fit_context, clone
from sklearn.callback import with_callbacks
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from graphtailor.columns.needed import blocks_of
from graphtailor.dask.cluster import is_dask
from graphtailor.decide.decision import Decision
from graphtailor.decide.memory import check_memory_of_graph_tailor
from graphtailor.decide.n_clusters import Level
from graphtailor.decide.sizes import REPRESENTATIVES
from graphtailor.graphs.base import Input
from graphtailor.graphs.constraints import Constraints
from graphtailor.graphs.ensemble.members import MemberKind
from graphtailor.linalg.scaling import SCALINGS
from graphtailor.linalg.types import COUNT, Matrix, MatrixLike, RandomState
from graphtailor.models import arguments
from graphtailor.models.base import Clusterer, warn_of_broken_links
from graphtailor.models.consensus import Consensus, Request, reach_consensus, settle
from graphtailor.models.layers import Tree
from graphtailor.models.progress import fit_progress
from graphtailor.representatives import lift
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.links import Memberships
from graphtailor.representatives.representatives import (
    Representatives,
    link_rows,
    sampled,
)
from graphtailor.representatives.rows import Rows

if TYPE_CHECKING:
    from graphtailor.columns.blocks import TableBlocks
    from graphtailor.dask.fit import Collection

METRICS = ("euclidean", "cosine", *arguments.PAIRWISE)
# Representatives, members, cut, model; members and cut may come twice.
_N_STAGES = 6


@dataclass(eq=False, repr=False)
class GraphTailor(Clusterer):
    """Clusters without labels, without tuning, of a table of any size.

    Rows are represented by their distinct values, or by weighted anchors where there
    are more than `representatives`. Many quick clusterings of these in many views are
    the members of an ensemble, fits of the paper's model among them. The cut that they
    keep apart best gives the clusters, and what they agree on is the graph that a last
    :class:`~graphtailor.JointModel` is fitted to. Every choice is in `decision_`.

    Parameters
    ----------
    n_clusters : int or "auto", default="auto"
        Number of clusters; "auto" chooses from 2 to 20.
    metric : {"euclidean", "cosine", "precomputed", "affinity"}, default="euclidean"
        How rows are compared. "cosine" compares their directions. "precomputed" takes
        distances and "affinity" a graph, of shape (n, n), in place of X.
    scaling : {"maxabs", "minmax", "standard"} or None, default="maxabs"
        Scaling of the features before anything else; None leaves them as they are.
    views : "auto" or sequence of str, default="auto"
        Scalings in which members look at the scaled rows; see
        :class:`~graphtailor.graphs.EnsembleGraph`. Use ``("as it is", "unit rows",
        "centred unit rows")`` where features carry weights of your own.
    members : "auto" or sequence of MemberKind, default="auto"
        Kinds of members; "auto" takes spectral ones, k-means, mixtures and joint
        models.
    representatives : int, default=4000
        Most representatives.
    random_state : int, RandomState or None, default=None
        The same seed gives the same result on any number of threads.
    n_jobs : int or None, default=None
        Threads.

    Attributes
    ----------
    labels_ : ndarray of shape (n,)
        Cluster of each row. Equal rows have equal labels.
    indicator_ : ndarray of shape (n, n_clusters_)
        How surely each row belongs to each cluster: the share of the members that put
        it together with the rows of that cluster, divided by the sum over clusters.
        Where classes or pairs are known, it is what was spread from these rows and the
        members over near neighbours.
    known_classes_ : ndarray of shape (n_clusters_,) or None
        The known class of each cluster, None for a cluster without one.
    n_clusters_ : int
        Number of clusters.
    decision_ : Decision
        What was chosen, from what, by which figure. It prints as sentences.
    model_ : JointModel
        The joint model on what the members agree on; its samples are the
        representatives.
    ensemble_ : EnsembleGraph
        The members.
    representatives_ : Representatives
        What stood for the rows.
    n_features_in_ : int
        Number of features; of a table with `blocks_`, those that they make.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, where X has string column names.
    blocks_ : TableBlocks or None
        How a table with categories, dates or gaps became features; None where X is an
        array, or a table of numbers without gaps.

    See Also
    --------
    graphtailor.JointModel : The paper's model, which decides nothing.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = load_wine(return_X_y=True)
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(X)
    >>> clustering_accuracy(y, model.labels_) > 0.94
    True
    >>> print(model.decision_)
    Clear clusters: rows lie closer together than in shuffled copies ...
    """

    n_clusters: int | str = "auto"
    _: KW_ONLY
    metric: str = "euclidean"
    scaling: str | None = "maxabs"
    views: str | Sequence[str] = "auto"
    members: str | Sequence[MemberKind] = "auto"
    representatives: int = REPRESENTATIVES
    random_state: RandomState = None
    n_jobs: int | None = None

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "n_clusters": [*COUNT, StrOptions({"auto"})],
        "metric": [StrOptions(set(METRICS))],
        "scaling": [StrOptions(set(SCALINGS) - {"length"}), None],
        "views": [str, list, tuple],
        "members": [StrOptions({"auto"}), list, tuple],
        "representatives": [Interval(Integral, 2, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    _graph_argument, _fitted_attribute = "metric='affinity'", "n_clusters_"

    @with_callbacks
    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: MatrixLike,
        y: object = None,
        *,
        known: ArrayLike | None = None,
        must_link: ArrayLike | None = None,
        cannot_link: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        blocks: np.ndarray | None = None,
    ) -> Self:
        """Find the clusters.

        Parameters
        ----------
        X : {array-like, sparse matrix, DataFrame} of shape (n, d)
            Rows; or distances or affinities of shape (n, n), as `metric` says. A pandas
            or polars table with categories, dates or gaps is prepared by
            :class:`~graphtailor.TableBlocks`, which takes the place of `scaling`. Of a
            Dask array or DataFrame the blocks stay with their workers: `labels_` and
            `indicator_` are then Dask arrays.
        y : None
            Ignored.
        known : array-like of shape (n,), default=None
            Class of each row whose class is known: any text or number. -1, None and
            NaN stand for rows whose class is not known. Each class becomes a cluster,
            which `known_classes_` names.
        must_link, cannot_link : array-like of shape (m, 2), default=None
            Pairs of rows, by their positions, that are in one cluster, and that are in
            different ones.
        sample_weight : array-like of shape (n,), default=None
            How often each row counts: a weight of 2 is the row twice. A row of weight 0
            gets a label and changes nothing else. Only the sizes of weights relative to
            each other matter where their mean is below 1. The columns of a table are
            scaled without weights.
        blocks : ndarray of shape (d,), default=None
            Number of the column that each feature stands for, such as the levels of a
            category. The verdict shuffles features of one column together; clusters do
            not depend on it. A table has those of its `blocks_`.

        Returns
        -------
        self : GraphTailor
            The fitted model.
        """
        self.blocks_ = None
        weights = arguments.checked_weights(sample_weight, X, self.metric)
        if is_dask(X):
            arguments.refuse_constraints(known, must_link, cannot_link)
            return self._fit_collection(X)
        if self.metric not in arguments.PAIRWISE:
            self.blocks_ = blocks_of(arguments.counted_rows(X, weights))
            if self.blocks_ is not None:
                blocks = self.blocks_.block_of_feature_
        X = self._checked(X, dtype=[np.float64, np.float32], ensure_min_samples=2)
        counted = arguments.counted_rows(X, weights)
        constraints = Constraints.of(known, must_link, cannot_link, X.shape[0])
        if constraints is not None and counted is not X:
            raise ValueError(
                "sample_weight has zeros beside known, must_link or cannot_link. "
                "Leave out the rows whose weight is 0."
            )
        arguments.check_number(self, counted.shape[0], constraints)
        check_memory_of_graph_tailor(counted, self.representatives)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        with fit_progress(self, _N_STAGES) as progress:
            progress.begin("representatives")
            heavy = None if weights is None else weights[weights > 0]
            rows = self._scaled(counted, seed, heavy)
            representatives, memberships = self._represented(rows, seed, heavy)
            arguments.warn_of_equal_rows(self.n_clusters, len(representatives))
            request = self._request(seed, blocks)
            if constraints is not None:
                room = len(representatives)
                constraints.check_room(room, exact=representatives.exact)
                request = replace(request, known=(constraints, memberships))
            found = reach_consensus(representatives, request, progress)
        if counted is not X and isinstance(representatives, Representatives):
            memberships = link_rows(rows.like(X), representatives.links, self.n_jobs)
        self._take(rows, representatives, found)
        self._label(memberships)
        arguments.warn_of_empty_clusters(len(np.unique(self.labels_)), self.n_clusters_)
        return self

    def _fit_collection(self, X: MatrixLike) -> Self:
        """The same on a Dask collection, whose blocks stay with their workers."""
        # Dask is optional.
        from graphtailor.dask.collection import rows_of
        from graphtailor.dask.fit import Collection, represent_collection

        if self.metric in arguments.PAIRWISE:
            raise ValueError(
                f"metric={self.metric!r} takes a matrix of pairs, and X is a Dask "
                "collection. Gather it with X.compute()."
            )
        collection = Collection.of(*rows_of(self, X, reset=True))
        arguments.check_number(self, collection.n_rows)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        with fit_progress(self, _N_STAGES) as progress:
            progress.begin("representatives")
            rows, representatives = represent_collection(
                collection,
                self.scaling,
                self.metric == "cosine",
                int(self.representatives),
                seed,
            )
            arguments.warn_of_equal_rows(self.n_clusters, len(representatives))
            found = reach_consensus(representatives, self._request(seed), progress)
        self._take(rows, representatives, found)
        self._label(collection)
        return self

    def _label(self, rows: Memberships | Collection | None) -> None:
        """Give the fitted rows their clusters; None where they are not known here."""
        self._fitted_rows = rows
        if isinstance(rows, Memberships):
            self.indicator_, broken = self._lifted(rows, self._shares, self._classes)
            self.decision_: Decision = replace(self.decision_, broken_links=len(broken))
            warn_of_broken_links(broken, self.n_clusters_)
            self.labels_: Any = self.indicator_.argmax(axis=1)
        elif rows is not None:
            self.labels_, self.indicator_ = rows.label(self.lifter())

    def _lifted(
        self, rows: Memberships, shares: np.ndarray, classes: np.ndarray | None
    ) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """Indicator of all rows, and the cannot-links that it breaks."""
        V, constraints = lift.normalized(rows.lift(shares)), self._constraints
        if constraints is None or classes is None:
            return V, []
        return constraints.enforce(V, classes)

    def _labels_at(self, n_clusters: int) -> Any:
        """Labels of the fitted rows with this many clusters."""
        rows, layers = self._fitted_rows, self._layers
        if rows is None:
            raise AttributeError(
                "A model of a Dask fit that was read from a file does not know its "
                "rows. Use model.at(n_clusters).predict(X)."
            )
        cut = layers.cut(n_clusters)
        shares = layers.shares(cut).astype(self._shares.dtype)
        if isinstance(rows, Memberships):
            return self._lifted(rows, shares, cut.classes)[0].argmax(axis=1)
        return rows.label(replace(self.lifter(), shares=shares))[0]

    def at(self, n_clusters: int) -> GraphTailor:
        """This model with another number of clusters, at the cost of a cut.

        The members and what they agree on stay as they are. The result is the same as
        that of a fit with this number, up to the largest number on the path and unless
        one of the two follows clusters with shapes.

        Parameters
        ----------
        n_clusters : int
            Number of clusters, from 1 to the number of representatives.

        Returns
        -------
        GraphTailor
            A fitted model; this one, if it has that number.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from graphtailor import GraphTailor
        >>> model = GraphTailor(random_state=0).fit(load_iris().data)
        >>> model.at(3).n_clusters_, len(model.cluster_layers_)
        (3, 19)
        """
        check_is_fitted(self)
        most = len(self.representatives_)
        if not isinstance(n_clusters, Integral) or not 1 <= n_clusters <= most:
            raise ValueError(
                f"n_clusters={n_clusters!r} must be a whole number from 1 to {most}, "
                "the number of representatives."
            )
        if n_clusters == self.n_clusters_:
            return self
        if self._constraints is not None:
            self._constraints.check_number(int(n_clusters))
        known = (self.representatives_, self._layers, self.decision_)
        found = settle(*known, int(n_clusters), self.n_jobs)
        model = clone(self).set_params(n_clusters=int(n_clusters))
        model._restore_features(
            self.n_features_in_, getattr(self, "feature_names_in_", None)
        )
        model.blocks_ = self.blocks_
        model._take(self._rows, self.representatives_, found)
        model._label(self._fitted_rows)
        return model

    def _request(self, seed: int, blocks: np.ndarray | None = None) -> Request:
        how = (self.views, self.members, seed, self.n_jobs, blocks)
        return Request(self.n_clusters, *how)

    def _take(
        self,
        rows: Rows,
        representatives: Representatives | GivenPairs,
        found: Consensus,
    ) -> None:
        """Set all fitted attributes but those of the rows."""
        self._rows, self._shares = rows.empty(), found.shares.astype(rows.dtype)
        self._layers, self._classes = found.layers, found.classes
        self.representatives_ = representatives
        self.decision_ = found.decision
        self.ensemble_ = found.layers.ensemble
        self.model_ = found.model
        self.n_clusters_ = found.decision.n_clusters

    @property
    def _constraints(self) -> Constraints | None:
        guidance = self._layers.guidance
        return None if guidance is None else guidance.constraints

    @property
    def known_classes_(self) -> np.ndarray | None:
        """The known class of each cluster, None where a cluster has none.

        ``model.known_classes_[model.labels_]`` gives rows the names of their classes.
        It is None where no class was known.
        """
        if self._constraints is None or self._classes is None:
            return None
        return self._constraints.names(self._classes, self.n_clusters_)

    def _scaled(self, X: Any, seed: int, weights: np.ndarray | None = None) -> Rows:
        """Rows with their scaling; distances and affinities as they are."""
        if self.metric in arguments.PAIRWISE:
            return Rows(X)
        rows = Rows(X, unit=self.metric == "cosine")
        numbers = sampled(X.shape[0], int(self.representatives), seed)
        return rows.scaled_by(self.feature_scaling, numbers, weights)

    @property
    def feature_scaling(self) -> str | None:
        """Scaling of the features; none where the blocks of a table are scaled."""
        is_left = self.blocks_ is None or self.blocks_.scale_ is None
        return self.scaling if is_left else None

    def with_blocks(self, blocks: TableBlocks) -> Self:
        """This model, fitted to features of these blocks, for tables from now on."""
        check_is_fitted(self)
        self.blocks_ = blocks
        return self

    def _checked(self, X: MatrixLike, **wanted: object) -> Matrix:
        if self.blocks_ is not None:
            X = self.blocks_.transform(X)
        return super()._checked(X, **wanted)

    def _represented(
        self, rows: Rows, seed: int, weights: np.ndarray | None
    ) -> tuple[Representatives | GivenPairs, Memberships]:
        if self.metric not in arguments.PAIRWISE:
            most = int(self.representatives)
            return Representatives.of(rows, most, seed, self.n_jobs, weights)
        given = GivenPairs.of(rows.X, self.metric, self.n_jobs)
        return given, given.memberships(rows.X)

    def predict_proba(self, X: MatrixLike) -> np.ndarray:
        """How surely rows belong to each cluster.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, d)
            As for :meth:`predict`. A warning counts rows that are far from all fitted
            ones, levels and gaps of a table that the fitted rows did not have, and
            texts in columns of numbers.

        Returns
        -------
        ndarray of shape (n_new, n_clusters_)
            As `indicator_`: shares of the members, of sum one in each row.
        """
        return self._indicator_of(X)

    def _indicator_of(self, X: MatrixLike) -> np.ndarray:
        check_is_fitted(self)
        if is_dask(X):
            from graphtailor.dask.collection import indicator_of_collection

            return indicator_of_collection(self, X, self.lifter())
        if self.blocks_ is not None:
            for note in self.blocks_.notes_on(X, usual_gaps=False):
                warnings.warn(note, UserWarning, stacklevel=2)
        placed = self.place(X)
        for note in lift.notes_on_distance(placed.distance):
            warnings.warn(note, UserWarning, stacklevel=2)
        return placed.indicator

    def place(self, X: Any, *, fitted: bool = False) -> lift.Placed:
        """Where rows lie: their indicator and how far they are from the fitted rows.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, d)
            As for :meth:`predict`. Nothing is said of odd rows.
        fitted : bool, default=False
            Whether these are the fitted rows in their order: then nothing is searched.

        Returns
        -------
        Placed
            `indicator`, and `distance`: the mean distance to the nearest
            representatives, which is below 1 for 19 of 20 of them; or None where the
            model was given distances or a graph.
        """
        check_is_fitted(self)
        X = self._checked(X, dtype=self._shares.dtype, reset=False)
        if fitted and isinstance(self._fitted_rows, Memberships):
            distance = self.lifter().distances(X, self._fitted_rows)
            return lift.Placed(self.indicator_, distance)
        return self.lifter().place(X)

    def lifter(self) -> lift.Lifter:
        """What gives any row its clusters: small, and independent of this model."""
        check_is_fitted(self)
        return lift.Lifter(self._rows, self.representatives_, self._shares, self.n_jobs)

    @property
    def suggested_n_clusters_(self) -> tuple[int, ...]:
        """At most three plausible numbers of clusters, the best first."""
        return self.decision_.suggestions or self._layers.path.suggestions

    @property
    def n_clusters_path_(self) -> tuple[Level, ...]:
        """Score, agreement and persistence of every number of clusters from 2 on."""
        return self.decision_.levels or self._layers.levels

    @property
    def cluster_layers_(self) -> list[Any]:
        """Labels of the fitted rows at every number on the path, the finest first."""
        numbers = [level.n_clusters for level in self.n_clusters_path_]
        return [self._labels_at(c) for c in reversed(numbers)]

    @property
    def cluster_tree_(self) -> Tree:
        """Children of every (layer, cluster); the root holds the coarsest clusters.

        A cluster is the child of the one in the next coarser layer that holds most of
        its rows.
        """
        return self._layers.tree

    @property
    def persistence_scores_(self) -> list[float]:
        """Persistence of every layer, the finest first.

        It is how much more often members put a row with its own cluster than with the
        next one, on average.
        """
        return [level.persistence for level in reversed(self.n_clusters_path_)]

    @property
    def cluster_persistence_(self) -> list[np.ndarray]:
        """Persistence of every cluster of every layer, the finest first."""
        return [cut.persistences for cut in reversed(self._layers.path.cuts)]

    @property
    def affinity_matrix_(self) -> sparse.csr_array:
        """The learned graph of the representatives, that of `model_`."""
        return self.model_.affinity_matrix_

    @property
    def nearest_representative_(self) -> np.ndarray:
        """Number of the representative that is nearest to each fitted row."""
        if not isinstance(self._fitted_rows, Memberships):
            raise AttributeError(
                "A model of a Dask fit does not hold its rows. Ask "
                "model.representatives_ for the memberships of a block of them."
            )
        return self._fitted_rows.nearest[:, 0]

    @property
    def objective_(self) -> np.ndarray:
        """The objective of `model_` at its start and after every iteration."""
        return self.model_.objective_

    @property
    def n_iter_(self) -> int:
        """Number of iterations of `model_`."""
        return self.model_.n_iter_

    @property
    def converged_(self) -> bool:
        """Whether `model_` converged."""
        return self.model_.converged_

    @property
    def _input(self) -> Input:
        return arguments.PAIRWISE.get(self.metric, "samples")

    @property
    def _n_features_out(self) -> int:
        return self.n_clusters_
