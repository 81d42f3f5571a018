"""What a report is about: the model, its rows in the user's words and units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from graphtailor.diagnostics.certainty import Certainty, certainty_of
from graphtailor.diagnostics.descriptive_columns import described_frame
from graphtailor.diagnostics.formatting import shown_cell
from graphtailor.diagnostics.model_access import scaled_features, takes_pairs


class RowNames:
    """Names of rows, made when they are asked for.

    Parameters
    ----------
    ids : sequence or None
        Names; None, or the numbers from 0, are shown as "row 0", "row 1", ...

    Examples
    --------
    >>> RowNames(["ash", "oak"])[1], RowNames(None)[1]
    ('oak', 'row 1')
    """

    def __init__(self, ids: Any) -> None:
        self._ids = None if ids is None else np.asarray(ids)
        if self._ids is not None and self._ids.dtype.kind in "iu":
            counted = np.array_equal(self._ids, np.arange(len(self._ids)))
            self._ids = None if counted else self._ids

    def __getitem__(self, i: int) -> str:
        return f"row {i}" if self._ids is None else shown_cell(self._ids[i])


@dataclass(frozen=True)
class Subject:
    """A fitted model and its data.

    Attributes
    ----------
    model : estimator
        Fitted.
    labels : ndarray of shape (n,)
        Clusters of the rows.
    given : {DataFrame, ndarray, sparse array} of shape (n, d) or None
        What the model was fitted to.
    features : {ndarray, csr_array} of shape (n, d) or None
        Scaled, as the model looks at them.
    scaling : str or None
        How they were scaled here; None if not at all.
    frame : {DataFrame, ndarray, csr_array} of shape (n, k) or None
        What describes the rows, in the units of the user.
    names : RowNames
        Names of the rows.
    columns : tuple
        How each column was read, with `name`, `kind` and `treatment`; may be empty.
    y : ndarray of shape (n,) or None
        Known classes.
    certainty : Certainty or None
        How surely rows belong to their clusters.
    """

    model: Any
    labels: np.ndarray
    given: Any
    features: Any
    scaling: str | None
    frame: Any
    names: RowNames
    columns: tuple[Any, ...]
    y: np.ndarray | None
    certainty: Certainty | None


def subject_of(model: Any, X: Any, table: Any = None) -> Subject:
    """Put together what is known of a fit.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : {DataFrame, array-like, sparse array} of shape (n, d) or None
        Features, or what the model was given in their place.
    table : object or None, default=None
        May have `frame`, `ids`, `columns`, `y` and `label`.

    Returns
    -------
    Subject
        What is not known is None or empty.
    """
    labels = np.asarray(model.labels_)
    if X is not None and not hasattr(X, "shape"):
        X = np.asarray(X)
    if X is not None and X.shape[0] != len(labels):
        raise ValueError(
            f"X has {X.shape[0]} rows, but the model was fitted to {len(labels)}. Give "
            "the X that it was fitted to."
        )
    scaling = getattr(table, "scaling", "maxabs")
    scaling = getattr(model, "scaling", None if scaling == "none" else scaling)
    features = scaled_features(model, X, scaling)
    columns = tuple(getattr(table, "columns", None) or ())
    frame = getattr(table, "frame", None)
    if frame is not None:
        frame = described_frame(frame, columns, getattr(table, "label", None))
    elif not takes_pairs(model):
        frame = sparse.csr_array(X) if sparse.issparse(X) else X
    y = getattr(table, "y", None)
    return Subject(
        model,
        labels,
        X,
        features,
        scaling,
        frame,
        RowNames(getattr(table, "ids", getattr(X, "index", None))),
        columns,
        None if y is None else np.asarray(y).astype(str),
        certainty_of(model, features),
    )
