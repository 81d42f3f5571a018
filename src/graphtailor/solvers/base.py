"""What every solver returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class SolverResult:
    """A solution of the joint problem, and how it was reached.

    Attributes
    ----------
    S : {ndarray, csr_array} of shape (n, n)
        Learned graph; column j represents sample j by the others.
    V : ndarray of shape (n, c)
        Cluster indicator.
    objective : ndarray of shape (n_iter + 1,)
        Objective at the start and after each iteration; it never rises.
    stopping_value : float
        What was compared with the tolerance at the end.
    reason : {"converged", "max_iter", "callback"}
        Why the solver stopped.
    """

    S: Any
    V: np.ndarray
    objective: np.ndarray
    stopping_value: float
    reason: str

    @property
    def n_iter(self) -> int:
        """Number of iterations."""
        return len(self.objective) - 1

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.reason == "converged"


# Told of each finished iteration; a true answer ends the solver there.
Monitor = Callable[[int], bool]


def never_stop(iteration: int) -> bool:
    """The monitor of those who do not watch."""
    return False
