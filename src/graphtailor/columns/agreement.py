"""Columns that say the same as other columns, or as the clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from graphtailor.columns.column import Column
from graphtailor.columns.messages import Message, listed

# Beyond the largest cluster, a column gives this share of the rows' clusters back.
_GIVEN_BACK = 0.95
# Rank correlation from which on two columns of numbers say the same.
_SAME_RANKS = 0.99
_MOST_ROWS, _MOST_COLUMNS = 2_000, 200


def same_columns(
    frame: pd.DataFrame, columns: Sequence[Column], decimal: str
) -> list[str]:
    """A note on numbers that put the rows into the same order, such as x and log x.

    Parameters
    ----------
    frame : DataFrame
        The table.
    columns : sequence of Column
        Those that are used.
    decimal : {".", ","}
        Decimal mark of numbers that are text.
    """
    numbers = [column for column in columns if column.form == "number"]
    if not 2 <= len(numbers) <= _MOST_COLUMNS or len(frame) < 4:
        return []
    rows = frame.iloc[:: max(1, len(frame) // _MOST_ROWS)]
    read = {c.name: c.read(rows[c.name], decimal) for c in numbers}
    ranks = pd.DataFrame(read).rank()
    alike = ranks.corr().abs().to_numpy() >= _SAME_RANKS
    found: list[list[str]] = []
    taken: set[int] = set()
    for first in range(len(numbers)):
        others = np.flatnonzero(alike[first]).tolist()
        group = [other for other in others if other not in taken]
        if first in taken or len(group) < 2:
            continue
        taken.update(group)
        found.append([numbers[place].name for place in group])
    return [
        Message(
            "The columns {names} order the rows alike, and count once each. To count "
            "them once together, use {dropped}.",
            names=listed(names),
            dropped=names[1:],
        )
        for names in found
    ]


def given_back(
    frame: pd.DataFrame, columns: Sequence[Column], labels: np.ndarray, decimal: str
) -> list[str]:
    """A note on a column that alone gives the clusters back.

    Parameters
    ----------
    frame : DataFrame
        The table.
    columns : sequence of Column
        Those that are used.
    labels : ndarray of shape (n,)
        The clusters.
    decimal : {".", ","}
        Decimal mark of numbers that are text.

    Examples
    --------
    >>> frame = pd.DataFrame({"k": list("xyxyxy"), "a": [1.0, 2, 3, 1, 2, 3]})
    >>> columns = [
    ...     Column("k", "category", "", "levels", levels=("x", "y")),
    ...     Column("a", "numeric", "", "number"),
    ... ]
    >>> given_back(frame, columns, np.array([0, 1, 0, 1, 0, 1]), ".")[0][:48]
    "The clusters are the column 'k': it alone gives "
    """
    largest = float(np.bincount(labels).max() / len(labels))
    if len(columns) < 2 or largest == 1:
        return []
    shares = dict(_shares(frame, columns, labels, decimal))
    best = max(columns, key=lambda column: shares.get(column.name, 0.0))
    share = shares.get(best.name, 0.0)
    if (share - largest) / (1 - largest) < _GIVEN_BACK:
        return []
    what = "slices of the dates in" if best.form == "date" else "the column"
    return [
        Message(
            "The clusters are {what} {name!r}: it alone gives the cluster of "
            "{share:.0%} of the rows. To cluster by the other columns, use {dropped}.",
            what=what,
            name=best.name,
            share=share,
            dropped=[best.name],
        )
    ]


def _shares(
    frame: pd.DataFrame, columns: Sequence[Column], labels: np.ndarray, decimal: str
) -> Iterator[tuple[str, float]]:
    """Share of the rows whose cluster each column gives back."""
    k = int(labels.max()) + 1
    for column in columns:
        read = column.read(frame[column.name], decimal)
        if column.form == "parts":
            continue
        if column.has_levels:
            if len(column.levels) > 2 * k:
                continue
            counts = pd.crosstab(pd.Series(read).fillna("").to_numpy(), labels)
            yield column.name, float(counts.max(axis=1).sum() / len(labels))
        else:
            middle = np.nanmean(read) if np.isfinite(read).any() else 0.0
            values = np.nan_to_num(read, nan=middle)[:, None]
            tree = DecisionTreeClassifier(max_leaf_nodes=max(k, 2), random_state=0)
            yield column.name, float(tree.fit(values, labels).score(values, labels))
