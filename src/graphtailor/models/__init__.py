"""The joint model: terms, solvers, starts, prediction, estimator."""

from graphtailor.models.graph_tailor import GraphTailor
from graphtailor.solvers.multistart import Start

__all__ = ["GraphTailor", "Start"]
