"""Read a table: features, ids and, where they are known, classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor.tables.features import numeric_features
from graphtailor.tables.messages import did_you_mean, listed
from graphtailor.tables.sources import RawTable, is_row_count, read_source


@dataclass(frozen=True)
class Table:
    """Samples to cluster.

    Attributes
    ----------
    name : str
        Short name of the data.
    X : DataFrame, ndarray or csr_array of shape (n, d)
        Features; a DataFrame where they have names.
    ids : ndarray of shape (n,)
        Ids of the rows; their numbers from 0 where no column gives them.
    y : ndarray of shape (n,) or None
        Known classes, as text.
    label, id : str or None
        Names of the columns of `y` and `ids`.
    fill : dict of str to float
        What missing values were filled with, by column.
    notes : tuple of str
        What the user should know about how the data were read.
    """

    name: str
    X: Any
    ids: np.ndarray
    y: np.ndarray | None = None
    label: str | None = None
    id: str | None = None
    fill: dict[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def read_table(
    source: str,
    *,
    label: str | None = None,
    id: str | None = None,
    delimiter: str | None = None,
    decimal: str = ".",
    header: bool = True,
    drop: Sequence[str] = (),
    impute: str | None = None,
    features: Sequence[str] | None = None,
    fill: Mapping[str, float] | None = None,
) -> Table:
    """Read a bundled data set or a CSV, TSV, Parquet or npz file.

    An npz file holds X, and if it likes `y`, `ids` and `feature_names`, or one sparse
    matrix as :func:`scipy.sparse.save_npz` writes it. Nothing is ever unpickled.

    Parameters
    ----------
    source : str
        Name of a data set (:func:`graphtailor.datasets.list_datasets`) or path.
    label, id : str or None, default=None
        Columns with the classes and with the ids of the rows.
    delimiter, decimal, header
        How text is written; the delimiter is guessed if None.
    drop : sequence of str, default=()
        Columns to leave out. With `features` they need not be there.
    impute : {"median", "mean", "most_frequent"} or None, default=None
        What replaces missing values.
    features : sequence of str or None, default=None
        Take exactly these columns, in this order: those a model was fitted to. All
        others are left out, whatever they hold.
    fill : mapping of str to float, or None, default=None
        Replacements of missing values: `Table.fill` of the data the model was fitted
        to, empty if they had none.

    Returns
    -------
    Table
        The samples.

    Raises
    ------
    ValueError
        If the data cannot be read or used; the message says what to do, in the words
        of the command line.

    Examples
    --------
    >>> from graphtailor.tables import read_table
    >>> wine = read_table("wine")
    >>> wine.X.shape, wine.label, len(set(wine.y))
    ((178, 13), 'class', 3)
    """
    raw = read_source(
        source, delimiter=delimiter, decimal=decimal, header=header, as_text=id
    )
    label_name, y = _side_column(raw, "--label", label or raw.label)
    id_name, ids = _side_column(raw, "--id", id or raw.id)
    n = raw.values.shape[0]
    if n == 0:
        raise ValueError(f"DATA: {source} has no rows.")
    common: dict[str, Any] = {
        "name": raw.name,
        "ids": np.arange(n) if ids is None else ids,
        "y": None if y is None else _classes(label_name, y),
        "label": label_name,
        "id": id_name,
    }
    if sparse.issparse(raw.values):
        return Table(X=raw.values, notes=raw.notes, **common)
    frame = raw.values.set_axis([str(name) for name in raw.values.columns], axis=1)
    chosen, notes = _choose(frame, raw, (label_name, id_name), drop, features)
    X, fill = numeric_features(chosen, impute, fill)
    # Without names of its own a column is known by its place.
    values = X if raw.is_named else X.to_numpy()
    return Table(X=values, fill=fill, notes=(*raw.notes, *notes), **common)


def _side_column(
    raw: RawTable, option: str, name: str | None
) -> tuple[str | None, Any]:
    if name is None:
        return None, None
    if name in raw.beside:
        return name, raw.beside[name]
    columns = [] if sparse.issparse(raw.values) else [*map(str, raw.values.columns)]
    if name not in columns:
        _refuse_unknown(option, name, [*raw.beside, *columns])
    return name, raw.values.iloc[:, columns.index(name)].to_numpy()


def _refuse_unknown(option: str, name: str, known: list[str]) -> None:
    raise ValueError(
        f"{option}: there is no column {name!r}.{did_you_mean(name, known)} "
        f"The columns are {listed(known)}."
    )


def _classes(name: str | None, values: Any) -> np.ndarray:
    missing = int(pd.isna(values).sum())
    if missing:
        raise ValueError(
            f"--label: {missing} of {len(values)} rows have no value in column "
            f"{name!r}. Fill them in, or cluster without --label and --drop the column."
        )
    return np.asarray(values).astype(str)


def _choose(
    frame: pd.DataFrame,
    raw: RawTable,
    aside: tuple[str | None, str | None],
    drop: Sequence[str],
    features: Sequence[str] | None,
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()].unique().tolist()
        raise ValueError(f"DATA: more than one column is called {listed(twice)}.")
    if features is not None and raw.is_named:
        missing = [name for name in features if name not in frame.columns]
        others = [name for name in frame if name not in {*features, *aside, *drop}]
        if missing:
            raise ValueError(
                f"DATA: the model was fitted to columns that are not there: "
                f"{listed(missing)}.{did_you_mean(missing[0], others)} "
                f"The columns are {listed(frame.columns)}."
            )
        left_out = f"Not columns of the model, left out: {listed(others)}."
        return frame[list(features)], (left_out,) if others else ()
    for name in drop:
        if features is None and name not in {*frame.columns, *raw.beside}:
            _refuse_unknown("--drop", name, list(frame.columns))
    kept = frame.drop(columns=[c for c in {*drop, *aside} if c in frame.columns])
    if kept.shape[1] == 0:
        raise ValueError("DATA: no column is left to cluster by.")
    counting = [name for name in kept if is_row_count(kept[name])]
    return kept, tuple(
        f"Column {name!r} counts the rows and is used as a feature. If it is an id, "
        f"give --id {name}."
        for name in counting
    )
