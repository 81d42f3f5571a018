"""The graph of weighted anchors: learned by self-expression, then spread out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from graphtailor.graphs.weights import normalize_affinity
from graphtailor.linalg.eigen import leading_eigenvectors, slow_eigenvectors
from graphtailor.linalg.scaling import root_mean_square_norm
from graphtailor.neighbors import default_n_neighbors
from graphtailor.solvers.s_step import ColumnSweeper

# Sweeps that bring S to its optimum, and when a column is taken to be there.
_SWEEPS = 100
_STANDING_STILL = 1e-5
# A spread graph keeps so many neighbourhoods a row.
_NEIGHBORHOODS = 6
# Eigenpairs that a spread graph is made of: that many for each cluster, and no fewer.
_PAIRS_PER_CLUSTER, _FEWEST_PAIRS = 4, 100
# Mean number of neighbours up to which a factorisation is quicker than iterations.
_FEW_NEIGHBORS = 30
# A walk of "auto" length takes this share of the time in which the first pattern that
# is no cluster fades: far enough to follow a chain, not so far that neighbouring
# clusters run into each other. No walk is longer than the last.
_SHARE_OF_FADING = 0.1
_LONGEST_WALK = 1024


@dataclass(frozen=True)
class AnchorGraph:
    """The graph that the anchors are clustered on.

    Attributes
    ----------
    W : csr_array of shape (m, m)
        Symmetric, normalised by the masses, with its diagonal: the graph between the
        rows that one anchor stands for.
    masses : ndarray of shape (m,)
        Row sums before the normalisation; 0 for an anchor that stands for nothing.
    embedding : ndarray of shape (m, c)
        Leading eigenvectors, for a spectral start.
    walk : int
        Steps it was spread by; 1 is the graph as it came.
    """

    W: sparse.csr_array
    masses: np.ndarray
    embedding: np.ndarray
    walk: int


def learn_anchor_graph(
    anchors: np.ndarray,
    given: sparse.csr_array,
    *,
    n_clusters: int,
    alpha: float,
    beta: float,
    diffusion: int | str,
    n_jobs: int | None = None,
) -> AnchorGraph:
    r"""Learn the anchors' graph from what they share, and spread it.

    With masses L, :math:`\tilde W = L^{-1/2} G L^{-1/2}` and
    :math:`\tilde x_i = \sqrt{L_i} x_i` the learned graph minimises
    :math:`\alpha \|\tilde X - \tilde S^T \tilde X\|^2 + (1 + \beta)
    \|\tilde S - \tilde W\|^2`: the plain model with equal values for all rows of an
    anchor. Its diagonal stands for pairs of different rows of one anchor, and so takes
    part in self-expression. The walk comes after it: a bare graph of neighbours makes
    the model cut long clusters into pieces, and self-expression from afar would undo
    the walk.

    Parameters
    ----------
    anchors : ndarray of shape (m, d)
        The anchors; d = 0 leaves self-expression out.
    given : csr_array of shape (m, m)
        G: what each pair of anchors shares.
    n_clusters : int
        Number of clusters.
    alpha, beta : float
        Weights of self-expression and of the given graph.
    diffusion : int or "auto"
        Steps of the walk; "auto" takes as many as the spectrum of the graph asks for.
    n_jobs : int or None, default=None
        Threads.

    Returns
    -------
    AnchorGraph
        The learned graph.
    """
    masses = np.asarray(given.sum(axis=1)).ravel()
    S = normalize_affinity(given)
    if alpha > 0 and beta > 0 and anchors.shape[1]:
        S = _self_expressed(anchors, masses, S, alpha, beta, n_jobs)
    flow = between(S, np.sqrt(masses))
    masses = np.asarray(flow.sum(axis=1)).ravel()
    W = normalize_affinity(flow)
    m = len(masses)
    # The fewer neighbours, the longer its chains may be, and the quicker it factorises.
    n_first = min(n_clusters + 1, m)
    if W.nnz <= _FEW_NEIGHBORS * m:
        values, vectors = slow_eigenvectors(W, n_first, masses)
    else:
        values, vectors = leading_eigenvectors(W, n_first, 0)
    walk = _walk_length(values, n_clusters) if diffusion == "auto" else int(diffusion)
    embedding = vectors[:, :n_clusters]
    if walk <= 1:
        return AnchorGraph(W, masses, embedding, 1)
    n_pairs = min(max(_PAIRS_PER_CLUSTER * n_clusters, _FEWEST_PAIRS), m)
    pairs = slow_eigenvectors(W, n_pairs, masses)
    # A lone anchor has no neighbours, but keeps itself.
    keep = min(max(_NEIGHBORHOODS * default_n_neighbors(m), 1), m)
    spread = _spread(*pairs, walk, np.sqrt(masses), keep)
    masses = np.asarray(spread.sum(axis=1)).ravel()
    return AnchorGraph(normalize_affinity(spread), masses, embedding, walk)


def _self_expressed(
    anchors: np.ndarray,
    masses: np.ndarray,
    W: sparse.csr_array,
    alpha: float,
    beta: float,
    n_jobs: int | None,
) -> sparse.csr_array:
    X = anchors.astype(np.float64) * np.sqrt(masses)[:, None]
    X /= root_mean_square_norm(X)
    W.sort_indices()
    s = W.data.copy()
    nothing = np.zeros((len(X), 1))
    # The sweep pulls towards VV' + beta W, so this W makes it (1 + beta) W.
    pull = W.data * ((1 + beta) / beta)
    ColumnSweeper(X, alpha, beta, n_jobs).sweep(
        X, (W.indptr, W.indices), pull, s, nothing, nothing, _SWEEPS, _STANDING_STILL
    )
    S = sparse.csr_array((s, W.indices, W.indptr), W.shape)
    return sparse.csr_array((S + S.T) / 2)


def between(S: sparse.csr_array, scale: np.ndarray) -> sparse.csr_array:
    """``diag(scale) S diag(scale)``."""
    rows = np.repeat(np.arange(S.shape[0]), np.diff(S.indptr))
    data = S.data * (scale[rows] * scale[S.indices])
    return sparse.csr_array((data, S.indices, S.indptr), S.shape)


def _walk_length(values: np.ndarray, n_clusters: int) -> int:
    """How far to walk, from the first eigenvalue that belongs to no cluster."""
    if len(values) <= n_clusters:
        return 1
    fading = 1.0 - float(values[n_clusters])
    return int(np.clip(_SHARE_OF_FADING / max(fading, 1e-12), 1, _LONGEST_WALK))


def _spread(
    values: np.ndarray, vectors: np.ndarray, steps: int, scale: np.ndarray, keep: int
) -> sparse.csr_array:
    """The flow after a walk, by its leading eigenpairs, cut to its largest entries."""
    half = vectors * np.maximum(values, 0.0) ** (steps / 2)
    rows, cols, kept = [], [], []
    for first in range(0, len(half), 512):
        some = np.maximum(half[first : first + 512] @ half.T, 0.0)
        places = np.argpartition(-some, keep - 1, axis=1)[:, :keep]
        rows.append(np.repeat(np.arange(first, first + len(some)), keep))
        cols.append(places.ravel())
        kept.append(np.take_along_axis(some, places, axis=1).ravel())
    where = (np.concatenate(rows), np.concatenate(cols))
    shape = (len(half), len(half))
    walk = sparse.csr_array((np.concatenate(kept), where), shape)
    walk = between(walk, scale)
    walk.eliminate_zeros()
    return sparse.csr_array(walk.maximum(walk.T))
