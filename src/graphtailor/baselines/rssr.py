"""Robust subspace segmentation, read from the representation."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from graphtailor.baselines.lrr import absolute_affinity
from graphtailor.baselines.rssa import RSSA


class RSSR(RSSA):
    r"""Robust subspace segmentation, read from the representation.

    The optimisation, the parameters and the attributes are those of
    :class:`RSSA`; the affinity that is cut is :math:`|C| + |C|^\top`.

    References
    ----------
    X. Guo, Robust Subspace Segmentation by Simultaneously Learning Data
    Representations and Their Affinity Matrix, IJCAI 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.baselines import RSSR
    >>> X = np.array([[1.0, 0], [2, 0], [3, 0], [0, 1], [0, 2], [0, 3]])
    >>> RSSR(2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    @staticmethod
    def _affinity(C: np.ndarray, A: sparse.csr_array) -> Any:
        return absolute_affinity(C)
