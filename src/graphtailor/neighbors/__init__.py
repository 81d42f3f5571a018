"""Nearest neighbours: one search in front of several engines."""

from graphtailor.neighbors.search import Edges, NeighborSearch, default_n_neighbors

__all__ = ["Edges", "NeighborSearch", "default_n_neighbors"]
