"""Labels of Dask collections, block by block, when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dask import delayed
from graphtailor.dask import blocks
from graphtailor.dask.collection import by_tier, rows_of


def indicator_of_collection(model: Any, X: Any) -> Any:
    """Indicator of rows, block by block, when it is asked for.

    Parameters
    ----------
    model : GraphTailor
        Fitted in any way, to samples and not to a graph or distances.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n, d)
        Rows.

    Returns
    -------
    dask.array.Array of shape (n, n_clusters)
        The indicator, each row for itself.
    """
    rows, _ = rows_of(model, X, reset=False)
    dtype = model._tier.indicator.dtype
    return by_tier(blocks.indicator_of_new_block, rows, dtype, model)


def labelled_frame(model: Any, frame: Any, keep: Sequence[str] = ()) -> Any:
    """Labels of the rows of a frame beside other columns of it, when asked for.

    Parameters
    ----------
    model : GraphTailor
        Fitted to columns with names.
    frame : dask.dataframe.DataFrame
        Has the columns of the model, in any order, and perhaps others.
    keep : sequence of str, default=()
        Columns to keep, for instance with ids.

    Returns
    -------
    dask.dataframe.DataFrame
        The kept columns, `label`, and `certainty`: the largest membership.
    """
    check_is_fitted(model)
    features, kept = model.feature_names_in_.tolist(), list(keep)
    rows_of(model, frame[features], reset=False)
    dtype = model._tier.indicator.dtype
    nothing = np.empty(0)
    return frame[list(dict.fromkeys([*kept, *features]))].map_partitions(
        blocks.labelled_block,
        features,
        kept,
        dtype,
        delayed(model._tier, traverse=False),
        meta=frame._meta[kept].assign(
            label=nothing.astype(np.intp), certainty=nothing.astype(dtype)
        ),
    )
