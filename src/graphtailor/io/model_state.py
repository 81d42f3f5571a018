"""What models have learned, as plain values, and whole models again from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from graphtailor.decide.decision import Decision
from graphtailor.decide.n_clusters import Level
from graphtailor.decide.verdict import Verdict
from graphtailor.graphs import (
    DiffusedGraph,
    EnsembleGraph,
    GraphBuilder,
    NeighborGraph,
    PrecomputedGraph,
)
from graphtailor.graphs.constraints import Constraints
from graphtailor.graphs.ensemble.guided_cuts import Guidance
from graphtailor.graphs.ensemble.members import (
    KMeansMembers,
    LayoutMembers,
    Member,
    MixtureMembers,
    SpectralMembers,
)
from graphtailor.io import model_checks as checks
from graphtailor.io.model_schema import BUILDERS, JOINT_STATE, TAILOR_STATE
from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.scaling import feature_scaler
from graphtailor.linalg.types import Matrix
from graphtailor.models import GraphTailor, JointModel
from graphtailor.models.consensus import Consensus, views_of
from graphtailor.models.joint_members import JointMembers
from graphtailor.models.layers import Layers
from graphtailor.models.samples import Samples
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.links import Links, Memberships
from graphtailor.representatives.representatives import Representatives
from graphtailor.representatives.rows import Rows
from graphtailor.solvers import Descent, Multiplicative
from graphtailor.solvers.base import SolverResult, Start

if TYPE_CHECKING:
    from graphtailor.columns.blocks import TableBlocks

State = dict[str, Any]
Part = TypeVar("Part")
# Objects that may be a parameter, or a member of one.
PARTS: dict[str, type] = {
    part.__name__: part
    for part in (
        NeighborGraph,
        PrecomputedGraph,
        DiffusedGraph,
        EnsembleGraph,
        Descent,
        Multiplicative,
        SpectralMembers,
        KMeansMembers,
        MixtureMembers,
        JointMembers,
        LayoutMembers,
    )
}


def joint_state(model: JointModel) -> State:
    """What a fitted JointModel holds."""
    samples = model._samples
    return {
        "features": _features(model),
        "rows": samples.rows,
        "input": samples.input,
        "scaler": _learned(samples.scaler),
        "graph": builder_state(model.graph_),
        "constraints": _constraints_state(model._constraints),
        **_solution_state(model),
    }


def _solution_state(model: JointModel) -> State:
    return {
        "norm": model._samples.norm,
        "indicator": model._indicator,
        "representation": model.representation_,
        "objective": model.objective_,
        "converged": model.converged_,
        "starts": [vars(start) for start in model.starts_],
    }


def restored_joint_model(model: JointModel, state: State) -> JointModel:
    """Fill a JointModel that has its parameters; nothing in the state is trusted."""
    JOINT_STATE(state, "state")
    n_features = state["features"]["number"]
    rows = state["rows"]
    scaling = model.scaling if state["input"] == "samples" else None
    samples = Samples(
        rows,
        _scaler(scaling, state["scaler"], sparse.issparse(rows), n_features),
        state["norm"],
        state["input"],
        KnownRows(rows),
    )
    checks.check_features(rows, n_features)
    builder = restored_builder(state["graph"], rows)
    if builder.input != samples.input:
        raise ValueError(f"its graph is one of {builder.input}, not {samples.input}")
    model._restore_features(**_restored_features(state["features"]))
    known = _restored_constraints(state["constraints"], samples.n_samples)
    if known is not None and known.n_classes > model.n_clusters:
        raise ValueError("it has more known classes than clusters")
    model._constraints = known
    return _with_solution(model, samples, builder, state)


def _with_solution(
    model: JointModel, samples: Samples, builder: GraphBuilder, state: State
) -> JointModel:
    checks.check_joint(state, samples, model.n_clusters)
    V, starts = state["indicator"], [Start(**start) for start in state["starts"]]
    reason = "converged" if state["converged"] else "max_iter"
    result = SolverResult(state["representation"], V, state["objective"], 0.0, reason)
    model._set_fitted(samples, builder, V, result, starts)
    return model


def tailor_state(model: GraphTailor) -> State:
    """What a fitted GraphTailor holds; the labels of a Dask fit stay on its cluster."""
    rows = model._fitted_rows
    return {
        "features": _features(model),
        "blocks": None if model.blocks_ is None else model.blocks_.to_dict(),
        "scaler": _learned(model._rows.scaler),
        "sparse": bool(sparse.issparse(model._rows.X)),
        "representatives": _representatives_state(model.representatives_),
        "shares": model._shares,
        "decision": decision_state(model.decision_),
        "ensemble": builder_state(model.ensemble_),
        "joint": {"init": model.model_.init, **_solution_state(model.model_)},
        "separated": list(model._layers.separated.values()),
        "memberships": list(rows) if isinstance(rows, Memberships) else None,
        "constraints": _constraints_state(model._constraints),
        "classes": None if model.known_classes_ is None else model._classes,
    }


def _constraints_state(constraints: Constraints | None) -> State | None:
    if constraints is None:
        return None
    values = [
        (field.name, getattr(constraints, field.name)) for field in fields(constraints)
    ]
    return {name: value if len(value) else None for name, value in values}


def restored_tailor(model: GraphTailor, state: State) -> GraphTailor:
    """Fill a GraphTailor that has its parameters; nothing in the state is trusted."""
    TAILOR_STATE(state, "state")
    n_features = state["features"]["number"]
    decision = restored_decision(state["decision"])
    representatives = _restored_representatives(state["representatives"], model)
    points = _points(representatives)
    checks.check_features(points, n_features)
    checks.check_tailor(state, representatives, decision)
    empty = np.empty((0, n_features), dtype=state["shares"].dtype)
    model.blocks_ = _restored_blocks(state["blocks"], n_features)
    pairs = isinstance(representatives, GivenPairs)
    scaling = None if pairs else model.feature_scaling
    scaler = _scaler(scaling, state["scaler"], state["sparse"], n_features)
    rows = Rows(
        sparse.csr_array(empty) if state["sparse"] else empty,
        scaler,
        unit=model.metric == "cosine",
    )
    ensemble = restored_builder(
        state["ensemble"], points, isinstance(representatives, Representatives)
    )
    if not isinstance(ensemble, EnsembleGraph):
        raise ValueError(f"its ensemble is a {type(ensemble).__name__}")
    checks.check_decision(decision, representatives, ensemble)
    joint = _restored_last_model(state, representatives, ensemble, decision)
    model._restore_features(**_restored_features(state["features"]))
    separated = {int(labels.max()) + 1: labels for labels in state["separated"]}
    links = state["memberships"]
    memberships = None if links is None else Memberships(*links)
    guidance = _restored_guidance(state, representatives, memberships, ensemble)
    layers = Layers(ensemble, separated, guidance, decision.price)
    classes = state["classes"]
    if guidance is not None and classes is None:
        classes = np.empty(0, dtype=np.int64)
    found = Consensus(decision, layers, joint, state["shares"], classes)
    model._take(rows, representatives, found)
    model._label(memberships)
    return model


def _restored_constraints(state: State | None, n_rows: int) -> Constraints | None:
    if state is None:
        return None
    none = np.empty((0, 2), dtype=np.int64)
    known = Constraints(
        tuple(state["classes"] or ()),
        state["known"],
        *(none if state[name] is None else state[name] for name in ("must", "cannot")),
    )
    checks.check_constraints(known, n_rows)
    return known


def _restored_guidance(
    state: State,
    representatives: Representatives | GivenPairs,
    memberships: Memberships | None,
    ensemble: EnsembleGraph,
) -> Guidance | None:
    if memberships is None or state["constraints"] is None:
        if state["constraints"] is not None or state["classes"] is not None:
            raise ValueError("it has known classes, and does not know its rows")
        return None
    known = _restored_constraints(state["constraints"], len(memberships.nearest))
    assert known is not None
    checks.check_classes(state["classes"], known.n_classes, state["shares"].shape[1])
    views = partial(views_of, representatives, ensemble)
    return Guidance(known, *memberships, representatives.exact, views)


def decision_state(decision: Decision) -> State:
    """A decision as plain values."""
    state = dict(vars(decision))
    state["levels"] = [vars(level) for level in decision.levels]
    state["verdict"] = None if decision.verdict is None else vars(decision.verdict)
    return state


def restored_decision(state: State) -> Decision:
    """A decision from plain values that were checked."""
    fixed = {name: tuple(state[name]) for name in ("views", "suggestions")}
    levels = tuple(Level(**level) for level in state["levels"])
    verdict = None if state["verdict"] is None else Verdict(**state["verdict"])
    made = {"levels": levels, "verdict": verdict}
    return Decision(**{**state, **fixed, **made})


def builder_state(builder: GraphBuilder) -> State:
    """What a fitted graph builder holds, with its class and its parameters."""
    parameters, name = part_state(builder), type(builder).__name__
    fitted = {k: v for k, v in vars(builder).items() if k in BUILDERS[name]}
    if isinstance(builder, DiffusedGraph):
        fitted["graph_"] = builder_state(builder.graph_)
    if isinstance(builder, EnsembleGraph):
        labels = [member.labels for member in builder.members_]
        fitted["labels"] = np.column_stack(labels).astype(np.int32)
        fitted["masses"] = builder.ensemble_.masses
        fitted["members_"] = [[each.kind, each.view] for each in builder.members_]
    return {"class": name, "parameters": parameters, "fitted": fitted}


def restored_builder(
    state: State, rows: Matrix, are_points: bool = True
) -> GraphBuilder:
    """A fitted graph builder, with what it needs to search the rows again."""
    name, fitted = state["class"], dict(state["fitted"])
    builder = restored_part(state["parameters"])
    checks.check_builder(name, builder, fitted, rows.shape[0])
    if isinstance(builder, DiffusedGraph):
        fitted["graph_"] = restored_builder(fitted["graph_"], rows, are_points)
    weights = fitted.pop("weights_")
    affinity = fitted.pop("affinity_", None)
    builder._take(weights, fitted.pop("n_neighbors_", None))
    if affinity is not None:
        builder.affinity_ = affinity
    if isinstance(builder, EnsembleGraph):
        _restore_ensemble(builder, fitted)
        if are_points:
            builder.restore_search(rows)
    else:
        builder._restore(fitted, rows)
    return builder


def _restore_ensemble(builder: EnsembleGraph, fitted: State) -> None:
    members = [
        Member(kind, view, labels)
        for (kind, view), labels in zip(
            fitted["members_"], fitted["labels"].T, strict=True
        )
    ]
    views = tuple(fitted["views_"])
    how = (fitted["masses"], views, fitted["_cut_seed"], fitted["trust_"])
    builder._restore_members(members, *how)


def part_state(part: Any) -> State:
    """An object that is a parameter, by its class and its own parameters."""
    name = type(part).__name__
    if type(part) is not PARTS.get(name):
        raise ValueError(
            f"{name} is a class of your own, which cannot be saved without pickle. Use "
            f"one of {', '.join(PARTS)}."
        )
    values = part.get_params(deep=False) if hasattr(part, "get_params") else vars(part)
    return {"class": name, **{k: plain_parameter(k, v) for k, v in values.items()}}


def plain_parameter(name: str, value: Any) -> Any:
    """A parameter as a plain value; a RandomState is forgotten."""
    if isinstance(value, np.random.RandomState):
        return None
    if isinstance(value, list | tuple):
        return [plain_parameter(name, each) for each in value]
    if value is None or isinstance(value, bool | int | float | str | np.generic):
        return value
    if isinstance(value, np.ndarray) or sparse.issparse(value):
        return value
    if callable(value):
        raise ValueError(
            f"{name} is a function, which cannot be saved without pickle. Use the name "
            "of one, or 'precomputed' and give distances."
        )
    return part_state(value)


def restored_part(state: Any) -> Any:
    """The value or object that a parameter stood for."""
    if isinstance(state, list):
        return [restored_part(each) for each in state]
    if not isinstance(state, dict):
        return state
    if state["class"] not in PARTS:
        raise ValueError(f"{state['class']!r} is none of {', '.join(PARTS)}")
    parameters = {k: restored_part(v) for k, v in state.items() if k != "class"}
    part = PARTS[state["class"]](**parameters)
    if hasattr(part, "_validate_params"):
        part._validate_params()
    return part


def _features(model: JointModel | GraphTailor) -> State:
    return {
        "number": model.n_features_in_,
        "names": getattr(model, "feature_names_in_", None),
    }


def _restored_features(state: State) -> State:
    names = state["names"]
    if names is not None:
        checks.check_names(names, state["number"])
        names = names.astype(object)
    return {"number": state["number"], "names": names}


def _restored_blocks(state: State | None, n_features: int) -> TableBlocks | None:
    if state is None:
        return None
    from graphtailor.columns.blocks import TableBlocks  # pandas is optional

    blocks = TableBlocks.from_dict(state).set_output(transform="pandas")
    if len(blocks.get_feature_names_out()) != n_features:
        raise ValueError(f"its blocks do not have its {n_features} features")
    return blocks


def _learned(scaler: BaseEstimator | None) -> State | None:
    if scaler is None:
        return None
    left_out = scaler.get_params(deep=False)
    return {k: v for k, v in vars(scaler).items() if k not in left_out}


def _scaler(
    scaling: str | None, state: Mapping[str, Any] | None, is_sparse: bool, n: int
) -> BaseEstimator | None:
    scaler = feature_scaler(scaling, is_sparse)
    if (scaler is None) != (state is None):
        raise ValueError(f"its scaling is {scaling!r}, and its scaler is another one")
    if scaler is None or state is None:
        return None
    checks.check_scaler(state, scaler, n)
    vars(scaler).update(state)
    return scaler


def _representatives_state(found: Representatives | GivenPairs) -> State:
    if isinstance(found, GivenPairs):
        return {"rows": found.rows, "graph": builder_state(found.builder)}
    links = found.links
    return {
        "points": links.points,
        "directions": links.directions,
        "bandwidth": links.bandwidth,
        "k": links.k,
        "masses": found.masses,
        "exact": found.exact,
    }


def _restored_representatives(
    state: State, model: GraphTailor
) -> Representatives | GivenPairs:
    if "rows" in state:
        builder = restored_builder(state["graph"], state["rows"])
        checks.check_pairs(builder, model.metric)
        return GivenPairs(state["rows"], builder)
    if model._input != "samples":
        raise ValueError(f"its metric is {model.metric!r}, and it has points")
    names = ("points", "directions", "bandwidth", "k", "exact")
    links = Links(*(state[name] for name in names))
    checks.check_links(links, state["masses"])
    return Representatives(links, state["masses"])


def _points(found: Representatives | GivenPairs) -> Matrix:
    return found.rows if isinstance(found, GivenPairs) else found.points


def _restored_last_model(
    state: State,
    representatives: Representatives | GivenPairs,
    ensemble: EnsembleGraph,
    decision: Decision,
) -> JointModel:
    joint = state["joint"]
    rows, input = _points(representatives), ensemble.input
    if isinstance(representatives, GivenPairs):
        input = representatives.builder.input
    model = JointModel(
        decision.n_clusters,
        alpha=decision.alpha,
        beta=decision.beta,
        graph=ensemble,
        scaling=None,
        init=joint["init"],
        n_init=1,
    )
    samples = Samples(rows, None, joint["norm"], input, KnownRows(rows))
    model._constraints = None
    model._restore_features(number=rows.shape[1], names=None)
    return _with_solution(model, samples, ensemble, joint)
