"""From rows of a table to scaled samples, their graph and their support."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import Any, Self

import numpy as np
from scipy import sparse

from graphtailor.graphs import NeighborGraph, graph_builder
from graphtailor.graphs.diffusion import Diffusion
from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.scaling import (
    feature_scaler,
    root_mean_square_norm,
    scaled_rows,
    within_reach,
)
from graphtailor.neighbors import default_n_neighbors
from graphtailor.solvers.support import Support, support_of

# A diffused graph keeps six neighbourhoods a row: wide enough to follow a cluster
# along its length, and still sparse.
_DIFFUSED_NEIGHBORHOODS = 6
# S may reach so many neighbourhoods in samples up to the second number, with numbers in
# all of them up to the third. In larger data one is enough to find clusters, and takes
# a quarter of the time.
_WIDE_SUPPORT, _WIDE_SUPPORT_UP_TO, _WIDE_SUPPORT_NUMBERS = 3, 20_000, 2_000_000


class SampleSpace:
    """What the model knows of the samples before it clusters them.

    Parameters
    ----------
    graph, n_neighbors, metric, support, scaling
        As in :class:`~graphtailor.GraphTailor`.
    kernel_map : KernelMap or None, default=None
        Maps scaled rows to features; None leaves them as they are.

    Attributes
    ----------
    rows : {ndarray, csr_array} of shape (n, d)
        Rows with scaled features; affinities, distances and kernel values are left as
        they are.
    samples : {ndarray, csr_array} of shape (n, r)
        What the model sees of them: their features by the kernel, or themselves.
    given_graph : csr_array of shape (n, n)
        W.
    known_rows : KnownRows
        Recognises fitted samples.
    scaler, norm, builder
        Fitted feature scaler, root mean square norm of the samples and graph builder.
    """

    def __init__(
        self,
        *,
        graph: Any,
        n_neighbors: int | str,
        metric: Any,
        support: int | str,
        scaling: str | None,
        kernel_map: Any = None,
    ) -> None:
        self.builder = graph_builder(graph, n_neighbors, metric)
        self.is_pairwise = is_pairwise(graph, metric)
        self.scaling = None if self.is_pairwise else scaling
        self.support = support
        self.kernel_map = kernel_map
        if kernel_map is not None and kernel_map.kernel == "precomputed":
            self.scaling = None

    def fit(self, X: Any) -> Self:
        """Scale the features and build the graph."""
        self.scaler = feature_scaler(self.scaling, sparse.issparse(X))
        self.rows = X if self.scaler is None else self.scaler.fit_transform(X)
        if self.kernel_map is not None:
            self.kernel_map.fit(self.rows)
        self.samples = self.map(self.rows)
        self.norm = root_mean_square_norm(self.samples)
        # Mapped features of equal rows may differ in their last bits.
        self.known_rows = KnownRows(self.rows)
        self.given_graph = self._build_graph().astype(self.samples.dtype)
        return self

    def diffused(self, every: Iterable[int], n_jobs: int | None) -> Iterator[Self]:
        """The same samples with the graph spread by each of these numbers of steps."""
        keep = _DIFFUSED_NEIGHBORHOODS * max(self.n_neighbors, 1)
        walks = None
        for steps in every:
            other = copy(self)
            if steps:
                walks = walks or Diffusion(self.builder.affinity_, keep, n_jobs)
                other.given_graph = walks.after(steps).astype(self.samples.dtype)
            yield other

    def _build_graph(self) -> sparse.csr_array:
        if isinstance(self.builder, NeighborGraph) and self.support != "full":
            # One search serves the graph and the support.
            return self.builder.fit(self.samples, reach=self.reach).affinity_
        return self.builder.fit(self.samples).affinity_

    @property
    def n_samples(self) -> int:
        """Number of fitted samples."""
        return self.samples.shape[0]

    @property
    def reach(self) -> int:
        """Neighbourhoods that the support of a sparse graph reaches."""
        numbers = 0 if self.is_pairwise else self.samples.size
        return reach_of(self.support, self.n_samples, numbers)

    @property
    def n_neighbors(self) -> int:
        """p, as it was used or as it would be."""
        default = default_n_neighbors(self.n_samples)
        return getattr(self.builder, "n_neighbors_", default)

    def scale(self, X: Any) -> Any:
        """Scale the features of new rows as those of the fitted ones.

        They become dense or sparse as those are. Entries far beyond those of the
        fitted rows are brought nearer.
        """
        if sparse.issparse(self.rows):
            X = sparse.csr_array(X)
        elif sparse.issparse(X):
            X = X.toarray()
        return within_reach(scaled_rows(self.scaler, X), self.rows)

    def map(self, rows: Any) -> Any:
        """What the model sees of scaled rows."""
        return rows if self.kernel_map is None else self.kernel_map.transform(rows)

    def for_self_expression(self, samples: Any) -> Any:
        """Samples of unit mean square norm; no features where there are none."""
        if self.is_pairwise:
            return np.empty((samples.shape[0], 0), dtype=samples.dtype)
        return samples / samples.dtype.type(self.norm)

    def build_support(self) -> Support:
        """Pairs on which S may be nonzero."""
        pairs = None if self.support == "full" else self.nearest_pairs()
        return support_of(self.given_graph, pairs, self.samples.dtype)

    def nearest_pairs(self, samples: Any = None) -> sparse.csr_array:
        """One at each pair of a sample with its ``support * p`` nearest fitted ones.

        For the fitted samples themselves, or for new ones; empty where the graph was
        given and nothing is known of distances.
        """
        shape = (
            self.n_samples if samples is None else samples.shape[0],
            self.n_samples,
        )
        if not hasattr(self.builder, "search_"):
            return sparse.csr_array(shape)
        wide = self.support == "full"
        width = self.n_samples if wide else self.reach * self.n_neighbors
        edges = self.builder.search_.nearest(width, samples)
        places = (edges.rows, edges.cols)
        return sparse.csr_array((np.ones(len(edges.rows)), places), shape=shape)


def reach_of(support: int | str, n_samples: int, numbers: int) -> int:
    """Neighbourhoods that the support reaches, of samples that hold so many numbers."""
    if support != "auto":
        return int(support)
    few = n_samples <= _WIDE_SUPPORT_UP_TO and numbers <= _WIDE_SUPPORT_NUMBERS
    return _WIDE_SUPPORT if few else 1


def is_pairwise(graph: Any, metric: Any) -> bool:
    """Whether X holds affinities or distances in place of samples."""
    if isinstance(graph, str):
        return graph == "precomputed" or metric == "precomputed"
    return getattr(graph, "metric", "precomputed") == "precomputed"


def is_named(value: Any, name: str) -> bool:
    """Whether a parameter is this name, and no array, function or builder."""
    return isinstance(value, str) and value == name
