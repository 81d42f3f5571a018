"""The given graph: neighbours, weights, normalisation, diffusion, spectrum."""

from graphtailor.graphs.builder import NeighborGraph, graph_builder
from graphtailor.graphs.diffusion import diffuse
from graphtailor.graphs.neighbors import Edges, NeighborSearch, default_n_neighbors
from graphtailor.graphs.precomputed import PrecomputedGraph
from graphtailor.graphs.spectrum import leading_eigenvectors, slow_eigenvectors
from graphtailor.graphs.weights import normalize_affinity, rbf_weights, symmetrize

__all__ = [
    "Edges",
    "NeighborGraph",
    "NeighborSearch",
    "PrecomputedGraph",
    "default_n_neighbors",
    "diffuse",
    "graph_builder",
    "leading_eigenvectors",
    "normalize_affinity",
    "rbf_weights",
    "slow_eigenvectors",
    "symmetrize",
]
