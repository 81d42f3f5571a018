"""Find the columns of a preparation in another table."""

from __future__ import annotations

from collections.abc import Collection

import pandas as pd

from graphtailor.tables.messages import did_you_mean, listed
from graphtailor.tables.preparation import Preparation
from graphtailor.tables.source_table import RawTable


def match_columns(
    frame: pd.DataFrame,
    raw: RawTable,
    preparation: Preparation,
    aside: Collection[str | None],
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The columns that a preparation uses: by their names, in arrays by their places.

    Parameters
    ----------
    frame : DataFrame
        The table, its columns plain.
    raw : RawTable
        Where it comes from.
    preparation : Preparation
        Of the table a model was fitted to.
    aside : collection of str or None
        Columns of which it need not be said that they are left out.

    Returns
    -------
    frame : DataFrame
        With all columns that are used.
    notes : tuple of str
        What the user should know.
    """
    used = [column.name for column in preparation.used]
    if not raw.is_named:
        return _by_place(frame, preparation), ()
    missing = [name for name in used if name not in frame.columns]
    known = {*aside, *(column.name for column in preparation.columns)}
    others = [name for name in frame if name not in known]
    if missing:
        raise ValueError(
            f"DATA: the model was fitted to columns that are not there: "
            f"{listed(missing)}.{did_you_mean(missing[0], others)} "
            f"The columns are {listed(frame.columns)}."
        )
    for column in preparation.used:
        if column.from_text and raw.as_written is not None:
            written = raw.as_written(column.name, True)
            frame = frame.assign(**{column.name: written})
    note = f"Not columns of the model, left out: {listed(others)}."
    return frame, (note,) if others else ()


def _by_place(frame: pd.DataFrame, preparation: Preparation) -> pd.DataFrame:
    names = [column.name for column in preparation.columns]
    used = [column.name for column in preparation.used]
    for expected in (names, used):
        if len(expected) == frame.shape[1]:
            return frame.set_axis(expected, axis=1)
    raise ValueError(
        f"DATA: {frame.shape[1]} columns where the model was fitted to {len(used)}. "
        "Give the same columns in the same order, or both times with names."
    )
