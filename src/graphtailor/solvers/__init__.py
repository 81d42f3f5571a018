"""The mathematics of S and V: terms, starts and the two solvers."""

from graphtailor.solvers.base import Solver
from graphtailor.solvers.descent import Descent
from graphtailor.solvers.multiplicative import Multiplicative

__all__ = ["Descent", "Multiplicative", "Solver"]
