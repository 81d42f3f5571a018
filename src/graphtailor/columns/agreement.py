"""What to tell about columns: left out, perhaps codes, or saying what clusters say."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.tree import DecisionTreeClassifier

from graphtailor.columns.column import Column
from graphtailor.columns.guess import CALENDAR, CODE, REPEATED
from graphtailor.columns.messages import Message, listed

# Beyond the largest cluster, a column gives this share of the rows' clusters back.
_GIVEN_BACK = 0.95
# This share of the rows has the commonest level of its cluster.
_WITHIN = 0.95
# The others together see the clusters too, if a tree of them finds this share. Clusters
# go by the calendar if a tree of its columns finds it.
_SEEN_BY_OTHERS = _BY_CALENDAR = 0.5
# A part of the calendar that finds this share alone is named.
_NAMED_ALONE = 0.1
_MOST_ROWS = 2_000
# Whole numbers with at most this many different values may be codes.
_MOST_CODES = 5
# So may those from 1 on of which neighbours are as unlike in frequency as any two.
_UNLIKE, _FEWEST_ROWS_A_CODE = 0.5, 20
_CALENDAR_CYCLES = ("month", "month names", "month day", "year day")
_CALENDAR_NAME = re.compile(r"(?:.*_)?(?:years?|yr|quarters?|seasons?|weeks?)")


def left_out(columns: Sequence[Column]) -> list[str]:
    """A note on columns that look like numbers or dates and do not count."""
    found = [c for c in columns if c.kind in (CODE, CALENDAR, REPEATED)]
    if not found:
        return []
    said = [f"{c.name!r} {c.treatment.removeprefix('left out: ')}" for c in found]
    more = len(said) - 4
    return [
        Message(
            "Left out: {said}{more}. To use them all the same, name them with "
            "{numeric}.",
            said="; ".join(said[:4]),
            more=f"; and {more} more such column{'s' * (more > 1)}" if more > 0 else "",
        )
    ]


def possible_codes(
    frame: pd.DataFrame, columns: Sequence[Column], decimal: str
) -> list[str]:
    """A note on numbers that may be codes, such as 1, 2 and 3 for three countries."""
    found = [
        column.name
        for column in columns
        if column.form == "number"
        and _may_be_codes(column.read(frame[column.name], decimal))
    ]
    if not found:
        return []
    return [
        Message(
            "Taken for numbers, although they may be codes: {names}. If they are, name "
            "them with {categorical}.",
            names=listed(found),
        )
    ]


def _may_be_codes(read: np.ndarray) -> bool:
    """Whether whole numbers are few, or jump in frequency from one to the next.

    Examples
    --------
    >>> _may_be_codes(np.repeat([1.0, 2, 3], 10))
    True
    >>> steps = np.arange(1.0, 13)
    >>> _may_be_codes(np.repeat(steps, [90, 2, 60, 9, 99, 3, 8, 70, 1, 50, 5, 80]))
    True
    >>> _may_be_codes(np.repeat(steps, [3, 9, 20, 50, 70, 90, 80, 60, 50, 30, 9, 6]))
    False
    """
    values, counts = np.unique(read[~np.isnan(read)], return_counts=True)
    if len(read) < _MOST_CODES**2 or (values != np.round(values)).any():
        return False
    if len(values) <= _MOST_CODES:
        return bool(values.min() >= 0 and values.max() < 10)
    is_run = values[0] == 1 and values[-1] <= 1.1 * len(values)
    if not is_run or len(read) < _FEWEST_ROWS_A_CODE * len(values):
        return False
    # Square roots of counts vary by 1/4 by chance, and their differences by 1/2.
    roots = np.sqrt(counts)
    jumps = float(np.mean(np.diff(roots) ** 2)) / 2
    return jumps >= max(_UNLIKE * float(np.var(roots)), 1.0)


def clusters_and_columns(
    frame: pd.DataFrame, columns: Sequence[Column], labels: np.ndarray, decimal: str
) -> list[str]:
    """A note where clusters follow one column, the calendar, or levels of several.

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
    n_clusters = len(np.unique(labels))
    if len(columns) < 2 or n_clusters < 2:
        return []
    seen = (frame, columns, labels, decimal)
    if 3 * n_clusters > len(labels):  # a tree learns nothing of one or two rows
        return _within_levels(*seen)
    return _given_back(*seen) or [*_within_levels(*seen), *_by_calendar(*seen)]


def _within_levels(
    frame: pd.DataFrame, columns: Sequence[Column], labels: np.ndarray, decimal: str
) -> list[str]:
    """A note on categories of which every cluster has one level."""
    shares = {}
    for column in columns:
        if column.levels and column.form != "parts":
            read = pd.Series(column.read(frame[column.name], decimal))
            levels, _ = pd.factorize(read)  # a gap is -1
            counts = pd.crosstab(levels, labels).to_numpy()
            share = counts.max(axis=0).sum() / len(labels)
            rest = 1 - counts.sum(axis=1).max() / len(labels)
            if share >= _WITHIN and share - 1 + rest >= _WITHIN * rest:
                shares[column.name] = float(share)
    if not shares:
        return []
    return [
        Message(
            "Every cluster lies within {each} {names} ({share:.0%} of the rows). To "
            "cluster by the other columns, use {dropped}.",
            each="one level of" if len(shares) == 1 else "one level of each of",
            names=listed(shares),
            share=min(shares.values()),
            dropped=list(shares),
        )
    ]


def _by_calendar(
    frame: pd.DataFrame, columns: Sequence[Column], labels: np.ndarray, decimal: str
) -> list[str]:
    """A note on clusters that columns of dates, months and years find."""
    features = {
        column.name: column.features(frame[column.name], decimal)
        for column in columns
        if column.form == "date"
        or (column.form == "cycle" and column.date_format in _CALENDAR_CYCLES)
        or _CALENDAR_NAME.fullmatch(column.name.lower())
    }
    if not features:
        return []
    together = _predictable(np.hstack([*features.values()]), labels)
    if together < _BY_CALENDAR:
        return []
    shares = {name: _predictable(X, labels) for name, X in features.items()}
    best = max(shares, key=lambda name: shares[name])
    names = [n for n in shares if shares[n] >= _NAMED_ALONE or n == best]
    return [
        Message(
            "The clusters go by the calendar: {share:.0%} of what tells them apart is "
            "found from {names} alone. To cluster by the other columns, use {dropped}.",
            names=listed(names),
            share=together,
            dropped=names,
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
    shares = _shares(frame, columns, labels, decimal)
    best = columns[int(np.argmax(shares))]
    if _beyond_largest(max(shares), labels) < _GIVEN_BACK:
        return []
    others = [c.features(frame[c.name], decimal) for c in columns if c is not best]
    if _predictable(np.hstack(others), labels) > _SEEN_BY_OTHERS:
        return []
    return [
        Message(
            "The clusters are {what} {name!r}: it alone gives the cluster of "
            "{share:.0%} of the rows. To cluster by the other columns, use {dropped}.",
            what="slices of the dates in" if best.form == "date" else "the column",
            name=best.name,
            share=max(shares),
            dropped=[best.name],
        )
    ]


def _shares(
    frame: pd.DataFrame, columns: Sequence[Column], labels: np.ndarray, decimal: str
) -> list[float]:
    """Shares of the rows whose cluster each column gives back; 0 if it is far off."""
    k = max(int(labels.max()) + 1, 2)
    tree = DecisionTreeClassifier(max_leaf_nodes=k, random_state=0)
    # k slices have k - 1 borders, and each row in a wrong one adds two at most. A tree
    # for each of thousands of columns would take longer than the fit.
    wrong = (1 - _GIVEN_BACK) * (len(labels) - np.bincount(labels).max())
    most, order = k - 1 + 2 * wrong, np.argsort(labels, kind="stable")
    shares = [0.0] * len(columns)
    for place, column in enumerate(columns):
        many = column.has_levels and len(column.levels) > 2 * k
        if many or column.form == "parts":
            continue
        read = pd.Series(column.read(frame[column.name], decimal))
        if column.has_levels:
            counts = pd.crosstab(read.fillna("").to_numpy(), labels)
            shares[place] = float(counts.max(axis=1).sum() / len(labels))
            continue
        X = read.fillna(read.mean()).fillna(0.0).to_numpy()[:, None]
        if _n_borders(X[order, 0], labels[order]) <= most:
            shares[place] = float(tree.fit(X, labels).score(X, labels))
    return shares


def _n_borders(x: np.ndarray, labels: np.ndarray) -> int:
    """How often the label changes along rising numbers; labels come in their order.

    Examples
    --------
    >>> x, labels = np.arange(40.0), np.repeat([0, 1], 20)
    >>> _n_borders(x, labels), _n_borders(x % 7, labels)
    (1, 13)
    """
    in_order = labels[np.argsort(x, kind="stable")]
    return int(np.count_nonzero(in_order[1:] != in_order[:-1]))


def _predictable(X: np.ndarray, labels: np.ndarray) -> float:
    """Share of the rows beyond the largest cluster that a tree of X finds."""
    tree = DecisionTreeClassifier(min_samples_leaf=5, random_state=0)
    parts = KFold(3, shuffle=True, random_state=0)
    found = cross_val_predict(tree, X, labels, cv=parts) == labels
    return _beyond_largest(float(found.mean()), labels)


def _beyond_largest(share: float, labels: np.ndarray) -> float:
    largest = float(np.bincount(labels).max() / len(labels))
    return (share - largest) / (1 - largest)
