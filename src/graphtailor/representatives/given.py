"""Graphs and distances that a user gives: every row represents itself."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from scipy import sparse

from graphtailor.decide.sizes import LINKS
from graphtailor.graphs.base import GraphBuilder
from graphtailor.graphs.ensemble.views import GraphView, View
from graphtailor.graphs.neighbor_graph import NeighborGraph
from graphtailor.graphs.precomputed import PrecomputedGraph
from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.types import Matrix, MatrixLike
from graphtailor.neighbors import Edges
from graphtailor.representatives.links import Memberships


@dataclass(frozen=True)
class GivenPairs:
    """Rows of which only affinities or distances are known."""

    rows: Matrix  # the affinities or distances
    builder: GraphBuilder  # fitted to them
    exact = True

    @classmethod
    def of(cls, X: MatrixLike, metric: str, n_jobs: int | None) -> Self:
        """Take a matrix of affinities or of distances."""
        if metric == "affinity":
            return cls(X, PrecomputedGraph().fit(X))
        return cls(X, NeighborGraph(metric="precomputed", n_jobs=n_jobs).fit(X))

    def __len__(self) -> int:
        return self.rows.shape[0]

    @property
    def n_isolated(self) -> int:
        """Number of rows that no edge joins to another."""
        return int(np.count_nonzero(self.builder.degrees_ == 0))

    @property
    def masses(self) -> np.ndarray:
        """One for each row."""
        return np.ones(len(self))

    @property
    def view(self) -> View:
        """The neighbours that were given, without points."""
        nothing = np.empty((len(self), 0), dtype=np.float32)
        if self.builder.input == "affinities":
            W = sparse.coo_array(self.builder.affinity_)
            given = Edges(W.row, W.col, W.data)
            return GraphView("given graph", nothing, self.masses, given, len(self) - 1)
        p = 2 * self.builder.n_neighbors_
        edges = self.builder.nearest(p)
        assert edges is not None
        return View("given distances", nothing, self.masses, edges, p)

    @cached_property
    def _known(self) -> KnownRows:
        return KnownRows(self.rows)

    def memberships(self, rows: Matrix) -> Memberships:
        """How rows belong to the fitted ones: by equality, or by their largest weights.

        A row that nothing joins to any fitted one is shared by all alike.
        """
        n, k = rows.shape[0], min(LINKS, len(self))
        own = self._known.find(rows)
        nearest = np.zeros((n, k), dtype=np.int32)
        shares = np.zeros((n, k))
        shares[:, 0] = 1.0
        nearest[:, 0] = np.maximum(self._first[np.maximum(own, 0)], 0)
        new = np.flatnonzero(own < 0)
        if len(new):
            W = self.builder.to_new(rows[new]).toarray()
            nearest[new] = np.argsort(-W, axis=1, kind="stable")[:, :k]
            weights = np.take_along_axis(W, nearest[new], axis=1)
            total = weights.sum(axis=1, keepdims=True)
            shares[new] = np.where(
                total > 0, weights / np.maximum(total, 1e-300), 1 / k
            )
        return Memberships(nearest, shares.astype(np.float32))

    def distances(self, rows: Matrix, nearest: np.ndarray) -> None:
        """Nothing: affinities have no distances, and given ones no usual size."""

    @cached_property
    def _first(self) -> np.ndarray:
        """The first of the rows that are equal to each other, by their group."""
        return np.unique(self._known.group, return_index=True)[1]
