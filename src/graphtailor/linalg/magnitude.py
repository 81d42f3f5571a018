"""Powers of two that bring very large and very small data to ordinary sizes."""

import numpy as np

from graphtailor.linalg.sparse import stored
from graphtailor.linalg.types import Matrix

# Binary orders of magnitude about 1 within which squares, their sums and their
# quotients keep their digits, in float32 as well.
COMFORTABLE = 40


def largest_entry(X: Matrix) -> float:
    """Largest absolute value; 0 where there is none."""
    return float(np.abs(stored(X)).max(initial=0.0))


def comfortable_factor(X: Matrix, reach: int = COMFORTABLE) -> float:
    """The power of two to multiply `X` by before its entries are squared.

    It is 1 unless the largest entry is outside :math:`2^{\\pm reach}`, and then brings
    that to between 1/2 and 1. A product with a power of two is exact, so that what
    does not depend on the scale of the data comes out the same to the last bit.
    """
    exponent = int(np.frexp(largest_entry(X))[1])
    if abs(exponent) <= reach:
        return 1.0
    # Neither the factor nor its inverse may overflow.
    most = np.finfo(X.dtype).maxexp - 8
    return 2.0 ** -int(np.clip(exponent, -most, most))


def times(X: Matrix, factor: float) -> Matrix:
    """`X` multiplied by the factor, in its type; itself where that is 1."""
    return X if factor == 1.0 else X * X.dtype.type(factor)


def mean_of(values: np.ndarray) -> float:
    """The mean, also where the sum is larger than all numbers."""
    with np.errstate(over="ignore", invalid="ignore"):
        mean = float(values.mean())
        if np.isfinite(mean):
            return mean
        mean = float((values / len(values)).sum())
    return float(np.clip(mean, values.min(), values.max()))


def check_squares(X: Matrix) -> None:
    """Refuse samples as given whose squares and their sums are too large to compute."""
    largest, most = largest_entry(X), max(COMFORTABLE, np.finfo(X.dtype).maxexp // 4)
    if np.frexp(largest)[1] > most:
        raise ValueError(
            f"The largest value of X is {largest:.3g}, whose square is too large for "
            f"{X.dtype} with scaling=None. Use scaling='maxabs' or 'length', or divide "
            "X by a constant."
        )
