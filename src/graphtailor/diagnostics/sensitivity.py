"""Whether the clusters stay when the weights or the neighbours change, by refits."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

from graphtailor.dask.cluster import is_dask
from graphtailor.diagnostics.formatting import readable_number
from graphtailor.diagnostics.model_access import (
    FittedModel,
    Matrix,
    scaled_features,
    view_of,
)
from graphtailor.diagnostics.stability import SAME
from graphtailor.graphs import EnsembleGraph, NeighborGraph, graph_builder
from graphtailor.linalg.sparse import checked_matrix
from graphtailor.linalg.types import MatrixLike
from graphtailor.models import GraphTailor, JointModel
from graphtailor.neighbors import default_n_neighbors
from graphtailor.representatives.rows import sample_rows
from graphtailor.solvers import Multiplicative

# Rows of a refit, so that eleven of them take a few seconds: usually, and where S is
# full.
_MOST_ROWS, _MOST_ROWS_OF_FULL = 2_000, 300
# One start of each kind, and a tolerance at which labels hardly change any more.
_N_INIT, _TOL = 3, 1e-4
# Neighbours of a weight that is zero: a tenth of the usual one, and the usual one.
_BESIDE_ZERO = (10.0, 100.0)
# Graphs of GraphTailor's refits where only pairs of rows are known, by its metric.
_GRAPHS: dict[str, str | NeighborGraph] = {
    "affinity": "precomputed",
    "precomputed": NeighborGraph(metric="precomputed"),
}
# Below this agreement the clusters are different ones; between it and SAME only a few
# rows change cluster.
_DIFFERENT = 0.75


@dataclass(frozen=True)
class SettingsAgreement:
    """Agreement of the clusters of a fit with those at neighbouring settings."""

    alphas: np.ndarray  # (a,): weights that were tried, rising
    betas: np.ndarray  # (b,)
    agreement: np.ndarray  # (a, b): adjusted Rand index with the clusters of the fit
    # Position of the fit's own weights. The value there shows what the refit alone
    # changes: other starts, fewer rows, another graph.
    kept: tuple[int, int]
    n_neighbors: int  # neighbours in these refits; 0 if the graph has no such number
    neighbors: np.ndarray  # (k,): half and twice as many
    neighbors_agreement: np.ndarray  # (k,): the agreement of these
    n_rows: int  # rows of each refit, a random sample
    n_samples: int  # rows of the fit
    # whether refits have a neighbour graph where the fit had that of an ensemble
    without_members: bool = False


def why_no_refits(model: FittedModel, X: Any) -> str:
    """Why a fitted model cannot be fitted to X at other settings; empty if it can."""
    if not isinstance(model, GraphTailor | JointModel):
        return f"{type(model).__name__} has no alpha and beta"
    if X is None:
        return "this needs the data of the fit"
    if is_dask(X):
        return "the data are a Dask collection"
    if X.shape != (len(model.labels_), model.n_features_in_):
        return "the data do not have the shape of those of the fit"
    if not np.isfinite(X.data if sparse.issparse(X) else np.asarray(X)).all():
        return "the data have missing values, and those of the fit had none"
    if len(np.unique(model.labels_)) == 1:
        return "a single cluster is the same at all settings"
    plain = _refitted(model)
    if isinstance(plain._solver, Multiplicative):
        return "solver='multiplicative' is too slow for eleven fits"
    builder, most = graph_builder(plain.graph), _most_rows(plain)
    thin = builder.input == "distances" and not sparse.issparse(X)
    if X.shape[0] > most and builder.input != "samples" and not thin:
        return f"a few rows of a graph of more than {most:,} have hardly any edges"
    return ""


def neighboring_settings(
    model: FittedModel,
    X: MatrixLike,
    after_refit: Callable[[int, int], None] | None = None,
) -> SettingsAgreement:
    """Fit a joint model again at other alpha, beta and neighbours, and compare.

    The weights are a tenth of the model's, its own, and ten times these in all nine
    combinations; then the number of neighbours is half and twice as large. GraphTailor,
    and a model of an ensemble's graph, is compared with joint models on a neighbour
    graph, because the ensemble's graph already holds the clusters in question. Each
    refit has three new starts, one of each kind, from another seed. Larger data are
    subsampled to 2,000 rows (to 300 where S is full); clusters with fewer than five
    rows in the sample are not looked for.

    X is what the model was fitted to. `after_refit` is called after each refit with the
    number of refits done and of all. The result is the same for the same model, if its
    `random_state` is a number. A ValueError says why if refits are impossible.
    """
    X = X if hasattr(X, "shape") else np.asarray(X)
    reason = why_no_refits(model, X)
    if reason or not isinstance(model, GraphTailor | JointModel):
        raise ValueError(f"Neighbouring settings cannot be tried: {reason}.")
    refits = _Refits.of(model, X)
    plain = refits.plain
    has_features = graph_builder(plain.graph).input == "samples"
    alphas = _around(plain.alpha) if has_features else [plain.alpha]
    # With a smaller weight the learned graph no longer follows the given one, but its
    # start.
    betas = _around(plain.beta, 1.0)
    n_neighbors, neighbors = refits.neighbors()
    settings: list[Mapping[str, float]] = [
        *({"alpha": alpha, "beta": beta} for alpha in alphas for beta in betas),
        *({"graph__n_neighbors": k} for k in neighbors),
    ]
    found = np.empty(len(settings))
    for done, setting in enumerate(settings):
        found[done] = refits.agreement(setting)
        if after_refit is not None:
            after_refit(done + 1, len(settings))
    cells = len(alphas) * len(betas)
    return SettingsAgreement(
        np.array(alphas),
        np.array(betas),
        found[:cells].reshape(len(alphas), len(betas)),
        (alphas.index(plain.alpha), betas.index(plain.beta)),
        n_neighbors,
        np.array(neighbors, dtype=np.int64),
        found[cells:],
        len(refits.kept),
        X.shape[0],
        isinstance(model, GraphTailor) or isinstance(model.graph_, EnsembleGraph),
    )


@dataclass(frozen=True)
class _Refits:
    """A joint model to fit again, its rows, and the clusters to compare with."""

    plain: JointModel
    X: Matrix
    kept: np.ndarray

    @classmethod
    def of(cls, model: GraphTailor | JointModel, X: MatrixLike) -> "_Refits":
        plain = _refitted(model)
        if isinstance(model, GraphTailor):
            scaled = scaled_features(view_of(model), X)
            X = X if scaled is None else scaled
        X = checked_matrix(X)
        n, labels = X.shape[0], model.labels_
        rows = sample_rows(n, _most_rows(plain), plain.random_state)
        if len(rows) < n:
            is_pairs = graph_builder(plain.graph).input != "samples"
            X = X[rows][:, rows] if is_pairs else X[rows]
            labels = labels[rows]
            # Clusters with fewer rows in the sample are not looked for.
            n_clusters = int((np.bincount(labels) >= 5).sum())
            plain.set_params(n_clusters=max(n_clusters, 2))
        return cls(plain, X, labels)

    def neighbors(self) -> tuple[int, list[int]]:
        """Neighbours in the graph, and half and twice as many; 0 if it has none."""
        builder, n = graph_builder(self.plain.graph), self.X.shape[0]
        stored = builder.input == "distances" and sparse.issparse(self.X)
        if not isinstance(builder, NeighborGraph) or builder.radius or stored:
            return 0, []
        p = default_n_neighbors(n)
        if not isinstance(builder.n_neighbors, str):
            p = min(int(builder.n_neighbors), n - 1)
        return p, [k for k in (max(p // 2, 1), min(2 * p, n - 1)) if k != p]

    def agreement(self, setting: Mapping[str, float]) -> float:
        """Adjusted Rand index between the clusters of the fit and of a refit."""
        model = clone(self.plain).set_params(**setting)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the fit itself has warned
            labels = model.fit(self.X).labels_
        return float(adjusted_rand_score(self.kept, labels))


def _refitted(model: GraphTailor | JointModel) -> JointModel:
    """The joint model to fit again, with other starts and a neighbour graph."""
    given = model.random_state
    seed = (int(given) + 1) % 2**32 if isinstance(given, int | np.integer) else 0
    if isinstance(model, GraphTailor):
        decision = model.decision_
        plain = JointModel(
            decision.n_clusters,
            alpha=decision.alpha,
            beta=decision.beta,
            graph=_GRAPHS.get(model.metric, "knn"),
            scaling="length",  # its rows are scaled as GraphTailor does
            n_jobs=model.n_jobs,
        )
    else:
        plain = clone(model).set_callbacks()
        if isinstance(model.graph_, EnsembleGraph):
            plain.set_params(graph="knn")
        if not isinstance(model.init, str):
            plain.set_params(init="mixed")
    tol = plain._solver.tol if plain.tol is None else plain.tol
    return plain.set_params(n_init=_N_INIT, tol=max(tol, _TOL), random_state=seed)


def _most_rows(plain: JointModel) -> int:
    return _MOST_ROWS_OF_FULL if plain._solver.reach is None else _MOST_ROWS


def _around(weight: float, least: float = 0.0) -> list[float]:
    """A tenth of a weight, itself, and ten times as much, rising."""
    if weight == 0:
        return [0.0, *_BESIDE_ZERO]
    return sorted({min(max(weight / 10, least), weight), weight, 10 * weight})


def settings_view(found: SettingsAgreement) -> dict[str, Any]:
    """What the page shows of neighbouring settings."""
    return {
        "title": settings_finding(found),
        "reading": reading_sentence(found),
        "rows": [f"alpha {readable_number(alpha)}" for alpha in found.alphas],
        "columns": [f"beta {readable_number(beta)}" for beta in found.betas],
        "agreement": found.agreement.tolist(),
        "kept": found.kept,
        "neighbors": neighbor_steps(found),
    }


def neighbor_steps(found: SettingsAgreement) -> list[tuple[int, float, bool]]:
    """Each number of neighbours, its agreement, and whether it is that of the fit."""
    if not found.n_neighbors:
        return []
    others = zip(
        found.neighbors.tolist(), found.neighbors_agreement.tolist(), strict=True
    )
    own = (found.n_neighbors, float(found.agreement[found.kept]), True)
    return sorted([own, *((k, value, False) for k, value in others)])


def settings_finding(found: SettingsAgreement) -> str:
    """What changes the clusters, as a title."""
    i, j = found.kept
    if found.agreement[i, j] < SAME:
        how = " a little" if found.agreement[i, j] >= _DIFFERENT else ""
        return f"{_alone(found).capitalize()} the clusters{how}, at the same settings"
    everything = np.append(found.agreement, found.neighbors_agreement)
    if everything.min() >= SAME:
        n = everything.size
        return f"The clusters stay the same over all {n} neighbouring settings"
    axes = {
        "alpha": found.agreement[:, j],
        "beta": found.agreement[i],
        "the number of neighbours": found.neighbors_agreement,
    }
    for how, least in (("change", _DIFFERENT), ("change a little", SAME)):
        moving = [name for name, each in axes.items() if each.min(initial=1) < least]
        if moving:
            return f"The clusters {how} with {_listed(moving)}"
    return "The clusters change only where alpha and beta change together"


def reading_sentence(found: SettingsAgreement) -> str:
    """How to read the picture."""
    text = (
        "Adjusted Rand index between the clusters of the fit and those of a new fit (1 "
        "is the same, 0 is chance). The frame marks the settings of the fit: its value "
        f"shows what {_alone(found)}. Clusters that stay when a weight is ten times as "
        "large do not depend on how it was chosen."
    )
    if found.n_rows < found.n_samples:
        text += (
            f" All new fits use a sample of {found.n_rows:,} of the "
            f"{found.n_samples:,} rows."
        )
    return text


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _alone(found: SettingsAgreement) -> str:
    changed = ["other starts"]
    if found.n_rows < found.n_samples:
        changed.insert(0, "fewer rows")
    if found.without_members:
        changed.insert(0, "a single joint model on a neighbour graph")
    return f"{_listed(changed)} alone change"
