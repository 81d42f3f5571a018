"""What GraphTailor checks of its arguments before a fit, and warns of after it."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight

from graphtailor.dask.cluster import is_dask
from graphtailor.graphs.base import Input
from graphtailor.graphs.constraints import Constraints
from graphtailor.linalg.sparse import intact
from graphtailor.linalg.types import Matrix, MatrixLike

if TYPE_CHECKING:
    from graphtailor.models.graph_tailor import GraphTailor

# Whole numbers up to this one are exact in float64.
_MOST = 2.0**53
# Metrics for which X holds pairs of rows, and what it holds.
PAIRWISE: dict[str, Input] = {"precomputed": "distances", "affinity": "affinities"}


def checked_weights(
    sample_weight: ArrayLike | None, X: MatrixLike, metric: str
) -> np.ndarray | None:
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


def refuse_constraints(*given: object) -> None:
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


def row_weights(sample_weight: ArrayLike | None, X: MatrixLike) -> np.ndarray:
    """Check weights of rows of X, and bring them to the size of multiplicities.

    A weight of 2 counts as much as the row twice. Weights whose mean is below 1 are
    divided by it, because some rules compare a cluster with a single row; so are
    weights whose sum is too large for exact counting. Whole weights stay whole numbers.
    """
    weights = _check_sample_weight(
        _numbers(sample_weight), X, dtype=np.float64, ensure_non_negative=True
    )
    weights = weights / max(weights.max() / _MOST, 1.0)  # so that their sum is finite
    total, heavy = weights.sum(), np.count_nonzero(weights)
    if total < heavy or total > _MOST:
        weights = weights / (total / heavy)
    if np.count_nonzero(weights) < 2:
        raise ValueError(
            "sample_weight is above zero for a single row (n_samples=1), and clusters "
            "need at least two."
        )
    whole = np.rint(weights)
    return whole.astype(np.int64) if np.array_equal(whole, weights) else weights


def _numbers(sample_weight: ArrayLike | None) -> np.ndarray | float:
    given = np.asarray(intact(sample_weight, "sample_weight"))
    # Complex numbers would lose a part, and dates become numbers of days.
    with suppress(TypeError, ValueError):
        if given.dtype.kind in "biufOUS":
            numbers = given.astype(np.float64)
            return numbers if given.ndim else numbers.item()
    raise ValueError(
        f"sample_weight has values of type {given.dtype} that are no numbers. Give one "
        "number for each row."
    )


def counted_rows(X: MatrixLike, weights: np.ndarray | None) -> Matrix:
    """The rows of X whose weight is not zero."""
    if weights is None or weights.all():
        return X
    return _safe_indexing(X, np.flatnonzero(weights))
