"""Scaling of numbers, and the variance of the other blocks relative to them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from graphtailor.columns.column import Column
from graphtailor.linalg.magnitude import comfortable_factor

SCALES = ("maxabs", "minmax", "standard", "none")


def automatic_scale(frame: pd.DataFrame, columns: Sequence[Column]) -> str | None:
    """No scaling where all that is left is numbers without gaps."""
    used = [column for column in columns if column.is_used]
    is_plain = all(c.form == "number" and not c.had_gaps for c in used)
    return None if is_plain else "standard"


def scaled_columns(
    frame: pd.DataFrame, columns: Sequence[Column], scale: str, decimal: str
) -> list[Column]:
    """Columns with numbers scaled, and blocks of the mean variance of the numbers."""
    scaled, blocks, variances = [], [], []
    for column in columns:
        block = np.empty((0, 0))
        if column.is_used:
            block = column.features(frame[column.name], decimal)
        if column.is_quantity:
            # In the order of their size, so that sums do not depend on that of rows.
            values = np.sort(block[:, 0])
            shift, divide = _spread(values, scale)
            variances.append(float(np.var(values / divide)))
            if scale != "none" or column.form == "date":
                divide /= float(np.sqrt(column.number_share(values)))
            column = replace(column, shift=column.shift + shift, divide=divide)
            column = replace(column, treatment=in_words(column.treatment, scale))
        scaled.append(column)
        blocks.append(block)
    unit = float(np.mean(sorted(variances))) if variances else 1.0
    return [
        column.weighed(block, unit) if column.is_used else column
        for column, block in zip(scaled, blocks, strict=True)
    ]


_SCALED = {
    "maxabs": "divided by the largest value",
    "minmax": "stretched to 0 to 1",
    "standard": "divided by the standard deviation",
    "none": "as it is",
}


def in_words(treatment: str, scale: str) -> str:
    """What was done to a number, with its scaling.

    Examples
    --------
    >>> in_words("a number; 3 missing: in the middle", "maxabs")
    'a number, divided by the largest value; 3 missing: in the middle'
    """
    head, semicolon, rest = treatment.partition(";")
    return f"{head}, {_SCALED[scale]}{semicolon}{rest}"


def _spread(values: np.ndarray, scale: str) -> tuple[float, float]:
    """What a scaler subtracts and divides by; 1 where it would divide by nothing."""
    if scale == "none":
        return 0.0, 1.0
    if scale == "maxabs":
        shift, divide = 0.0, float(np.abs(values).max())
    elif scale == "minmax":
        shift, divide = float(values.min()), float(np.ptp(values))
    else:
        # Sums and squares of the largest numbers are infinite.
        factor = comfortable_factor(values)
        small = values * factor
        shift, divide = float(small.mean() / factor), float(small.std() / factor)
    return shift, divide or 1.0
