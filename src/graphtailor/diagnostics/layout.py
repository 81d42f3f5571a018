"""Places in the plane for the vertices of a graph, with joined ones close."""

import numpy as np
from scipy import sparse

from graphtailor.diagnostics.model_access import Matrix
from graphtailor.linalg.layout import lay_out
from graphtailor.linalg.threads import single_threaded

_SMOOTHINGS = 200
# Side of the square that each vertex has to itself at the start.
_ROOM = 0.45
# In graphs up to this size a random pair is often joined by an edge. Such a pair is
# pushed apart with a fifth of the force, which still keeps points from overlapping.
_FEW, _SPARED = 60, 0.8


def graph_layout(graph: Matrix) -> np.ndarray:
    """Lay a graph out in the plane.

    Random places are first smoothed along the graph, which moves them towards its
    leading eigenvectors. Then vertices that share an edge attract each other and
    random pairs repel each other, as in UMAP (`graphtailor.linalg.layout`).

    Signs and direction of the weights do not matter. Places are between 0 and 1, the
    widest direction first, and the same for the same graph.
    """
    ties = strongest_ties(graph, 15)
    m = ties.shape[0]
    places = np.random.default_rng(0).normal(size=(m, 2))
    if ties.nnz:
        # A last bit that depends on the number of threads would change the whole map.
        with single_threaded():
            places = _smooth(ties, places)
        places = lay_out(
            *(places, ties, np.random.RandomState(0)),
            n_epochs=300,
            n_pushes=8,
            # Without gravity separate parts of the graph would stay far apart.
            gravity=0.01,
            shares=1 - _SPARED * ties.toarray() if m <= _FEW else None,
        ).astype(np.float64)
    if m > 1:
        # The widest direction becomes the horizontal one.
        centred = places - places.mean(axis=0)
        with single_threaded():
            places = centred @ np.linalg.svd(centred, full_matrices=False)[2].T
    return in_unit_square(places)


def strongest_ties(graph: Matrix, most: int) -> sparse.csr_array:
    """The edges of each vertex with the largest weights, relative to the largest.

    Symmetric, with the larger weight of the two directions, and without a diagonal.
    """
    if not sparse.issparse(graph):
        graph = _dense_ties(np.abs(np.asarray(graph, dtype=np.float64)), most)
    entries = sparse.coo_array(abs(graph)).astype(np.float64)
    rows, columns = entries.coords
    keep = (rows != columns) & (entries.data > 0)
    rows, columns, data = rows[keep], columns[keep], entries.data[keep]
    order = np.lexsort((columns, -data, rows))
    rows, columns, data = rows[order], columns[order], data[order]
    firsts = np.searchsorted(rows, np.arange(graph.shape[0]))
    rank = np.arange(len(rows)) - firsts[rows]
    relative = data / data[firsts[rows]] if len(data) else data
    near = rank < most
    ties = sparse.csr_array(
        (relative[near], (rows[near], columns[near])), shape=graph.shape
    )
    return sparse.csr_array(ties.maximum(ties.T))


def _dense_ties(weights: np.ndarray, most: int) -> sparse.csr_array:
    """The largest entries of each row, found without sorting whole rows."""
    m = len(weights)
    np.fill_diagonal(weights, 0)
    k = min(most, m)
    columns = np.argpartition(-weights, k - 1, axis=1)[:, :k]
    rows = np.repeat(np.arange(m), k)
    data = np.take_along_axis(weights, columns, axis=1).ravel()
    return sparse.csr_array((data, (rows, columns.ravel())), shape=(m, m))


def _smooth(ties: sparse.csr_array, places: np.ndarray) -> np.ndarray:
    """Repeated means over the neighbours, orthogonal and centred after each step."""
    m = len(places)
    degrees = np.maximum(np.asarray(ties.sum(axis=1)).ravel(), np.finfo(float).tiny)
    walk = sparse.csr_array(sparse.diags_array(1 / degrees) @ ties)
    for _ in range(_SMOOTHINGS):
        places = 0.5 * (places + walk @ places)
        places, _ = np.linalg.qr(places - places.mean(axis=0))
    # Ranks instead of values: the values would place a separate part of the graph far
    # away, with all its vertices on one point.
    ranks = places.argsort(axis=0, kind="stable").argsort(axis=0, kind="stable")
    return _ROOM * np.sqrt(m) * (ranks / m - 0.5)


def in_unit_square(places: np.ndarray) -> np.ndarray:
    """Places between 0 and 1, on one scale for both axes to keep shapes."""
    width = max(float(np.ptp(places, axis=0).max()), np.finfo(float).tiny)
    return (places - places.min(axis=0)) / width
