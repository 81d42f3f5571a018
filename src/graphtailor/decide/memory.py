"""What a fit will hold in memory, by its tier, before it takes any of it."""

from __future__ import annotations

from typing import Any

from scipy import sparse

from graphtailor.decide.settings import TRIED_UP_TO
from graphtailor.graphs.ensemble.cuts import MOST_FOR_LINKAGE
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.kernel_map import LANDMARKS
from graphtailor.linalg.free_memory import check_memory
from graphtailor.models.samples import is_named, is_pairwise, reach_of
from graphtailor.models.solve import number_of_starts
from graphtailor.neighbors import default_n_neighbors
from graphtailor.representatives.choice import TRIAL_ROWS_PER_ANCHOR
from graphtailor.representatives.fit import sample_size
from graphtailor.solvers.multistart import SHARED_FROM_BETA

# All of these were measured: tests/test_memory.py holds the estimates against the
# peaks of real fits.
# Arrays of n x n numbers: on all pairs by descent, and by Algorithm 1.
_SQUARES = {"descent": 8.0, "multiplicative": 13.5}
# More of them where a fit tries several settings, each with its S; and by how much a
# pair of the sparse support costs more there, as the graph is spread.
_SQUARES_OF_SETTINGS, _TIMES_FOR_SETTINGS = 13.0, 5.2
# Bytes for a pair of the support, which has about 1.45 pairs for each neighbour that a
# sample looks at, as neighbours are not always mutual; and for a sample.
_BYTES_PER_PAIR, _PAIRS_PER_NEIGHBOR, _BYTES_PER_SAMPLE = 90, 1.45, 1900
# Copies of the samples: scaled, searched, normalised.
_COPIES = 5.5
# Of an ensemble: bytes for a sample, and for each cluster of it; then copies of the
# samples for its members, or later arrays of n x n numbers for its linkage.
_BYTES_PER_ENSEMBLE_ROW, _BYTES_PER_ROW_AND_CLUSTER = 14_000, 200
_COPIES_FOR_MEMBERS, _SQUARES_OF_LINKAGE = 8.5, 2.3
# Of anchors: the graph and its eigenvectors; then a row of the sample that they are
# chosen by, or a row of all with its nearest anchors.
_ANCHOR_GRAPH, _BYTES_PER_SAMPLED_ROW, _BYTES_PER_ROW = 50_000_000, 100, 60

_ADVICE = {
    "full": "tier='sparse' looks at near neighbours only and needs {sparse}.",
    "sparse": "tier='anchors' needs {anchors}, and fewer n_neighbors or support=1 also "
    "need less.",
    "anchors": "Fit to a sample of the rows and predict the others, or give a Dask "
    "array, whose blocks are read one by one.",
}


def check_memory_for(model: Any, X: Any) -> None:
    """Refuse a fit that needs more memory than there is.

    Parameters
    ----------
    model : GraphTailor
        With its `tier_` and `n_clusters_`.
    X : {ndarray, csr_array} of shape (n, d)
        Checked samples.
    """
    sizes = {tier: bytes_needed(model, X, tier) for tier in _ADVICE}
    about = {tier: f"about {size / 1e9:,.1f} GB" for tier, size in sizes.items()}
    check_memory(
        sizes[model.tier_],
        f"GraphTailor with tier={model.tier_!r} and {X.shape[0]} samples",
        _ADVICE[model.tier_].format(**about),
    )


def bytes_needed(model: Any, X: Any, tier: str) -> float:
    """Bytes that a fit in this tier holds at its peak, beyond X itself."""
    n, d = X.shape
    numbers = X.nnz if sparse.issparse(X) else X.size
    starts = number_of_starts(model, n)
    indicators = 8.0 * n * model.n_clusters_ * (starts + 6)
    if tier == "anchors":
        rows = min(sample_size(n, model.n_clusters_, model.anchors), n)
        sample = rows * (16.0 * numbers / n + _BYTES_PER_SAMPLED_ROW)
        lifted = n * (16.0 * model.n_clusters_ + _BYTES_PER_ROW)
        graph = float(_ANCHOR_GRAPH)
        if is_named(model.graph_, "ensemble"):
            m = rows // TRIAL_ROWS_PER_ANCHOR
            graph += _bytes_of_ensemble(m, m * numbers / n, model.n_clusters_)
        return graph + max(sample, lifted)
    pairwise = is_pairwise(model.graph, model.metric)
    if not pairwise and model.kernel not in ("linear", "cosine"):
        numbers += 2 * n * min(n, LANDMARKS)
    samples = 8.0 * numbers * (1 if pairwise else _COPIES)
    own_s = starts if model.beta_ < SHARED_FROM_BETA else 0
    tries = n <= TRIED_UP_TO[tier] and isinstance(model.alpha, str) and not pairwise
    if tier == "full":
        squares = _SQUARES[model.solver] + own_s
        if tries and model.solver == "descent":
            squares += _SQUARES_OF_SETTINGS
        return 8.0 * squares * n * n + samples + indicators
    if pairwise and model.metric != "precomputed":
        pairs = float(numbers)  # the user's own graph
    else:
        reach = reach_of(model.support, n, 0 if pairwise else n * d)
        pairs = _PAIRS_PER_NEIGHBOR * n * min(reach * neighbors_of(model, n), n - 1)
    each = _BYTES_PER_PAIR * (_TIMES_FOR_SETTINGS if tries else 1) + 8 * own_s
    joint = each * pairs + samples + indicators + _BYTES_PER_SAMPLE * n
    return max(joint, _bytes_of_graph(model, X))


def _bytes_of_graph(model: Any, X: Any) -> float:
    """Bytes to build a graph that needs more than the model on it."""
    named = is_named(model.graph_, "ensemble")
    if not (named or isinstance(model.graph_, EnsembleGraph)):
        return 0.0
    numbers = X.nnz if sparse.issparse(X) else X.size
    return _bytes_of_ensemble(X.shape[0], numbers, model.n_clusters_)


def _bytes_of_ensemble(n: int, numbers: float, n_clusters: int) -> float:
    linkage = _SQUARES_OF_LINKAGE * min(n, MOST_FOR_LINKAGE) ** 2
    each = _BYTES_PER_ENSEMBLE_ROW + _BYTES_PER_ROW_AND_CLUSTER * n_clusters
    return each * n + 8.0 * max(_COPIES_FOR_MEMBERS * numbers, linkage)


def neighbors_of(model: Any, n: int) -> int:
    """Neighbours of a sample, where the graph is one of neighbours."""
    wanted = model.n_neighbors
    if not isinstance(model.graph, str):
        wanted = getattr(model.graph, "n_neighbors", "auto")
    return default_n_neighbors(n) if wanted == "auto" else int(wanted)
