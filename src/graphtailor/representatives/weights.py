"""Weights of rows: how often each one counts."""

from contextlib import suppress
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight

from graphtailor.linalg.sparse import intact

# Whole numbers up to this one are exact in float64.
_MOST = 2.0**53


def row_weights(sample_weight: Any, X: Any) -> np.ndarray:
    """Check weights of rows, and bring them to the size of multiplicities.

    A weight of 2 counts as much as the row twice. Weights whose mean is below 1 are
    divided by it, because some rules compare a cluster with a single row; so are
    weights whose sum is too large for exact counting.

    Parameters
    ----------
    sample_weight : array-like of shape (n,) or number
        Weights. They are not negative, and at least one is not zero.
    X : {array-like, sparse matrix, DataFrame} of shape (n, d)
        The rows.

    Returns
    -------
    ndarray of shape (n,)
        Whole numbers if all weights are whole, else float64.

    Examples
    --------
    >>> row_weights([1.0, 2.0, 0.0], [[1], [2], [3]])
    array([1, 2, 0])
    >>> row_weights([0.25, 0.75], [[1], [2]])
    array([0.5, 1.5])
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


def _numbers(sample_weight: Any) -> np.ndarray | float:
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


def counted_rows(X: Any, weights: np.ndarray | None) -> Any:
    """The rows of X whose weight is not zero."""
    if weights is None or weights.all():
        return X
    return _safe_indexing(X, np.flatnonzero(weights))
