"""Scaling of the data, so that alpha means the same on every data set."""

from typing import Self

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from graphtailor.linalg.magnitude import comfortable_factor, largest_entry
from graphtailor.linalg.sparse import stored, sums_may_overflow
from graphtailor.linalg.types import Matrix, MatrixLike

# "length" leaves the features as they are; like the others it divides all rows by their
# root mean square length where alpha must mean the same on every data set.
SCALINGS = ("maxabs", "minmax", "standard", "length")
# New rows may be this many times larger than the largest entry of the fitted ones: what
# is farther is as far from all of them as numbers can tell.
_FARTHEST = 2.0**20


class _WithoutWarnings:
    """Samples were checked before: what scikit-learn sums up again may overflow."""

    @sums_may_overflow
    def transform(self, X: MatrixLike) -> Matrix:
        return super().transform(X)  # type: ignore[misc]


class _MaxAbs(_WithoutWarnings, MaxAbsScaler):
    """Divides by the largest value however small that is.

    scikit-learn leaves features below ten machine epsilons as they are: those of
    float32 samples from 1e-6 down.
    """

    @sums_may_overflow
    def partial_fit(self, X: Matrix, y: object = None) -> Self:
        super().partial_fit(X, y)
        largest = self.max_abs_
        least = np.finfo(largest.dtype).tiny  # its inverse, for sparse rows, is finite
        scale = np.where(largest > 0, np.maximum(largest, least), 1)
        self.scale_ = scale.astype(largest.dtype)
        return self


class _Standard(_WithoutWarnings, StandardScaler):
    """Refuses samples whose variances do not exist.

    Sparse float32 samples have their variances in float64 if float32 has none.
    """

    @sums_may_overflow
    def partial_fit(
        self, X: Matrix, y: object = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        wide = sparse.issparse(X) and comfortable_factor(X) != 1.0
        X = X.astype(np.float64) if wide else X
        super().partial_fit(X, y, sample_weight)
        if not np.isfinite(self.var_).all():
            raise ValueError(
                f"scaling='standard' needs the variances of the features, but X has "
                f"values up to {largest_entry(X):.3g}, whose squares are out of the "
                "range of floating-point numbers. Use scaling='maxabs' or 'minmax', or "
                "give X in other units."
            )
        return self


class _MinMax(_WithoutWarnings, MinMaxScaler):
    """Stretches a feature to [0, 1] however small its range is.

    Unless it is one of rounding errors, beside the values themselves.
    """

    @sums_may_overflow
    def partial_fit(self, X: Matrix, y: object = None) -> Self:
        super().partial_fit(X, y)
        epsilon = np.finfo(self.data_range_.dtype).eps
        size = np.maximum(np.abs(self.data_min_), np.abs(self.data_max_))
        varies = self.data_range_ > 10 * epsilon * size
        with np.errstate(divide="ignore"):
            stretch = 1 / self.data_range_
        one = stretch.dtype.type(1)
        self.scale_ = np.where(varies & np.isfinite(stretch), stretch, one)
        self.min_ = -self.data_min_ * self.scale_
        return self


def scaling_named(name: str) -> str | None:
    """The scaling of a table or of a command line, where "none" means no scaling."""
    return None if name == "none" else name


def feature_scaler(scaling: str | None, is_sparse: bool) -> BaseEstimator | None:
    """The scikit-learn scaler for a name; None for no scaling.

    Sparse data are scaled but not shifted, which would make them dense.
    """
    if scaling in (None, "length"):
        return None
    if scaling == "maxabs":
        return _MaxAbs()
    if scaling == "standard":
        return _Standard(with_mean=not is_sparse)
    if is_sparse:
        raise ValueError(
            "scaling='minmax' shifts the features, which would make sparse X dense. "
            "Use scaling='maxabs' or 'standard', or give a dense X."
        )
    return _MinMax()


def root_mean_square_norm(X: Matrix) -> float:
    """Root mean square of the row norms, at most the largest number; 1 for zeros."""
    values = stored(X)
    largest = largest_entry(values)
    if largest == 0.0:
        return 1.0
    # Divided by the largest first, so that squares neither overflow nor vanish.
    squares = np.square((values / largest).astype(np.float64)).sum()
    mean = largest * float(np.sqrt(squares / X.shape[0]))
    return min(mean, float(np.finfo(X.dtype).max))


def within_reach(rows: Matrix, fitted: Matrix) -> Matrix:
    """Scaled new rows, with entries far beyond those of the fitted rows brought nearer.

    Distances to them and their squares are then finite, and who is nearest stays.
    """
    largest = largest_entry(fitted) or 1.0
    if largest_entry(rows) <= _FARTHEST * largest:
        return rows
    limit = min(_FARTHEST * largest, float(np.finfo(rows.dtype).max))
    if isinstance(rows, np.ndarray):
        return np.clip(rows, -limit, limit)
    nearer = rows.copy()
    np.clip(nearer.data, -limit, limit, out=nearer.data)
    return nearer


def scaled_rows(scaler: BaseEstimator | None, X: Matrix) -> Matrix:
    """Rows scaled by a fitted scaler; infinite where no number is large enough."""
    if scaler is None:
        return X
    # Its check that all are finite adds them up: a sum may be infinity less infinity.
    with np.errstate(over="ignore", invalid="ignore"):
        return scaler.transform(X)
