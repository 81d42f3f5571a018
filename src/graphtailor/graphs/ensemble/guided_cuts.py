"""Cuts that follow known classes and pairs: members that break them count less."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment

from graphtailor.graphs.constraints import Constraints
from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.graphs.ensemble.cuts import ConsensusCuts, Cut, by_size
from graphtailor.graphs.ensemble.views import View
from graphtailor.graphs.weights import normalize_affinity
from graphtailor.linalg.sparse import with_data
from graphtailor.linalg.threads import single_threaded

# How steeply the weight of a member rises with the pairs that it gets right. Before any
# answer it counts as if it had been seen on this many pairs of each kind, and joined as
# many of them as of all pairs: few answers of one kind must not favour fine members.
_STEEPNESS, _SEEN = 8.0, 10.0
# An edge between near neighbours weighs this power of the share that joins them.
_POWER = 3
# Share that a row takes from its neighbours, steps, and the weight of what members say
# of a row beside that of a known class.
_FOLLOWED, _STEPS, _PRIOR = 0.9, 40, 0.05
# Weight of what pairs say of a row: two rows apart may be so for the sake of either.
_PAIRED = 0.3
# The power of the share of members that join two rows with which one follows the other.
_CARRIED = 4


@dataclass(frozen=True)
class Guidance:
    """What is known of rows, and how these rows belong to the representatives."""

    constraints: Constraints  # of all rows
    # nearest and shares: (n, k): nearest representatives of each row, and its shares in
    # them.
    nearest: np.ndarray
    shares: np.ndarray
    exact: bool  # whether the representatives are distinct rows
    # Gives the views whose near neighbours follow each other.
    views: Callable[[], Sequence[View]]

    @cached_property
    def graph(self) -> sparse.csr_array:
        """Near neighbours in all views."""
        views = self.views()
        graphs = [view.graph(max(view.n_neighbors // 2, 1)) for view in views]
        return sparse.csr_array(sum(graphs[1:], start=graphs[0]) / len(graphs))

    def lifted(self, V: np.ndarray) -> np.ndarray:
        """Values of all rows."""
        parts = zip(self.nearest.T, self.shares.T, strict=True)
        return sum(share[:, None] * V[near] for near, share in parts)

    def votes(self, labels: np.ndarray, m: int, c: int) -> np.ndarray:
        """How many rows of each label each representative is nearest to."""
        rows = np.flatnonzero(labels >= 0)
        votes = np.zeros((m, c))
        np.add.at(votes, (self.nearest[rows, 0], labels[rows]), 1.0)
        return votes

    def trust(self, members: Sequence[np.ndarray]) -> np.ndarray:
        """Weights of the members, of mean 1.

        They rise with the share of pairs of one class that a member joins, minus the
        share of pairs of two classes that it joins.
        """
        found = np.array([self._informedness(labels) for labels in members])
        weights = np.exp(_STEEPNESS * found)
        return weights / weights.mean()

    def _informedness(self, labels: np.ndarray) -> float:
        """Share of pairs of one class that labels join, minus that of two classes."""
        known = self.constraints
        of_rows = labels[self.nearest[:, 0]]
        rows = np.flatnonzero(known.known >= 0)
        table = np.zeros((labels.max() + 1, max(known.n_classes, 1)))
        np.add.at(table, (of_rows[rows], known.known[rows]), 1.0)
        together, joined = _pairs_in(table), _pairs_in(table.sum(axis=1))
        same, total = _pairs_in(table.sum(axis=0)), _pairs_in(table.sum())
        must, cannot = of_rows[known.must], of_rows[known.cannot]
        right = together + (must[:, 0] == must[:, 1]).sum()
        wrong = joined - together + (cannot[:, 0] == cannot[:, 1]).sum()
        n_right, n_wrong = same + len(must), total - same + len(cannot)
        seen = _SEEN * _pairs_in(np.bincount(of_rows)) / _pairs_in(len(of_rows))
        return (right + seen) / (n_right + _SEEN) - (wrong + seen) / (n_wrong + _SEEN)


class GuidedCuts:
    """Cuts in which known rows have their classes and near neighbours follow them.

    The cut of the members says what a row without known neighbours belongs to: clusters
    of the cut stand for the classes of the known rows in them. Both are spread over
    near neighbours, as far as members join these.

    Parameters
    ----------
    cuts : ConsensusCuts
        The cuts that know nothing.
    separated : mapping of int to ndarray of shape (m,)
        Clusters that the graph of neighbours separates, by their number.
    guidance : Guidance
        What is known.
    """

    def __init__(
        self,
        cuts: ConsensusCuts,
        separated: Mapping[int, np.ndarray],
        guidance: Guidance,
    ) -> None:
        self.ensemble: CoAssociation = cuts.ensemble
        self._cuts, self._separated = cuts, separated
        self._guidance = guidance

    def at(self, n_clusters: int) -> list[Cut]:
        """The cut into `n_clusters` clusters."""
        known = self._guidance.constraints
        prior = self._prior(self._unguided(n_clusters), n_clusters)
        votes = self._votes(known.codes, n_clusters)
        certain = np.where(votes.sum(axis=1) > 0, 1.0, _PAIRED)
        V = self._follow(votes, prior, certain)
        if len(known.must) or len(known.cannot):
            rows = self._guidance.lifted(V)
            rows, _ = known.enforce(rows, np.arange(known.n_classes))
            labels = np.full(len(rows), -1)
            labels[known.rows] = rows[known.rows].argmax(axis=1)
            votes = self._votes(labels, n_clusters)
            V = self._follow(votes, self._carried(votes, prior, certain), certain)
        decided = votes.sum(axis=1) > 0
        if self._guidance.exact:
            V[decided] = np.eye(n_clusters)[votes[decided].argmax(axis=1)]
        self._fill_empty(V, prior, ~decided)
        return [self._finished(V)]

    def _fill_empty(self, V: np.ndarray, prior: np.ndarray, open: np.ndarray) -> None:
        """Give clusters that lost all rows to their neighbours those of the members."""
        for k in range(self._guidance.constraints.n_classes, V.shape[1]):
            labels = V.argmax(axis=1)
            alone = np.bincount(labels, minlength=V.shape[1])[labels] < 2
            if (labels == k).any() or not (open & ~alone).any():
                continue
            rows = open & ~alone & (prior.argmax(axis=1) == k)
            if not rows.any():
                rows = np.argmax(np.where(open & ~alone, V[:, k], -1.0))
            V[rows] = np.eye(V.shape[1])[k]

    def _finished(self, V: np.ndarray) -> Cut:
        """The cut, with the largest cluster first and without empty ones."""
        labels = V.argmax(axis=1)
        classes = np.arange(self._guidance.constraints.n_classes)
        kept = np.union1d(classes, labels)
        V, labels = V[:, kept], np.searchsorted(kept, labels)
        sizes = np.bincount(labels, self.ensemble.masses, minlength=len(kept))
        place = np.argsort(np.argsort(-sizes, kind="stable"), kind="stable")
        shares = np.empty_like(V)
        shares[:, place] = V
        labels = place[labels]
        agreement = self.ensemble.agreement(labels)
        figures = (agreement, *self.ensemble.margins(labels))
        return Cut("spreading", labels, *figures, shares, place[classes])

    def _unguided(self, n_clusters: int) -> np.ndarray:
        """Clusters of the members."""
        if n_clusters in self._separated:
            return by_size(self._separated[n_clusters], self.ensemble.masses)
        cuts = self._cuts.at(n_clusters)
        return max(cuts, key=lambda cut: (cut.labels.max(), self._merit(cut))).labels

    def _merit(self, cut: Cut) -> float:
        """Silhouette, among members as they are and as they are trusted.

        Trust alone reorders cuts that are nearly tied, even if it rests on few rows.
        """
        return self._plain.margins(cut.labels)[0] + cut.silhouette

    @cached_property
    def _plain(self) -> CoAssociation:
        """All members alike."""
        return CoAssociation(list(self.ensemble.codes.T), self.ensemble.masses)

    def _votes(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        return self._guidance.votes(labels, len(self.ensemble.masses), n_clusters)

    def _table(self, labels: np.ndarray) -> np.ndarray:
        """Known rows of each class in each cluster."""
        known = self._guidance.constraints
        votes = self._votes(known.codes, max(known.n_classes, 1))
        table = np.zeros((labels.max() + 1, votes.shape[1]))
        np.add.at(table, labels, votes)
        return table[:, : known.n_classes]

    def _prior(self, labels: np.ndarray, n_clusters: int) -> np.ndarray:
        """What members say of each representative: classes first, then the others.

        Each class has one cluster for sure, the one nearest to its rows where another
        class has theirs, and any cluster stands for the classes of its known rows. The
        largest clusters without known rows are the further ones.
        """
        table = self._table(labels)
        shares = _unit_sums(self.ensemble.shares_of(labels))
        n_classes = table.shape[1]
        meaning = np.zeros((len(table), n_clusters))
        meaning[:, :n_classes] = table
        votes = self._votes(self._guidance.constraints.codes, n_clusters)
        with single_threaded():  # the same bits on any number of threads
            near = shares.T @ votes[:, :n_classes]
        own, classes = linear_sum_assignment(-table - near)
        meaning[own, classes] += 1.0
        free = np.setdiff1d(np.arange(len(table)), own)
        free = free[np.argsort(table[free].sum(axis=1), kind="stable")]
        free = free[: n_clusters - n_classes]
        further = np.arange(n_classes, n_classes + len(free))
        meaning[free, further] += 1.0 + table[free].sum(axis=1)
        totals = meaning.sum(axis=1, keepdims=True)
        meaning /= np.where(totals > 0, totals, 1.0)
        with single_threaded():
            return shares @ meaning

    def _carried(
        self, votes: np.ndarray, prior: np.ndarray, certain: np.ndarray
    ) -> np.ndarray:
        """Priors with what pairs say of the rows that most members keep with theirs."""
        paired = np.flatnonzero((votes.sum(axis=1) > 0) & (certain < 1))
        totals, told = np.ones((len(prior), 1)), prior
        rows, said = np.arange(len(prior)), _unit_sums(votes[paired])
        for one, clusters in zip(paired.tolist(), said, strict=True):
            kept = self.ensemble.on_pairs(rows, np.full_like(rows, one)) ** _CARRIED
            kept[one] = 0.0
            told, totals = told + kept[:, None] * clusters, totals + kept[:, None]
        return told / totals

    def _follow(
        self, votes: np.ndarray, prior: np.ndarray, certain: np.ndarray
    ) -> np.ndarray:
        """Classes and priors spread over near neighbours, with row sums of one."""
        weight = np.where(votes.sum(axis=1) > 0, certain, 0.0)[:, None]
        source = weight * _unit_sums(votes) + (1 - weight) * _PRIOR * prior
        V = source
        for _ in range(_STEPS):
            V = _FOLLOWED * (self._graph @ V) + (1 - _FOLLOWED) * source
        return _unit_sums(V)

    @cached_property
    def _graph(self) -> sparse.csr_array:
        """Near neighbours, as far as members join them."""
        near = sparse.csr_array(self._guidance.graph)
        places = sparse.coo_array(near)
        joined = self.ensemble.on_pairs(places.row, places.col) ** _POWER
        return normalize_affinity(with_data(near, places.data * joined))


def _pairs_in(counts: np.ndarray | float) -> float:
    return float(np.sum(counts * (np.asarray(counts) - 1.0)) / 2)


def _unit_sums(V: np.ndarray) -> np.ndarray:
    totals = V.sum(axis=1, keepdims=True)
    return np.where(totals > 0, V / np.where(totals > 0, totals, 1.0), 1 / V.shape[1])
