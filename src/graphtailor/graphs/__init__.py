"""The given graph W: who is joined to whom, and how strongly."""

from graphtailor.graphs.adapters import graph_distances, precomputed_kernel
from graphtailor.graphs.aliases import graph_builder
from graphtailor.graphs.base import GraphBuilder
from graphtailor.graphs.diffused_graph import DiffusedGraph
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.graphs.neighbor_graph import NeighborGraph
from graphtailor.graphs.precomputed import PrecomputedGraph
from graphtailor.graphs.weights import normalize_affinity, rbf_weights, symmetrize

__all__ = [
    "DiffusedGraph",
    "EnsembleGraph",
    "GraphBuilder",
    "NeighborGraph",
    "PrecomputedGraph",
    "graph_builder",
    "graph_distances",
    "normalize_affinity",
    "precomputed_kernel",
    "rbf_weights",
    "symmetrize",
]
