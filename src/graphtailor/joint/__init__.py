"""The joint model: terms, solvers, starts, prediction, estimator."""

from graphtailor.joint.estimator import GraphTailor
from graphtailor.joint.multistart import Start

__all__ = ["GraphTailor", "Start"]
