"""Columns that say the same as other columns, or as the clusters."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from graphtailor.columns.column import Column
from graphtailor.columns.messages import Message, listed

# Beyond the largest cluster, a column gives this share of the rows' clusters back.
_GIVEN_BACK = 0.95
# This share of the rows has the commonest level of its cluster.
_WITHIN = 0.95
# Rank correlation from which on two columns of numbers say the same.
_SAME_RANKS = 0.99
# The others together see the clusters too, if a tree of them finds this share.
_SEEN_BY_OTHERS = 0.5
_MOST_ROWS, _MOST_COLUMNS, _MOST_GROUPS = 2_000, 200, 4
# Whole numbers with at most this many different values may be codes.
_MOST_CODES = 5


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
    if not found:
        return []
    shown = "; ".join(listed(names) for names in found[:_MOST_GROUPS])
    more = len(found) - _MOST_GROUPS
    return [
        Message(
            "Columns that order the rows alike count once each: {names}. To count them "
            "once together, use {dropped}.",
            names=f"{shown}; and {more} more such groups" if more > 0 else shown,
            dropped=[name for names in found for name in names[1:]],
        )
    ]


def possible_codes(
    frame: pd.DataFrame, columns: Sequence[Column], decimal: str
) -> list[str]:
    """A note on numbers that may be codes, such as 1, 2 and 3 for three countries.

    Parameters
    ----------
    frame : DataFrame
        The table.
    columns : sequence of Column
        Those that are used.
    decimal : {".", ","}
        Decimal mark of numbers that are text.
    """
    found = []
    for column in columns:
        if column.form == "number" and len(frame) >= _MOST_CODES**2:
            read = column.read(frame[column.name], decimal)
            values = pd.unique(read[~np.isnan(read)])
            are_small = bool((values == np.round(values)).all() and values.min() >= 0)
            if are_small and len(values) <= _MOST_CODES and values.max() < 10:
                found.append(column.name)
    if not found:
        return []
    return [
        Message(
            "Taken for numbers, although they have at most {most} different values: "
            "{names}. If they are codes, name them with {categorical}.",
            most=_MOST_CODES,
            names=listed(found),
        )
    ]


def clusters_and_columns(
    frame: pd.DataFrame, columns: Sequence[Column], labels: np.ndarray, decimal: str
) -> list[str]:
    """A note where the clusters follow one column, or the levels of several.

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
    >>> frame = pd.DataFrame({"k": list("xyxy"), "a": [1.0, 2, 3, 4]})
    >>> columns = [
    ...     Column("k", "category", "", "levels", levels=("x", "y")),
    ...     Column("a", "numeric", "", "number"),
    ... ]
    >>> clusters_and_columns(frame, columns, np.array([0, 1, 2, 1]), ".")[0][:44]
    "Every cluster lies within one level of 'k' ("
    """
    if len(labels) > _MOST_ROWS:
        rows = np.linspace(0, len(labels) - 1, _MOST_ROWS).astype(int)
        frame, labels = frame.iloc[rows].reset_index(drop=True), labels[rows]
    if len(columns) < 2 or len(np.unique(labels)) < 2:
        return []
    alone = _given_back(frame, columns, labels, decimal)
    return alone or _within_levels(frame, columns, labels, decimal)


def _within_levels(
    frame: pd.DataFrame, columns: Sequence[Column], labels: np.ndarray, decimal: str
) -> list[str]:
    """A note on categories of which every cluster has one level."""
    shares = {}
    for column in columns:
        if not column.levels or column.form == "parts":
            continue
        read = pd.Series(column.read(frame[column.name], decimal)).fillna(-1)
        counts = pd.crosstab(read.to_numpy(), labels).to_numpy()
        largest = counts.sum(axis=1).max() / len(labels)
        share = counts.max(axis=0).sum() / len(labels)
        if share >= _WITHIN and share - largest >= _WITHIN * (1 - largest):
            shares[column.name] = float(share)
    if not shares:
        return []
    each = "one level of" if len(shares) == 1 else "one level of each of"
    return [
        Message(
            "Every cluster lies within {each} {names} ({share:.0%} of the rows). To "
            "cluster by the other columns, use {dropped}.",
            each=each,
            names=listed(shares),
            share=min(shares.values()),
            dropped=list(shares),
        )
    ]


def _given_back(
    frame: pd.DataFrame, columns: Sequence[Column], labels: np.ndarray, decimal: str
) -> list[str]:
    """A note on a column that alone gives the clusters back, where no others do.

    Examples
    --------
    >>> frame = pd.DataFrame({"k": list("xyxyxy"), "a": [1.0, 2, 3, 1, 2, 3]})
    >>> columns = [
    ...     Column("k", "category", "", "levels", levels=("x", "y")),
    ...     Column("a", "numeric", "", "number"),
    ... ]
    >>> _given_back(frame, columns, np.array([0, 1, 0, 1, 0, 1]), ".")[0][:48]
    "The clusters are the column 'k': it alone gives "
    """
    largest = float(np.bincount(labels).max() / len(labels))
    shares = dict(_shares(frame, columns, labels, decimal))
    best = max(columns, key=lambda column: shares.get(column.name, 0.0))
    share = shares.get(best.name, 0.0)
    if (share - largest) / (1 - largest) < _GIVEN_BACK:
        return []
    others = [c.features(frame[c.name], decimal) for c in columns if c is not best]
    known = _predictable(np.hstack(others), labels)
    if (known - largest) / (1 - largest) > _SEEN_BY_OTHERS:
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


def _predictable(X: np.ndarray, labels: np.ndarray) -> float:
    """Share of the rows whose cluster a tree of the other columns finds."""
    tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)
    return float((cross_val_predict(tree, X, labels, cv=KFold(3)) == labels).mean())


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
