"""Layers: the clusters of one ensemble at every number of them, and their tree."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from graphtailor.decide.n_clusters import (
    PRICE,
    Level,
    Path,
    cut_at,
    cut_path,
    numbers_to_try,
)
from graphtailor.graphs.ensemble.co_association import level_doubts
from graphtailor.graphs.ensemble.cuts import ConsensusCuts, Cut
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.graphs.ensemble.guided_cuts import Guidance, GuidedCuts

# Children of (layer, cluster), as EVoC gives them.
Tree = dict[tuple[int, int], list[tuple[int, int]]]


@dataclass(frozen=True)
class Layers:
    """Clusters of representatives, cut from one ensemble when they are asked for."""

    ensemble: EnsembleGraph
    # Clusters that the graph of neighbours separates, by their number.
    separated: Mapping[int, np.ndarray]
    guidance: Guidance | None = None  # what is known of some rows
    # What more clusters have to earn, for each unit of the logarithm of their number.
    price: float = PRICE

    @property
    def masses(self) -> np.ndarray:
        """Number of rows that each representative stands for."""
        return self.ensemble.ensemble_.masses

    @cached_property
    def path(self) -> Path:
        """The cuts from 2 clusters to the largest number that members serve."""
        least = 2 if self.guidance is None else self.guidance.constraints.least
        numbers = numbers_to_try(self.ensemble.most, len(self.masses), least)
        return cut_path(self._cuts, self.separated, numbers, self.price)

    def cut(self, n_clusters: int) -> Cut:
        """The cut into this many clusters."""
        # Where the path was walked, the cut is on it.
        if "path" in vars(self) and n_clusters in self.path.numbers:
            return self.path.at(n_clusters)
        return cut_at(self._cuts, self.separated, n_clusters)

    def shares(self, cut: Cut) -> np.ndarray:
        """Share of the members that put each representative with each cluster.

        Where something is known of rows, it is what was spread from these.
        """
        if cut.shares is not None:
            return cut.shares
        shares = self.ensemble.ensemble_.shares_of(cut.labels)
        return level_doubts(shares, cut.labels)

    @property
    def levels(self) -> tuple[Level, ...]:
        """The figures of every number on the path."""
        return self.path.levels(self.masses)

    @property
    def tree(self) -> Tree:
        """Each cluster below the next coarser one that holds most of its rows.

        Layer 0 is the finest; the root stands above the coarsest one.
        """
        cuts = [cut.labels for cut in reversed(self.path.cuts)]
        cuts.append(np.zeros(len(self.masses), dtype=np.int64))
        tree: Tree = {(len(cuts) - 1, 0): []}
        for layer, (fine, coarse) in enumerate(pairwise(cuts)):
            overlap = np.zeros((fine.max() + 1, coarse.max() + 1))
            np.add.at(overlap, (fine, coarse), self.masses)
            for cluster, parent in enumerate(overlap.argmax(axis=1)):
                tree.setdefault((layer + 1, int(parent)), []).append((layer, cluster))
        return tree

    @cached_property
    def _cuts(self) -> ConsensusCuts | GuidedCuts:
        cuts = self.ensemble.cuts()
        if self.guidance is None:
            return cuts
        return GuidedCuts(cuts, self.separated, self.guidance)
