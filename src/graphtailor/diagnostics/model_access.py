"""The one place in diagnostics, plot and report that reads a model's attributes.

Everything else takes a :class:`FittedView` or plain arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from graphtailor.diagnostics.formatting import plain_value
from graphtailor.linalg.scaling import feature_scaler
from graphtailor.models.samples import is_named
from graphtailor.solvers.multistart import Start

Matrix: TypeAlias = np.ndarray | sparse.csr_array
Which = Literal["given", "learned"]


class FittedModel(Protocol):
    """A clusterer after its fit: GraphTailor, or one of the compared methods."""

    @property
    def labels_(self) -> np.ndarray:
        """Clusters of the rows."""
        ...


@dataclass(frozen=True)
class Anchors:
    """The anchors that stand for the rows of a large fit.

    Attributes
    ----------
    points : {ndarray, csr_array} of shape (m, d) or None
        Their features, before scaling.
    labels : ndarray of shape (m,)
        Their clusters.
    stability : float or None
        Adjusted Rand index with the clusters of twice as many anchors, if tried.
    """

    points: Matrix | None
    labels: np.ndarray
    stability: float | None


@dataclass(frozen=True)
class Members:
    """The quick clusterings that an ensemble graph was made of.

    Attributes
    ----------
    number : int
        How many there are.
    stability : ndarray of shape (n,)
        For each row: how much more often it shares a cluster with its own cluster
        than with any other one, from -1 to 1.
    """

    number: int
    stability: np.ndarray


@dataclass(frozen=True)
class FittedView:
    """What a fitted model holds, under names that do not depend on its class.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Clusters of the rows.
    name : str
        Name of the class.
    parameters : mapping of str to value
        Constructor parameters as JSON holds them.
    n_clusters : int or None
        The number of clusters asked for; None if the model chose it.
    n_features : int
        Columns of X.
    takes_pairs : bool
        Whether X holds affinities or distances instead of features.
    scales : bool
        Whether the model scales features itself, by `scaling`.
    scaling : str or None
        How it scales them.
    given, learned : {ndarray, csr_array} of shape (m, m) or None
        The graph that the model started from, and the one it learned.
    from_ensemble : bool
        Whether the given graph holds what many quick clusterings agree on.
    anchors : Anchors or None
        The vertices of the graphs, where these are not the rows.
    members : Members or None
        The clusterings behind the given graph; a model from a file has none.
    indicator : ndarray of shape (n, c) or None
        Memberships of the rows.
    embedding : ndarray of shape (n, k) or None
        Points that the method clustered.
    objective : ndarray of shape (k,)
        Objective over the iterations; some methods keep a single value.
    n_iter : int
        Iterations.
    converged : bool
        Whether the tolerance was reached.
    starts : tuple of Start
        Where each start led.
    settings : mapping of str to float or str
        Graph, alpha, beta and diffusion that were used; empty for other methods.
    tried : mapping of str to ndarray, or None
        Settings among which the model chose, and the agreement of each.
    n_clusters_path : mapping of str to sequence, or None
        Numbers of clusters that were tried, and the score of each.
    """

    labels: np.ndarray
    name: str = "model"
    parameters: Mapping[str, Any] = field(default_factory=dict)
    n_clusters: int | None = None
    n_features: int = 0
    takes_pairs: bool = False
    scales: bool = False
    scaling: str | None = None
    given: Matrix | None = None
    learned: Matrix | None = None
    from_ensemble: bool = False
    anchors: Anchors | None = None
    members: Members | None = None
    indicator: np.ndarray | None = None
    embedding: np.ndarray | None = None
    objective: np.ndarray = field(default_factory=lambda: np.empty(0))
    n_iter: int = 0
    converged: bool = True
    starts: tuple[Start, ...] = ()
    settings: Mapping[str, float | str] = field(default_factory=dict)
    tried: Mapping[str, np.ndarray] | None = None
    n_clusters_path: Mapping[str, Any] | None = None

    @property
    def vertex_labels(self) -> np.ndarray:
        """Clusters of the vertices of the graphs: of the rows, or of the anchors."""
        return self.labels if self.anchors is None else self.anchors.labels

    @property
    def noun(self) -> str:
        """What the vertices of the graphs are: "rows" or "anchors"."""
        return "rows" if self.anchors is None else "anchors"

    @property
    def n_tried(self) -> int:
        """How many settings the model chose from; 0 if it did not choose."""
        return 0 if self.tried is None else len(self.tried["alpha"])

    def graph(self, which: Which) -> Matrix | None:
        """The given or the learned graph."""
        if which not in ("given", "learned"):
            raise ValueError(f"which must be 'learned' or 'given', got {which!r}.")
        return self.given if which == "given" else self.learned

    def graphs(self) -> dict[Which, Matrix]:
        """The graphs that the model has, the given one first."""
        both: tuple[Which, ...] = ("given", "learned")
        found = {which: self.graph(which) for which in both}
        return {which: graph for which, graph in found.items() if graph is not None}


def view_of(model: FittedModel) -> FittedView:
    """Read a fitted model.

    Parameters
    ----------
    model : estimator
        GraphTailor or one of the compared methods, fitted.

    Returns
    -------
    FittedView
        Attributes that the model does not have are None or empty.
    """

    def of(name: str, default: Any = None) -> Any:
        return getattr(model, name, default)

    given = of("given_graph_")
    if given is None:
        given = getattr(of("graph_"), "affinity_", None)
    learned = of("affinity_matrix_")
    asked, parameters, tags = of("n_clusters"), of("get_params"), of("__sklearn_tags__")
    settings = ("graph", "alpha", "beta", "diffusion")
    return FittedView(
        labels=model.labels_,
        name=type(model).__name__,
        parameters=_plain(parameters(deep=False)) if parameters else {},
        n_clusters=None if asked is None or isinstance(asked, str) else int(asked),
        n_features=int(of("n_features_in_", 0)),
        takes_pairs=tags is not None and bool(tags().input_tags.pairwise),
        scales=hasattr(model, "scaling"),
        scaling=of("scaling"),
        given=given,
        # Some methods cut the graph that they were given, and learn none.
        learned=None if learned is given else learned,
        from_ensemble=is_named(of("graph_"), "ensemble"),
        anchors=_anchors(model),
        members=_members(of("ensemble_")),
        indicator=of("indicator_"),
        embedding=of("embedding_"),
        objective=np.atleast_1d(of("objective_", [])),
        n_iter=int(of("n_iter_", 0)),
        converged=bool(of("converged_", True)),
        starts=tuple(of("starts_", ())),
        settings=_plain({k: of(f"{k}_") for k in settings if hasattr(model, f"{k}_")}),
        tried=of("selection_"),
        n_clusters_path=of("n_clusters_path_"),
    )


def has_labels(model: object) -> bool:
    """Whether a model is fitted and its labels are in the memory of this process."""
    return isinstance(getattr(model, "labels_", None), np.ndarray)


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain_value(value) for name, value in values.items()}


def _anchors(model: FittedModel) -> Anchors | None:
    labels = getattr(model, "anchor_labels_", None)
    if labels is None:
        return None
    points = getattr(model, "anchors_", None)
    return Anchors(points, labels, getattr(model, "anchor_stability_", None))


def _members(ensemble: Any) -> Members | None:
    if ensemble is None:
        return None
    return Members(len(ensemble.members_), ensemble.stability_)


def scaled_features(
    view: FittedView, X: Any, scaling: str | None = "maxabs"
) -> Matrix | None:
    """Features on the scale on which the model compared them.

    Parameters
    ----------
    view : FittedView
        The fit; its own scaling is used if the model scales.
    X : {DataFrame, array-like, sparse array} of shape (n, d) or None
        Features before scaling.
    scaling : {"maxabs", "minmax", "standard"} or None, default="maxabs"
        Scaling for a model that does not scale by itself.

    Returns
    -------
    {ndarray, csr_array} of shape (n, d) or None
        None without features: if X is None, holds affinities or distances, or has
        missing values.
    """
    if X is None or view.takes_pairs:
        return None
    values = check_array(X, accept_sparse="csr", ensure_all_finite=False)
    numbers = values.data if sparse.issparse(values) else values
    if not np.isfinite(numbers).all():
        return None
    kind = view.scaling if view.scales else scaling
    scaler = feature_scaler(kind, sparse.issparse(values))
    return values if scaler is None else scaler.fit_transform(values)
