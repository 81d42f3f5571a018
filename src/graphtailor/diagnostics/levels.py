"""The same rows in few groups or in many: levels, and how groups split between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
from scipy import sparse


@dataclass(frozen=True)
class Levels:
    """Clusters of the same rows for several numbers of clusters."""

    numbers: tuple[int, ...]  # the number of clusters of each level, rising
    labels: tuple[np.ndarray, ...]  # (n,) each: clusters of the rows
    chosen: int = 0  # place of the level that the model took
    suggested: tuple[int, ...] = ()  # numbers that the model suggests, the best first

    @classmethod
    def of(
        cls,
        taken: np.ndarray,
        number: int,
        others: Mapping[int, np.ndarray],
        suggested: tuple[int, ...] = (),
    ) -> "Levels":
        """Put the labels that a model took among those of other numbers of clusters."""
        found = {**others, number: taken}
        numbers = tuple(sorted(found))
        labels = tuple(np.asarray(found[k]) for k in numbers)
        return cls(numbers, labels, numbers.index(number), suggested)

    def parents(self, place: int) -> np.ndarray:
        """The cluster of the level before that holds most of each cluster's rows."""
        return majority(self.labels[place], self.labels[place - 1])

    def flows(self, place: int) -> np.ndarray:
        """Rows that go from each cluster of the level before to each of this one."""
        return _counts(self.labels[place - 1], self.labels[place])

    def colors(self) -> list[np.ndarray]:
        """A colour number for each cluster of each level.

        At the chosen level it is the number of the cluster. From there on the largest
        part of a cluster has the colour of the whole.
        """
        found = {self.chosen: np.arange(int(self.labels[self.chosen].max()) + 1)}
        for place in range(self.chosen + 1, len(self.labels)):
            found[place] = _inherited(self.flows(place), found[place - 1])
        for place in range(self.chosen - 1, -1, -1):
            found[place] = _inherited(self.flows(place + 1).T, found[place + 1])
        return [found[place] for place in range(len(self.labels))]


@dataclass(frozen=True)
class Groups:
    """The different groups of rows of all levels, each once."""

    member: sparse.csr_array  # (g, n): one where a row belongs to a group
    # Number of the group of each cluster of each level; -1 where it has no row.
    of_level: tuple[np.ndarray, ...]

    @property
    def sizes(self) -> np.ndarray:
        """Number of rows of each group."""
        return np.diff(self.member.indptr)

    def rows(self, group: int) -> np.ndarray:
        """Rows of a group, rising."""
        first, last = self.member.indptr[group : group + 2]
        return self.member.indices[first:last]


def distinct_groups(levels: Levels) -> Groups:
    """Find the groups of all levels; a group that stays whole is one group."""
    known: dict[bytes, int] = {}
    rows: list[np.ndarray] = []
    of_level = []
    for labels in levels.labels:
        # Short numbers are sorted digit by digit, which is faster.
        short = labels.astype(np.min_scalar_type(int(labels.max())))
        order = np.argsort(short, kind="stable").astype(np.int32)
        sizes = np.bincount(labels)
        numbers = np.full(len(sizes), -1)
        for k, mine in enumerate(np.split(order, np.cumsum(sizes)[:-1])):
            if not len(mine):
                continue
            key = blake2b(mine.tobytes()).digest()
            if key not in known:
                known[key] = len(rows)
                rows.append(mine)
            numbers[k] = known[key]
        of_level.append(numbers)
    starts = np.cumsum([0, *map(len, rows)])
    places = np.concatenate(rows)
    shape = (len(rows), len(levels.labels[0]))
    member = sparse.csr_array((np.ones(len(places)), places, starts), shape=shape)
    return Groups(member, tuple(of_level))


def majority(finer: np.ndarray, coarser: np.ndarray) -> np.ndarray:
    """The coarser cluster that holds most rows of each finer one."""
    return _counts(coarser, finer).argmax(axis=0)


def _counts(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    c, d = int(first.max()) + 1, int(second.max()) + 1
    return np.bincount(first * d + second, minlength=c * d).reshape(c, d)


def _inherited(flows: np.ndarray, before: np.ndarray) -> np.ndarray:
    colors = np.full(flows.shape[1], -1)
    parents = flows.argmax(axis=0)
    for k in np.argsort(-flows.max(axis=0), kind="stable"):
        taken = before[parents[k]]
        if taken not in colors:
            colors[k] = taken
    free = np.setdiff1d(np.arange(len(before) + len(colors)), colors)
    colors[colors < 0] = free[: int((colors < 0).sum())]
    return colors


def spread_sample(labels: np.ndarray, most: int) -> np.ndarray:
    """Draw `most` rows from all clusters in proportion to size, at least one of each.

    Numbers of rows rise, and the same labels give the same rows.
    """
    n = len(labels)
    if n <= most:
        return np.arange(n)
    shuffled = np.random.default_rng(0).permutation(n)
    by_cluster = shuffled[np.argsort(labels[shuffled], kind="stable")]
    places = np.arange(most) * n // most
    firsts = np.unique(labels[by_cluster], return_index=True)[1]
    return np.unique(by_cluster[np.union1d(places, firsts)])
