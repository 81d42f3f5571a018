"""A map of a graph: which vertices it shows, where, and their strongest ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from graphtailor.diagnostics.graph_coarsening import coarse_graph
from graphtailor.diagnostics.layout import graph_layout, strongest_ties
from graphtailor.diagnostics.model_access import (
    best_graph,
    spread_sample,
    vertex_labels,
    vertex_noun,
)
from graphtailor.graphs import NeighborGraph

MOST_POINTS = 3000
_MOST_LINES = 2500
_LINES_EACH = 3


@dataclass(frozen=True)
class VertexMap:
    """Places of vertices in the plane.

    Attributes
    ----------
    places : ndarray of shape (m, 2)
        Between 0 and 1.
    vertices : ndarray of shape (m,)
        Numbers of the rows (or anchors) shown.
    labels : ndarray of shape (m,)
        Their clusters.
    lines : ndarray of shape (k, 2)
        Pairs of shown vertices with the strongest ties, by their place in `vertices`.
    noun : {"rows", "anchors"}
        What the vertices are.
    source : str
        The graph that was laid out.
    n_vertices : int
        How many there are in all.
    """

    places: np.ndarray
    vertices: np.ndarray
    labels: np.ndarray
    lines: np.ndarray
    noun: str
    source: str
    n_vertices: int


def map_of(
    model: Any, features: Any = None, most: int = MOST_POINTS
) -> VertexMap | None:
    """A map of the learned graph of a model, or of the nearest thing it has.

    That is the given graph where none is learned, else a graph of neighbours in its
    embedding or among the features.

    Parameters
    ----------
    model : estimator
        Fitted.
    features : {ndarray, sparse array} of shape (n, d) or None, default=None
        Scaled features.
    most : int, default=3000
        Vertices to show; of more a sample is drawn from every cluster.

    Returns
    -------
    VertexMap or None
        None if there is neither a graph nor points.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> model = GraphTailor(n_clusters=3, n_init=1, random_state=0)
    >>> found = map_of(model.fit(load_iris().data))
    >>> found.places.shape, found.source
    ((150, 2), 'the learned graph')
    """
    graph, which = best_graph(model)
    if graph is not None:
        labels = vertex_labels(model)
        source = f"the {which} graph"
        return map_of_graph(graph, labels, most, vertex_noun(model), source)
    points = getattr(model, "embedding_", None)
    if points is not None:
        return map_of_points(points, model.labels_, most, "the method's embedding")
    if features is not None:
        return map_of_points(features, model.labels_, most)
    return None


def map_of_graph(
    graph: Any,
    labels: np.ndarray,
    most: int = MOST_POINTS,
    noun: str = "rows",
    source: str = "the graph",
) -> VertexMap:
    """Lay out a graph, or that of a sample of its vertices."""
    shown = spread_sample(labels, most)
    if len(shown) < len(labels):
        graph = coarse_graph(graph, shown)
    places = graph_layout(graph)
    lines = _strongest_lines(graph)
    return VertexMap(places, shown, labels[shown], lines, noun, source, len(labels))


def map_of_points(
    points: Any,
    labels: np.ndarray,
    most: int = MOST_POINTS,
    source: str = "the features",
) -> VertexMap:
    """Lay out the graph of nearest neighbours among a sample of points."""
    shown = spread_sample(labels, most)
    sample = points[shown]
    where = f"nearest neighbours in {source}"
    if len(shown) < 3:
        graph: Any = np.ones((len(shown), len(shown)))
    else:
        graph = NeighborGraph().fit(sample).affinity_
    found = map_of_graph(graph, labels[shown], most, source=where)
    return VertexMap(
        found.places, shown, found.labels, found.lines, "rows", where, len(labels)
    )


def _strongest_lines(graph: Any) -> np.ndarray:
    ties = sparse.coo_array(sparse.triu(strongest_ties(graph, _LINES_EACH), k=1))
    order = np.argsort(-ties.data, kind="stable")[:_MOST_LINES]
    return np.column_stack([index[order] for index in ties.coords])
