"""Labels of Dask collections, block by block, when they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from dask import delayed
from graphtailor.dask import blocks
from graphtailor.dask.collection import by_lifter, rows_of
from graphtailor.representatives.lift import Lifter

if TYPE_CHECKING:
    from graphtailor.models import GraphTailor


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
