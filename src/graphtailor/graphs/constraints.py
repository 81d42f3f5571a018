"""What is known of some rows: their classes, and pairs that are together or apart."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from graphtailor.linalg.sparse import intact

UNKNOWN = -1
# What np.array(["a", -1]) and np.array(["a", np.nan]) make of the second value.
_GAPS_AS_TEXT = ("-1", "nan")
# Steps of the search for clusters that keep cannot-linked rows apart.
_STEPS = 20_000
# Passes over the rows that exchange clusters, the longest chain of rows that do, and
# the least share of a row in a cluster.
_SWEEPS, _CHAIN, _LEAST = 5, 100, 1e-3


@dataclass(frozen=True)
class Constraints:
    """Known classes and pairs of n rows."""

    classes: tuple[Hashable, ...]  # the distinct known classes, sorted
    known: np.ndarray  # (n,): number of the class of each row, -1 where it is not known
    # must and cannot: (q, 2): pairs of rows that belong together, and that do not.
    must: np.ndarray
    cannot: np.ndarray

    @classmethod
    def of(cls, known: Any, must_link: Any, cannot_link: Any, n: int) -> Self | None:
        """Read and check what a user knows; None where that is nothing."""
        classes, codes = _classes(known, n)
        must = _pairs("must_link", must_link, n)
        cannot = _pairs("cannot_link", cannot_link, n)
        if not (classes or len(must) or len(cannot)):
            return None
        found = cls(classes, codes, must, cannot)
        found._refuse_contradictions()
        return found

    @property
    def n_classes(self) -> int:
        """Number of known classes."""
        return len(self.classes)

    @cached_property
    def group(self) -> np.ndarray:
        """Group of each row: must-links join all rows of a group."""
        n, ones = len(self.known), np.ones(len(self.must))
        if not len(ones):
            return np.arange(n)
        links = sparse.coo_array((ones, tuple(self.must.T)), shape=(n, n))
        return connected_components(links, directed=False)[1]

    @cached_property
    def class_of_group(self) -> np.ndarray:
        """The class that most known rows of each group have; -1 without such rows."""
        rows = np.flatnonzero(self.known >= 0)
        votes = np.column_stack([self.group[rows], self.known[rows]])
        (groups, classes), counts = _counted(votes)
        of_group = np.full(self.group.max() + 1, UNKNOWN)
        order = np.lexsort((-classes, counts))  # the last one written stays
        of_group[groups[order]] = classes[order]
        return of_group

    @cached_property
    def codes(self) -> np.ndarray:
        """Class of each row, its own or that of its group; -1 where there is none."""
        return np.where(self.known >= 0, self.known, self.class_of_group[self.group])

    @cached_property
    def rows(self) -> np.ndarray:
        """The rows that anything is known of."""
        paired = np.concatenate([self.must.ravel(), self.cannot.ravel()])
        return np.union1d(np.flatnonzero(self.known >= 0), paired).astype(np.int64)

    @cached_property
    def least(self) -> int:
        """A number of clusters that is enough to meet all constraints."""
        nodes, fixed, ends = self._apart
        if not len(nodes):
            return max(self.n_classes, 1)
        most = self.n_classes + int(np.bincount(ends.ravel()).max()) + 1
        scores = np.tile(-np.arange(most, dtype=np.float64), (len(nodes), 1))
        return max(self.n_classes, int(_assign(scores, fixed, ends).max()) + 1)

    def check_number(self, n_clusters: int | str) -> None:
        """Refuse fewer clusters than there are known classes."""
        if isinstance(n_clusters, str) or n_clusters >= self.n_classes:
            return
        first = [int(np.argmax(self.known == k)) for k in range(self.n_classes)]
        listed = [
            f"{name!r} (row {row})"
            for name, row in zip(self.classes, first, strict=True)
        ]
        raise ValueError(
            f"n_clusters={n_clusters} is less than the {self.n_classes} classes of "
            f"known: {_some(listed)}. Ask for at least {self.n_classes} clusters."
        )

    def check_room(self, n_representatives: int, *, exact: bool) -> None:
        """Refuse more known classes than different rows, or anchors, are there."""
        if self.n_classes <= n_representatives:
            return
        what = "different rows" if exact else "representatives"
        raise ValueError(
            f"known has {self.n_classes} classes, and there are only "
            f"{n_representatives} {what}. Join classes"
            f"{'' if exact else ' or raise representatives'}."
        )

    def names(self, clusters: np.ndarray, n_clusters: int) -> np.ndarray | None:
        """The class of each cluster, given those of the classes; None without any."""
        if not self.classes:
            return None
        names = np.full(n_clusters, None, dtype=object)
        names[clusters] = np.array(self.classes, dtype=object)
        return names

    def with_equal_rows(self, group: np.ndarray) -> Self:
        """The same, where unknown rows have the class of most known rows they equal.

        Rows that are in pairs stay as they are: their pairs come first.
        """
        pairs = replace(self, must=_chains(group), cannot=np.empty((0, 2), np.int64))
        known = pairs.codes.copy()
        known[self.rows] = self.known[self.rows]
        return replace(self, known=known)

    def enforce(
        self, V: np.ndarray, clusters: np.ndarray
    ) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """An indicator whose labels meet the constraints.

        Known rows belong to their clusters alone, rows of a group share their mean, and
        of two rows that a cannot-link parts the less certain one moves.

        Parameters
        ----------
        V : ndarray of shape (n, c)
            The indicator.
        clusters : ndarray of shape (n_classes,)
            The cluster of each known class.

        Returns
        -------
        V : ndarray of shape (n, c)
            The indicator with the constraints.
        broken : list of (int, int)
            Cannot-links that no assignment to c clusters was found for.
        """
        V = V.copy()
        means = self._means(V)
        rows = self.rows
        V[rows] = means[self.group[rows]]
        fixed = rows[self.codes[rows] >= 0]
        V[fixed] = _alone(V[fixed], clusters[self.codes[fixed]])
        labels = self._parted(means, clusters)
        moved = rows[(labels[rows] >= 0) & (V[rows].argmax(axis=1) != labels[rows])]
        V[moved] = _alone(V[moved], labels[moved])
        found = V[self.cannot].argmax(axis=2)
        broken = self.cannot[found[:, 0] == found[:, 1]]
        return V, [(int(i), int(j)) for i, j in broken]

    def _means(self, V: np.ndarray) -> np.ndarray:
        """Mean of V over the rows of each group."""
        if len(self.must) == 0:
            return V
        places = (self.group, np.arange(len(V)))
        member = sparse.csr_array((np.ones(len(V)), places))
        sizes = np.bincount(self.group)[:, None]
        return ((member @ V.astype(np.float64)) / sizes).astype(V.dtype)

    @cached_property
    def _apart(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Groups with cannot-links, their classes, and the pairs by their places."""
        pairs = self.group[self.cannot]
        classes = self.class_of_group[pairs]
        equal = (classes[:, 0] == classes[:, 1]) & (classes[:, 0] >= 0)
        pairs = pairs[(pairs[:, 0] != pairs[:, 1]) & ~equal]
        nodes, ends = np.unique(pairs, return_inverse=True)
        ends = np.unique(np.sort(ends.reshape(-1, 2), axis=1), axis=0)
        return nodes, self.class_of_group[nodes], ends

    def _parted(self, means: np.ndarray, clusters: np.ndarray) -> np.ndarray:
        """Clusters of the rows that cannot-links part; -1 for the others."""
        nodes, classes, ends = self._apart
        labels = np.full(len(self.known), UNKNOWN)
        if not len(nodes):
            return labels
        fixed = np.append(clusters, UNKNOWN)[classes]
        of_group = np.full(len(self.class_of_group), UNKNOWN)
        chosen = _assign(means[nodes], fixed, ends)
        of_group[nodes] = _likelier(chosen, means[nodes], fixed, ends)
        of_group[self.class_of_group >= 0] = UNKNOWN
        return of_group[self.group]

    def _refuse_contradictions(self) -> None:
        rows = np.flatnonzero(self.known >= 0)
        wrong = rows[self.known[rows] != self.class_of_group[self.group[rows]]]
        if len(wrong):
            row, known = wrong[0], self.class_of_group[self.group[wrong[0]]]
            same = (self.group == self.group[row]) & (self.known == known)
            other = int(np.flatnonzero(same)[0])
            raise ValueError(
                f"must_link joins the rows {other} and {row}, directly or through "
                f"other rows, but known gives them the classes "
                f"{self.classes[known]!r} and {self.classes[self.known[row]]!r}."
            )
        for i, j in self.cannot:
            if self.group[i] == self.group[j]:
                how = "are the same row" if i == j else "are joined by must_link"
                raise ValueError(
                    f"cannot_link parts the rows {i} and {j}, which {how}. Leave one "
                    "of the two out."
                )
            if self.codes[i] == self.codes[j] >= 0:
                raise ValueError(
                    f"cannot_link parts the rows {i} and {j}, but known gives both, "
                    "directly or through must_link, the class "
                    f"{self.classes[self.codes[i]]!r}."
                )


def _classes(known: Any, n: int) -> tuple[tuple[Hashable, ...], np.ndarray]:
    """Distinct classes and their numbers; None, NaN and -1 are unknown."""
    if known is None:
        return (), np.full(n, UNKNOWN)
    # A type of its own for all values would turn -1 beside texts into a text.
    values = np.asarray(intact(known, "known"), dtype=object)
    if values.shape != (n,):
        raise ValueError(
            f"known has shape {values.shape}, and X has {n} rows. Give one class for "
            "each row, and -1, None or NaN where it is not known."
        )
    if getattr(getattr(known, "dtype", None), "kind", "O") == "U":
        values[np.isin(known, _GAPS_AS_TEXT)] = None
    plain = [_plain(value) for value in values.tolist()]
    distinct = {value for value in plain if value is not None}
    classes = tuple(sorted(distinct, key=lambda name: (isinstance(name, str), name)))
    number = {name: place for place, name in enumerate(classes)}
    return classes, np.array(
        [UNKNOWN if value is None else number[value] for value in plain]
    )


def _plain(value: Any) -> str | int | float | None:
    """A class as a text or number; None where it is unknown."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool | int | float | np.generic):
        value = value.item() if isinstance(value, np.generic) else value
        if value != value or value == UNKNOWN:
            return None
        # Gaps turn a column of whole numbers into floats.
        return int(value) if float(value).is_integer() else value
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return None
    if hasattr(value, "__len__"):
        raise ValueError(
            f"known has a {type(value).__name__} for one row. Give one text or number "
            "for each row, and -1, None or NaN where its class is not known."
        )
    return str(value)


def _pairs(name: str, pairs: Any, n: int) -> np.ndarray:
    """Pairs of rows as whole numbers from 0 to n - 1."""
    given = intact([] if pairs is None else pairs, name)
    try:
        found = np.asarray(given)
    except ValueError:  # not all of one length
        found = np.array([*given, None], dtype=object)[:-1]
    if found.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if found.ndim != 2 or found.shape[1] != 2 or found.dtype.kind not in "iu":
        raise ValueError(
            f"{name} has shape {found.shape} and type {found.dtype}. Give pairs of row "
            "numbers, an array of whole numbers of shape (m, 2)."
        )
    outside = found[(found < 0) | (found >= n)]
    if len(outside):
        raise ValueError(
            f"{name} names row {outside[0]}, and X has the rows 0 to {n - 1}."
        )
    return found.astype(np.int64)


def _counted(pairs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct pairs, as two rows, and how often each is there."""
    found, counts = np.unique(pairs, axis=0, return_counts=True)
    return found.T, counts


def _chains(group: np.ndarray) -> np.ndarray:
    """Pairs that join each row to the one before it in its group."""
    order = np.argsort(group, kind="stable")
    same = group[order[1:]] == group[order[:-1]]
    return np.column_stack([order[:-1][same], order[1:][same]])


def _alone(V: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Rows with their whole sum at their label; 1 where the sum is zero."""
    sums = V.sum(axis=1)
    alone = np.zeros_like(V)
    alone[np.arange(len(V)), labels] = np.where(sums > 0, sums, 1)
    return alone


def _assign(scores: np.ndarray, fixed: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Clusters with large scores, different ones for the two ends of every edge.

    The row with the fewest clusters left is next, of these the most certain one; where
    none is left for a row, the last choice is taken back. After many steps, rows take
    the cluster that the fewest neighbours have.
    """
    chosen, blocked = fixed.copy(), np.zeros(scores.shape, dtype=np.int64)
    neighbors = _neighbors(len(scores), ends)
    for node in np.flatnonzero(chosen >= 0).tolist():
        blocked[neighbors[node], chosen[node]] += 1
    best = np.sort(scores, axis=1)
    margin = best[:, -1] - best[:, max(scores.shape[1] - 2, 0)]
    tried: list[tuple[int, list[int]]] = []
    for _ in range(_STEPS):
        if (chosen >= 0).all():
            return chosen
        left = np.where(chosen < 0, (blocked == 0).sum(axis=1), scores.shape[1] + 1)
        node = int(np.lexsort((-margin, left))[0])
        ranked = np.argsort(scores[node], kind="stable")
        tried.append((node, [int(k) for k in ranked if blocked[node, k] == 0]))
        if not _next_choice(tried, chosen, blocked, neighbors):
            break
    for node in np.flatnonzero(chosen < 0).tolist():
        chosen[node] = np.lexsort((-scores[node], blocked[node]))[0]
        blocked[neighbors[node], chosen[node]] += 1
    return chosen


def _likelier(
    chosen: np.ndarray, scores: np.ndarray, fixed: np.ndarray, ends: np.ndarray
) -> np.ndarray:
    """The same, two clusters exchanged along chains of edges where that is likelier.

    One typical row that is apart from many doubtful ones of its cluster may be the
    exception: the choice above moves all of the others.
    """
    chosen, neighbors = chosen.copy(), _neighbors(len(scores), ends)
    totals = np.maximum(scores.sum(axis=1, keepdims=True), _LEAST)
    logs = np.log(np.maximum(scores / totals, _LEAST))
    places = list(product(np.flatnonzero(fixed < 0).tolist(), range(scores.shape[1])))
    for _ in range(_SWEEPS):
        before = chosen.copy()
        for node, k in places:
            chain = _chain(node, k, chosen, neighbors)
            if k == chosen[node] or len(chain) > _CHAIN or (fixed[chain] >= 0).any():
                continue
            other = chosen[node] + k - chosen[chain]
            gain = logs[chain, other] - logs[chain, chosen[chain]]
            if gain.sum() > _LEAST:
                chosen[chain] = other
        if (before == chosen).all():
            break
    return chosen


def _chain(
    node: int, k: int, chosen: np.ndarray, neighbors: Sequence[np.ndarray]
) -> list[int]:
    """Rows that must change too where a row and all with cluster k exchange theirs."""
    chain, found, both = [node], {node}, {int(chosen[node]), k}
    for row in chain:
        near = neighbors[row][chosen[neighbors[row]] != chosen[row]]
        new = [n for n in near.tolist() if n not in found and chosen[n] in both]
        chain += new
        found.update(new)
        if len(chain) > _CHAIN:
            break
    return chain


def _next_choice(
    tried: list[tuple[int, list[int]]],
    chosen: np.ndarray,
    blocked: np.ndarray,
    neighbors: Sequence[np.ndarray],
) -> bool:
    """Give the last row its next cluster, or take rows back; False if none is left."""
    while tried:
        node, rest = tried[-1]
        if chosen[node] >= 0:
            blocked[neighbors[node], chosen[node]] -= 1
            chosen[node] = UNKNOWN
        if rest:
            chosen[node] = rest.pop()
            blocked[neighbors[node], chosen[node]] += 1
            return True
        tried.pop()
    return False


def _neighbors(n: int, ends: np.ndarray) -> list[np.ndarray]:
    both = np.concatenate([ends, ends[:, ::-1]])
    both = both[np.argsort(both[:, 0], kind="stable")]
    return np.split(both[:, 1], np.cumsum(np.bincount(both[:, 0], minlength=n))[:-1])


def _some(names: Iterable[str], most: int = 10) -> str:
    names = list(names)
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
