"""The members of an ensemble: many cheap clusterings that differ from each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.cluster import kmeans_plusplus
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from graphtailor.graphs.ensemble.views import VIEWS, see
from graphtailor.graphs.weights import normalize_affinity, rbf_weights, symmetrize
from graphtailor.linalg.kmeans import kmeans_labels
from graphtailor.neighbors.search import Edges, NeighborSearch, default_n_neighbors

# What each of the graphs, and the data themselves, contribute.
_SPECTRAL_OF_A_GRAPH = 4
_DIFFUSED_OF_A_GRAPH = 2
_MIXTURES_OF_A_SCALING = 1
_KMEANS_OF_A_SCALING = 2
# Members have from half to five times as many clusters as are wanted. Small numbers
# keep large classes in one piece, large ones keep small classes apart.
_FEWEST, _MOST = 0.5, 5.0
_MIXTURE_ITERATIONS = 30
# Steps of the walk that approaches the leading eigenvectors, and the steps between
# two orthogonalisations.
_WALKS, _STEPS_OF_A_WALK = 10, 8
# Fits of a model to a neighbour graph: labels from the scaled samples, the number of
# neighbours, the numbers of clusters and a source of seeds.
Fits = Callable[
    [np.ndarray, int, Sequence[int], np.random.RandomState], list[np.ndarray]
]
# Variance added to every feature of a mixture, as a share of the mean variance.
_MIXTURE_FLOOR = 1e-3


@dataclass(frozen=True)
class Member:
    """One clustering of the ensemble.

    Attributes
    ----------
    kind : {"spectral", "diffusion", "joint", "mixture", "k-means"}
        How it was found.
    scaling : str
        How the features were scaled for it.
    labels : ndarray of shape (n,)
        The clusters.
    """

    kind: str
    scaling: str
    labels: np.ndarray


def member_recipes(
    X: np.ndarray,
    n_clusters: int,
    n_rounds: int,
    random_state: Any,
    fits: Fits | None = None,
) -> Iterator[Callable[[], list[Member]]]:
    """Make the members a few at a time; each call of a recipe stands for itself.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples.
    n_clusters : int
        Number of clusters that are wanted in the end.
    n_rounds : int
        How often all scalings have their turn: each has 6 members of a neighbour graph,
        3 of the samples, and those of `fits`.
    random_state : RandomState
        Source of the seeds.
    fits : callable or None, default=None
        Fits a model to a graph; see `Fits`.

    Yields
    ------
    callable
        Gives a list of :class:`Member`, the same in whatever thread it runs.
    """
    size = (3 * n_rounds + 1) * len(VIEWS)
    seeds = iter(random_state.randint(np.iinfo(np.int32).max, size=size))
    views = {name: see(X, name, next(seeds)) for name in VIEWS}
    for _ in range(n_rounds):
        for name, Z in views.items():
            yield partial(_of_graph, Z, name, n_clusters, next(seeds))
            yield partial(_of_samples, Z, name, n_clusters, next(seeds))
            if fits is not None:
                yield partial(_of_fits, Z, name, n_clusters, fits, next(seeds))


def _draw_k(n_clusters: int, n: int, rng: np.random.RandomState) -> int:
    """A number of clusters, uniform on the scale of logarithms."""
    low = max(2.0, _FEWEST * n_clusters)
    high = max(low, min(_MOST * n_clusters, n / 4))
    return min(round(np.exp(rng.uniform(np.log(low), np.log(high)))), n)


def _draw_n_neighbors(n: int, times: int, rng: np.random.RandomState) -> int:
    """From half of the usual number of neighbours to so many times that."""
    p = default_n_neighbors(n)
    return min(rng.randint(min(max(3, p // 2), p), times * p + 1), n - 1)


def _of_fits(
    Z: np.ndarray, name: str, n_clusters: int, fits: Fits, seed: int
) -> list[Member]:
    """Members from a model fitted to one neighbour graph."""
    rng = check_random_state(seed)
    n = len(Z)
    numbers = (min(n_clusters, n), _draw_k(n_clusters, n, rng))
    found = fits(Z, _draw_n_neighbors(n, 1, rng), numbers, rng)
    return [Member("joint", name, labels) for labels in found]


def _of_graph(Z: np.ndarray, name: str, n_clusters: int, seed: int) -> list[Member]:
    """Members from the spectrum of one neighbour graph."""
    rng = check_random_state(seed)
    n = len(Z)
    p = _draw_n_neighbors(n, 2, rng)
    W = _neighbor_graph(NeighborSearch().fit(Z).nearest(p), n)
    width = min(max(2 * n_clusters, n_clusters + 2), n)
    values, vectors = smooth_vectors(W, width, rng)
    members = []
    for _ in range(_SPECTRAL_OF_A_GRAPH):
        k = _draw_k(n_clusters, n, rng)
        rows = normalize(vectors[:, : min(k, width)])
        members.append(Member("spectral", name, _kmeans(rows, k, rng)))
    for _ in range(_DIFFUSED_OF_A_GRAPH):
        k = _draw_k(n_clusters, n, rng)
        steps = 2 ** rng.randint(2, 7)
        walked = vectors * np.clip((1 + values) / 2, 0, 1) ** steps
        members.append(Member("diffusion", name, _kmeans(walked, k, rng)))
    return members


def _of_samples(Z: np.ndarray, name: str, n_clusters: int, seed: int) -> list[Member]:
    """Members from the samples themselves."""
    rng = check_random_state(seed)
    draw = partial(_draw_k, n_clusters, len(Z), rng)
    return [
        *(
            Member("mixture", name, mixture_labels(Z, draw(), rng))
            for _ in range(_MIXTURES_OF_A_SCALING)
        ),
        *(
            Member("k-means", name, _kmeans(Z, draw(), rng))
            for _ in range(_KMEANS_OF_A_SCALING)
        ),
    ]


def _neighbor_graph(edges: Edges, n: int) -> sparse.csr_array:
    """Normalised RBF graph, as wide as neighbours are apart on average."""
    width = edges.distances.mean() if len(edges.distances) else 0.0
    places = (edges.rows, edges.cols)
    G = sparse.csr_array((rbf_weights(edges.distances, width), places), shape=(n, n))
    return normalize_affinity(symmetrize(G, "average"))


def smooth_vectors(
    W: sparse.csr_array, width: int, random_state: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Approximate leading eigenpairs of a normalised affinity, at a fixed cost.

    A lazy random walk takes random vectors near the leading eigenvectors. Lanczos
    would be exact, but may take very long where eigenvalues are nearly equal, as in
    graphs of many loose parts; members need not be exact.

    Parameters
    ----------
    W : csr_array of shape (n, n)
        Symmetric, normalised by the degrees.
    width : int
        Number of vectors, at most n.
    random_state : int or RandomState
        Seed of the random vectors.

    Returns
    -------
    values : ndarray of shape (width,)
        Approximate eigenvalues, largest first.
    vectors : ndarray of shape (n, width)
        Orthonormal columns.
    """
    rng = check_random_state(random_state)
    n = W.shape[0]
    Q = rng.normal(size=(n, min(width + 5, n)))
    for _ in range(_WALKS):
        for _ in range(_STEPS_OF_A_WALK):
            Q = (Q + W @ Q) / 2
        Q = np.linalg.qr(Q)[0]
    values, turn = np.linalg.eigh(Q.T @ (W @ Q))
    leading = np.argsort(-values, kind="stable")[:width]
    return values[leading], Q @ turn[:, leading]


def _kmeans(rows: np.ndarray, k: int, rng: np.random.RandomState) -> np.ndarray:
    return kmeans_labels(rows, k, init="k-means++", random_state=rng)


def mixture_labels(Z: np.ndarray, k: int, random_state: Any) -> np.ndarray:
    """Labels from a few steps of EM for a mixture of axis-parallel Gaussians.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
        Samples.
    k : int
        Number of components, at most n.
    random_state : int or RandomState
        Seed of the k-means++ centres.

    Returns
    -------
    ndarray of shape (n,)
        The likeliest component of each sample.
    """
    Z = Z - Z.mean(axis=0)
    squares = np.square(Z)
    floor = _MIXTURE_FLOOR * float(squares.mean()) or 1.0
    centres, _ = kmeans_plusplus(Z, k, random_state=random_state)
    distance = np.square(centres).sum(axis=1) - 2 * (Z @ centres.T)
    share = np.zeros((len(Z), k))
    share[np.arange(len(Z)), distance.argmin(axis=1)] = 1.0
    for _ in range(_MIXTURE_ITERATIONS):
        mass = share.sum(axis=0) + 1e-10
        mean = (share.T @ Z) / mass[:, None]
        spread = (share.T @ squares) / mass[:, None] - np.square(mean)
        precision = 1.0 / (np.maximum(spread, 0.0) + floor)
        score = Z @ (mean * precision).T - 0.5 * (squares @ precision.T)
        constant = np.log(precision).sum(axis=1) - (mean**2 * precision).sum(axis=1)
        score += np.log(mass) + 0.5 * constant
        score -= score.max(axis=1, keepdims=True)
        share = np.exp(score)
        share /= share.sum(axis=1, keepdims=True)
    return share.argmax(axis=1)
