"""Types of what is computed with, and of what users hand in."""

from numbers import Integral, Real
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.utils._param_validation import Interval

# Checked numbers, dense or sparse.
Matrix: TypeAlias = np.ndarray | sparse.csr_array
# What a user may give: an array, a nested list, a frame, or any sparse matrix.
MatrixLike: TypeAlias = ArrayLike | sparse.sparray
# A seed, a source of random numbers, or None for a new seed each time.
RandomState: TypeAlias = int | np.random.RandomState | None
# What scikit-learn checks parameters by.
ParameterConstraints: TypeAlias = dict[str, list[Any]]
COUNT = [Interval(Integral, 1, None, closed="left")]
AT_LEAST_0 = [Interval(Real, 0, None, closed="left")]
ABOVE_0 = [Interval(Real, 0, None, closed="neither")]
