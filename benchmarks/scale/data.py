"""Synthetic data of any length for the scale benchmark, written block by block.

Rows are drawn independently, 100,000 at a time, from a generator seeded with the number
of the block. So a set is the same wherever and however often it is made, the first rows
of a long set are the short set, and no more than a block is held in memory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

BLOCK = 100_000

Draw = Callable[[np.random.Generator, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Shape:
    """A distribution of labelled points.

    Parameters
    ----------
    n_features : int
    shares : ndarray of shape (n_clusters,)
        Probability of each cluster.
    draw : callable
        ``draw(rng, y)`` gives one point for each label.
    """

    n_features: int
    shares: np.ndarray
    draw: Draw

    @property
    def n_clusters(self) -> int:
        return len(self.shares)


def warped_blobs(n_features: int, n_clusters: int = 20, seed: int = 0) -> Shape:
    """Gaussian blobs of unequal size, each bent by a map of its own.

    A blob is long in one direction and bent towards two others,

    .. math:: x = m_k + e + 1.8 t a_k + (t^2 - 1) b_k + sin(2 t) c_k

    with t and the entries of e standard normal and a, b, c orthonormal: its mean is
    the centre m_k, but it is neither round nor an ellipsoid. The centres are so near to
    each other that quadratic discriminants, which know the classes, get nine in
    ten right in 32 dimensions.
    """
    rng = np.random.default_rng([seed, n_features, n_clusters])
    shares = rng.uniform(1, 5, n_clusters)
    centres = rng.normal(scale=3.5 / np.sqrt(n_features), size=(n_clusters, n_features))
    frames = np.stack(
        [np.linalg.qr(rng.normal(size=(n_features, 3)))[0].T for _ in range(n_clusters)]
    )

    def draw(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
        t = rng.standard_normal(len(y), dtype=np.float32)
        bends = np.stack([1.8 * t, t**2 - 1, np.sin(2 * t)], axis=1)
        X = rng.standard_normal((len(y), n_features), dtype=np.float32)
        for k in range(n_clusters):
            rows = np.flatnonzero(y == k)
            X[rows] += centres[k] + bends[rows] @ frames[k]
        return X

    return Shape(n_features, shares / shares.sum(), draw)


def two_bananas() -> Shape:
    """Two half circles that reach into each other."""

    def draw(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
        angle = np.pi * (rng.random(len(y), dtype=np.float32) + y)
        X = np.stack([np.cos(angle) + y, np.sin(angle) + 0.05 * y], axis=1)
        return X + 0.18 * rng.standard_normal(X.shape, dtype=np.float32)

    return Shape(2, np.full(2, 0.5), draw)


def rings(n_clusters: int = 10) -> Shape:
    """Concentric rings of radius 1, 2, ..., equally dense.

    They are long and near to each other: a thousand anchors are too few.
    """
    radii = np.arange(1, n_clusters + 1)

    def draw(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
        angle = 2 * np.pi * rng.random(len(y), dtype=np.float32)
        radius = radii[y] + 0.1 * rng.standard_normal(len(y), dtype=np.float32)
        return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)

    return Shape(2, radii / radii.sum(), draw)


def spirals(n_clusters: int = 3) -> Shape:
    """Arms that wind outwards by one turn and a quarter and thin out on the way."""

    def draw(rng: np.random.Generator, y: np.ndarray) -> np.ndarray:
        along = rng.random(len(y), dtype=np.float32)
        angle = 2 * np.pi * (1.25 * along + y / n_clusters)
        radius = 0.5 + 4 * along
        X = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
        return X + 0.12 * rng.standard_normal(X.shape, dtype=np.float32)

    return Shape(2, np.full(n_clusters, 1 / n_clusters), draw)


def block(shape: Shape, number: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Points and labels of one block of rows."""
    rng = np.random.default_rng([seed, number])
    y = rng.choice(shape.n_clusters, size=BLOCK, p=shape.shares).astype(np.int32)
    return shape.draw(rng, y).astype(np.float32), y


def write_samples(shape: Shape, n_samples: int, folder: Path, seed: int = 0) -> None:
    """Write X.npy (float32) and y.npy (int32)."""
    X = np.lib.format.open_memmap(
        folder / "X.npy", "w+", np.float32, (n_samples, shape.n_features)
    )
    y = np.lib.format.open_memmap(folder / "y.npy", "w+", np.int32, (n_samples,))
    for first in range(0, n_samples, BLOCK):
        rows = slice(first, min(first + BLOCK, n_samples))
        points, labels = block(shape, first // BLOCK, seed)
        X[rows], y[rows] = points[: rows.stop - first], labels[: rows.stop - first]
