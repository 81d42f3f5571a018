"""Tables of other libraries as pandas frames with plain columns."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pandas as pd
from sklearn.utils import check_array

from graphtailor.columns.messages import listed
from graphtailor.columns.parse_values import plain_column
from graphtailor.linalg.sparse import intact

# Marks of a frame, in its ``attrs``: it was an array of numbers, in which there is
# nothing to guess; or its columns have no names of their own and are known by place.
ALL_NUMBERS, UNNAMED = "graphtailor: numbers", "graphtailor: unnamed"


def as_frame(X: Any) -> pd.DataFrame:
    """A frame of pandas or polars, or an array, as a pandas frame with plain columns.

    Examples
    --------
    >>> as_frame([[1.0, 2.0]]).columns.tolist()
    ['f1', 'f2']
    """
    marks = dict(getattr(X, "attrs", {}))
    if isinstance(X, pd.DataFrame):
        frame = X
    elif hasattr(X, "to_pandas"):
        frame = X.to_pandas()
    else:
        values = check_array(intact(X), dtype=None, ensure_all_finite=False)
        marks = {ALL_NUMBERS: values.dtype.kind in "biuf", UNNAMED: True}
        frame = pd.DataFrame(values, columns=array_names(values.shape[1]))
    names = [str(name) for name in frame.columns]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"source: more than one column is called {listed(twice)}.")
    if marks.get(ALL_NUMBERS):
        plain = frame.set_axis(names, axis=1).reset_index(drop=True)
        plain.attrs = marks
        return plain
    columns = {
        name: plain_column(frame.iloc[:, place]) for place, name in enumerate(names)
    }
    plain = pd.DataFrame(columns, index=frame.index, copy=False).reset_index(drop=True)
    plain.attrs = marks
    return plain


def array_names(number: int) -> list[str]:
    """Names of the columns of an array: f1, f2, ..."""
    return [f"f{place + 1}" for place in range(number)]
