"""A table that is ready to be clustered, and how it is put together."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor.columns.agreement import (
    clusters_and_columns,
    left_out,
    possible_codes,
)
from graphtailor.columns.blocks import TableBlocks
from graphtailor.columns.choices import Choices, named, refuse_unknown
from graphtailor.columns.column import Column
from graphtailor.columns.frames import ALL_NUMBERS, UNNAMED
from graphtailor.columns.learning import refuse_nothing
from graphtailor.columns.messages import Message, listed
from graphtailor.columns.scales import in_words
from graphtailor.diagnostics.effects import described_frame
from graphtailor.diagnostics.group_names import cluster_names
from graphtailor.tables.source_table import RawTable


@dataclass(frozen=True)
class Table:
    """Samples to cluster.

    Attributes
    ----------
    name : str
        Short name of the data.
    X : DataFrame, ndarray or csr_array of shape (n, d)
        What a model is fitted to; a DataFrame where features have names.
    ids : ndarray of shape (n,)
        Names of the rows; where no column gives them, their numbers in the
        spreadsheet or text file, or else from 0.
    y : ndarray of shape (n,) or None
        Known classes, as text, where all rows have one.
    some : Series or None
        Known classes of some rows, as text, by the number of the row.
    label, id : str or None
        Names of the columns of `y` and `ids`.
    known : ndarray of shape (n,) or None
        Classes that guide the clusters, None in gaps.
    frame : DataFrame or None
        All columns in the units of the user, also those that X leaves out.
    columns : tuple of Column
        Name, kind and treatment of each of them.
    blocks : TableBlocks or None
        How `frame` became X; None for sparse data.
    scaling : str
        Scaling that is left to the model: "none" where `blocks` scale.
    notes : tuple of str
        What the user should know about how the data were read.
    """

    name: str
    X: Any
    ids: np.ndarray
    y: np.ndarray | None = None
    some: pd.Series | None = None
    label: str | None = None
    id: str | None = None
    known: np.ndarray | None = None
    frame: pd.DataFrame | None = None
    columns: tuple[Column, ...] = ()
    blocks: TableBlocks | None = None
    scaling: str = "maxabs"
    notes: tuple[str, ...] = ()

    def notes_on(self, labels: np.ndarray) -> list[str]:
        """A note where the clusters follow one column, or the levels of several."""
        if self.blocks is None or self.frame is None:
            return []
        used = self.blocks.used_
        return clusters_and_columns(self.frame, used, labels, self.blocks.decimal)

    def names_of(self, labels: np.ndarray) -> list[str]:
        """A name for each cluster, made of its strongest traits."""
        X = self.X
        if self.frame is not None:
            X = described_frame(self.frame, self.columns, self.label)
        return cluster_names(X, labels)


# A column that varies by less than this share of its size hardly counts unshifted.
_FLAT = 0.05


def sparse_table(
    raw: RawTable,
    label: str | None,
    id: str | None,
    scale: str,
    known: str | None = None,
) -> Table:
    """A table of a sparse matrix, which is taken as it is."""
    table = Table(raw.name, raw.values, _numbers(raw), scaling=scale, notes=raw.notes)
    table = _with_known(table, raw, known)
    return _with_sides(table, raw, label or raw.label, id or raw.id)


def fresh_table(
    frame: pd.DataFrame,
    raw: RawTable,
    choices: Choices,
    label: str | None,
    id: str | None,
    *,
    scale: str = "auto",
    known: str | None = None,
) -> Table:
    """A table of which the blocks are learned, from plain columns."""
    label, id = label or raw.label, id or raw.id
    for argument, name in (("label", label), ("id", id), ("known", known)):
        if name is not None and name not in {*frame.columns, *raw.beside}:
            refuse_unknown(argument, name, [*raw.beside, *frame.columns])
    chosen = _without(choices, [*frame.columns, *raw.beside], {label, id, known})
    if raw.as_written is not None:
        written = {n: raw.as_written(n, True) for n in chosen.categorical}
        frame = frame.assign(**written)
    frame.attrs = {ALL_NUMBERS: raw.is_array}
    blocks = TableBlocks(**vars(chosen), decimal=raw.decimal)
    blocks.set_output(transform="pandas")
    aside = {label, id, known}
    used = frame.drop(columns=[name for name in frame.columns if name in aside])
    if blocks.fit(used).scale_ is not None and scale != "auto":
        blocks.set_params(scale=scale).fit(used)
    blocks.id_ = id = id or blocks.id_
    left = "maxabs" if scale == "auto" else scale
    notes = _notes_on_columns(frame, blocks, left, label, id, known)
    if not blocks.used_:
        refuse_nothing(notes)
    X: Any = blocks.transform(frame)
    is_plain = not raw.is_named and X.shape[1] == frame.shape[1]
    is_open = scale in ("auto", "maxabs") and not raw.is_array
    flat = _flat_columns(blocks, X) if is_open else ()
    doubts = left_out(notes)
    if not raw.is_array:
        doubts += possible_codes(frame, blocks.used_, raw.decimal)
    table = Table(
        name=raw.name,
        # Without names of its own a column is known by its place.
        X=X.to_numpy() if is_plain else X,
        ids=_numbers(raw),
        frame=_in_units(frame, blocks),
        columns=notes,
        blocks=blocks,
        scaling=left if blocks.scale_ is None else "none",
        notes=(*raw.notes, *flat, *doubts),
    )
    return _with_sides(_with_known(table, raw, known), raw, label, id)


def _without(
    choices: Choices, known: Sequence[str], aside: Collection[str | None]
) -> Choices:
    """The user's choices, each name checked, without the columns aside."""
    found: dict[str, Any] = {}
    for argument, given in vars(choices).items():
        if given is not None:
            given = [n for n in named(argument, given, known) if n not in aside]
        found[argument] = given
    return Choices(**found)


def repeated_table(
    frame: pd.DataFrame,
    raw: RawTable,
    blocks: TableBlocks,
    label: str | None,
    id: str | None,
) -> Table:
    """A table to which the blocks of another one are applied."""
    known = {*frame.columns, *raw.beside}
    if id is None:
        id = blocks.id_ if blocks.id_ in known else raw.id
    elif id not in known:
        refuse_unknown("id", id, [*raw.beside, *frame.columns])
    if raw.is_named and raw.as_written is not None:
        texts = [c.name for c in blocks.used_ if c.from_text and c.name in frame]
        frame = frame.assign(**{n: raw.as_written(n, True) for n in texts})
    frame.attrs = {UNNAMED: not raw.is_named}
    X = blocks.set_output(transform="pandas").transform(frame)
    table = Table(
        name=raw.name,
        X=X,
        ids=_numbers(raw),
        frame=frame,
        columns=blocks.columns_,
        blocks=blocks,
        scaling="none",
        notes=(*raw.notes, *_others(frame, raw, blocks, {label, id})),
    )
    return _with_sides(table, raw, None, id)


def _others(
    frame: pd.DataFrame,
    raw: RawTable,
    blocks: TableBlocks,
    aside: Collection[str | None],
) -> list[str]:
    """Notes on columns and values that the fitted table did not have."""
    notes = blocks.notes_on(frame)
    known = {*aside, *blocks.feature_names_in_}
    others = [name for name in frame if name not in known]
    if others and raw.is_named:
        notes.append(f"Not columns of the model, left out: {listed(others)}.")
    return notes


def _numbers(raw: RawTable) -> np.ndarray:
    """Numbers of the rows, which a file with names of columns begins at 2."""
    return np.arange(raw.values.shape[0]) + raw.first_row


def _with_known(table: Table, raw: RawTable, name: str | None) -> Table:
    if name is None:
        return table
    classes = pd.Series(np.asarray(_side_column(raw, "known", name)), dtype=object)
    if classes.isna().all():
        what = "{about}: column {name!r} holds no class."
        raise ValueError(Message(what, about="known", name=name))
    return replace(table, known=classes.where(classes.notna(), None).to_numpy())


def _with_sides(
    table: Table, raw: RawTable, label: str | None, id: str | None
) -> Table:
    ids = table.ids if id is None else _side_column(raw, "id", id)
    table = replace(table, label=label, id=id, ids=np.asarray(ids))
    if label is None:
        return table
    classes = pd.Series(np.asarray(_side_column(raw, "label", label)))
    known = classes.dropna().astype(str)
    if len(known) == len(classes):
        return replace(table, y=known.to_numpy(dtype=str))
    if known.empty:
        raise ValueError(
            Message("{label}: column {name!r} holds no class.", name=label)
        )
    note = f"{len(known):,} of {len(classes):,} rows have a class, and are scored."
    return replace(table, some=known, notes=(*table.notes, note))


def _side_column(raw: RawTable, argument: str, name: str) -> Any:
    if name in raw.beside:
        return raw.beside[name]
    is_sparse = sparse.issparse(raw.values)
    columns = [] if is_sparse else [str(column) for column in raw.values.columns]
    if name not in columns:
        refuse_unknown(argument, name, [*raw.beside, *columns])
    if argument == "id" and raw.as_written is not None:
        return raw.as_written(name, False).to_numpy(dtype=object)
    return raw.values.iloc[:, columns.index(name)].to_numpy()


def _notes_on_columns(
    frame: pd.DataFrame,
    blocks: TableBlocks,
    left: str,
    label: str | None,
    id: str | None,
    known: str | None,
) -> tuple[Column, ...]:
    by_name = {column.name: column for column in blocks.columns_}
    if blocks.scale_ is None:  # the model scales what is left
        for column in blocks.used_:
            said = in_words(column.treatment, left)
            by_name[column.name] = replace(column, treatment=said)
    if label is not None:
        by_name[label] = Column(label, "label", "known classes, only to score by")
    if known is not None:
        by_name[known] = Column(known, "label", "known classes, which guide clusters")
    if id in by_name:
        by_name[id] = replace(by_name[id], treatment="left out; names the rows")
    elif id is not None:
        by_name[id] = Column(id, "id", "names the rows")
    outside = [name for name in by_name if name not in frame]
    return tuple(by_name[name] for name in (*frame, *outside))


def _flat_columns(blocks: TableBlocks, X: pd.DataFrame) -> tuple[str, ...]:
    if blocks.scale_ is not None:
        return ()
    names = [column.name for column in blocks.used_]
    values = X[names].to_numpy()
    is_flat = np.ptp(values, axis=0) < _FLAT * np.abs(values).max(axis=0)
    flat = [name for name, is_so in zip(names, is_flat, strict=True) if is_so]
    if not flat:
        return ()
    return (
        Message(
            "Hardly counted, for they vary by less than {share:.0%} of their size: "
            "{flat}. If they should count: {minmax}.",
            share=_FLAT,
            flat=listed(flat),
        ),
    )


def _in_units(frame: pd.DataFrame, blocks: TableBlocks) -> pd.DataFrame:
    """The table with numbers and dates as such where they were text."""
    changed: dict[str, Any] = {}
    for column in blocks.used_:
        is_text = pd.api.types.is_string_dtype(frame[column.name].dtype)
        is_read = column.form in ("number", "date") or column.date_format == "clock"
        if is_text and is_read:
            read = column.read(frame[column.name], blocks.decimal)
            is_date = column.form == "date"
            changed[column.name] = pd.to_datetime(read, unit="D") if is_date else read
    return frame.assign(**changed) if changed else frame
