"""The study's experiment: what it printed, to compare with."""

from graphtailor.bench.paper import paper_results

__all__ = ["paper_results"]
