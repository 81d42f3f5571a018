"""Representatives: what stands for the rows of a table while it is clustered."""

import warnings
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from graphtailor.decide.sizes import LINKS, SAMPLED_ROWS_PER_ANCHOR
from graphtailor.graphs.ensemble.views import GraphView, View
from graphtailor.graphs.weights import normalize_affinity
from graphtailor.linalg.equal_rows import KnownRows, row_hashes
from graphtailor.linalg.kmeans import run_kmeans
from graphtailor.linalg.magnitude import comfortable_factor
from graphtailor.linalg.types import Matrix
from graphtailor.neighbors import Edges
from graphtailor.representatives.links import (
    Links,
    Memberships,
    Tally,
    compared,
    find_directions,
)
from graphtailor.representatives.rows import Rows, sample_rows

# Steps of k-means that place the anchors; more of them change clusters very little.
_STEPS = 10


@dataclass(frozen=True)
class Representatives:
    """Distinct rows with their multiplicities, or weighted anchors.

    A table with at most `most` distinct rows is represented by these; a larger one by
    the means of `most` k-means clusters of a sample. What is found for a row depends
    on that row alone, so that a prediction agrees with the fit.

    Attributes
    ----------
    links : Links
        From any row to its nearest representatives.
    masses : ndarray of shape (m,)
        Number of rows that each one is the nearest representative of, or the sum of
        their weights.
    shared : csr_array of shape (m, m) or None
        How much each pair of anchors shares of the rows. It shows gaps between clusters
        that distances between anchors do not. Not part of a saved model.
    """

    links: Links
    masses: np.ndarray
    shared: sparse.csr_array | None = None

    @classmethod
    def of(
        cls,
        rows: Rows,
        most: int,
        seed: int,
        n_jobs: int | None,
        weights: np.ndarray | None = None,
    ) -> tuple[Self, Memberships]:
        """Represent all rows, and say how each belongs to its representatives."""
        numbers = sampled(rows.shape[0], most, seed)
        mine = None if weights is None else weights[numbers]
        links = place_representatives(rows.take(numbers), most, seed, mine)
        memberships = link_rows(rows, links, n_jobs)
        tally = memberships.tally(links.n_points, weights)
        return cls.counted(links, tally), memberships

    @classmethod
    def counted(cls, links: Links, tally: Tally) -> Self:
        """Representatives of rows that were counted."""
        return cls(links, tally.masses, None if links.exact else tally.shared)

    def shared_view(self, points: np.ndarray) -> View | None:
        """The graph of what anchors share of the rows, of points in the same order."""
        if self.shared is None:
            return None
        G = self.shared.astype(np.float64)
        G.setdiag(0)
        G.eliminate_zeros()
        W = sparse.coo_array(normalize_affinity(sparse.csr_array(G)))
        edges = Edges(W.row, W.col, W.data)
        return GraphView("shared rows", points, self.masses, edges, len(self) - 1)

    @property
    def points(self) -> Matrix:
        """The representatives, in the scaling of the rows."""
        return self.links.points

    @property
    def exact(self) -> bool:
        """Whether the representatives are distinct rows."""
        return self.links.exact

    def __len__(self) -> int:
        return self.links.n_points

    @property
    def n_isolated(self) -> int:
        """None is isolated: every point has nearest ones."""
        return 0

    def memberships(self, rows: Matrix) -> Memberships:
        """How scaled rows belong to the representatives, each row for itself."""
        return self.links.memberships(rows)

    def distances(self, rows: Matrix, nearest: np.ndarray) -> np.ndarray | None:
        """How far scaled rows are from these representatives, for fitted ones."""
        return self.links.distances(rows, nearest)


def sampled(n_rows: int, most: int, seed: int) -> np.ndarray:
    """Numbers of the rows that representatives are chosen by."""
    return sample_rows(n_rows, SAMPLED_ROWS_PER_ANCHOR * most, seed)


def place_representatives(
    sample: Matrix, most: int, seed: int, weights: np.ndarray | None = None
) -> Links:
    """The distinct rows of a sample, or as many anchors as there may be.

    Distinct rows come in the order of their hashes, which does not depend on the
    order of the rows: neither does anything that is made of them.
    """
    directions = find_directions(sample, seed)
    known = KnownRows(sample)
    if known.n_distinct <= most:
        _, first = np.unique(known.group, return_index=True)
        points = sample[first]
        points = points[np.argsort(row_hashes(points, 0), kind="stable")]
        return Links.to(points, directions, LINKS, exact=True)
    with warnings.catch_warnings():
        # In float32 an outlier can make centres coincide; fewer anchors are left then.
        warnings.simplefilter("ignore", ConvergenceWarning)
        clusters = run_kmeans(
            compared(sample, directions, comfortable_factor(sample, reach=0)),
            most,
            weights,
            init="random",
            n_init=1,
            max_iter=_STEPS,
            random_state=seed,
        ).labels_
    means = _means(sample, clusters, weights)
    return Links.to(means, directions, LINKS, exact=False)


def _means(sample: Matrix, clusters: np.ndarray, weights: np.ndarray | None) -> Matrix:
    """Means of the rows of each cluster that has some."""
    _, clusters = np.unique(clusters, return_inverse=True)
    weights = np.ones(len(clusters)) if weights is None else weights
    counts = np.bincount(clusters, weights)
    places = (clusters, np.arange(len(clusters)))
    member = sparse.csr_array((weights / counts[clusters], places))
    means = member @ sample.astype(np.float64)
    if sparse.issparse(means):
        return sparse.csr_array(means.astype(sample.dtype))
    return np.ascontiguousarray(means, dtype=sample.dtype)


def link_rows(rows: Rows, links: Links, n_jobs: int | None) -> Memberships:
    """Memberships of all rows, block by block."""
    blocks = [block for _, block in rows.each_block(links.memberships, n_jobs)]
    return Memberships(*(np.concatenate(parts) for parts in zip(*blocks, strict=True)))
