"""How many clusters: the agreement of the best cuts along a path of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphtailor.graphs.ensemble.cuts import ConsensusCuts, Cut

# Numbers that are tried where none is given.
MOST_CLUSTERS = 20
# The agreement that more clusters have to earn, per unit of their logarithm. Finer cuts
# agree better with the members where there are no clusters too.
_PRICE = 0.15
# Numbers on the short list.
_SHORT_LIST = 3


@dataclass(frozen=True)
class Path:
    """The best cut for each number of clusters, and how plausible each number is.

    Attributes
    ----------
    cuts : tuple of Cut
        One for each number, rising.
    numbers : tuple of int
        The numbers of clusters.
    scores : tuple of float
        Mean of the agreements with all members and with those that have at least this
        number of clusters, minus 0.15 times the logarithm of the number.
    """

    cuts: tuple[Cut, ...]
    numbers: tuple[int, ...]
    scores: tuple[float, ...]

    @property
    def best(self) -> int:
        """The number with the highest score; the finer of two that are equal."""
        order = sorted(zip(self.scores, self.numbers, strict=True), reverse=True)
        return order[0][1]

    def at(self, n_clusters: int) -> Cut:
        """The best cut into this many clusters."""
        return self.cuts[self.numbers.index(n_clusters)]

    @property
    def suggestions(self) -> tuple[int, ...]:
        """At most three numbers, the best first: local maxima of the score."""
        padded = np.r_[-np.inf, self.scores, -np.inf]
        peaks = (padded[1:-1] >= padded[:-2]) & (padded[1:-1] >= padded[2:])
        ranked = sorted(
            (place for place in range(len(self.numbers)) if peaks[place]),
            key=lambda place: (-self.scores[place], -self.numbers[place]),
        )
        return tuple(self.numbers[place] for place in ranked[:_SHORT_LIST])


def numbers_to_try(n_clusters: int | str, n_distinct: int) -> list[int]:
    """The number that is asked for, or all that are tried for "auto"."""
    if not isinstance(n_clusters, str):
        return [min(int(n_clusters), n_distinct)]
    most = min(MOST_CLUSTERS, max(n_distinct // 4, 2), n_distinct)
    return list(range(min(2, most), most + 1))


def cut_path(cuts: ConsensusCuts, numbers: Sequence[int]) -> Path:
    """The best cut for each number of clusters."""
    best = tuple(cuts.at(c)[0] for c in numbers)
    scores = tuple(
        (cut.agreement + cut.finer_agreement) / 2 - _PRICE * float(np.log(c))
        for cut, c in zip(best, numbers, strict=True)
    )
    return Path(best, tuple(numbers), scores)
