"""Members of an ensemble: many quick clusterings that differ from each other.

A kind of member is an object with a name and one method, `labels`. To add a kind, write
a small class like those below and pass it to ``GraphTailor(members=[...])``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from scipy import sparse
from sklearn.preprocessing import normalize

from graphtailor.graphs.ensemble.views import View
from graphtailor.linalg.kmeans import draw_centres, kmeans_labels
from graphtailor.linalg.layout import lay_out
from graphtailor.linalg.svd import smooth_vectors
from graphtailor.neighbors import default_n_neighbors

# Members have from 2 clusters up to this many, or to this multiple of the largest
# number that is asked for.
FEWEST, MOST, MOST_PER_CLUSTER = 2.0, 40, 2
# The golden section.
GOLDEN = 0.6180339887498949
# Rows that a cluster of a member has at least on average.
_ROWS_PER_CLUSTER = 4
# Dimensions of layouts, the largest coordinate at the start, the noise that parts equal
# places, passes over the edges, and random pairs for each.
_DIMENSIONS, _EXTENT, _JITTER, _EPOCHS, _PUSHES = (2, 5, 10), 10.0, 0.01, 40, 2
# Steps of walks on a graph.
_WALKS = (4, 8, 16, 32, 64)
# Members need not be exact.
_KMEANS_ITERATIONS, _MIXTURE_ITERATIONS = 20, 12
# Variance added to every feature of a mixture, as a share of the mean variance.
_MIXTURE_FLOOR = 1e-3


Option = TypeVar("Option")


@dataclass(frozen=True)
class Member:
    """One clustering of the ensemble.

    Attributes
    ----------
    kind : str
        Name of the kind that made it, for instance "spectral".
    view : str
        The view that it was made in.
    labels : ndarray of shape (n,)
        The clusters.
    """

    kind: str
    view: str
    labels: np.ndarray


class Draw:
    """Choices of one kind in one view: numbers of clusters and neighbours, and others.

    Choices that are made one after the other are spread evenly over their range, in
    steps of the golden section. They do not depend on the seed: that decides where
    k-means and mixtures start. So ensembles of different seeds differ less.

    Parameters
    ----------
    rng : RandomState
        Source of all random numbers.
    most : int
        Largest number of clusters to draw.
    place : float, default=0.5
        Where in their ranges the first choices lie, from 0 to 1.
    """

    def __init__(
        self, rng: np.random.RandomState, most: int, place: float = 0.5
    ) -> None:
        self.rng = rng
        self.most = most
        self._clusters, self._neighbors, self._options = (
            _spread(place * times) for times in (1, 3, 7)
        )

    def n_clusters(self, view: View) -> int:
        """A number of clusters, uniform on a logarithmic scale."""
        n = view.n_samples
        high = max(FEWEST, min(self.most, n / _ROWS_PER_CLUSTER))
        k = FEWEST * (high / FEWEST) ** next(self._clusters)
        return min(round(k), n)

    def n_neighbors(self, view: View, times: int) -> int:
        """From half of p = log2(n) + 1 neighbours to `times` p."""
        p = default_n_neighbors(view.n_samples)
        low = min(max(3, p // 2), p)
        drawn = low + int(next(self._neighbors) * (times * p + 1 - low))
        return min(drawn, view.n_neighbors)

    def one_of(self, options: Sequence[Option]) -> Option:
        """One of several options."""
        return options[int(next(self._options) * len(options))]


def _spread(place: float) -> Iterator[float]:
    """Places in [0, 1) of which any few in a row are far from each other."""
    while True:
        place %= 1.0
        yield place
        place += GOLDEN


class MemberKind(ABC):
    """A way to cluster a view quickly.

    Attributes
    ----------
    name : str
        What its members are called.
    needs_points : bool
        Whether it needs coordinates; such kinds are left out where X is a graph or
        distances.
    """

    name: str
    needs_points: bool = True

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in vars(self).items())
        return f"{type(self).__name__}({settings})"

    @abstractmethod
    def labels(self, view: View, draw: Draw) -> list[np.ndarray]:
        """Clusterings of the view: arrays of shape (n,) with labels from 0."""


class SpectralMembers(MemberKind):
    """K-means on leading eigenvectors of a neighbour graph, as unit rows or walked.

    Parameters
    ----------
    n_graphs : int, default=2
        Graphs of each view, with different numbers of neighbours.
    n_cuts, n_walks : int, default=2 and 1
        Clusterings of unit rows, and of diffusion maps, for each graph.
    """

    name = "spectral"
    needs_points = False

    def __init__(self, n_graphs: int = 2, n_cuts: int = 2, n_walks: int = 1) -> None:
        self.n_graphs = n_graphs
        self.n_cuts = n_cuts
        self.n_walks = n_walks

    def labels(self, view: View, draw: Draw) -> list[np.ndarray]:
        """Clusterings from the spectra of the graphs."""
        return [each for _ in range(self.n_graphs) for each in self._cut(view, draw)]

    def _cut(self, view: View, draw: Draw) -> Iterator[np.ndarray]:
        W = view.graph(draw.n_neighbors(view, 2))
        numbers = [draw.n_clusters(view) for _ in range(self.n_cuts + self.n_walks)]
        width = min(max(numbers), view.n_samples)
        values, vectors = smooth_vectors(W, width, draw.rng)
        for place, k in enumerate(numbers):
            if place < self.n_cuts:
                rows = normalize(vectors[:, :k])
            else:
                steps = draw.one_of(_WALKS)
                rows = vectors * np.clip((1 + values) / 2, 0, 1) ** steps
            yield _kmeans(rows, k, view, draw.rng)


class LayoutMembers(MemberKind):
    """K-means and mixtures in layouts of the neighbour graph in a few dimensions.

    A layout pulls neighbours together and pushes other samples apart, so that clusters
    along curved sheets, such as images, become compact.

    Parameters
    ----------
    n_layouts : int, default=2
        Layouts of each view, with different numbers of neighbours and dimensions.
    n_kmeans, n_mixtures : int, default=2 and 1
        Clusterings of each layout.
    """

    name = "layout"
    needs_points = False

    def __init__(
        self, n_layouts: int = 2, n_kmeans: int = 2, n_mixtures: int = 1
    ) -> None:
        self.n_layouts = n_layouts
        self.n_kmeans = n_kmeans
        self.n_mixtures = n_mixtures

    def labels(self, view: View, draw: Draw) -> list[np.ndarray]:
        """Clusterings of the places of the layouts."""
        return [each for _ in range(self.n_layouts) for each in self._cut(view, draw)]

    def _cut(self, view: View, draw: Draw) -> Iterator[np.ndarray]:
        W = view.graph(draw.n_neighbors(view, 2))
        d = max(min(draw.one_of(_DIMENSIONS), view.n_samples - 1), 1)
        start = smooth_vectors(W, d + 1, draw.rng)[1][:, -d:]
        start *= _EXTENT / (float(np.abs(start).max()) or 1.0)
        start += draw.rng.normal(scale=_JITTER, size=start.shape)
        ties = normalize(W, norm="max")
        ties = sparse.csr_array(ties.maximum(ties.T))
        places = lay_out(start, ties, draw.rng, n_epochs=_EPOCHS, n_pushes=_PUSHES)
        for _ in range(self.n_kmeans):
            yield _kmeans(places, draw.n_clusters(view), view, draw.rng)
        for _ in range(self.n_mixtures):
            yield mixture_labels(places, draw.n_clusters(view), draw.rng, view.masses)


class KMeansMembers(MemberKind):
    """K-means on the points of a view.

    Parameters
    ----------
    n_members : int, default=3
        Clusterings of each view.
    """

    name = "k-means"

    def __init__(self, n_members: int = 3) -> None:
        self.n_members = n_members

    def labels(self, view: View, draw: Draw) -> list[np.ndarray]:
        """Clusterings of the points."""
        return [
            _kmeans(view.points, draw.n_clusters(view), view, draw.rng)
            for _ in range(self.n_members)
        ]


class MixtureMembers(MemberKind):
    """A few steps of EM for a mixture of axis-parallel Gaussians.

    Parameters
    ----------
    n_members : int, default=2
        Clusterings of each view.
    """

    name = "mixture"

    def __init__(self, n_members: int = 2) -> None:
        self.n_members = n_members

    def labels(self, view: View, draw: Draw) -> list[np.ndarray]:
        """Likeliest components of the points."""
        return [
            mixture_labels(view.points, draw.n_clusters(view), draw.rng, view.masses)
            for _ in range(self.n_members)
        ]


def _kmeans(
    rows: np.ndarray, k: int, view: View, rng: np.random.RandomState
) -> np.ndarray:
    return kmeans_labels(
        rows,
        k,
        init=draw_centres(rows, k, rng, view.masses),
        max_iter=_KMEANS_ITERATIONS,
        sample_weight=view.masses,
    )


def mixture_labels(
    Z: np.ndarray,
    k: int,
    rng: np.random.RandomState,
    masses: np.ndarray,
) -> np.ndarray:
    """Labels from a few steps of EM for a mixture of axis-parallel Gaussians."""
    Z = Z - Z.mean(axis=0)
    squares = np.square(Z)
    floor = _MIXTURE_FLOOR * float(squares.mean()) or 1.0
    centres = draw_centres(Z, k, rng, masses)
    distance = np.square(centres).sum(axis=1) - 2 * (Z @ centres.T)
    share = np.zeros((len(Z), k), dtype=Z.dtype)
    share[np.arange(len(Z)), distance.argmin(axis=1)] = masses
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
        share *= (masses / share.sum(axis=1))[:, None].astype(Z.dtype)
    return share.argmax(axis=1)


def make_members(
    kind: MemberKind, view: View, place: float, seed: int, most: int
) -> list[Member]:
    """The members of one kind in one view."""
    if kind.needs_points and not view.points.shape[1]:
        return []
    draw = Draw(np.random.RandomState(seed), most, place)
    return [Member(kind.name, view.name, labels) for labels in kind.labels(view, draw)]
