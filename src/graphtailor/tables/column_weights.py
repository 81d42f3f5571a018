"""How much the columns of a mixed table weigh: none for being written in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from graphtailor.tables.column import Column
from graphtailor.tables.preparation import Preparation

SCALES = ("maxabs", "minmax", "standard", "none")


def weigh_columns(
    preparation: Preparation, frame: pd.DataFrame, scale: str
) -> Preparation:
    r"""Scale numbers and weigh 0/1 features, where a table has both.

    A column of K levels becomes K features that are 0 or w, a column of truth values
    one, and so do missing values. With half the mean variance of the scaled numeric
    columns, :math:`\bar v`,

    .. math::
        w = \sqrt{\bar v K / (K - 1)}, \quad w = 2\sqrt{\bar v}
        \quad\text{and}\quad w = \sqrt{\bar v}

    for levels (missing ones are a level more), truth values and missing numbers, and
    never more than 1. So the features
    of a column have together at most half the variance of a numeric column (just that
    if all levels are equally common), and those of missing values an eighth: levels
    are clumps from the outset and numbers are not, so that with equal variance a
    column of words that means nothing would decide the clusters. Rare levels are not
    blown up. Without numeric columns w is 1.

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
    >>> from graphtailor.tables.column import Column
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
            values = column.features(frame[column.name], preparation.decimal)[:, 0]
            shift, divide = _spread(values, scale)
            variances.append(float(np.var(values / divide)))
            shifted = replace(column, shift=column.shift + shift, divide=divide)
            columns[column.name] = shifted
    spread = float(np.sqrt(np.mean(variances) / 2)) if variances else np.inf
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
        said = f"{column.treatment}; weight {changes['weight']:.2g}"
        changes["treatment"] = said
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
