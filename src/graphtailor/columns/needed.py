"""Does a table need blocks? Models ask this, and pandas is imported only if it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.utils._dataframe import is_pandas_df, is_polars_df

if TYPE_CHECKING:
    from graphtailor.columns.blocks import TableBlocks


def blocks_of(X: Any) -> TableBlocks | None:
    """Fitted blocks of a table with other things than complete numbers; else None.

    Examples
    --------
    >>> import pandas as pd
    >>> blocks_of([[1.0], [2.0]]), blocks_of(pd.DataFrame({"a": [1, 2]}))
    (None, None)
    >>> blocks_of(pd.DataFrame({"a": [1, 2, 2], "k": list("xyx")})).used_[1].name
    'k'
    """
    if not (is_pandas_df(X) or is_polars_df(X)) or not _needs_blocks(X):
        return None
    from graphtailor.columns.blocks import TableBlocks

    return TableBlocks().set_output(transform="pandas").fit(X)


def _needs_blocks(X: Any) -> bool:
    """Whether a column is not numeric, or has a gap."""
    if is_polars_df(X):
        numeric = [kind.is_numeric() for kind in X.schema.values()]
        return not all(numeric) or sum(X.null_count().row(0)) > 0
    from pandas.api import types

    for kind in X.dtypes:
        if not types.is_numeric_dtype(kind) or types.is_bool_dtype(kind):
            return True
    return bool(X.isna().to_numpy().any())
