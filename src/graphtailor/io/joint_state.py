"""What a JointModel has learned, as plain values, and a whole model again from them.

Nothing in a state is trusted: the rules of `model_schema` check single values, and here
they are compared with each other.
"""

import numpy as np
from scipy import sparse

from graphtailor.graphs import GraphBuilder
from graphtailor.graphs.constraints import Constraints
from graphtailor.io import model_parts as parts
from graphtailor.io.model_schema import JOINT_STATE
from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.types import Matrix
from graphtailor.models import GraphTailor, JointModel
from graphtailor.models.samples import Samples
from graphtailor.solvers.base import SolverResult


def joint_state(model: JointModel) -> parts.State:
    """What a fitted JointModel holds."""
    samples = model._samples
    return {
        "features": features_state(model),
        "rows": samples.rows,
        "input": samples.input,
        "scaler": parts.scaler_state(samples.scaler),
        "graph": parts.builder_state(model.graph_),
        "constraints": model._constraints,
        **solution_state(model),
    }


def solution_state(model: JointModel) -> parts.State:
    """What a solution consists of."""
    return {
        "norm": model._samples.norm,
        "indicator": model._indicator,
        "representation": model.representation_,
        "objective": model.objective_,
        "converged": model.converged_,
        "starts": model.starts_,
    }


def features_state(model: JointModel | GraphTailor) -> parts.State:
    """Number and names of the features."""
    return {
        "number": model.n_features_in_,
        "names": getattr(model, "feature_names_in_", None),
    }


def restored_joint_model(model: JointModel, state: parts.State) -> JointModel:
    """Fill a JointModel that has its parameters."""
    state = JOINT_STATE(state, "state")
    rows, n_features = state["rows"], state["features"]["number"]
    scaling = model.scaling if state["input"] == "samples" else None
    scaler = parts.restored_scaler(
        scaling, state["scaler"], sparse.issparse(rows), n_features
    )
    equal = KnownRows(rows)
    samples = Samples(rows, scaler, state["norm"], state["input"], equal)
    builder = parts.restored_builder(state["graph"], rows)
    if builder.input != samples.input:
        raise ValueError(f"its graph is one of {builder.input}, not {samples.input}")
    restore_features(model, state["features"], rows)
    known = state["constraints"]
    if known is not None:
        check_constraints(known, samples.n_samples, model.n_clusters)
    model._constraints = known
    return with_solution(model, samples, builder, state)


def restore_features(
    model: JointModel | GraphTailor, state: parts.State, rows: Matrix
) -> None:
    """Set number and names of the features, which must be those of the rows."""
    number, names = state["number"], state["names"]
    if rows.shape[1] != number:
        raise ValueError(f"its rows have {rows.shape[1]} features, not {number}")
    if names is not None:
        is_text = isinstance(names, np.ndarray) and names.dtype.kind == "U"
        if not is_text or names.shape != (number,):
            raise ValueError(f"the names of the features are not {number} names")
        names = names.astype(object)
    model._restore_features(number, names)


def check_constraints(known: Constraints, n_rows: int, n_clusters: int) -> None:
    """Refuse known classes and pairs of rows that a model does not have."""
    if known.known.shape != (n_rows,):
        raise ValueError(f"its known classes are not those of {n_rows} rows")
    if known.known.max() >= known.n_classes:
        raise ValueError("a row has a known class without a name")
    if known.n_classes > n_clusters:
        raise ValueError("it has more known classes than clusters")
    for pairs in (known.must, known.cannot):
        if pairs.shape[1] != 2 or pairs.max(initial=0) >= n_rows:
            raise ValueError(f"its must- and cannot-links are not of {n_rows} rows")


def with_solution(
    model: JointModel, samples: Samples, builder: GraphBuilder, state: parts.State
) -> JointModel:
    """Give a joint model its solution, whose parts must be of one size."""
    n, rows, V = samples.n_samples, samples.rows, state["indicator"]
    if samples.input != "samples" and (rows.shape != (n, n) or rows.min() < 0):
        raise ValueError(f"its {samples.input} are not {n} x {n} or are negative")
    parts.check_square(state["representation"], n, "its learned graph")
    check_indicator(V, samples.equal.n_distinct, model.n_clusters)
    if V.dtype != rows.dtype:
        raise ValueError(f"its indicator is not of type {rows.dtype}, as its samples")
    if not state["starts"]:
        raise ValueError("it has no starts")
    for start in state["starts"]:
        check_labels(start.labels, n, model.n_clusters)
    reason = "converged" if state["converged"] else "max_iter"
    result = SolverResult(state["representation"], V, state["objective"], 0.0, reason)
    model._set_fitted(samples, builder, V, result, state["starts"])
    return model


def check_labels(labels: np.ndarray, n: int, n_clusters: int) -> None:
    """Refuse what is not one of so many clusters for each of n rows."""
    if labels.shape != (n,) or labels.max(initial=0) >= n_clusters:
        raise ValueError(f"labels are not {n} numbers below {n_clusters}")


def check_indicator(V: np.ndarray, n: int, n_clusters: int) -> None:
    """Refuse memberships of other sizes, or that have no shares."""
    if V.shape != (n, n_clusters):
        raise ValueError(f"an indicator has shape {V.shape}, not {(n, n_clusters)}")
    # Memberships are shares of the sum of a row.
    with np.errstate(over="ignore"):
        sums = V.sum(axis=1)
    if not (np.isfinite(sums) & (sums > 0)).all():
        raise ValueError("an indicator has a row whose sum is zero or not finite")
