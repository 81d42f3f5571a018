"""A fitted model's state as plain values, and the model restored from them."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from graphtailor.graphs import normalize_affinity
from graphtailor.io.model_checks import (
    check_anchors,
    check_graph,
    check_names,
    check_scaler,
)
from graphtailor.io.model_schema import ANCHOR_STATE, GRAPH_STATE
from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.scaling import feature_scaler
from graphtailor.models import GraphTailor
from graphtailor.models.graph_tier import GraphTier
from graphtailor.models.samples import SampleSpace
from graphtailor.representatives.links import AnchorLinks
from graphtailor.representatives.tier import AnchorTier

# What a kernel map learns; that of the cosine learns nothing.
_KERNEL_MAP = ("gamma_", "landmarks", "whitening")
# A graph builder's attributes that are computed again, or that predictions never use.
_MADE_AGAIN = {"search_", "affinity_", "members_", "cuts_", "_ensemble"}


def tier_state(model: GraphTailor) -> dict[str, Any]:
    """What predictions need, as plain values and arrays."""
    tier = model._tier
    if isinstance(tier, AnchorTier):
        return {
            "given_graph": model.given_graph_,
            "anchors": tier.links.anchors,
            "bandwidth": tier.links.bandwidth,
            "k": tier.links.search.k,
            "indicator": tier.indicator,
            "shifts": bool(getattr(tier.scaler, "with_mean", True)),
            "scaler": tier.scaler and _learned(tier.scaler),
        }
    space = tier.space
    return {
        "samples": space.samples,
        "kernel_map": space.kernel_map and _kernel_state(space),
        "norm": space.norm,
        "given_graph": space.given_graph,
        "indicator": tier.indicator,
        "scaler": space.scaler and _learned(space.scaler),
        "builder": _learned(space.builder, without=_MADE_AGAIN),
    }


def _kernel_state(space: SampleSpace) -> dict[str, Any]:
    kernel_map = space.kernel_map
    return {
        # Samples are mapped rows; mapping them again might change their last bits.
        "rows": space.rows,
        "learned": {k: v for k, v in vars(kernel_map).items() if k in _KERNEL_MAP},
    }


def _learned(estimator: Any, without: set[str] | None = None) -> dict[str, Any]:
    left_out = {*estimator.get_params(deep=False), *(without or ())}
    return {k: v for k, v in vars(estimator).items() if k not in left_out}


def restore_tier(model: GraphTailor, state: dict[str, Any]) -> None:
    """Give a model the state that :func:`tier_state` described.

    Parameters
    ----------
    model : GraphTailor
        With its parameters and its attributes.
    state : dict
        As it was read from a file; nothing in it has been checked.
    """
    if model.tier_ == "anchors":
        _restore_anchors(model, state)
    else:
        _restore_graph(model, state)
    if hasattr(model, "feature_names_in_"):
        check_names(model.feature_names_in_, model.n_features_in_)
        model.feature_names_in_ = model.feature_names_in_.astype(object)


def _restore_anchors(model: GraphTailor, state: dict[str, Any]) -> None:
    ANCHOR_STATE(state, "tier")
    tier = model._tier = AnchorTier()
    model.given_graph_ = state["given_graph"]
    tier.links = AnchorLinks(state["anchors"], state["bandwidth"], state["k"])
    tier.indicator = state["indicator"]
    is_sparse = not state["shifts"]  # sparse rows are scaled, but not shifted
    tier.scaler = _restored_scaler(model, model.scaling, state["scaler"], is_sparse)
    check_anchors(model, tier)


def _restore_graph(model: GraphTailor, state: dict[str, Any]) -> None:
    GRAPH_STATE(state, "tier")
    tier = model._tier = GraphTier(model)
    space = tier.space
    space.rows = space.samples = state["samples"]
    space.norm = state["norm"]
    if space.kernel_map is not None:
        space.rows = state["kernel_map"]["rows"]
        learned = state["kernel_map"]["learned"]
        vars(space.kernel_map).update(
            {k: learned[k] for k in _KERNEL_MAP if k in learned}
        )
    space.given_graph = model.given_graph_ = state["given_graph"]
    space.known_rows = KnownRows(space.rows)
    tier.indicator = state["indicator"]
    tier.weights = (model.alpha_, model.beta_)
    is_sparse = sparse.issparse(space.rows)
    space.scaler = _restored_scaler(model, space.scaling, state["scaler"], is_sparse)
    vars(space.builder).update(state["builder"])
    check_graph(model, tier)
    space.builder.affinity_ = normalize_affinity(space.builder.weights_)
    if hasattr(space.builder, "restore_search"):
        space.builder.restore_search(space.samples)


def _restored_scaler(
    model: GraphTailor, scaling: str | None, state: Any, is_sparse: bool
) -> Any:
    scaler = feature_scaler(scaling, is_sparse)
    if scaler is not None:
        check_scaler(state, model.n_features_in_)
        vars(scaler).update(state)
    return scaler
