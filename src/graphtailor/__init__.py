"""Learn the graph your clusters need."""

from importlib.metadata import version

from graphtailor.graphs import NeighborGraph
from graphtailor.joint import GraphTailor
from graphtailor.metrics import clustering_scores

__version__ = version("graphtailor")

__all__ = ["GraphTailor", "NeighborGraph", "__version__", "clustering_scores"]
