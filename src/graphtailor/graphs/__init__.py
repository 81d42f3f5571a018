"""The given graph W: who is joined to whom, and how strongly."""

from graphtailor.graphs.diffusion import diffuse
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.graphs.neighbor_graph import NeighborGraph, graph_builder
from graphtailor.graphs.precomputed import PrecomputedGraph
from graphtailor.graphs.weights import normalize_affinity, rbf_weights, symmetrize

__all__ = [
    "EnsembleGraph",
    "NeighborGraph",
    "PrecomputedGraph",
    "diffuse",
    "graph_builder",
    "normalize_affinity",
    "rbf_weights",
    "symmetrize",
]
