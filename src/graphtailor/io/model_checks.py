"""Whether the parts of a model from a file go together.

Compiled loops do not check whether an index lies inside an array. The types and
ranges of single values are checked by `model_schema`; here are the rules that compare
values with each other, so that a hostile or damaged model gives an error and never
reads or writes memory that is not its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from graphtailor.io.schema import whole
from graphtailor.models.samples import is_named

_CHOSEN_GRAPHS = ("knn", "ensemble")
# The highest search effort of each engine.
_MOST_EFFORT = {"exact": 0, "faiss": 3, "pynndescent": 2}


def check_arrays(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays that hold neither numbers nor text, and values that are not finite.

    Whether an array has the right type and shape is known only where it is used.
    """
    for name, array in arrays.items():
        if array.dtype.kind not in "biufU":
            raise ValueError(f"array {name!r} is of type {array.dtype}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"array {name!r} holds a value that is not finite")


def check_names(names: Any, n_features: int) -> None:
    """Refuse names that are not one text for each feature."""
    is_text = isinstance(names, np.ndarray) and names.dtype.kind == "U"
    if not is_text or names.shape != (n_features,):
        raise ValueError(f"feature_names_in_ are not {n_features} names")


def check_scaler(state: Mapping[str, Any], n_features: int) -> None:
    """Refuse a scaler that was fitted to other features, or divides by zero."""
    for name, value in state.items():
        if isinstance(value, np.ndarray) and value.shape != (n_features,):
            raise ValueError(f"scaler.{name} is not of {n_features} features")
    if not np.all(state.get("scale_", 1)):
        raise ValueError("scaler.scale_ holds a zero")


def check_graph(model: Any, tier: Any) -> None:
    """Refuse a graph tier whose parts are not of one size."""
    space = tier.space
    n = space.n_samples
    sizes = {len(model.labels_), space.rows.shape[0], *space.given_graph.shape}
    if sizes != {n} or space.builder.weights_.shape != (n, n):
        raise ValueError("its parts are not of one size")
    if space.rows.shape[1] != model.n_features_in_:
        raise ValueError("its samples have other features than it was fitted to")
    _check_indicator(model.indicator_, n, model.n_clusters_)
    _check_indicator(tier.indicator, space.known_rows.n_distinct, model.n_clusters_)
    _check_builder(space.builder, n)


def _check_builder(builder: Any, n: int) -> None:
    if not sparse.issparse(builder.weights_):
        raise ValueError("its graph is not sparse")
    for name in ("degrees_", "_sample_scale"):
        value = getattr(builder, name, None)
        if value is not None and np.shape(value) != (n,):
            raise ValueError(f"{name} is not of {n} samples")
    if hasattr(builder, "n_neighbors_"):
        whole(1, n)(builder.n_neighbors_, "n_neighbors_")
    _, tuning = getattr(builder, "_search_state", (0, None))
    if tuning is not None:
        width, effort, _ = tuning
        whole(1, n)(width, "search width")
        whole(0, _MOST_EFFORT[builder.engine_])(effort, "search effort")


def check_anchors(model: Any, tier: Any) -> None:
    """Refuse an anchor tier whose parts are not of one size."""
    anchors = tier.links.anchors
    m = len(anchors)
    if {len(model.anchor_labels_), *model.given_graph_.shape} != {m}:
        raise ValueError("its parts are not of one size")
    if anchors.shape[1] != model.n_features_in_:
        raise ValueError("its anchors have other features than it was fitted to")
    whole(1, m)(tier.links.search.k, "k")
    _check_indicator(tier.indicator, m, model.n_clusters_)


def _check_indicator(V: Any, n: int, n_clusters: int) -> None:
    if V.shape != (n, n_clusters):
        raise ValueError(f"an indicator has shape {V.shape}, not {(n, n_clusters)}")
    # Memberships are shares of a row's sum.
    if not V.max(axis=1).all():
        raise ValueError("an indicator has a row of zeros")


def check_graph_name(model: Any) -> None:
    """Refuse a model that chose its graph but does not record which."""
    if (
        is_named(model.graph, "auto")
        and getattr(model, "graph_", None) not in _CHOSEN_GRAPHS
    ):
        raise ValueError("it does not say which graph was taken")


def validate_parameters(model: Any) -> None:
    """Refuse parameters that a fit would refuse, also those of a graph builder."""
    model._validate_params()
    if hasattr(model.graph, "_parameter_constraints"):
        model.graph._validate_params()
