"""What GraphTailor checks of its arguments before a fit, and warns of after it."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from graphtailor.dask.cluster import is_dask
from graphtailor.graphs.base import Input
from graphtailor.graphs.constraints import Constraints
from graphtailor.representatives.weights import row_weights

if TYPE_CHECKING:
    from graphtailor.models.graph_tailor import GraphTailor

# Metrics for which X holds pairs of rows, and what it holds.
PAIRWISE: dict[str, Input] = {"precomputed": "distances", "affinity": "affinities"}


def checked_weights(sample_weight: Any, X: Any, metric: str) -> np.ndarray | None:
    """Weights of rows, if they are given and have a meaning here."""
    if sample_weight is None:
        return None
    if metric in PAIRWISE:
        raise ValueError(
            f"sample_weight is given, and metric={metric!r} takes pairs of rows, which "
            "have no weights. Leave it out or give the rows."
        )
    if is_dask(X):
        raise ValueError(
            "sample_weight is given, and X is a Dask collection, whose rows have no "
            "weights. Leave it out or gather the rows with X.compute()."
        )
    return row_weights(sample_weight, X)


def refuse_constraints(*given: Any) -> None:
    """Refuse what is known of the rows of a Dask collection."""
    if any(each is not None for each in given):
        raise ValueError(
            "known, must_link and cannot_link need rows in memory, and X is a Dask "
            "collection. Gather it with X.compute()."
        )


def check_number(
    model: GraphTailor, n_rows: int, constraints: Constraints | None = None
) -> None:
    """Refuse more clusters than there are rows, representatives or room for classes."""
    if constraints is not None:
        constraints.check_number(model.n_clusters)
    if model.n_clusters == "auto":
        return
    n_clusters = int(model.n_clusters)
    model._check_enough(n_rows, n_clusters)
    if model.metric not in PAIRWISE and n_clusters > model.representatives:
        raise ValueError(
            f"n_clusters={n_clusters} should be <= "
            f"representatives={model.representatives}. Raise representatives."
        )


def warn_of_equal_rows(n_clusters: int | str, n_distinct: int) -> None:
    """Warn where there are fewer different rows than clusters."""
    if n_clusters != "auto" and n_distinct < int(n_clusters):
        warnings.warn(
            f"Only {n_distinct} rows are different from each other: fewer than "
            f"n_clusters={n_clusters} clusters are found.",
            ConvergenceWarning,
            stacklevel=5,
        )


def warn_of_empty_clusters(n_found: int, n_clusters: int) -> None:
    """Warn of clusters that hold no row."""
    if n_found < n_clusters:
        warnings.warn(
            f"Only {n_found} of {n_clusters} clusters hold a row: the others are made "
            "of anchors that no row belongs to first. Raise representatives or ask for "
            "fewer clusters.",
            ConvergenceWarning,
            stacklevel=5,
        )
