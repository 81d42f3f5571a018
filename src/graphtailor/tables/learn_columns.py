"""Learn a preparation: what fills gaps, which levels count, how much columns weigh."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from graphtailor.tables.column import OTHER, Column
from graphtailor.tables.column_kinds import MAX_LEVELS, Guess, enough_missing
from graphtailor.tables.column_weights import weigh_columns
from graphtailor.tables.preparation import Preparation, refuse_infinite

IMPUTATIONS = ("median", "mean", "most_frequent")


def learn_preparation(
    frame: pd.DataFrame,
    guesses: Mapping[str, Guess],
    *,
    impute: str = "median",
    scale: str = "maxabs",
    decimal: str = ".",
) -> Preparation:
    """Learn how the columns of a table become features.

    A missing number or date is replaced by what `impute` says, a missing level by the
    commonest. Where at least 5 % of the rows and five of them have no value, a 0/1
    feature says so: one more level of a category; columns of numbers that miss the same
    rows share it.

    How much 0/1 features weigh beside numbers is said in
    :func:`~graphtailor.tables.column_weights.weigh_columns`.

    Parameters
    ----------
    frame : DataFrame
        The table.
    guesses : mapping of str to Guess
        What each column was taken for.
    impute : {"median", "mean", "most_frequent"}, default="median"
        What replaces a missing number.
    scale : {"maxabs", "minmax", "standard", "none"}, default="maxabs"
        Scaling of the numeric columns. It is done here only if the table has 0/1
        features beside them.
    decimal : {".", ","}, default="."
        Decimal mark of numbers that are text.

    Returns
    -------
    Preparation
        With a word on each column.

    Examples
    --------
    >>> import pandas as pd
    >>> from graphtailor.tables.column_kinds import guess_kind
    >>> frame = pd.DataFrame({"a": [0.0, 2, 4, 4], "k": ["x", "y", "x", "y"]})
    >>> guesses = {name: guess_kind(frame[name]) for name in frame}
    >>> preparation = learn_preparation(frame, guesses)
    >>> preparation.apply(frame).columns.tolist()
    ['a', 'k=x', 'k=y']
    """
    columns: list[Column] = []
    infinite: list[str] = []
    patterns: dict[bytes, str] = {}
    for name, guess in guesses.items():
        if guess.form is None:
            columns.append(Column(name, guess.kind, f"left out: {guess.why}"))
            continue
        column = Column(
            name, guess.kind, guess.why, guess.form, date_format=guess.date_format
        )
        read = column.read(frame[name], decimal)
        if guess.form == "number" and np.isinf(read).any():
            infinite.append(name)
            continue
        if guess.form == "levels":
            column = _with_levels(column, read, frame[name])
        else:
            column = _with_origin(column, read, impute)
        column = _with_gaps(column, np.asarray(pd.isna(read)), patterns, impute)
        if not column.feature_names():  # a category by the user's word, of one level
            column = Column(name, "constant", f"left out: always {column.fill!r}")
        columns.append(column)
    refuse_infinite(infinite)
    return weigh_columns(Preparation(tuple(columns), decimal), frame, scale)


def _with_levels(column: Column, read: pd.Series, raw: pd.Series) -> Column:
    counts = read.value_counts().rename_axis("level").reset_index(name="rows")
    # The commonest first, and of equally common ones in the order of their names.
    levels = counts.sort_values(["rows", "level"], ascending=[False, True])["level"]
    fill = str(levels.iloc[0])
    pools = len(levels) > MAX_LEVELS
    said = f"one-hot, {len(levels)} levels"
    if pools:
        said = (
            f"one-hot, the {MAX_LEVELS - 1} commonest of {len(levels):,} levels, "
            "the rest pooled"
        )
        levels = levels[levels != OTHER].iloc[: MAX_LEVELS - 1]
    elif len(levels) == 1:
        said = f"given or not (always {fill!r:.40})"
    is_text = not pd.api.types.is_numeric_dtype(raw.dtype)
    return replace(
        column,
        treatment=said,
        fill=fill,
        levels=tuple(map(str, levels)),
        pools=pools,
        from_text=is_text,
    )


def _with_origin(column: Column, read: np.ndarray, impute: str) -> Column:
    present = pd.Series(read[~np.isnan(read)])
    if len(present) == 0:
        raise ValueError(
            f"--numeric: no value of column {column.name!r} is a number. Leave it out, "
            "or give --categorical."
        )
    if column.form == "truth":
        fill = float(present.mean() > 0.5)
        return replace(column, fill=fill, treatment="0/1")
    if impute == "most_frequent":
        fill = float(present.mode().iloc[0])
    else:
        fill = float(getattr(present, impute)())
    if column.form == "number":
        return replace(column, fill=fill, treatment=column.treatment or "as is")
    first = float(present.min())
    # Days from 1970 on would be large numbers that hardly differ.
    day = np.datetime64("1970-01-01", "D") + np.timedelta64(int(np.floor(first)), "D")
    return replace(column, fill=fill, shift=first, treatment=f"days since {day}")


def _with_gaps(
    column: Column, missing: np.ndarray, patterns: dict[bytes, str], impute: str
) -> Column:
    count = int(missing.sum())
    if count == 0:
        return column
    enough = enough_missing(count, len(missing))
    if enough and column.form == "levels":
        said = f"{column.treatment}; {count:,} missing as a level of their own"
        return replace(column, treatment=said, flags_missing=True)
    said = (
        f"{column.treatment}; {count:,} missing filled with {_filling(column, impute)}"
    )
    if not enough:
        return replace(column, treatment=said)
    owner = patterns.setdefault(np.packbits(missing).tobytes(), column.name)
    if owner == column.name:
        return replace(column, treatment=f"{said}, flagged", flags_missing=True)
    return replace(column, treatment=f"{said}, flagged with {owner!r}")


def _filling(column: Column, impute: str) -> str:
    if column.form == "levels":
        return repr(column.fill)
    if column.form == "number":
        return f"{impute} {column.fill:.4g}"
    return f"the {impute}" if column.form == "date" else "the commonest"
