"""A Dask collection as an array of row blocks, and the labels of its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import dask.array as da
import numpy as np
from dask.utils import is_dataframe_like
from pandas.api.types import is_numeric_dtype
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

import dask
from dask import delayed
from graphtailor.dask import blocks
from graphtailor.representatives.lift import Lifter

if TYPE_CHECKING:
    from graphtailor.models import GraphTailor


def rows_of(model: BaseEstimator, X: Any, *, reset: bool) -> tuple[Any, Any]:
    """X as an array of row blocks, and the type its numbers are taken in."""
    is_frame = is_dataframe_like(X)
    is_table = isinstance(X, da.Array) and X.ndim == 2 and not np.isnan(X.shape[1])
    if not is_frame and not is_table:
        raise ValueError(
            f"X is a {type(X).__module__}.{type(X).__name__} and no table. Give a "
            "two-dimensional dask.array with a known number of columns, or a "
            "dask.dataframe."
        )
    if is_frame:
        _refuse_text(X.dtypes)
    # Stands for X where only names, number and types of the features matter.
    features = X._meta if is_frame else np.empty((0, X.shape[1]), dtype=X.dtype)
    dtype = validate_data(
        model,
        features,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_min_samples=0,
        reset=reset,
    ).dtype
    if is_frame:
        # Partitions may have their columns in another order than the frame says.
        names = list(X.columns)
        X = X.map_partitions(_in_order, names, meta=X._meta)
        X = X.astype(dtype).to_dask_array()
    # Steps that belong together become one task for each block.
    (rows,) = dask.optimize(X.rechunk({1: -1}))
    return rows, dtype


def with_lengths(rows: Any, lengths: Sequence[int]) -> Any:
    """The same array, its blocks being of these lengths."""
    chunks = (tuple(lengths), rows.chunks[1])
    return da.Array(rows.dask, rows.name, chunks, dtype=rows.dtype, meta=rows._meta)


def by_lifter(
    function: Callable[..., np.ndarray], rows: Any, dtype: Any, lifter: Lifter
) -> Any:
    """What a lifter says of the rows of each block, when it is asked for."""
    return rows.map_blocks(
        function,
        dtype,
        delayed(lifter, traverse=False),
        chunks=(rows.chunks[0], (lifter.shares.shape[1],)),
        dtype=dtype,
        meta=np.empty((0, 0), dtype=dtype),
    )


def _in_order(part: Any, names: list[str]) -> Any:
    return part[names]


def _refuse_text(dtypes: Any) -> None:
    text = [name for name, dtype in dtypes.items() if not is_numeric_dtype(dtype)]
    if text:
        raise ValueError(
            f"X has columns that are not numeric: {', '.join(map(repr, text))}. Leave "
            "them out, for instance with X.select_dtypes('number')."
        )


def indicator_of_collection(model: GraphTailor, X: Any, lifter: Lifter) -> Any:
    """Indicator of rows, block by block, when it is asked for."""
    rows, _ = rows_of(model, X, reset=False)
    function = partial(blocks.indicator_of_block, checked=False)
    return by_lifter(function, rows, lifter.shares.dtype, lifter)


def labelled_frame(model: GraphTailor, frame: Any, keep: Sequence[str] = ()) -> Any:
    """Labels of the rows of a frame beside other columns of it, when asked for."""
    check_is_fitted(model)
    features, kept = model.feature_names_in_.tolist(), list(keep)
    rows_of(model, frame[features], reset=False)
    lifter = model.lifter()
    nothing = np.empty(0)
    return frame[list(dict.fromkeys([*kept, *features]))].map_partitions(
        blocks.labelled_block,
        features,
        kept,
        lifter.shares.dtype,
        delayed(lifter, traverse=False),
        meta=frame._meta[kept].assign(
            label=nothing.astype(np.intp), certainty=nothing.astype(lifter.shares.dtype)
        ),
    )
