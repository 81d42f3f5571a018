"""Starting points: random, spectral, k-means, or the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from graphtailor.linalg.eigen import leading_eigenvectors
from graphtailor.linalg.kmeans import kmeans_labels
from graphtailor.solvers.v_step import gram

# What a start from a partition gives every other cluster: a zero would be left by
# coordinate descent only where the graph pulls hard.
_OTHER_CLUSTERS = 0.1
_MIXED = ("spectral", "k-means", "random")
STARTS = ("mixed", *_MIXED)


def indicator_starts(
    points: Any,
    W: Any,
    n_clusters: int,
    init: str,
    n_init: int,
    random_state: np.random.RandomState,
    dtype: Any,
    *,
    masses: np.ndarray | None = None,
    eigenvectors: np.ndarray | None = None,
    anchor_labels: Callable[[int], np.ndarray] | None = None,
) -> Iterator[tuple[str, Callable[[], np.ndarray]]]:
    """Named starts for V, made when called for.

    Parameters
    ----------
    points : {ndarray, csr_array} of shape (n, d), or None
        Samples for k-means; without them a spectral start takes its place.
    W : csr_array of shape (n, n)
        The given graph.
    n_clusters : int
        Number of columns of V.
    init : {"mixed", "random", "spectral", "k-means"}
        Kind of the starts; "mixed" takes the three in turn.
    n_init : int
        Number of starts.
    random_state : RandomState
        Source of their seeds.
    dtype : dtype
        Type of V.
    masses : ndarray of shape (n,), default=None
        How many samples each one stands for, if not one: W and V are then those of
        the weighted problem, in which rows of V are multiplied by the root of their
        mass.
    eigenvectors : ndarray of shape (n, n_clusters), default=None
        The leading ones, if they are known.
    anchor_labels : callable, default=None
        Takes the place of the spectral embedding where that is too slow: labels from
        a seed.

    Yields
    ------
    kind : {"spectral", "k-means", "random", "anchors"}
        Kind of the start.
    make : callable
        Gives V of shape (n, n_clusters): nonnegative, at the scale of W.
    """
    kinds = _MIXED if init == "mixed" else (init,)
    seeds = random_state.randint(np.iinfo(np.int32).max, size=n_init)
    embedding = None if eigenvectors is None else unit_rows(eigenvectors)
    for number, seed in enumerate(seeds):
        kind = kinds[number % len(kinds)]
        if kind == "k-means" and points is None:
            kind = "spectral"
        if kind == "spectral" and anchor_labels is not None:
            yield (
                "anchors",
                partial(_start_from, anchor_labels, seed, W, n_clusters, dtype),
            )
            continue
        if kind == "spectral" and embedding is None:
            embedding = unit_rows(leading_eigenvectors(W, n_clusters, seed)[1])
        rows = {"random": None, "spectral": embedding, "k-means": points}[kind]
        yield kind, partial(_start, rows, W, n_clusters, seed, dtype, masses)


def _start(
    rows: Any, W: Any, n_clusters: int, seed: int, dtype: Any, masses: Any
) -> np.ndarray:
    """A start from the k-means partition of the rows, or a random one."""
    if rows is None:
        V = check_random_state(seed).uniform(size=(W.shape[0], n_clusters))
    else:
        labels = kmeans_labels(
            rows,
            n_clusters,
            init="k-means++",
            random_state=seed,
            sample_weight=masses,
        )
        V = partition_start(labels, n_clusters)
    if masses is not None:
        V *= np.sqrt(masses)[:, None]
    return scale_to(W, V).astype(dtype)


def _start_from(
    labels: Callable[[int], np.ndarray], seed: int, W: Any, n_clusters: int, dtype: Any
) -> np.ndarray:
    return scale_to(W, partition_start(labels(seed), n_clusters)).astype(dtype)


def given_start(
    init: Any, W: Any, n_clusters: int, dtype: Any, *, masses: Any = None
) -> np.ndarray:
    """A start of the user's own, at the scale of W: labels, or an indicator."""
    V = given_indicator(init, W.shape[0], n_clusters)
    if masses is not None:
        V = V * np.sqrt(masses)[:, None]
    return scale_to(W, V).astype(dtype)


def given_indicator(init: Any, n: int, n_clusters: int) -> np.ndarray:
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


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """Rows divided by their lengths; zeros stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 1e-12, lengths, 1.0)


def partition_start(labels: np.ndarray, n_clusters: int) -> np.ndarray:
    """A soft indicator of a partition."""
    V = np.full((len(labels), n_clusters), _OTHER_CLUSTERS)
    V[np.arange(len(labels)), labels] = 1.0
    return V


def scale_to(W: Any, V: np.ndarray) -> np.ndarray:
    """Multiply V by the number that brings VV' nearest to W."""
    fit = np.vdot(V, W @ V)
    size = np.square(gram(V)).sum()
    # An empty graph would scale V to zero, where every step stands still.
    return V * np.sqrt(fit / size) if fit > 0 else V / np.sqrt(len(V))
