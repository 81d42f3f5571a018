"""From columns of a table to numbers a model takes."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer

from graphtailor.tables.messages import drop_options, listed

IMPUTATIONS = ("median", "mean", "most_frequent")
_DECIMAL_COMMA = re.compile(r"-?\d+,\d+")


def numeric_features(
    frame: pd.DataFrame,
    impute: str | None = None,
    fill: Mapping[str, float] | None = None,
) -> tuple[pd.DataFrame, dict[str, float]]:
    """All columns as numbers, without gaps.

    Parameters
    ----------
    frame : DataFrame
        Columns with string names.
    impute : {"median", "mean", "most_frequent"} or None, default=None
        What replaces a missing value, column by column.
    fill : mapping of str to float, or None, default=None
        Replacements that were found before, on the data a model was fitted to;
        missing values are refused if it is empty.

    Returns
    -------
    features : DataFrame
        float32 if all columns are, else float64.
    fill : dict of str to float
        Value that stands in for a missing one in each column; empty without `impute`.
    """
    if impute is not None and impute not in IMPUTATIONS:
        raise ValueError(
            f"--impute: {impute!r} is unknown. Use {', '.join(IMPUTATIONS)}."
        )
    _refuse_text(frame)
    small = all(dtype == np.float32 for dtype in frame.dtypes)
    dtype = np.float32 if small else np.float64
    values = frame.to_numpy(dtype=dtype, na_value=np.nan)
    features = pd.DataFrame(values, columns=frame.columns, index=frame.index)
    _refuse_infinite(features)
    if fill:
        return features.fillna(dict(fill)), dict(fill)
    _refuse_missing(features, impute, is_new=fill is not None)
    if impute is None:
        return features, {}
    imputer = SimpleImputer(strategy=impute).set_output(transform="pandas")
    filled = imputer.fit_transform(features).astype(dtype)
    statistics = imputer.statistics_.tolist()
    return filled, dict(zip(frame.columns, statistics, strict=True))


def _refuse_text(frame: pd.DataFrame) -> None:
    def is_number(column: pd.Series) -> bool:
        types = pd.api.types
        return types.is_numeric_dtype(column) and not types.is_complex_dtype(column)

    bad = [name for name in frame.columns if not is_number(frame[name])]
    if not bad:
        return
    values = frame[bad[0]].dropna().astype(str)
    example = values[pd.to_numeric(values, errors="coerce").isna()].head(1)
    shown = f" (for example {example.iloc[0]!r})" if len(example) else ""
    if len(example) and _DECIMAL_COMMA.fullmatch(example.iloc[0]):
        remedy = "If this is a decimal comma, give --decimal ,"
    else:
        remedy = (
            f"Leave out what is no number with {drop_options(bad)}, or name a column "
            "as --label or --id."
        )
    raise ValueError(f"DATA: not numeric: {listed(bad)}{shown}. {remedy}")


def _refuse_infinite(features: pd.DataFrame) -> None:
    infinite = np.isinf(features.to_numpy()).any(axis=0)
    if infinite.any():
        bad = features.columns[infinite].tolist()
        raise ValueError(
            f"DATA: infinite values in {listed(bad)}. Correct them, or leave the "
            f"columns out with {drop_options(bad)}."
        )


def _refuse_missing(features: pd.DataFrame, impute: str | None, is_new: bool) -> None:
    missing = features.isna().sum()
    bad = missing.index[missing > 0].tolist()
    if bad and is_new:
        raise ValueError(
            f"DATA: missing values in {listed(bad)}. Fill them in, or fit the model "
            "again with --impute median."
        )
    empty = missing.index[missing == len(features)].tolist()
    if empty:
        raise ValueError(
            f"DATA: no value at all in {listed(empty)}. Leave the columns out with "
            f"{drop_options(empty)}."
        )
    if bad and impute is None:
        rows = int(features.isna().any(axis=1).sum())
        raise ValueError(
            f"DATA: missing values in {listed(bad)} ({rows} of {len(features)} rows). "
            f"Fill them with --impute median, or leave the columns out with "
            f"{drop_options(bad)}."
        )
