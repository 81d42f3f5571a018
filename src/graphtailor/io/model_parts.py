"""Parts of models as plain values, and again from them: parameters, scalers, graphs.

Compiled loops do not check whether an index lies inside an array. The rules of
`model_schema` check single values; here values are compared with each other, so that a
hostile or damaged model gives an error and never reads or writes memory that is not its
own.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, clone

from graphtailor.graphs import (
    DiffusedGraph,
    EnsembleGraph,
    GraphBuilder,
    NeighborGraph,
    PrecomputedGraph,
)
from graphtailor.graphs.ensemble import members
from graphtailor.io.model_schema import BUILDERS
from graphtailor.io.schema import complete, whole
from graphtailor.linalg.scaling import feature_scaler
from graphtailor.linalg.types import Matrix
from graphtailor.models.joint_members import JointMembers
from graphtailor.solvers import Descent, Multiplicative

State = dict[str, Any]
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
        members.SpectralMembers,
        members.KMeansMembers,
        members.MixtureMembers,
        JointMembers,
        members.LayoutMembers,
    )
}
# The highest search effort of each engine.
_MOST_EFFORT = {"exact": 0, "faiss": 3, "pynndescent": 2}


def part_state(part: object) -> State:
    """An object that is a parameter, by its class and its own parameters."""
    name = type(part).__name__
    if type(part) is not PARTS.get(name):
        raise ValueError(
            f"{name} is a class of your own, which cannot be saved without pickle. Use "
            f"one of {', '.join(PARTS)}."
        )
    values = part.get_params(deep=False) if hasattr(part, "get_params") else vars(part)
    return {"class": name, **{k: plain_parameter(k, v) for k, v in values.items()}}


def plain_parameter(name: str, value: object) -> Any:
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


def restored_part(state: object) -> Any:
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


def scaler_state(scaler: BaseEstimator | None) -> State | None:
    """What a scaler has learned."""
    if scaler is None:
        return None
    left_out = scaler.get_params(deep=False)
    return {k: v for k, v in vars(scaler).items() if k not in left_out}


def restored_scaler(
    scaling: str | None, state: State | None, is_sparse: bool, n_features: int
) -> BaseEstimator | None:
    """The scaler of a model; one of another kind or that divides by zero is refused."""
    scaler = feature_scaler(scaling, is_sparse)
    if (scaler is None) != (state is None):
        raise ValueError(f"its scaling is {scaling!r}, and its scaler is another one")
    if scaler is None or state is None:
        return None
    expected = vars(clone(scaler).fit(np.ones((2, 1)))).keys() - scaler.get_params()
    if state.keys() != expected:
        raise ValueError(f"its scaler does not hold {', '.join(sorted(expected))}")
    if state["n_features_in_"] != n_features:
        raise ValueError(f"its scaler is not of {n_features} features")
    for name in expected - {"n_features_in_", "n_samples_seen_"}:
        if state[name].shape != (n_features,):
            raise ValueError(f"scaler.{name} is not of {n_features} features")
    if not np.all(state["scale_"]):
        raise ValueError("scaler.scale_ holds a zero")
    vars(scaler).update(state)
    return scaler


def builder_state(builder: GraphBuilder) -> State:
    """What a fitted graph builder holds, and its parameters."""
    rules = BUILDERS[type(builder).__name__]
    fitted = {k: v for k, v in vars(builder).items() if k in rules}
    if isinstance(builder, DiffusedGraph):
        fitted["graph_"] = builder_state(builder.graph_)
    if isinstance(builder, EnsembleGraph):
        labels = [member.labels for member in builder.members_]
        fitted["labels"] = np.column_stack(labels).astype(np.int32)
        fitted["masses"] = builder.ensemble_.masses
        fitted["members_"] = [[each.kind, each.view] for each in builder.members_]
    return {"parameters": part_state(builder), "fitted": fitted}


def restored_builder(
    state: State, rows: Matrix, *, are_points: bool = True
) -> GraphBuilder:
    """A fitted graph builder, with what it needs to search the rows again."""
    builder = restored_part(state["parameters"])
    rules = BUILDERS.get(type(builder).__name__)
    if rules is None:
        raise ValueError(f"a {type(builder).__name__} is no graph")
    fitted = complete(rules)(state["fitted"], "graph")
    _check_sizes(fitted, rows.shape[0])
    if isinstance(builder, DiffusedGraph):
        graph = restored_builder(fitted["graph_"], rows, are_points=are_points)
        fitted["graph_"] = graph
    weights = fitted.pop("weights_")
    affinity = fitted.pop("affinity_", None)
    builder._take(weights, fitted.pop("n_neighbors_", None))
    if affinity is not None:
        builder.affinity_ = affinity
    if not isinstance(builder, EnsembleGraph):
        builder._restore(fitted, rows)
        return builder
    pairs = zip(fitted["members_"], fitted["labels"].T, strict=True)
    builder._restore_members(
        [members.Member(kind, view, labels) for (kind, view), labels in pairs],
        fitted["masses"],
        fitted["views_"],
        fitted["trust_"],
    )
    if are_points:
        builder.restore_search(rows)
    return builder


def _check_sizes(fitted: Mapping[str, Any], n: int) -> None:
    """Refuse a graph builder that was fitted to other rows."""
    for graph in ("weights_", "affinity_"):
        if graph in fitted:
            check_square(fitted[graph], n, graph)
    for each in ("_sample_scale", "bandwidth_", "masses"):
        value = fitted.get(each)
        if isinstance(value, np.ndarray) and value.shape != (n,):
            raise ValueError(f"{each} is not of {n} samples")
    whole(min(1, n - 1), n)(fitted.get("n_neighbors_", 1), "n_neighbors_")
    _, tuning = fitted.get("_search_state", (0, None))
    if tuning is not None:
        whole(1, n)(tuning[0], "search width")
        whole(0, _MOST_EFFORT[fitted["engine_"]])(tuning[1], "search effort")
    if "labels" in fitted and fitted["labels"].shape != (n, len(fitted["members_"])):
        raise ValueError(f"its members are not clusterings of {n} samples")
    trust = fitted.get("trust_")
    if trust is not None and len(trust) != len(fitted["members_"]):
        raise ValueError("its trust is not that of its members")


def check_square(A: Matrix, n: int, what: str) -> None:
    """Refuse what is not a sparse graph of n samples with finite degrees."""
    if not sparse.issparse(A) or A.shape != (n, n):
        raise ValueError(f"{what} is not a sparse graph of {n} samples")
    with np.errstate(over="ignore"):
        if not np.isfinite(A.sum(axis=1)).all():
            raise ValueError(f"{what} has a row whose sum is not finite")
