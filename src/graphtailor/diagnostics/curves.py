"""The objective of a fit over its iterations."""

from __future__ import annotations

from typing import Any

import numpy as np


def objective_curve(model: Any) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the iterations, and the objective after each.

    Some methods keep no value from before the first iteration, others only every
    tenth: the last value is always that of the last iteration.

    Examples
    --------
    >>> import numpy as np
    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(objective_=np.array([5.0, 3.0, 2.0]), n_iter_=2)
    >>> objective_curve(model)[0]
    array([0, 1, 2])
    """
    objective = np.atleast_1d(model.objective_)
    k, last = len(objective), int(model.n_iter_)
    if k in (last, last + 1):
        return np.arange(last + 1 - k, last + 1), objective
    return np.linspace(0 if k > 1 else last, last, k).astype(int), objective
