"""Names for graph builders: each stands for an object with its defaults."""

from sklearn.base import clone

from graphtailor.graphs.base import GraphBuilder
from graphtailor.graphs.neighbor_graph import NeighborGraph
from graphtailor.graphs.precomputed import PrecomputedGraph

GRAPHS: dict[str, type[GraphBuilder]] = {
    "knn": NeighborGraph,
    "precomputed": PrecomputedGraph,
}


def graph_builder(graph: str | GraphBuilder) -> GraphBuilder:
    """The builder that a `graph` parameter asks for, not yet fitted.

    Parameters
    ----------
    graph : {"knn", "precomputed"} or GraphBuilder
        "knn" is ``NeighborGraph()`` and "precomputed" is ``PrecomputedGraph()``; a
        builder is copied.

    Returns
    -------
    GraphBuilder
        Ready to be fitted.
    """
    return GRAPHS[graph]() if isinstance(graph, str) else clone(graph)
