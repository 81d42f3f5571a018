"""The columns of a table in which clusters may differ, as they were read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

# Kinds of columns that name rows, tell stories or say nothing.
_NOT_DESCRIBED = frozenset({"id", "text", "constant", "empty", "label"})


def described_frame(
    frame: pd.DataFrame, columns: Sequence[Any], label: str | None = None
) -> pd.DataFrame:
    """The columns that describe the rows, with numbers, dates and categories as such.

    Parameters
    ----------
    frame : DataFrame
        All columns in the units of the user.
    columns : sequence
        How each was read: `name` and `kind`, and if they like `is_used`, `form` and
        `read`, as :class:`graphtailor.tables.Column` has them. Columns that are
        not there are taken as they are.
    label : str or None, default=None
        Column of the known classes, which describes nothing that was clustered.

    Returns
    -------
    DataFrame
        What was left out of the model is left out here.

    Examples
    --------
    >>> import pandas as pd
    >>> from types import SimpleNamespace as Column
    >>> frame = pd.DataFrame({"name": ["a", "b"], "zip": [1, 2]})
    >>> read = [Column(name="name", kind="id"), Column(name="zip", kind="category")]
    >>> described_frame(frame, read)["zip"].tolist()
    ['1', '2']
    """
    known = {str(column.name): column for column in columns}
    described = {}
    for name in frame.columns:
        column = known.get(str(name))
        if str(name) == label or (column is not None and not _is_told(column)):
            continue
        described[str(name)] = _as_read(frame[name], column)
    return pd.DataFrame(described, index=frame.index, copy=False)


def _is_told(column: Any) -> bool:
    return column.kind not in _NOT_DESCRIBED and getattr(column, "is_used", True)


def _as_read(values: pd.Series, column: Any) -> pd.Series:
    """Text that is a number or a date as such; codes of categories as text."""
    if column is None:
        return values
    is_text = not pd.api.types.is_numeric_dtype(values)
    if column.kind == "date" and not pd.api.types.is_datetime64_any_dtype(values):
        how = getattr(column, "date_format", None)
        return pd.to_datetime(values, format=how, errors="coerce", utc=True)
    if column.kind == "category":
        return values.astype(str).where(values.notna())
    if column.kind in ("numeric", "number") and is_text:
        read = getattr(column, "read", pd.to_numeric)
        return pd.Series(read(values), index=values.index)
    return values
