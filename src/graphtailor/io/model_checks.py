"""Whether the parts of a model from a file go together.

Compiled loops do not look whether an index is inside an array. What comes from a file
is looked at once, here, so that a hostile or damaged model gives an error and never
reads or writes a place that is not its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from scipy import sparse

from graphtailor.models.samples import is_named

_FITTED = re.compile(r"[a-z][a-z0-9_]*[a-z0-9]_")
_CHOSEN_GRAPHS = ("knn", "ensemble")
_FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def check_arrays(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays of other things than numbers and text, and what is not finite."""
    for name, array in arrays.items():
        if array.dtype.kind not in "biufU":
            raise ValueError(f"array {name!r} is of type {array.dtype}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"array {name!r} holds what is no finite number")


def check_fitted(fitted: Mapping[str, Any], estimator: type) -> None:
    """Refuse attributes that a fit does not set: one must not stand for a method."""
    for name in fitted:
        if not _FITTED.fullmatch(name) or hasattr(estimator, name):
            raise ValueError(f"{name!r} is no attribute of a fitted model")
    for name in ("n_clusters_", "n_features_in_"):
        _check_count(name, fitted.get(name, 1))


def check_learned(state: Any, estimator: Any, n_features: int | None = None) -> None:
    """Refuse what an estimator never learns, or has learned of other features.

    Parameters
    ----------
    state : dict of str to value
        What is to become attributes.
    estimator : object
        Not fitted; whose they are to be.
    n_features : int or None, default=None
        Of the rows; None where arrays are of other lengths.
    """
    parameters = estimator.get_params(deep=False)
    for name, value in state.items():
        if not name.isidentifier() or hasattr(type(estimator), name):
            raise ValueError(f"{name!r} is no attribute of {type(estimator).__name__}")
        if name in parameters:
            raise ValueError(f"{name!r} is a parameter")
        is_short = isinstance(value, np.ndarray) and value.shape != (n_features,)
        if n_features is not None and is_short:
            raise ValueError(f"{name!r} is not of {n_features} features")


def check_rows(rows: Any, samples: Any) -> None:
    """Refuse rows that are no table of numbers."""
    _check_matrix("rows", rows)
    _check_matrix("samples", samples)


def check_graph(model: Any, tier: Any) -> None:
    """Refuse a graph tier whose parts are not of one size."""
    space = tier.space
    n = space.n_samples
    sizes = {len(model.labels_), space.rows.shape[0], *space.given_graph.shape}
    if sizes != {n}:
        raise ValueError("its parts are not of one size")
    if space.rows.shape[1] != model.n_features_in_:
        raise ValueError("its samples have other features than it was fitted to")
    _check_indicator(model.indicator_, n, model.n_clusters_)
    _check_indicator(tier.indicator, space.known_rows.n_distinct, model.n_clusters_)
    _check_square("weights", space.builder.weights_, n)
    for name in ("degrees_", "_sample_scale"):
        value = getattr(space.builder, name, None)
        if value is not None and np.shape(value) != (n,):
            raise ValueError(f"{name} is not of {n} samples")
    _check_weight("norm", space.norm)
    if hasattr(space.builder, "n_neighbors_"):
        _check_count("n_neighbors_", space.builder.n_neighbors_)
    for name in ("alpha_", "beta_"):
        _check_weight(name, getattr(model, name))


def check_anchors(model: Any, tier: Any) -> None:
    """Refuse an anchor tier whose parts are not of one size."""
    anchors = tier.links.anchors
    m = len(anchors)
    if {len(model.anchor_labels_), *model.given_graph_.shape} != {m}:
        raise ValueError("its parts are not of one size")
    if anchors.shape[1] != model.n_features_in_:
        raise ValueError("its anchors have other features than it was fitted to")
    _check_indicator(tier.indicator, m, model.n_clusters_)


def check_links(anchors: Any, bandwidth: Any, k: Any) -> None:
    """Refuse anchors that cannot be searched."""
    _check_matrix("anchors", anchors)
    if sparse.issparse(anchors):
        raise ValueError("its anchors are sparse")
    _check_weight("bandwidth", bandwidth)
    _check_count("k", k)


def _check_matrix(what: str, A: Any) -> None:
    is_matrix = isinstance(A, np.ndarray) or sparse.issparse(A)
    if not is_matrix or A.ndim != 2 or 0 in A.shape or A.dtype not in _FLOATS:
        raise ValueError(f"its {what} are no table of numbers")


def _check_indicator(V: Any, n: int, n_clusters: int) -> None:
    _check_matrix("indicators", V)
    if V.shape != (n, n_clusters):
        raise ValueError(f"an indicator has shape {V.shape}, not {(n, n_clusters)}")


def _check_square(what: str, A: Any, n: int) -> None:
    if not sparse.issparse(A) or A.shape != (n, n) or A.dtype not in _FLOATS:
        raise ValueError(f"its {what} are no graph of {n} samples")


def _check_count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ValueError(f"{name} is {value!r}, which is no number of things")


def _check_weight(name: str, value: Any) -> None:
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    if not is_number or not 0 <= float(value) < np.inf:
        raise ValueError(f"{name} is {value!r}, which is no weight")


def check_graph_name(model: Any) -> None:
    """Refuse a chosen graph that none can be."""
    if (
        is_named(model.graph, "auto")
        and getattr(model, "graph_", None) not in _CHOSEN_GRAPHS
    ):
        raise ValueError("it does not say which graph was taken")


def validate_parameters(model: Any) -> None:
    """Refuse parameters that a fit would refuse, those of a graph builder too."""
    model._validate_params()
    if hasattr(model.graph, "_parameter_constraints"):
        model.graph._validate_params()
