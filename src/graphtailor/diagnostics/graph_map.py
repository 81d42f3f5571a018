"""A graph as a map in the plane, and as a matrix ordered by cluster."""

from dataclasses import dataclass, replace

import numpy as np
from numba import njit
from scipy import sparse

from graphtailor.diagnostics.layout import graph_layout, strongest_ties
from graphtailor.diagnostics.levels import spread_sample
from graphtailor.diagnostics.model_access import FittedView
from graphtailor.graphs import NeighborGraph
from graphtailor.linalg.types import Matrix

# Vertices and edges that a map shows, and edges of each vertex.
MOST_POINTS = 3000
_MOST_LINES, _LINES_EACH = 2500, 3


@dataclass(frozen=True)
class VertexMap:
    """Places of vertices in the plane."""

    places: np.ndarray  # (m, 2): between 0 and 1
    vertices: np.ndarray  # (m,): numbers of the rows (or representatives) shown
    labels: np.ndarray  # (m,): their clusters
    # (k, 2): edges with the largest weights, as pairs of positions in `vertices`.
    lines: np.ndarray
    noun: str  # "rows", "distinct rows", "anchors": what the vertices are
    source: str  # the graph that was laid out
    n_vertices: int  # how many vertices the graph has


def map_of(
    view: FittedView, features: Matrix | None = None, most: int = MOST_POINTS
) -> VertexMap | None:
    """A map of the learned graph of a model, or of the closest substitute.

    The substitutes are the given graph, and a neighbour graph in the embedding of the
    method or among the scaled features. There is no map without any of these. At most
    `most` vertices are laid out, which are drawn from every cluster.
    """
    for which, graph in reversed(view.graphs().items()):
        source = f"the {which} graph"
        return map_of_graph(graph, view.vertex_labels, view.noun, source, most)
    if view.embedding is not None:
        return map_of_points(
            view.embedding, view.labels, "the method's embedding", most
        )
    if features is not None:
        return map_of_points(features, view.labels, "the features", most)
    return None


def map_of_graph(
    graph: Matrix,
    labels: np.ndarray,
    noun: str = "rows",
    source: str = "the graph",
    most: int = MOST_POINTS,
) -> VertexMap:
    """Lay out a graph, or the graph between a sample of its vertices."""
    shown = spread_sample(labels, most)
    if len(shown) < len(labels):
        graph = coarse_graph(graph, shown)
    places = graph_layout(graph)
    ties = sparse.coo_array(sparse.triu(strongest_ties(graph, _LINES_EACH), k=1))
    order = np.argsort(-ties.data, kind="stable")[:_MOST_LINES]
    lines = np.column_stack([index[order] for index in ties.coords])
    return VertexMap(places, shown, labels[shown], lines, noun, source, len(labels))


def map_of_points(
    points: Matrix, labels: np.ndarray, source: str, most: int = MOST_POINTS
) -> VertexMap:
    """Lay out the neighbour graph of a sample of points."""
    shown = spread_sample(labels, most)
    graph, source = neighbor_graph(points[shown]), f"nearest neighbours in {source}"
    found = map_of_graph(graph, labels[shown], source=source, most=len(shown))
    return replace(found, vertices=shown[found.vertices], n_vertices=len(labels))


def neighbor_graph(points: Matrix) -> Matrix:
    """Neighbour graph of points; of one or two points the complete graph."""
    n = points.shape[0]
    # A neighbour graph needs at least this many points.
    if n < 3:
        return np.ones((n, n))
    return NeighborGraph().fit(points).affinity_


def coarse_graph(graph: Matrix, kept: np.ndarray) -> sparse.csr_array:
    """The graph between kept vertices, each of which represents those around it.

    A vertex that is not kept is assigned to the kept vertex of the neighbour with the
    largest weight among the neighbours already assigned. With B the matrix of these
    assignments the result is :math:`B^T A B` without its diagonal. Without assignments
    there would be almost no edges between the few kept vertices of a neighbour graph.
    The weights are symmetric, and `kept` is in rising order.
    """
    weights = abs(sparse.csr_array(graph))
    owner = np.full(weights.shape[0], -1, dtype=np.int64)
    owner[kept] = np.arange(len(kept))
    _assign_to_kept(weights.indptr, weights.indices, weights.data, owner)
    entries = weights.tocoo()
    heads, tails = owner[entries.coords[0]], owner[entries.coords[1]]
    between = (heads >= 0) & (tails >= 0) & (heads != tails)
    return sparse.csr_array(
        (entries.data[between], (heads[between], tails[between])),
        shape=(len(kept), len(kept)),
    )


@njit(cache=True, nogil=True)
def _assign_to_kept(
    indptr: np.ndarray, indices: np.ndarray, data: np.ndarray, owner: np.ndarray
) -> None:  # pragma: no cover (compiled)
    n = len(owner)
    waiting = np.flatnonzero(owner < 0)
    found = np.empty(n, dtype=np.int64)
    while len(waiting):
        n_found = 0
        for i in waiting:
            best, choice = 0.0, -1
            for e in range(indptr[i], indptr[i + 1]):
                if owner[indices[e]] >= 0 and data[e] > best:
                    best, choice = data[e], owner[indices[e]]
            found[i] = choice
            n_found += choice >= 0
        if n_found == 0:
            return
        # Assigned after the sweep: the order of the vertices must not matter.
        for i in waiting:
            owner[i] = found[i]
        waiting = waiting[owner[waiting] < 0]


def ordered_image(
    graph: Matrix, labels: np.ndarray, most_pixels: int
) -> tuple[np.ndarray, np.ndarray]:
    """Mean weights between blocks of vertices that are ordered by cluster.

    The image has at most `most_pixels` rows; with fewer vertices each has a row of its
    own. Returns the image and the number of vertices in each cluster.
    """
    n = len(labels)
    order = np.argsort(labels, kind="stable")
    place = np.empty(n, dtype=np.int64)
    place[order] = np.arange(n)
    pixels = min(n, most_pixels)
    pixel = place * pixels // n
    entries = sparse.coo_array(graph)
    where = pixel[entries.coords[0]] * pixels + pixel[entries.coords[1]]
    sums = np.bincount(where, weights=np.abs(entries.data), minlength=pixels**2)
    counts = np.bincount(pixel, minlength=pixels)
    image = sums.reshape(pixels, pixels) / np.outer(counts, counts)
    return image, np.bincount(labels)


def full_weight(images: list[np.ndarray]) -> float:
    """The weight that has the full colour: the 99th percentile of positive weights.

    With the largest weight in its place all other edges would be pale.
    """
    strong = np.concatenate([image[image > 0] for image in images])
    return float(np.percentile(strong, 99.0)) if strong.size else 1.0


def share_inside(graph: Matrix, labels: np.ndarray) -> float:
    """Share of the total weight that joins vertices of the same cluster."""
    entries = sparse.coo_array(graph)
    weights = np.abs(entries.data.astype(np.float64))
    same = labels[entries.coords[0]] == labels[entries.coords[1]]
    return float(weights[same].sum() / max(weights.sum(), np.finfo(float).tiny))
