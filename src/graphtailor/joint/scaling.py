"""Scaling of the data, so that alpha means the same on every data set."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

SCALINGS = ("maxabs", "minmax", "standard")


def feature_scaler(scaling: str | None, is_sparse: bool) -> Any:
    """The scikit-learn scaler for a name; None for no scaling.

    Sparse data are scaled but not shifted, which would make them dense.
    """
    if scaling is None:
        return None
    if scaling == "maxabs":
        return MaxAbsScaler()
    if scaling == "standard":
        return StandardScaler(with_mean=not is_sparse)
    if is_sparse:
        raise ValueError(
            "scaling='minmax' shifts the features, which would make sparse X dense. "
            "Use scaling='maxabs' or 'standard', or give a dense X."
        )
    return MinMaxScaler()


def root_mean_square_norm(X: Any) -> float:
    """Root mean square of the row norms; 1 where all rows are zero."""
    values = X.data if sparse.issparse(X) else X
    largest = float(np.abs(values).max()) if values.size else 0.0
    if largest == 0.0:
        return 1.0
    # Divided by the largest first, so that squares neither overflow nor vanish.
    squares = np.square((values / largest).astype(np.float64)).sum()
    return largest * float(np.sqrt(squares / X.shape[0]))
