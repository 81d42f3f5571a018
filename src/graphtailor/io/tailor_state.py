"""What a GraphTailor has learned, as plain values, and a whole model again from them.

Nothing in a state is trusted, as in `joint_state`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from graphtailor.decide.decision import Decision, count_members
from graphtailor.decide.verdict import level_at
from graphtailor.graphs import EnsembleGraph
from graphtailor.graphs.base import Input
from graphtailor.graphs.ensemble.guided_cuts import Guidance
from graphtailor.io import joint_state
from graphtailor.io.model_parts import (
    State,
    builder_state,
    restored_builder,
    restored_scaler,
    scaler_state,
)
from graphtailor.io.model_schema import TAILOR_STATE
from graphtailor.io.schema import whole
from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.types import Matrix
from graphtailor.models import GraphTailor, JointModel
from graphtailor.models.consensus import Consensus, views_of
from graphtailor.models.layers import Layers
from graphtailor.models.samples import Samples
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.links import Memberships
from graphtailor.representatives.representatives import Representatives
from graphtailor.representatives.rows import Rows

if TYPE_CHECKING:
    from graphtailor.columns.blocks import TableBlocks


def tailor_state(model: GraphTailor) -> State:
    """What a fitted GraphTailor holds; the labels of a Dask fit stay on its cluster."""
    rows, found = model._fitted_rows, model.representatives_
    if isinstance(found, GivenPairs):
        representatives = {"rows": found.rows, "graph": builder_state(found.builder)}
    else:
        representatives = {"links": found.links, "masses": found.masses}
    return {
        "features": joint_state.features_state(model),
        "blocks": None if model.blocks_ is None else model.blocks_.to_dict(),
        "scaler": scaler_state(model._rows.scaler),
        "sparse": bool(sparse.issparse(model._rows.X)),
        "representatives": representatives,
        "shares": model._shares,
        "decision": model.decision_,
        "ensemble": builder_state(model.ensemble_),
        "joint": {
            "init": model.model_.init,
            **joint_state.solution_state(model.model_),
        },
        "separated": list(model._layers.separated.values()),
        "memberships": rows if isinstance(rows, Memberships) else None,
        "constraints": model._constraints,
        "classes": None if model.known_classes_ is None else model._classes,
    }


def restored_tailor(model: GraphTailor, state: State) -> GraphTailor:
    """Fill a GraphTailor that has its parameters."""
    state = TAILOR_STATE(state, "state")
    decision, shares = state["decision"], state["shares"]
    found = _restored_representatives(state["representatives"], model)
    is_pairs = isinstance(found, GivenPairs)
    points = found.rows if isinstance(found, GivenPairs) else found.points
    input = found.builder.input if isinstance(found, GivenPairs) else "samples"
    joint_state.restore_features(model, state["features"], points)
    _check_sizes(state, len(found), decision.n_clusters)
    n_features = points.shape[1]
    model.blocks_ = _restored_blocks(state["blocks"], n_features)
    scaling = None if is_pairs else model.feature_scaling
    scaler = restored_scaler(scaling, state["scaler"], state["sparse"], n_features)
    empty: Matrix = np.empty((0, n_features), dtype=shares.dtype)
    empty = sparse.csr_array(empty) if state["sparse"] else empty
    rows = Rows(empty, scaler, unit=model.metric == "cosine")
    ensemble = restored_builder(state["ensemble"], points, are_points=not is_pairs)
    if not isinstance(ensemble, EnsembleGraph):
        raise ValueError(f"its ensemble is a {type(ensemble).__name__}")
    _check_decision(decision, found, ensemble)
    joint = _restored_last_model(state["joint"], points, input, ensemble, decision)
    separated = {int(labels.max()) + 1: labels for labels in state["separated"]}
    guidance = _restored_guidance(state, found, ensemble)
    layers = Layers(ensemble, separated, guidance, decision.price)
    classes = state["classes"]
    if guidance is not None and classes is None:
        classes = np.empty(0, dtype=np.int64)
    model._take(rows, found, Consensus(decision, layers, joint, shares, classes))
    model._label(state["memberships"])
    return model


def _restored_representatives(
    state: State, model: GraphTailor
) -> Representatives | GivenPairs:
    if "rows" in state:
        builder = restored_builder(state["graph"], state["rows"])
        expected = {"affinity": "affinities", "precomputed": "distances"}
        if builder.input != expected.get(model.metric):
            raise ValueError(
                f"it has {builder.input}, and its metric is {model.metric!r}"
            )
        return GivenPairs(state["rows"], builder)
    if model._input != "samples":
        raise ValueError(f"its metric is {model.metric!r}, and it has points")
    links, masses = state["links"], state["masses"]
    m, d = links.points.shape
    whole(1, m)(links.k, "k")
    if masses.shape != (m,):
        raise ValueError(f"its masses are not of {m} representatives")
    if links.directions is not None and links.directions.shape[0] != d:
        raise ValueError("its directions are of other features than its points")
    if sparse.issparse(links.points) and links.directions is None:
        raise ValueError("its points are sparse and have no directions")
    return Representatives(links, masses)


def _check_sizes(state: State, m: int, n_clusters: int) -> None:
    """Refuse parts that are not those of m representatives."""
    joint_state.check_indicator(state["shares"], m, n_clusters)
    joint_state.check_labels(state["joint"]["init"], m, n_clusters)
    for labels in state["separated"]:
        joint_state.check_labels(labels, m, m)
    if state["memberships"] is not None:
        nearest, shares = state["memberships"]
        # Rows with weights are fewer or more than their weights add up to.
        if nearest.shape != shares.shape:
            raise ValueError("its memberships and their shares differ in shape")
        joint_state.check_labels(nearest.ravel(), nearest.size, m)
        joint_state.check_indicator(shares, *nearest.shape)


def _check_decision(
    decision: Decision,
    representatives: Representatives | GivenPairs,
    ensemble: EnsembleGraph,
) -> None:
    """Refuse a decision on something else than the model holds."""
    figures = (decision.separated, decision.leaving, decision.compactness)
    if len({figure is None for figure in figures}) == 2:
        raise ValueError("its decision has some figures of separated clusters alone")
    verdict = decision.verdict
    if verdict is not None and verdict.level != level_at(verdict.p_value):
        raise ValueError("the level of its verdict is not that of its p-value")
    if verdict is not None and isinstance(representatives, GivenPairs):
        raise ValueError("it has a verdict, and its rows are pairs")
    found = {
        "n_rows": int(representatives.masses.sum()),
        "n_representatives": len(representatives),
        "isolated": representatives.n_isolated,
        "every_row": representatives.exact,
        "views": ensemble.views_,
        "members": count_members(ensemble.members_),
    }
    for name, value in found.items():
        if getattr(decision, name) != value:
            raise ValueError(f"decision.{name} is not what the model holds")


def _restored_blocks(state: State | None, n_features: int) -> TableBlocks | None:
    if state is None:
        return None
    from graphtailor.columns.blocks import TableBlocks  # pandas is optional

    blocks = TableBlocks.from_dict(state).set_output(transform="pandas")
    if len(blocks.get_feature_names_out()) != n_features:
        raise ValueError(f"its blocks do not have its {n_features} features")
    return blocks


def _restored_last_model(
    state: State,
    rows: Matrix,
    input: Input,
    ensemble: EnsembleGraph,
    decision: Decision,
) -> JointModel:
    model = JointModel(
        decision.n_clusters,
        alpha=decision.alpha,
        beta=decision.beta,
        graph=ensemble,
        scaling=None,
        init=state["init"],
        n_init=1,
    )
    samples = Samples(rows, None, state["norm"], input, KnownRows(rows))
    model._constraints = None
    model._restore_features(rows.shape[1], None)
    return joint_state.with_solution(model, samples, ensemble, state)


def _restored_guidance(
    state: State, representatives: Representatives | GivenPairs, ensemble: EnsembleGraph
) -> Guidance | None:
    """What is known of the rows; every known class has a cluster of its own."""
    memberships, known = state["memberships"], state["constraints"]
    if known is None and state["classes"] is None:
        return None
    if memberships is None or known is None:
        raise ValueError("it has known classes, and does not know its rows")
    n_clusters = state["shares"].shape[1]
    joint_state.check_constraints(known, len(memberships.nearest), n_clusters)
    clusters = [] if state["classes"] is None else state["classes"].tolist()
    if len({*clusters}) != known.n_classes or len(clusters) != known.n_classes:
        raise ValueError("its known classes do not have a cluster each")
    if max(clusters, default=0) >= n_clusters:
        raise ValueError(f"a known class has a cluster beyond its {n_clusters}")
    views = partial(views_of, representatives, ensemble)
    rows = (memberships.nearest, memberships.shares)
    return Guidance(known, *rows, representatives.exact, views)
