"""Starting points: random, spectral, k-means, or the user's own."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from graphtailor.decide.sizes import EXACT_SPECTRUM_UP_TO
from graphtailor.linalg.eigen import leading_eigenvectors
from graphtailor.linalg.kmeans import kmeans_labels
from graphtailor.linalg.svd import smooth_vectors
from graphtailor.linalg.types import Matrix
from graphtailor.solvers.v_step import gram

# What a start from a partition gives every other cluster: a zero would be left by
# coordinate descent only where the graph pulls hard.
_OTHER_CLUSTERS = 0.1
_MIXED = ("spectral", "k-means", "random")
STARTS = ("mixed", *_MIXED)


def indicator_starts(
    points: Matrix | None,
    W: sparse.csr_array,
    n_clusters: int,
    init: str,
    n_init: int,
    random_state: np.random.RandomState,
) -> Iterator[tuple[str, Callable[[], np.ndarray]]]:
    """Kinds of starts for V, each with a function that makes it.

    `init` is a name in `STARTS`; "mixed" takes the three kinds in turn. Without points
    a spectral start takes the place of k-means. A start is nonnegative, in float64, at
    the scale of W.
    """
    kinds = _MIXED if init == "mixed" else (init,)
    seeds = random_state.randint(np.iinfo(np.int32).max, size=n_init)
    embedding = None
    for number, seed in enumerate(seeds):
        kind = kinds[number % len(kinds)]
        if kind == "k-means" and points is None:
            kind = "spectral"
        if kind == "spectral" and embedding is None:
            is_small = W.shape[0] <= EXACT_SPECTRUM_UP_TO
            vectors = leading_eigenvectors if is_small else smooth_vectors
            embedding = normalize(vectors(W, n_clusters, seed)[1])
        rows = {"random": None, "spectral": embedding, "k-means": points}[kind]
        yield kind, partial(_start, rows, W, n_clusters, seed)


def _start(rows: Matrix | None, W: Matrix, n_clusters: int, seed: int) -> np.ndarray:
    """A start from the k-means partition of the rows, or a random one."""
    if rows is None:
        V = check_random_state(seed).uniform(size=(W.shape[0], n_clusters))
    else:
        labels = kmeans_labels(rows, n_clusters, init="k-means++", random_state=seed)
        V = partition_start(labels, n_clusters)
    return scale_to(W, V)


def given_start(init: ArrayLike, W: Matrix, n_clusters: int) -> np.ndarray:
    """A start of the user's own, at the scale of W: labels, or an indicator."""
    return scale_to(W, given_indicator(init, W.shape[0], n_clusters))


def given_indicator(init: ArrayLike, n: int, n_clusters: int) -> np.ndarray:
    """The indicator that a user's labels or indicator stand for, checked."""
    V = np.asarray(init)
    if V.shape == (n,) and np.issubdtype(V.dtype, np.integer):
        if V.min() < 0 or V.max() >= n_clusters:
            raise ValueError(
                f"init as labels must lie between 0 and n_clusters - 1 = "
                f"{n_clusters - 1}, but they reach from {V.min()} to {V.max()}."
            )
        V = partition_start(V, n_clusters)
    if V.shape != (n, n_clusters):
        raise ValueError(
            f"init has shape {V.shape}. Give integer labels of shape ({n},) or an "
            f"indicator of shape ({n}, {n_clusters})."
        )
    V = V.astype(np.float64)
    if not np.isfinite(V).all() or V.min() < 0 or V.max() == 0:
        raise ValueError(
            "init as an indicator must be finite, nonnegative and not all zero. From "
            "zero no descent can start."
        )
    return V


def partition_start(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """A soft indicator of a partition."""
    V = np.full((len(labels), n_clusters), _OTHER_CLUSTERS)
    V[np.arange(len(labels)), labels] = 1.0
    return V


def scale_to(W: Matrix, V: np.ndarray) -> np.ndarray:
    """Multiply V by the number that brings VV' nearest to W."""
    fit = np.vdot(V, W @ V)
    size = np.square(gram(V)).sum()
    # An empty graph would scale V to zero, where every step stands still.
    return V * np.sqrt(fit / size) if fit > 0 else V / np.sqrt(len(V))
