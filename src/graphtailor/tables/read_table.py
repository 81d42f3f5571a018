"""Read a table: features, ids and, where they are known, classes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import pandas as pd
from scipy import sparse

from graphtailor.io.limits import TOO_LARGE
from graphtailor.tables.assemble import fresh_table, repeated_table, sparse_table
from graphtailor.tables.column_choice import Choices
from graphtailor.tables.column_weights import SCALES
from graphtailor.tables.learn_columns import IMPUTATIONS
from graphtailor.tables.messages import did_you_mean, listed
from graphtailor.tables.parse_values import plain_column
from graphtailor.tables.preparation import Preparation
from graphtailor.tables.source_table import RawTable
from graphtailor.tables.sources import read_source
from graphtailor.tables.table import Table


def read_table(
    source: str,
    *,
    label: str | None = None,
    id: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    impute: str = "median",
    scale: str = "maxabs",
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    preparation: Preparation | None = None,
) -> Table:
    """Read a bundled data set or a file, and make features of its columns.

    Text (perhaps compressed), Parquet, Arrow, Excel, npy and npz files are read. An
    npz file holds X, and if it likes `y`, `ids` and `feature_names`, or one sparse
    matrix as :func:`scipy.sparse.save_npz` writes it. Nothing is ever unpickled.

    :func:`~graphtailor.tables.column_kinds.guess_kind` says what a column is taken for,
    :func:`~graphtailor.tables.learn_columns.learn_preparation` what is done to it;
    `Table.columns` lists both.

    Parameters
    ----------
    source : str
        Name of a data set (:func:`graphtailor.datasets.list_datasets`) or path.
    label, id : str or None, default=None
        Columns with the classes and with the names of the rows.
    columns, drop, categorical, numeric
        What is known about columns, see
        :class:`~graphtailor.tables.column_choice.Choices`.
    impute : {"median", "mean", "most_frequent"}, default="median"
        What replaces missing numbers.
    scale : {"maxabs", "minmax", "standard", "none"}, default="maxabs"
        Scaling of numeric columns.
    delimiter, decimal, header
        How text is written; guessed if None.
    preparation : Preparation or None, default=None
        Repeat this one, of the table a model was fitted to. Columns are found by their
        names (in arrays by their places), and others are left out.

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
    _check_option("--impute", impute, IMPUTATIONS)
    _check_option("--scale", scale, SCALES)
    with _naming(source):
        raw = read_source(source, delimiter=delimiter, decimal=decimal, header=header)
        n = raw.values.shape[0]
        if n == 0 or (n == 1 and preparation is None):
            amount = "only one row: there is nothing to cluster" if n else "no rows"
            raise ValueError(f"DATA: {source} has {amount}.")
        if sparse.issparse(raw.values):
            return sparse_table(raw, label, id, scale)
        frame = _plain_frame(raw)
        if preparation is not None:
            return repeated_table(frame, raw, preparation, label, id)
        choices = Choices(columns, drop, categorical, numeric)
        return fresh_table(frame, raw, choices, label, id, impute=impute, scale=scale)


@contextmanager
def _naming(source: str) -> Iterator[None]:
    """Say of what is wrong with the data which data they are."""
    try:
        yield
    except MemoryError as error:
        raise ValueError(f"DATA: {source}: {TOO_LARGE}.") from error
    except ValueError as error:
        begin, _, reason = str(error).partition("DATA: ")
        if begin or not reason or source in reason:
            raise
        raise ValueError(f"DATA: {source}: {reason}") from error


def _plain_frame(raw: RawTable) -> pd.DataFrame:
    names = [str(name) for name in raw.values.columns]
    frame = raw.values.set_axis(names, axis=1)
    if not frame.columns.is_unique:
        twice = frame.columns[frame.columns.duplicated()].unique().tolist()
        raise ValueError(f"DATA: more than one column is called {listed(twice)}.")
    if raw.is_array or frame.empty:
        return frame
    return pd.DataFrame({name: plain_column(frame[name]) for name in names}, copy=False)


def _check_option(option: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        raise ValueError(
            f"{option}: {given!r} is unknown.{did_you_mean(given, known)} "
            f"Use {', '.join(known)}."
        )
