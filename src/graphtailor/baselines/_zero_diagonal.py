"""Smoothing on a graph with a zero diagonal, for all samples at once."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from graphtailor.baselines._sparse_solves import (
    positive_definite_factors,
    solve_columns,
)


def zero_diagonal_step(L: sparse.csr_array, B: np.ndarray) -> np.ndarray:
    r"""Minimise :math:`\|Q - B\|_F^2 + \operatorname{tr}(Q^\top L Q)` with zero diagonal.

    That is :math:`M (B - \operatorname{diag}(\rho))` with :math:`M = (I + L)^{-1}`
    and :math:`\rho` such that the diagonal vanishes.
    """  # noqa: E501 (the formula does not break)
    n = len(B)
    lu = positive_definite_factors(L + sparse.eye_array(n))
    Q, M = solve_columns(lu, B), solve_columns(lu, np.eye(n))
    Q -= M * (Q.diagonal() / M.diagonal())
    np.fill_diagonal(Q, 0)
    return Q
