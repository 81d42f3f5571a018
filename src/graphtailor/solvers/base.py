"""What solvers take, return and have in common."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from graphtailor.graphs.constraints import Constraints
from graphtailor.linalg.types import Matrix, ParameterConstraints

# Called after each finished iteration; a true answer ends the solver there.
Monitor = Callable[[int], bool]


def never_stop(iteration: int = 0) -> bool:
    """Monitor that never stops the solver."""
    return False


@dataclass(frozen=True)
class SolverResult:
    """A solution of the joint problem, and how it was reached."""

    S: Any  # learned graph; column j represents sample j by the others
    V: np.ndarray  # cluster indicator
    objective: np.ndarray  # at the start and after each iteration; it never rises
    stopping_value: float  # what was compared with the tolerance at the end
    reason: str  # "converged", "max_iter" or "callback"

    @property
    def n_iter(self) -> int:
        """Number of iterations."""
        return len(self.objective) - 1

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.reason == "converged"


@dataclass(frozen=True)
class Start:
    """Where one start led.

    Attributes
    ----------
    kind : str
        What it started from.
    objective : float
        The objective it reached.
    labels : ndarray of shape (n,)
        The clusters it found.
    """

    kind: str
    objective: float
    labels: np.ndarray


@dataclass(frozen=True)
class JointProblem:
    """The joint problem as a model hands it to a solver.

    ``near(k)`` gives a sparse matrix with an entry for each sample and each of the
    ``k * p`` samples nearest to it, or None where no distances are known.
    """

    X: Matrix  # samples for self-expression; d = 0 leaves it out
    W: sparse.csr_array  # the given graph
    alpha: float
    beta: float
    n_clusters: int  # number of columns of V
    near: Callable[[int], sparse.csr_array | None]
    constraints: Constraints | None = None  # known classes are the first columns of V

    @property
    def dtype(self) -> np.dtype:
        """Type of S and V."""
        return self.X.dtype


@dataclass(frozen=True)
class Search:
    """Where a solver starts, when it stops, and who watches."""

    init: Any  # kind of the starts, or labels or an indicator to start from
    n_init: int  # number of starts
    max_iter: int  # most iterations of a start
    tol: float  # when a start has converged, in the measure of the solver
    random_state: np.random.RandomState  # source of the starts
    n_jobs: int | None  # threads; the result does not depend on their number
    # Called after each start and each iteration; true ends the search there.
    after_start: Callable[[], bool] = never_stop
    monitor: Monitor = never_stop


class Solver(BaseEstimator, ABC):
    """Base class of the solvers of :class:`~graphtailor.JointModel`.

    Attributes
    ----------
    max_iter, tol
        Limits that a model takes where it gives none of its own.
    """

    _parameter_constraints: ClassVar[ParameterConstraints] = {}
    max_iter: ClassVar[int]
    tol: ClassVar[float]

    @property
    def reach(self) -> int | None:
        """Neighbourhoods that may represent a sample; None stands for all samples."""
        return None

    @abstractmethod
    def solve(
        self, problem: JointProblem, search: Search
    ) -> tuple[SolverResult, list[Start]]:
        """The best solution that was found, and what every start reached."""

    @abstractmethod
    def not_converged(self, result: SolverResult, search: Search) -> str:
        """What to tell a user whose fit ended at `max_iter`."""
