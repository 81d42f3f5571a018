"""The two estimators, JointModel and GraphTailor, and LearnedGraph for pipelines."""

from graphtailor.models.graph_tailor import GraphTailor
from graphtailor.models.joint_model import JointModel
from graphtailor.models.learned_graph import LearnedGraph

__all__ = ["GraphTailor", "JointModel", "LearnedGraph"]
