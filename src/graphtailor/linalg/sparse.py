"""Operations on CSR arrays that SciPy does not have."""

from __future__ import annotations

from typing import Any

from scipy import sparse
from scipy.sparse.linalg import splu


def positive_definite_factors(A: Any) -> Any:
    """SuperLU's factors of a sparse symmetric positive definite matrix."""
    # Such a matrix needs no pivots off its diagonal, which keeps the fill-in small.
    return splu(
        sparse.csc_array(A),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
