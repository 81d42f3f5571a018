"""Learn a preparation: fillings of gaps, levels that count, weights of columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from graphtailor.tables.column_kinds import MAX_LEVELS, Guess, enough_missing
from graphtailor.tables.messages import Message
from graphtailor.tables.preparation import OTHER, Column, Preparation, refuse_infinite

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

    `impute` fills a missing number or date, and the commonest level a missing level.
    Where at least 5 % of the rows, and at least five, have no value, a 0/1 feature
    flags them. In a category the flag is one more level; columns of numbers that miss
    the same rows share one flag.

    The weights of 0/1 features beside numbers are those of
    :func:`~graphtailor.tables.learn_preparation.weigh_columns`.

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
    treatment = f"one-hot, {len(levels)} levels"
    if pools:
        treatment = (
            f"one-hot, the {MAX_LEVELS - 1} commonest of {len(levels):,} levels, "
            "the rest pooled"
        )
        levels = levels[levels != OTHER].iloc[: MAX_LEVELS - 1]
    elif len(levels) == 1:
        treatment = f"given or not (always {fill!r:.40})"
    is_text = not pd.api.types.is_numeric_dtype(raw.dtype)
    return replace(
        column,
        treatment=treatment,
        fill=fill,
        levels=tuple(map(str, levels)),
        pools=pools,
        from_text=is_text,
    )


def _with_origin(column: Column, read: np.ndarray, impute: str) -> Column:
    present = pd.Series(read[~np.isnan(read)])
    if len(present) == 0:
        raise ValueError(
            Message(
                "{numeric}: no value of column {name!r} is a number. Leave it out, or "
                "give {categorical}.",
                name=column.name,
            )
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
        treatment = f"{column.treatment}; {count:,} missing as a level of their own"
        return replace(column, treatment=treatment, flags_missing=True)
    treatment = (
        f"{column.treatment}; {count:,} missing filled with {_filling(column, impute)}"
    )
    if not enough:
        return replace(column, treatment=treatment)
    owner = patterns.setdefault(np.packbits(missing).tobytes(), column.name)
    if owner == column.name:
        return replace(column, treatment=f"{treatment}, flagged", flags_missing=True)
    return replace(column, treatment=f"{treatment}, flagged with {owner!r}")


def _filling(column: Column, impute: str) -> str:
    if column.form == "levels":
        return repr(column.fill)
    if column.form == "number":
        return f"{impute} {column.fill:.4g}"
    return f"the {impute}" if column.form == "date" else "the commonest"


SCALES = ("maxabs", "minmax", "standard", "none")


def weigh_columns(
    preparation: Preparation, frame: pd.DataFrame, scale: str
) -> Preparation:
    r"""Scale numbers and weigh 0/1 features, where a table has both.

    A column of K levels becomes K features with the values 0 and w. A column of truth
    values becomes one such feature, and so does a flag for missing values. Let
    :math:`\bar v` be half the mean variance of the scaled numeric columns. Then

    .. math::
        w = \sqrt{\bar v K / (K - 1)}, \quad w = 2\sqrt{\bar v}
        \quad\text{and}\quad w = \sqrt{\bar v}

    for levels (missing ones count as a level), for truth values and for flags, and w
    is never above 1. The features of one column together have at most half the
    variance of a numeric column, and exactly half if all levels are equally common; a
    flag has at most an eighth. Levels are clumps and numbers are not: with equal
    variance, a meaningless column of words would decide the clusters. A rare level
    gets the same weight as a common one. Without numeric columns w is 1.

    Parameters
    ----------
    preparation : Preparation
        Without scaling and weights.
    frame : DataFrame
        The table.
    scale : {"maxabs", "minmax", "standard", "none"}
        Scaling of numbers and dates.

    Returns
    -------
    Preparation
        The same where all features are numbers or dates: a model scales those itself.

    Examples
    --------
    >>> import pandas as pd
    >>> from graphtailor.tables.preparation import Column
    >>> frame = pd.DataFrame({"a": [0.0, 2, 4, 4], "k": ["x", "y", "x", "y"]})
    >>> a = Column("a", "numeric", "as is", "number")
    >>> k = Column("k", "category", "one-hot", "levels", "x", ("x", "y"))
    >>> X = weigh_columns(Preparation((a, k)), frame, "maxabs").apply(frame)
    >>> v = X.var(ddof=0)
    >>> bool(abs(v["a"] / 2 - (v["k=x"] + v["k=y"])) < 1e-12)
    True
    """
    if all(c.is_quantity and not c.flags_missing for c in preparation.used):
        return preparation
    columns: dict[str, Column] = {}
    variances: list[float] = []
    for column in preparation.used:
        columns[column.name] = column
        if column.is_quantity:
            features = column.features(frame[column.name], preparation.decimal)
            # In the order of their size, so that sums do not depend on that of rows.
            values = np.sort(features[:, 0])
            shift, divide = _spread(values, scale)
            variances.append(float(np.var(values / divide)))
            shifted = replace(column, shift=column.shift + shift, divide=divide)
            columns[column.name] = shifted
    spread = float(np.sqrt(np.mean(sorted(variances)) / 2)) if variances else np.inf
    weighed = {name: _weighed(column, spread) for name, column in columns.items()}
    done = tuple(weighed.get(column.name, column) for column in preparation.columns)
    return replace(preparation, columns=done, scale=scale)


def _weighed(column: Column, spread: float) -> Column:
    changes: dict[str, Any] = {}
    if column.flags_missing:
        changes["flag_weight"] = min(1.0, spread)
    n_levels = len(column.levels) + column.pools + column.flags_missing
    if column.form == "truth":
        changes["weight"] = min(1.0, 2 * spread)
    elif column.form == "levels":
        weight = min(1.0, spread * float(np.sqrt(n_levels / (n_levels - 1))))
        changes["weight"] = changes["flag_weight"] = weight
    if changes.get("weight", 1.0) < 1:
        treatment = f"{column.treatment}; weight {changes['weight']:.2g}"
        changes["treatment"] = treatment
    return replace(column, **changes)


def _spread(values: np.ndarray, scale: str) -> tuple[float, float]:
    """What a scaler subtracts and divides by; 1 where it would divide by nothing."""
    if scale == "none":
        return 0.0, 1.0
    if scale == "maxabs":
        shift, divide = 0.0, float(np.abs(values).max())
    elif scale == "minmax":
        shift, divide = float(values.min()), float(np.ptp(values))
    else:
        shift, divide = float(values.mean()), float(values.std())
    return shift, divide or 1.0
