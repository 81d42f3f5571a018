"""What a fit will hold in memory, before it takes any of it."""

from graphtailor.decide.sizes import LINKAGE_UP_TO, SAMPLED_ROWS_PER_ANCHOR
from graphtailor.graphs.base import GraphBuilder
from graphtailor.graphs.neighbor_graph import NeighborGraph
from graphtailor.linalg.free_memory import check_memory
from graphtailor.linalg.types import Matrix
from graphtailor.neighbors import default_n_neighbors
from graphtailor.solvers import Descent, Solver

# The numbers below were measured: tests/decide/test_memory.py compares the estimates
# with the peaks of real fits.
# Arrays of n x n numbers: of Algorithm 1, and of the descent on all pairs.
_SQUARES_MULTIPLICATIVE, _SQUARES_OF_ALL_PAIRS = 13.5, 8.0
# Bytes for a pair of the support, which has about 1.45 pairs for each neighbour of a
# sample, as neighbours are not always mutual; and bytes for a sample.
_BYTES_PER_PAIR, _PAIRS_PER_NEIGHBOR, _BYTES_PER_SAMPLE = 90, 1.45, 1900
# Copies of the samples: scaled, searched, normalised.
_COPIES = 5.5
# Indicators that are held at a time, besides the starts.
_INDICATORS = 18
# GraphTailor: copies of the rows that anchors are placed by; bytes for a representative
# and for each of its features, and squares for the linkage; bytes for a row that are
# held all the time, and those for its labels.
_COPIES_OF_SAMPLE, _BYTES_PER_REPRESENTATIVE, _COPIES_FOR_MEMBERS = 3.5, 10_500, 6.0
_SQUARES_OF_LINKAGE, _BYTES_PER_ROW, _BYTES_FOR_LABELS = 1.1, 40, 110


def check_memory_of_joint_model(
    X: Matrix, builder: GraphBuilder, solver: Solver, n_clusters: int
) -> None:
    """Refuse a fit of JointModel that needs more memory than there is."""
    check_memory(
        bytes_of_joint_model(X, builder, solver, n_clusters),
        f"JointModel with {solver!r} and {X.shape[0]} samples",
        "Use GraphTailor, which lets a few thousand representatives stand for all "
        "rows, or solver=Descent(support=1).",
    )


def bytes_of_joint_model(
    X: Matrix, builder: GraphBuilder, solver: Solver, n_clusters: int
) -> float:
    """Bytes that a fit holds at its peak, beyond X itself."""
    n = X.shape[0]
    numbers = X.size  # only stored entries count in a sparse matrix
    pairwise = builder.input != "samples"
    samples = 8.0 * numbers * (1 if pairwise else _COPIES)
    indicators = 8.0 * n * n_clusters * _INDICATORS
    if not isinstance(solver, Descent):
        return 8.0 * _SQUARES_MULTIPLICATIVE * n * n + samples + indicators
    if solver.support is None:
        return 8.0 * _SQUARES_OF_ALL_PAIRS * n * n + samples + indicators
    if builder.input == "affinities":
        pairs = float(numbers)
    else:
        p = default_n_neighbors(n)
        if isinstance(builder, NeighborGraph) and builder.n_neighbors != "auto":
            p = int(builder.n_neighbors)
        pairs = _PAIRS_PER_NEIGHBOR * n * min(solver.support * p, n - 1)
    return _BYTES_PER_PAIR * pairs + samples + indicators + _BYTES_PER_SAMPLE * n


def check_memory_of_graph_tailor(X: Matrix, n_representatives: int) -> None:
    """Refuse a fit of GraphTailor that needs more memory than there is."""
    check_memory(
        bytes_of_graph_tailor(X, n_representatives),
        f"GraphTailor with {X.shape[0]} rows",
        "Ask for fewer representatives, fit to a sample of the rows and predict the "
        "others, or give a Dask array, whose blocks are read one by one.",
    )


def bytes_of_graph_tailor(X: Matrix, n_representatives: int) -> float:
    """Bytes that a fit holds at its peak, beyond X itself."""
    n = X.shape[0]
    m = min(n, n_representatives)
    numbers = X.size / max(n, 1)
    each = _BYTES_PER_REPRESENTATIVE + 8.0 * _COPIES_FOR_MEMBERS * max(numbers, 1)
    sample = min(n, SAMPLED_ROWS_PER_ANCHOR * n_representatives)
    first = 8.0 * _COPIES_OF_SAMPLE * sample * numbers
    linked = m if m <= LINKAGE_UP_TO else 0
    middle = m * each + 8.0 * _SQUARES_OF_LINKAGE * linked * linked
    last = float(_BYTES_FOR_LABELS * n)
    return max(first, middle, last) + _BYTES_PER_ROW * n
