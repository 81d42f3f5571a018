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
from sklearn.base import clone

from graphtailor.decide.decision import Decision, count_members
from graphtailor.decide.verdict import level_at
from graphtailor.graphs.base import GraphBuilder
from graphtailor.graphs.constraints import Constraints
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.io.model_schema import BUILDERS
from graphtailor.io.schema import complete, whole
from graphtailor.models.samples import Samples
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.links import Links
from graphtailor.representatives.representatives import Representatives

# The highest search effort of each engine.
_MOST_EFFORT = {"exact": 0, "faiss": 3, "pynndescent": 2}


def check_arrays(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays that hold neither numbers nor text, and values that are not finite.

    Whether an array has the right type and shape is known only where it is used.
    """
    for name, array in arrays.items():
        # Compiled loops take numbers in the byte order of this machine only.
        if array.dtype.kind not in "biufU" or not array.dtype.isnative:
            raise ValueError(f"array {name!r} is of type {array.dtype}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"array {name!r} holds a value that is not finite")


def check_names(names: Any, n_features: int) -> None:
    """Refuse names that are not one text for each feature."""
    is_text = isinstance(names, np.ndarray) and names.dtype.kind == "U"
    if not is_text or names.shape != (n_features,):
        raise ValueError(f"the names of the features are not {n_features} names")


def check_scaler(state: Mapping[str, Any], scaler: Any, n_features: int) -> None:
    """Refuse a scaler of another kind or of other features, or that divides by zero."""
    expected = vars(clone(scaler).fit(np.ones((2, 1)))).keys() - scaler.get_params()
    if state.keys() != expected:
        raise ValueError(f"its scaler does not hold {', '.join(sorted(expected))}")
    if state["n_features_in_"] != n_features:
        raise ValueError(f"its scaler is not of {n_features} features")
    for name, value in state.items():
        is_count = name in ("n_features_in_", "n_samples_seen_")
        if not is_count and value.shape != (n_features,):
            raise ValueError(f"scaler.{name} is not of {n_features} features")
    if not np.all(state["scale_"]):
        raise ValueError("scaler.scale_ holds a zero")


def check_joint(state: Mapping[str, Any], samples: Samples, n_clusters: int) -> None:
    """Refuse a joint model whose parts are not of one size."""
    n, rows = samples.n_samples, samples.rows
    if samples.input != "samples" and (rows.shape != (n, n) or rows.min() < 0):
        raise ValueError(f"its {samples.input} are not {n} x {n} or are negative")
    _check_square(state["representation"], n, "its learned graph")
    _check_indicator(state["indicator"], samples.equal.n_distinct, n_clusters)
    if state["indicator"].dtype != rows.dtype:
        raise ValueError(f"its indicator is not of type {rows.dtype}, as its samples")
    if not state["starts"]:
        raise ValueError("it has no starts")
    for start in state["starts"]:
        _check_labels(start["labels"], n, n_clusters)


def check_features(rows: Any, n_features: int) -> None:
    """Refuse rows with other features than the model was fitted to."""
    if rows.shape[1] != n_features:
        raise ValueError(f"its rows have {rows.shape[1]} features, not {n_features}")


def check_builder(
    name: str, builder: GraphBuilder, fitted: Mapping[str, Any], n: int
) -> None:
    """Refuse a graph builder of another class, or one that was fitted to other rows."""
    if type(builder).__name__ != name:
        raise ValueError(f"its graph is called a {name} and is another one")
    complete(BUILDERS[name])(dict(fitted), "graph")
    for graph in ("weights_", "affinity_"):
        if graph in fitted:
            _check_square(fitted[graph], n, graph)
    for each in ("_sample_scale", "bandwidth_", "masses"):
        value = fitted.get(each)
        if isinstance(value, np.ndarray) and value.shape != (n,):
            raise ValueError(f"{each} is not of {n} samples")
    whole(min(1, n - 1), n)(fitted.get("n_neighbors_", 1), "n_neighbors_")
    _, tuning = fitted.get("_search_state", (0, None))
    if tuning is not None:
        width, effort, _ = tuning
        whole(1, n)(width, "search width")
        whole(0, _MOST_EFFORT[fitted["engine_"]])(effort, "search effort")
    if "labels" in fitted and fitted["labels"].shape != (n, len(fitted["members_"])):
        raise ValueError(f"its members are not clusterings of {n} samples")
    trust = fitted.get("trust_")
    if trust is not None and len(trust) != len(fitted["members_"]):
        raise ValueError("its trust is not that of its members")


def check_links(links: Links, masses: np.ndarray) -> None:
    """Refuse representatives that cannot be searched."""
    m, d = links.points.shape
    whole(1, m)(links.k, "k")
    if masses.shape != (m,):
        raise ValueError(f"its masses are not of {m} representatives")
    if links.directions is not None and links.directions.shape[0] != d:
        raise ValueError("its directions are of other features than its points")
    if sparse.issparse(links.points) and links.directions is None:
        raise ValueError("its points are sparse and have no directions")


def check_pairs(builder: GraphBuilder, metric: str) -> None:
    """Refuse the graph of another kind of pairs than the metric says."""
    expected = {"affinity": "affinities", "precomputed": "distances"}
    if builder.input != expected.get(metric):
        raise ValueError(f"it has {builder.input}, and its metric is {metric!r}")


def check_decision(
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


def check_tailor(
    state: Mapping[str, Any],
    representatives: Representatives | GivenPairs,
    decision: Decision,
) -> None:
    """Refuse a GraphTailor whose parts are not of one size."""
    m, c = len(representatives), decision.n_clusters
    _check_indicator(state["shares"], m, c)
    _check_labels(state["joint"]["init"], m, c)
    for labels in state["separated"]:
        _check_labels(labels, m, m)
    if state["memberships"] is not None:
        nearest, shares = state["memberships"]
        # Rows with weights are fewer or more than their weights add up to.
        if nearest.shape != shares.shape or nearest.ndim != 2:
            raise ValueError("its memberships and their shares differ in shape")
        _check_labels(nearest.ravel(), nearest.size, m)
        _check_indicator(shares, *nearest.shape)


def check_constraints(constraints: Constraints, n_rows: int) -> None:
    """Refuse known classes and pairs of rows that a model does not have."""
    if constraints.known.shape != (n_rows,):
        raise ValueError(f"its known classes are not those of {n_rows} rows")
    if constraints.known.max() >= constraints.n_classes:
        raise ValueError("a row has a known class without a name")
    for pairs in (constraints.must, constraints.cannot):
        if pairs.shape[1] != 2 or pairs.max(initial=0) >= n_rows:
            raise ValueError(f"its must- and cannot-links are not of {n_rows} rows")


def check_classes(classes: Any, n_classes: int, n_clusters: int) -> None:
    """Refuse clusters of known classes that are not different ones of the model."""
    clusters = [] if classes is None else classes.tolist()
    if len(set(clusters)) != n_classes or len(clusters) != n_classes:
        raise ValueError(f"its {n_classes} known classes do not have a cluster each")
    if max(clusters, default=0) >= n_clusters:
        raise ValueError(f"a known class has a cluster beyond its {n_clusters}")


def _check_square(A: Any, n: int, what: str) -> None:
    if not sparse.issparse(A) or A.shape != (n, n):
        raise ValueError(f"{what} is not a sparse graph of {n} samples")
    with np.errstate(over="ignore"):
        if not np.isfinite(A.sum(axis=1)).all():
            raise ValueError(f"{what} has a row whose sum is not finite")


def _check_labels(labels: np.ndarray, n: int, n_clusters: int) -> None:
    if labels.shape != (n,) or labels.max(initial=0) >= n_clusters:
        raise ValueError(f"labels are not {n} numbers below {n_clusters}")


def _check_indicator(V: np.ndarray, n: int, n_clusters: int) -> None:
    if V.shape != (n, n_clusters):
        raise ValueError(f"an indicator has shape {V.shape}, not {(n, n_clusters)}")
    # Memberships are shares of the sum of a row.
    with np.errstate(over="ignore"):
        sums = V.sum(axis=1)
    if not (np.isfinite(sums) & (sums > 0)).all():
        raise ValueError("an indicator has a row whose sum is zero or not finite")
