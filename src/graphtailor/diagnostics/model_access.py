"""The one place in diagnostics, plot and report that reads a model's attributes.

Everything else takes a :class:`FittedView` or plain arrays.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Literal, Protocol

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from graphtailor.columns.blocks import TableBlocks
from graphtailor.decide.decision import Decision
from graphtailor.decide.verdict import Verdict
from graphtailor.diagnostics.formatting import plain_value
from graphtailor.diagnostics.levels import Levels
from graphtailor.graphs import EnsembleGraph
from graphtailor.linalg.scaling import feature_scaler
from graphtailor.linalg.sparse import checked_matrix
from graphtailor.linalg.types import Matrix, MatrixLike
from graphtailor.models import GraphTailor, JointModel
from graphtailor.representatives import Representatives
from graphtailor.representatives.lift import Lifter, normalized
from graphtailor.representatives.links import Memberships
from graphtailor.solvers.base import Start

Which = Literal["given", "learned"]


class FittedModel(Protocol):
    """A clusterer after its fit: one of our two models or of the compared methods."""

    @property
    def labels_(self) -> np.ndarray:
        """Clusters of the rows."""
        ...


@dataclass(frozen=True)
class Vertices:
    """Representatives as the vertices of the graphs, in the place of the rows."""

    # Points in the scaling of the model, and how many rows each stands for.
    representatives: Representatives
    # Scales rows as the model did, and knows the memberships of the representatives.
    lifter: Lifter
    noun: str  # "rows", "distinct rows", "anchors": what the representatives are
    # How the fitted rows belong to them; None if that is not known here.
    links: Memberships | None = None

    @property
    def labels(self) -> np.ndarray:
        """Clusters of the vertices."""
        return self.lifter.shares.argmax(axis=1)


@dataclass(frozen=True)
class OtherLayers:
    """The same rows in other numbers of clusters."""

    # (n,): clusters of the rows for each number.
    labels: Mapping[int, np.ndarray] = field(default_factory=dict)
    # (m, c): how strongly the vertices belong to these clusters.
    shares: Mapping[int, np.ndarray] = field(default_factory=dict)
    # Numbers of clusters that the model suggests, the best first.
    suggested: tuple[int, ...] = ()
    # The score of every number of clusters that was compared.
    scores: tuple[tuple[int, float], ...] = ()


@dataclass(frozen=True)
class FittedView:
    """What a fitted model holds, under names that do not depend on its class."""

    labels: np.ndarray  # (n,): clusters of the rows
    name: str = "model"  # of the class
    # Constructor parameters as JSON holds them.
    parameters: Mapping[str, Any] = field(default_factory=dict)
    # The number of clusters asked for; None if the model chose it.
    n_clusters: int | None = None
    n_features: int = 0  # columns of X
    # Whether X holds affinities or distances instead of features.
    takes_pairs: bool = False
    scales: bool = False  # whether the model scales features itself, by `scaling`
    scaling: str | None = None  # how it scales them
    # given and learned, (m, m): the graph that the model started from, and the one it
    # learned.
    given: Matrix | None = None
    learned: Matrix | None = None
    # Whether the given graph holds what many quick clusterings agree on.
    from_ensemble: bool = False
    # The vertices of the graphs, where these are not the rows in their order.
    vertices: Vertices | None = None
    indicator: np.ndarray | None = None  # (n, c): memberships of the rows
    embedding: np.ndarray | None = None  # (n, k): points that the method clustered
    # (k,): objective over the iterations; some methods keep a single value.
    objective: np.ndarray = field(default_factory=lambda: np.empty(0))
    n_iter: int = 0
    converged: bool = True  # whether the tolerance was reached
    starts: tuple[Start, ...] = ()  # where each start led
    # Constructor parameters of the joint model that GraphTailor ends with.
    last_parameters: Mapping[str, Any] = field(default_factory=dict)
    # What GraphTailor decided; None for models that decide nothing.
    decision: Decision | None = None
    # (c,): the known class that each cluster was made of, None for a cluster of none.
    classes: np.ndarray | None = None
    # How the model makes features of a table; None if X holds features.
    blocks: TableBlocks | None = None
    # Gives the clusters for other numbers of clusters, which takes a while.
    find_layers: Callable[[], OtherLayers] = OtherLayers

    @cached_property
    def layers(self) -> OtherLayers:
        """The rows in other numbers of clusters."""
        return self.find_layers()

    @property
    def verdict(self) -> Verdict | None:
        """Whether there are clusters beyond chance; None if that was not tested."""
        return None if self.decision is None else self.decision.verdict

    @property
    def levels(self) -> Levels:
        """The rows in few clusters or in many."""
        taken = len(np.unique(self.labels))
        if self.decision is not None:
            taken = self.decision.n_clusters
        layers = self.layers
        return Levels.of(self.labels, taken, layers.labels, layers.suggested)

    def layer_indicator(self, number: int, rows: np.ndarray) -> np.ndarray | None:
        """Memberships of some rows at another number of clusters, if known."""
        links = None if self.vertices is None else self.vertices.links
        if links is None or number not in self.layers.shares:
            return None
        mine = Memberships(links.nearest[rows], links.shares[rows])
        return mine.lift(self.layers.shares[number])

    @property
    def vertex_labels(self) -> np.ndarray:
        """Clusters of the vertices of the graphs."""
        return self.labels if self.vertices is None else self.vertices.labels

    @property
    def noun(self) -> str:
        """What the vertices of the graphs are: "rows", "distinct rows" or "anchors"."""
        return "rows" if self.vertices is None else self.vertices.noun

    def graphs(self) -> dict[Which, Matrix]:
        """The graphs that the model has, the given one first."""
        both: dict[Which, Matrix | None] = {
            "given": self.given,
            "learned": self.learned,
        }
        return {which: graph for which, graph in both.items() if graph is not None}


def view_of(model: FittedModel) -> FittedView:
    """Read a fitted model; what its class does not have is None or empty."""
    if isinstance(model, GraphTailor):
        return _view_of_graph_tailor(model)
    if isinstance(model, JointModel):
        return _view_of_joint_model(model)
    return _view_of_method(model)


def has_labels(model: object) -> bool:
    """Whether a model is fitted and its labels are in the memory of this process."""
    return isinstance(vars(model).get("labels_"), np.ndarray)


def _view_of_graph_tailor(model: GraphTailor) -> FittedView:
    found, vertices, last = model.representatives_, None, model.model_
    if isinstance(found, Representatives):
        given = model.ensemble_.affinity_
        links = model._fitted_rows
        known = links if isinstance(links, Memberships) else None
        vertices = Vertices(found, model.lifter(), _noun(model.decision_), known)
    else:
        # Every row is a vertex, and the user has given a graph or distances.
        given = found.builder.affinity_
    return FittedView(
        **_of_estimator(model),
        scales=True,
        scaling=model.feature_scaling,
        given=given,
        learned=last.affinity_matrix_,
        from_ensemble=vertices is not None,
        vertices=vertices,
        indicator=model.indicator_,
        objective=last.objective_,
        n_iter=last.n_iter_,
        converged=last.converged_,
        starts=tuple(last.starts_),
        last_parameters=_plain_parameters(last),
        decision=model.decision_,
        classes=model.known_classes_,
        blocks=model.blocks_,
        find_layers=partial(_layers_of, model),
    )


def _layers_of(model: GraphTailor) -> OtherLayers:
    rows = model._fitted_rows
    if not isinstance(rows, Memberships):
        return OtherLayers()
    found, path = model._layers, model.n_clusters_path_
    numbers = [level.n_clusters for level in path]
    dtype = model.lifter().shares.dtype
    shares = [found.shares(cut).astype(dtype) for cut in found.path.cuts]
    labels = [normalized(rows.lift(each)).argmax(axis=1) for each in shares]
    return OtherLayers(
        dict(zip(numbers, labels, strict=True)),
        dict(zip(numbers, shares, strict=True)),
        model.suggested_n_clusters_,
        tuple((level.n_clusters, level.score) for level in path),
    )


def _view_of_joint_model(model: JointModel) -> FittedView:
    return FittedView(
        **_of_estimator(model),
        scales=True,
        scaling=model.scaling,
        classes=model.known_classes_,
        given=model.graph_.affinity_,
        learned=model.affinity_matrix_,
        from_ensemble=isinstance(model.graph_, EnsembleGraph),
        indicator=model.indicator_,
        objective=model.objective_,
        n_iter=model.n_iter_,
        converged=model.converged_,
        starts=tuple(model.starts_),
    )


def _view_of_method(model: FittedModel) -> FittedView:
    """A compared method; each has some of these attributes."""
    fitted = vars(model)
    builder, learned = fitted.get("graph_"), fitted.get("affinity_matrix_")
    given = None if builder is None else builder.affinity_
    return FittedView(
        **_of_estimator(model),
        given=given,
        # Some methods cut the graph that they were given, and learn none.
        learned=None if learned is given else learned,
        indicator=fitted.get("indicator_"),
        embedding=fitted.get("embedding_"),
        objective=np.atleast_1d(fitted.get("objective_", [])),
        n_iter=int(fitted.get("n_iter_", 0)),
        converged=bool(fitted.get("converged_", True)),
    )


def _of_estimator(model: FittedModel) -> dict[str, Any]:
    """What all estimators have."""
    found: dict[str, Any] = {"labels": model.labels_, "name": type(model).__name__}
    if not isinstance(model, BaseEstimator):
        return found
    asked = model.get_params(deep=False).get("n_clusters")
    return {
        **found,
        "parameters": _plain_parameters(model),
        "n_clusters": None if asked is None or isinstance(asked, str) else int(asked),
        "n_features": int(vars(model).get("n_features_in_", 0)),
        "takes_pairs": bool(model.__sklearn_tags__().input_tags.pairwise),
    }


def _plain_parameters(model: BaseEstimator) -> dict[str, Any]:
    return {k: plain_value(v) for k, v in model.get_params(deep=False).items()}


def _noun(decision: Decision) -> str:
    if not decision.every_row:
        return "anchors"
    all_differ = decision.n_representatives == decision.n_rows
    return "rows" if all_differ else "distinct rows"


def scaled_features(
    view: FittedView, X: MatrixLike, scaling: str | None = "maxabs"
) -> Matrix | None:
    """Features on the scale on which the model compared them.

    `scaling` is for a model that does not scale by itself. None without features:
    if X is None, holds affinities or distances, or has missing values.
    """
    if X is None or view.takes_pairs:
        return None
    if view.blocks is not None:
        X = view.blocks.transform(X)
    values = checked_matrix(X, ensure_all_finite=False)
    numbers = values.data if sparse.issparse(values) else values
    if not np.isfinite(numbers).all():
        return None
    if view.vertices is not None:
        return view.vertices.lifter.scaling.like(values).take(slice(None))
    kind = view.scaling if view.scales else scaling
    scaler = feature_scaler(kind, sparse.issparse(values))
    return values if scaler is None else scaler.fit_transform(values)
