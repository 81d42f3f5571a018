"""Views: the scalings in which the members of an ensemble look at the samples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from scipy import sparse
from scipy.special import ndtri
from sklearn.preprocessing import StandardScaler, normalize
from sklearn.utils.extmath import randomized_svd

from graphtailor.decide.sizes import DIRECTIONS
from graphtailor.graphs.weights import normalize_affinity, rbf_weights, symmetrize
from graphtailor.linalg.magnitude import comfortable_factor, largest_entry, times
from graphtailor.neighbors import Edges, NeighborSearch, default_n_neighbors

# Standard deviations from the median at which a squashed feature bends.
_BEND = 2.0
# Distance between the quartiles of a normal distribution, in standard deviations.
_QUARTILES_APART = 1.349
# Shares of the mass nearer to 0 or to 1 may have infinite quantiles.
_LEAST_SHARE = float(np.finfo(np.float64).epsneg)
# A view is searched once for this many neighbourhoods of p = log2(n) + 1 samples; its
# members take what they need from that answer.
_NEIGHBORHOODS = 2


def _as_it_is(X: np.ndarray, masses: np.ndarray) -> np.ndarray:
    return X


def _standard(X: np.ndarray, masses: np.ndarray) -> np.ndarray:
    return StandardScaler().fit(X, sample_weight=masses).transform(X)


def _unit_rows(X: np.ndarray, masses: np.ndarray) -> np.ndarray:
    return normalize(X)


def _centred_unit_rows(X: np.ndarray, masses: np.ndarray) -> np.ndarray:
    return normalize(X - np.average(X, axis=0, weights=masses))


def _normal_scores(X: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Normal quantiles of the ranks of each feature."""
    Z = np.empty(X.shape, dtype=np.float64)
    for column, scores in zip(X.T, Z.T, strict=True):
        _, same = np.unique(column, return_inverse=True)
        mass = np.bincount(same, masses)
        reached = (np.cumsum(mass) - mass / 2) / mass.sum()
        # A value of no mass, or of next to none beside a heavy one, may lie beyond all
        # others, where quantiles are infinite.
        held = np.clip(reached[mass > 0], _LEAST_SHARE, 1 - _LEAST_SHARE)
        scores[:] = np.clip(reached, held[0], held[-1])[same]
    return ndtri(Z)


def _squashed(X: np.ndarray, masses: np.ndarray) -> np.ndarray:
    """Values near the median stay as they are, values far from it come nearer."""
    Z = _standard(X, masses)
    for column in Z.T:
        order = np.argsort(column, kind="stable")
        reached = np.cumsum(masses[order]) - masses[order] / 2
        quarters = np.interp(
            np.array([0.25, 0.5, 0.75]) * masses.sum(), reached, column[order]
        )
        column -= quarters[1]
        column /= (quarters[2] - quarters[0]) / _QUARTILES_APART or 1.0
    return np.tanh(Z / _BEND)


# "as it is" keeps the relative spread of features in one unit, "standard" lets all of
# them count alike, unit rows compare directions, and the last two tame features whose
# few large values would dominate every distance.
VIEWS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "as it is": _as_it_is,
    "standard": _standard,
    "unit rows": _unit_rows,
    "centred unit rows": _centred_unit_rows,
    "ranks": _normal_scores,
    "squashed": _squashed,
}
# Views that keep the weights of the features, and those possible without shifting.
WEIGHTED_VIEWS = ("as it is", "unit rows", "centred unit rows")
SPARSE_VIEWS = ("as it is", "unit rows")


@dataclass(frozen=True)
class View:
    """Samples in one scaling, with their neighbours found once."""

    name: str  # A name in `VIEWS`, or that of what X holds
    points: np.ndarray  # the scaled samples; no columns where only a graph is known
    masses: np.ndarray  # how many rows each sample stands for
    edges: Edges  # the nearest samples of each one, nearest first
    n_neighbors: int  # how many of them each sample has at most

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.masses)

    @cached_property
    def _rank(self) -> np.ndarray:
        """Place of each edge among those of its sample, from 0."""
        first = np.searchsorted(self.edges.rows, np.arange(self.n_samples))
        return np.arange(len(self.edges.rows)) - first[self.edges.rows]

    def graph(self, n_neighbors: int) -> sparse.csr_array:
        """Normalised RBF graph of the nearest samples, with one bandwidth for all.

        Masses do not enter: weighted by them, edges between the heaviest samples would
        join clusters first.
        """
        near = self._rank < n_neighbors
        distances = self.edges.distances[near]
        width = float(distances.mean()) if len(distances) else 0.0
        places = (self.edges.rows[near], self.edges.cols[near])
        shape = (self.n_samples, self.n_samples)
        G = sparse.csr_array((rbf_weights(distances, width), places), shape=shape)
        return normalize_affinity(symmetrize(G, "average"))


class GraphView(View):
    """The view of a user's graph, the same for any number of neighbours."""

    def graph(self, n_neighbors: int) -> sparse.csr_array:
        """The normalised graph; `edges` hold its weights in the place of distances."""
        places = (self.edges.rows, self.edges.cols)
        shape = (self.n_samples, self.n_samples)
        return sparse.csr_array((self.edges.distances, places), shape=shape)


def make_view(X: Any, name: str, seed: int, masses: np.ndarray) -> View:
    """Samples in one scaling, in their largest directions, and their neighbours."""
    Z = VIEWS[name](times(X, comfortable_factor(X)), masses)
    if min(Z.shape) > DIRECTIONS or sparse.issparse(Z):
        k = min(DIRECTIONS, *Z.shape)
        U, sizes, _ = randomized_svd(Z, k, n_iter=2, random_state=seed)
        Z = U * sizes
    # No entry above 1, so that squares are finite in float32 whatever X holds.
    Z = np.ascontiguousarray(Z / (largest_entry(Z) or 1.0), dtype=np.float32)
    p = min(_NEIGHBORHOODS * default_n_neighbors(len(Z)), len(Z) - 1)
    return View(name, Z, masses, NeighborSearch().fit(Z).nearest(p), p)


def view_names(views: str | Sequence[str], X: Any) -> tuple[str, ...]:
    """The views asked for; "auto" takes all, or those that keep sparse X sparse."""
    if isinstance(views, str) and views == "auto":
        return SPARSE_VIEWS if sparse.issparse(X) else tuple(VIEWS)
    names = (views,) if isinstance(views, str) else tuple(views)
    unknown = [name for name in names if name not in VIEWS]
    if unknown or not names:
        raise ValueError(
            f"views={views!r} is not a list of known views. Use 'auto' or some of "
            f"{', '.join(map(repr, VIEWS))}."
        )
    shifting = [name for name in names if name not in SPARSE_VIEWS]
    if sparse.issparse(X) and shifting:
        raise ValueError(
            f"views={views!r} would make sparse X dense. Use 'auto' or some of "
            f"{', '.join(map(repr, SPARSE_VIEWS))}, or give a dense X."
        )
    return names
