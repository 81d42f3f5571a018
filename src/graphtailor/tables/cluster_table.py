"""One call from a table to the same table with its clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from graphtailor.columns.choices import Choices
from graphtailor.columns.frames import as_frame
from graphtailor.models import GraphTailor
from graphtailor.representatives.lift import Placed, notes_on_distance
from graphtailor.tables.source_table import RawTable
from graphtailor.tables.table import Table, fresh_table, repeated_table

# Names of the columns that are added to the user's.
CLUSTER, GROUP, CERTAINTY, DISTANCE = "cluster", "group", "certainty", "distance"


@dataclass(frozen=True)
class ClusteredTable:
    """A table with its clusters.

    Attributes
    ----------
    table : DataFrame
        All columns of the user, and those that were added: `cluster`, `group` (the
        cluster's name, made of its strongest traits), `certainty` (the share of the
        members that put the row into this cluster) and `distance` (from the nearest
        fitted rows; 19 of 20 of these are below 1).
    model : GraphTailor
        It predicts the clusters of new rows of such a table.
    read : Table
        What each column was taken for, and the features.
    names : tuple of str
        A name for each cluster, made of its strongest traits.
    notes : tuple of str
        What the user should know.
    """

    table: pd.DataFrame
    model: GraphTailor
    read: Table
    names: tuple[str, ...]
    notes: tuple[str, ...]

    def predict(self, X: Any) -> ClusteredTable:
        """Give new rows back with their clusters, and notes on what is odd about them.

        Parameters
        ----------
        X : pandas or polars DataFrame
            Rows with the columns of the fitted table.

        Returns
        -------
        ClusteredTable
            The new rows and the same model. The notes count new levels, texts in
            columns of numbers, gaps, and rows that are far from all fitted ones.
        """
        frame = as_frame(X)
        blocks = self.model.blocks_
        if blocks is None:
            raise ValueError("The model was not fitted to a table.")
        read = repeated_table(frame, RawTable("table", frame), blocks, None, None)
        placed = self.model.place(frame)
        table = _table_back(frame, placed, self.names)
        notes = (*read.notes, *notes_on_distance(placed.distance))
        return replace(self, table=table, read=read, notes=notes)


def cluster_table(
    X: Any,
    n_clusters: int | str = "auto",
    *,
    label: str | None = None,
    id: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    random_state: Any = None,
    n_jobs: int | None = None,
) -> ClusteredTable:
    """Cluster a table as people have it, and give it back with its clusters.

    This is what ``graphtailor fit`` does: ids and names of rows are left out, and
    columns become blocks of features by :class:`~graphtailor.TableBlocks`.

    Parameters
    ----------
    X : pandas or polars DataFrame
        The table.
    n_clusters : int or "auto", default="auto"
        Number of clusters.
    label, id : str or None, default=None
        Columns that are not clustered by: known classes, and names of the rows.
    columns, drop, categorical, numeric
        Names of columns, as in :class:`~graphtailor.TableBlocks`.
    random_state, n_jobs
        As for :class:`~graphtailor.GraphTailor`.

    Returns
    -------
    ClusteredTable
        The table, the model and what was done to the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from graphtailor import cluster_table
    >>> frame = pd.DataFrame({"a": [1, 2, 1, 8, 9, 9], "k": list("xxxyyy")})
    >>> found = cluster_table(frame, 2, random_state=0)
    >>> found.table["cluster"].nunique()
    2
    """
    frame = as_frame(X)
    choices = Choices(columns, drop, categorical, numeric)
    read = fresh_table(frame, RawTable("table", frame), choices, label, id)
    scaling = None if read.scaling == "none" else read.scaling
    model = GraphTailor(
        n_clusters, scaling=scaling, random_state=random_state, n_jobs=n_jobs
    )
    blocks = read.blocks
    model.fit(read.X, blocks=None if blocks is None else blocks.block_of_feature_)
    names = tuple(read.names_of(model.labels_))
    table = _table_back(frame, model.place(read.X, fitted=True), names)
    if read.blocks is not None:
        model.with_blocks(read.blocks)
    notes = (*read.notes, *read.notes_on(model.labels_))
    return ClusteredTable(table, model, read, names, notes)


def _table_back(
    frame: pd.DataFrame, placed: Placed, names: Sequence[str]
) -> pd.DataFrame:
    V = placed.indicator
    groups = np.array(names, dtype=object)[V.argmax(axis=1)]
    found = (V.argmax(axis=1), V.max(axis=1), placed.distance, groups)
    return with_clusters(frame, *found)


def with_clusters(
    frame: pd.DataFrame,
    labels: np.ndarray,
    certainty: np.ndarray | None,
    distance: np.ndarray | None,
    groups: Sequence[str] | np.ndarray | None = None,
) -> pd.DataFrame:
    """The user's table with the columns that were found, under names that are free."""
    found: dict[str, Any] = {CLUSTER: labels, GROUP: groups}
    found |= {CERTAINTY: certainty, DISTANCE: distance}
    added = {}
    for name, values in found.items():
        while name in frame.columns:
            name = f"{name} (graphtailor)"
        if values is not None:
            is_share = name.startswith((CERTAINTY, DISTANCE))
            added[name] = np.round(values, 4) if is_share else values
    return frame.assign(**added)
