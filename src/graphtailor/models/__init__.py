"""The two estimators: JointModel is the paper, GraphTailor decides."""

from graphtailor.models.graph_tailor import GraphTailor
from graphtailor.models.joint_model import JointModel

__all__ = ["GraphTailor", "JointModel"]
