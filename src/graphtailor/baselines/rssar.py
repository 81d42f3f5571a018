"""Robust subspace segmentation, read from affinity and representation."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from graphtailor.baselines.rssa import RSSA


class RSSAR(RSSA):
    r"""Robust subspace segmentation, read from affinity and representation.

    The optimisation, the parameters and the attributes are those of
    :class:`RSSA`; the affinity that is cut is :math:`B + B^\top` with
    :math:`b_{ij} = |a_{ij} c_{ij}|`.

    References
    ----------
    X. Guo, Robust Subspace Segmentation by Simultaneously Learning Data
    Representations and Their Affinity Matrix, IJCAI 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.baselines import RSSAR
    >>> rng = np.random.default_rng(0)
    >>> X = np.kron(np.eye(2), np.ones((10, 3))) + 0.1 * rng.random((20, 6))
    >>> RSSAR(2, n_neighbors=5, random_state=0).fit_predict(X)
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
          dtype=int32)
    """

    @staticmethod
    def _affinity(C: np.ndarray, A: sparse.csr_array) -> Any:
        rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
        products = np.abs(A.data * C[rows, A.indices])
        B = sparse.csr_array((products, A.indices, A.indptr), shape=A.shape)
        return sparse.csr_array(B + B.T)
