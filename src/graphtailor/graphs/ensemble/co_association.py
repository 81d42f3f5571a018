"""How far partitions agree: correlations of 0/1 matrices, without the matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from scipy import sparse

from graphtailor.linalg.sparse import pattern_of, with_data

# By this share the own cluster of a row is ahead of others that are as near.
_TRACE = 1e-6


class CoAssociation:
    r"""Share of an ensemble that puts two rows together, and agreement with it.

    A partition is seen as the matrix P with :math:`P_{ij} = 1` where rows i and j are
    in one cluster, without its diagonal. Its agreement with the ensemble is

    .. math:: \frac1M \sum_m \operatorname{corr}(P, P_m)

    over the members' matrices :math:`P_m`. All of it follows from the tables that
    count how the clusters of the partition and of the members overlap: O(n M) time
    and no n x n array. A sample of mass a counts as a equal rows.

    Parameters
    ----------
    members : sequence of ndarray of shape (n,)
        Labels of the M members.
    masses : ndarray of shape (n,), default=None
        How many rows each sample stands for; one each by default.
    trust : ndarray of shape (M,), default=None
        Factors of the members' weights; one each by default.

    Attributes
    ----------
    codes : ndarray of shape (n, M), int32
        Cluster of each sample in each member, numbered through all members.
    n_codes : int
        Number of clusters of all members together.
    masses : ndarray of shape (n,)
        The masses.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.graphs.ensemble.co_association import CoAssociation
    >>> ensemble = CoAssociation([np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])])
    >>> ensemble.agreement(np.array([5, 5, 7, 7])) > 0.7
    True
    """

    def __init__(
        self,
        members: Sequence[np.ndarray],
        masses: np.ndarray | None = None,
        trust: np.ndarray | None = None,
    ) -> None:
        n = len(members[0])
        self.masses = np.ones(n) if masses is None else np.asarray(masses, np.float64)
        self.codes = np.empty((n, len(members)), dtype=np.int32)
        self.n_codes = 0
        shares = np.empty(len(members))
        rows = float(self.masses.sum())
        pairs = max(rows * (rows - 1.0), 1.0)
        for number, labels in enumerate(members):
            found, codes = np.unique(labels, return_inverse=True)
            self.codes[:, number] = codes + self.n_codes
            self.n_codes += len(found)
            sizes = np.bincount(codes, self.masses)
            shares[number] = (np.square(sizes).sum() - rows) / pairs
        spread = np.sqrt(np.maximum(shares * (1 - shares), 0.0))
        # A member with one cluster, or with n, says nothing.
        self._weights = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0.0)
        self._weights /= len(members)
        if trust is not None:
            self._weights *= trust
        self._mean = float(self._weights @ shares)

    @property
    def memberships(self) -> sparse.csr_array:
        """One row a sample, one column a cluster of a member, weighted ones."""
        n, m = self.codes.shape
        data = np.tile(np.sqrt(self._weights), n)
        starts = np.arange(0, n * m + 1, m, dtype=np.int32)
        return sparse.csr_array(
            (data, self.codes.ravel(), starts), shape=(n, self.n_codes)
        )

    def on_pairs(self, rows: np.ndarray, cols: np.ndarray) -> np.ndarray:
        """Weighted share of the members that join each pair, between 0 and 1."""
        return _together(self.codes, self._shares_of_members, rows, cols)

    def distances(self) -> np.ndarray:
        """One minus the share of each pair of samples, as SciPy's condensed vector."""
        n = len(self.codes)
        far = np.empty(n * (n - 1) // 2)
        _fill_distances(self.codes, self._shares_of_members.astype(np.float32), far)
        return far

    @property
    def _shares_of_members(self) -> np.ndarray:
        total = self._weights.sum()
        return self._weights / total if total > 0 else self._weights

    def agreement(self, labels: np.ndarray) -> float:
        """Mean correlation of a partition with the members, between -1 and 1."""
        return self.improve(labels, 0)[1]

    def improve(
        self, labels: np.ndarray, max_sweeps: int = 20
    ) -> tuple[np.ndarray, float]:
        """Move single samples to other clusters as long as the agreement rises.

        No cluster is emptied. A sweep costs O(n M c).

        Parameters
        ----------
        labels : ndarray of shape (n,)
            The partition to start from; it is not changed.
        max_sweeps : int, default=20
            Most passes over the samples.

        Returns
        -------
        labels : ndarray of shape (n,)
            The partition it led to, numbered from 0.
        agreement : float
            Its agreement.
        """
        found, codes = np.unique(labels, return_inverse=True)
        codes = codes.astype(np.int64)
        overlap = np.zeros((self.n_codes, len(found)))
        value = _climb(
            *(self.codes, self.masses, self._weights, self._mean),
            *(codes, overlap, np.zeros((2, len(found))), max_sweeps),
        )
        return codes, value

    def shares_of(self, labels: np.ndarray) -> np.ndarray:
        """Mean share of the members that put a row with the rows of each cluster.

        The row itself is left out; a row alone in its cluster has 1 there.

        Parameters
        ----------
        labels : ndarray of shape (n,)
            A partition of the samples, numbered from 0.

        Returns
        -------
        ndarray of shape (n, c)
            Between 0 and 1.
        """
        weights, joins = self._shares_of_members, pattern_of(self.memberships)
        return _mean_shares(joins, self.masses, weights, labels)

    def margins(self, labels: np.ndarray) -> tuple[float, np.ndarray]:
        """Silhouette of a partition among the members, and each cluster's persistence.

        Parameters
        ----------
        labels : ndarray of shape (n,)
            A partition of the samples, numbered from 0.

        Returns
        -------
        silhouette : float
            That of one minus the share of members that join two rows.
        persistences : ndarray of shape (c,)
            How much more often members put a row of the cluster with it than with the
            next one, on average over its rows.
        """
        shares, masses = self.shares_of(labels), self.masses
        rows, sizes = np.arange(len(labels)), np.bincount(labels, masses)
        # Of a row alone in its cluster the members say nothing that speaks for it.
        own = np.where(sizes[labels] > 1, shares[rows, labels], 0.0)
        shares[rows, labels] = 0.0
        following = shares.max(axis=1)
        margin = own - following
        farther = np.maximum(1 - np.minimum(own, following), 1e-12)
        silhouette = float(np.average(margin / farther, weights=masses))
        totals = np.bincount(labels, masses * margin)
        return silhouette, totals / np.where(sizes > 0, sizes, 1.0)


def _together(
    codes: np.ndarray, weights: np.ndarray, rows: np.ndarray, cols: np.ndarray
) -> np.ndarray:
    values = np.zeros(len(rows))
    for member, weight in zip(np.ascontiguousarray(codes.T), weights, strict=True):
        values += weight * (member[rows] == member[cols])
    return values


# Additions may be reordered, so that the sum over members is vectorised.
@njit(cache=True, nogil=True, fastmath={"reassoc"})
def _fill_distances(codes: np.ndarray, weights: np.ndarray, far: np.ndarray) -> None:
    n, n_members = codes.shape
    zero = np.float32(0.0)
    place = 0
    for i in range(n):
        for j in range(i + 1, n):
            apart = zero
            for m in range(n_members):
                apart += zero if codes[i, m] == codes[j, m] else weights[m]
            far[place] = apart
            place += 1


def _mean_shares(
    memberships: sparse.csr_array,
    masses: np.ndarray,
    weights: np.ndarray,
    labels: np.ndarray,
) -> np.ndarray:
    """Weighted shares of the members, given which of their clusters hold each row."""
    n = len(labels)
    own = (np.arange(n), labels)
    clusters = np.zeros((n, int(labels.max()) + 1))
    clusters[own] = masses
    overlap, sizes = memberships.T @ clusters, clusters.sum(axis=0)
    shares = with_data(memberships, np.tile(weights, n)) @ overlap
    # A sample that stands for no rows has no row to leave out.
    itself = np.minimum(masses, 1.0)
    others, rest = shares[own] - itself * weights.sum(), sizes[labels] - itself
    shares /= np.where(sizes > 0, sizes, 1.0)
    shares[own] = np.where(rest > 0, others / np.where(rest > 0, rest, 1.0), 1.0)
    return shares


def level_doubts(shares: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Shares in which no cluster is above the own.

    Where other clusters have larger shares than the row's own, all of these take their
    mean, the own a trace more: the row is as doubtful as can be, and stays in its
    cluster.
    """
    rows = np.arange(len(labels))
    # float32 does not tell apart what differs by less than a trace.
    doubtful = shares >= np.maximum(shares[rows, labels, None] * (1 - _TRACE), _TRACE)
    doubtful[rows, labels] = True
    several = doubtful.sum(axis=1) > 1
    level = np.average(shares, axis=1, weights=doubtful)
    level = np.maximum(np.where(several, level, shares[rows, labels]), _TRACE)
    below = doubtful & several[:, None]
    shares = np.where(below, level[:, None] * (1 - _TRACE), shares)
    shares[rows, labels] = level
    return shares


@njit(cache=True, nogil=True, inline="always")
def _correlation(joint: float, pairs: float, mean: float, all_pairs: float) -> float:
    """Correlation from the pairs in clusters and the weighted members' part of them."""
    variance = pairs - pairs * pairs / all_pairs
    if variance <= 0:
        return 0.0
    return (joint - pairs * mean) / np.sqrt(variance * all_pairs)


@njit(cache=True, nogil=True)
def _climb(
    codes: np.ndarray,
    masses: np.ndarray,
    weights: np.ndarray,
    mean: float,
    labels: np.ndarray,
    overlap: np.ndarray,
    work: np.ndarray,
    max_sweeps: int,
) -> float:
    """Fills ``overlap[k, a]``, the rows in cluster k of a member and in cluster a."""
    n, n_members = codes.shape
    c = overlap.shape[1]
    rows, total = 0.0, 0.0
    for m in range(n_members):
        total += weights[m]
    sizes, near = work[0], work[1]  # zeros
    joint = 0.0
    for i in range(n):
        mass, a = masses[i], labels[i]
        rows += mass
        sizes[a] += mass
        for m in range(n_members):
            k = codes[i, m]
            # (s + a)^2 - s^2, counted as the samples come.
            joint += weights[m] * mass * (2 * overlap[k, a] + mass)
            overlap[k, a] += mass
    if rows < 2:
        return 0.0
    joint -= rows * total
    pairs = -rows
    for a in range(c):
        pairs += sizes[a] * sizes[a]
    all_pairs = rows * (rows - 1.0)
    value = _correlation(joint, pairs, mean, all_pairs)
    for _ in range(max_sweeps):
        moved = False
        for i in range(n):
            a, mass = labels[i], masses[i]
            if sizes[a] <= mass:
                continue
            for b in range(c):
                near[b] = 0.0
            for m in range(n_members):
                k = codes[i, m]
                for b in range(c):
                    near[b] += weights[m] * overlap[k, b]
            near[a] -= mass * total
            best, to = value, a
            for b in range(c):
                if b == a:
                    continue
                gain = 2 * mass * (near[b] - near[a])
                more = 2 * mass * (sizes[b] - sizes[a] + mass)
                candidate = _correlation(joint + gain, pairs + more, mean, all_pairs)
                if candidate > best + 1e-12:
                    best, to = candidate, b
            if to != a:
                joint += 2 * mass * (near[to] - near[a])
                pairs += 2 * mass * (sizes[to] - sizes[a] + mass)
                value, labels[i], moved = best, to, True
                sizes[a] -= mass
                sizes[to] += mass
                for m in range(n_members):
                    k = codes[i, m]
                    overlap[k, a] -= mass
                    overlap[k, to] += mass
        if not moved:
            break
    return value
