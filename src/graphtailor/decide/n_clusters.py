"""How many clusters: one ensemble, cut into every number of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphtailor.graphs.ensemble.cuts import ConsensusCuts, Cut
from graphtailor.graphs.ensemble.guided_cuts import GuidedCuts

# Numbers that are tried where none is given.
MOST_CLUSTERS = 20
# What more clusters have to earn, per unit of their logarithm: finer cuts agree better
# with the members where there are no clusters too. Of numbers whose scores differ by
# less than the second value the finest is taken.
PRICE, _EQUAL = 0.13, 0.01
# What is added where all columns of a table take several features, as categories do:
# each combination of their levels is a clump, whether or not the columns have to do
# with each other. Chosen on the choosing half of benchmarks/mixed.py.
_PRICE_OF_LEVELS = 0.10
# Numbers on the short list, the factor by which they differ at least, and by how much
# their scores lie below the best one at most. On the tuning sets a narrower margin
# loses true numbers, and a wider one only makes the lists longer.
_SHORT_LIST, _APART = 3, 1.3
CLOSE = 0.03


@dataclass(frozen=True)
class Level:
    """One number of clusters on the path.

    Attributes
    ----------
    n_clusters : int
        The number.
    score : float
        How plausible it is: a third of the agreement of its cut with the members and
        two thirds of the cut's silhouette, minus a price times the logarithm of the
        number. The price is 0.13, and up to 0.2 where columns are categories, whose
        levels are clumps of their own. The silhouette is that of one minus the share
        of members that join two rows.
    agreement : float
        Mean correlation of the cut with the members.
    persistence : float
        How much more often members put a row with its own cluster than with the next
        one, on average over the rows.
    suggested : bool
        Whether the number is on the short list.
    """

    n_clusters: int
    score: float
    agreement: float
    persistence: float
    suggested: bool


@dataclass(frozen=True)
class Path:
    """The cut for each number of clusters, and how plausible each number is.

    Attributes
    ----------
    cuts : tuple of Cut
        One for each number, rising.
    numbers : tuple of int
        The numbers of clusters.
    scores : tuple of float
        As in :class:`Level`.
    taken : int
        The number that is taken.
    """

    cuts: tuple[Cut, ...]
    numbers: tuple[int, ...]
    scores: tuple[float, ...]
    taken: int

    @property
    def suggestions(self) -> tuple[int, ...]:
        """The number taken, and at most two whose scores are close to the best one.

        They differ by at least 30 %.
        """
        ranked = sorted(zip(self.scores, self.numbers, strict=True), reverse=True)
        listed = [self.taken]
        for score, c in ranked:
            if score < ranked[0][0] - CLOSE:
                break
            apart = all(max(c, d) >= _APART * min(c, d) for d in listed)
            if apart and len(listed) < _SHORT_LIST:
                listed.append(c)
        return tuple(listed)

    def levels(self, masses: np.ndarray) -> tuple[Level, ...]:
        """The figures of every number."""
        listed = self.suggestions
        return tuple(
            Level(
                number,
                score,
                cut.agreement,
                float(np.average(cut.persistences[cut.labels], weights=masses)),
                number in listed,
            )
            for number, score, cut in zip(
                self.numbers, self.scores, self.cuts, strict=True
            )
        )

    def at(self, n_clusters: int) -> Cut:
        """The cut into this many clusters."""
        return self.cuts[self.numbers.index(n_clusters)]


def numbers_to_try(most: int, n_distinct: int, least: int = 2) -> list[int]:
    """The numbers of clusters on the path, from those that known rows need at least."""
    most = min(most, max(n_distinct // 4, least, 2), n_distinct)
    return list(range(min(max(2, least), most), most + 1))


def price_of(blocks: np.ndarray | None) -> float:
    """What more clusters cost, for each unit of their logarithm.

    Parameters
    ----------
    blocks : ndarray of shape (d,) or None
        Number of the column that each feature stands for, if it is not its own.

    Examples
    --------
    >>> price_of(None), price_of(np.array([0, 1, 1, 1]))
    (0.13, 0.18)
    """
    if blocks is None or len(blocks) == 0:
        return PRICE
    widths = np.bincount(np.unique(blocks, return_inverse=True)[1])
    return PRICE + _PRICE_OF_LEVELS * float((widths > 1).mean())


def cut_at(
    cuts: ConsensusCuts | GuidedCuts,
    separated: Mapping[int, np.ndarray],
    n_clusters: int,
) -> Cut:
    """The cut into this many clusters: separated ones, or what members agree on."""
    if n_clusters not in separated or isinstance(cuts, GuidedCuts):
        return cuts.at(n_clusters)[0]
    return Cut.of("the graph of neighbours", separated[n_clusters], cuts.ensemble)


def cut_path(
    cuts: ConsensusCuts | GuidedCuts,
    separated: Mapping[int, np.ndarray],
    numbers: Sequence[int],
    price: float = PRICE,
) -> Path:
    """The cut for each number, the most plausible one taken."""
    found = tuple(cut_at(cuts, separated, c) for c in numbers)
    scores = [
        (cut.agreement + 2 * cut.silhouette) / 3 - price * float(np.log(c))
        for cut, c in zip(found, numbers, strict=True)
    ]
    best = max(scores)
    taken = max(c for c, s in zip(numbers, scores, strict=True) if s >= best - _EQUAL)
    return Path(found, tuple(numbers), tuple(scores), taken)
