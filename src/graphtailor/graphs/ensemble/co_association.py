"""How far partitions agree: correlations of 0/1 matrices, without the matrices."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit
from scipy import sparse


class CoAssociation:
    r"""Share of an ensemble that puts two samples together, and agreement with it.

    A partition is seen as the matrix P with :math:`P_{ij} = 1` where i and j are in
    one cluster, without its diagonal. Its agreement with the ensemble is

    .. math:: \frac1M \sum_m \operatorname{corr}(P, P_m)

    over the members' matrices :math:`P_m`. All of it follows from the tables that
    count how the clusters of the partition and of the members overlap: O(n M) time
    and no n x n array.

    Parameters
    ----------
    members : sequence of ndarray of shape (n,)
        Labels of the M members.

    Attributes
    ----------
    codes : ndarray of shape (n, M), int32
        Cluster of each sample in each member, numbered through all members.
    n_codes : int
        Number of clusters of all members together.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.graphs.ensemble.co_association import CoAssociation
    >>> ensemble = CoAssociation([np.array([0, 0, 1, 1]), np.array([0, 0, 1, 2])])
    >>> ensemble.agreement(np.array([5, 5, 7, 7])) > 0.7
    True
    """

    def __init__(self, members: Sequence[np.ndarray]) -> None:
        n = len(members[0])
        self.codes = np.empty((n, len(members)), dtype=np.int32)
        self.n_codes = 0
        shares = np.empty(len(members))
        pairs = max(n * (n - 1.0), 1.0)
        for number, labels in enumerate(members):
            found, codes = np.unique(labels, return_inverse=True)
            self.codes[:, number] = codes + self.n_codes
            self.n_codes += len(found)
            sizes = np.bincount(codes).astype(np.float64)
            shares[number] = (np.square(sizes).sum() - n) / pairs
        spread = np.sqrt(shares * (1 - shares))
        # A member with one cluster, or with n, says nothing.
        self._weights = np.where(spread > 0, 1 / np.where(spread > 0, spread, 1), 0.0)
        self._weights /= len(members)
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
        total = self._weights.sum()
        weights = self._weights / total if total > 0 else self._weights
        return _together(self.codes, weights, rows, cols)

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
        value = _climb(
            *(self.codes, self.n_codes, self._weights, self._mean),
            *(codes, len(found), max_sweeps),
        )
        return codes, value


@njit(cache=True, nogil=True)
def _together(
    codes: np.ndarray, weights: np.ndarray, rows: np.ndarray, cols: np.ndarray
) -> np.ndarray:
    values = np.zeros(len(rows))
    for e in range(len(rows)):
        i, j = rows[e], cols[e]
        for m in range(codes.shape[1]):
            if codes[i, m] == codes[j, m]:
                values[e] += weights[m]
    return values


@njit(cache=True, nogil=True)
def _correlation(joint: float, pairs: float, mean: float, all_pairs: float) -> float:
    """Correlation from the pairs in clusters and the weighted members' part of them."""
    variance = pairs - pairs * pairs / all_pairs
    if variance <= 0:
        return 0.0
    return (joint - pairs * mean) / np.sqrt(variance * all_pairs)


@njit(cache=True, nogil=True)
def _climb(
    codes: np.ndarray,
    n_codes: int,
    weights: np.ndarray,
    mean: float,
    labels: np.ndarray,
    c: int,
    max_sweeps: int,
) -> float:
    n, n_members = codes.shape
    if n < 2:
        return 0.0
    all_pairs = n * (n - 1.0)
    # overlap[k, a]: samples in cluster k of a member and in cluster a.
    overlap = np.zeros((n_codes, c))
    sizes = np.zeros(c)
    joint = -n * weights.sum()
    for i in range(n):
        sizes[labels[i]] += 1
        for m in range(n_members):
            # k^2 = 1 + 3 + ... + (2k - 1), counted as the samples come.
            joint += weights[m] * (2 * overlap[codes[i, m], labels[i]] + 1)
            overlap[codes[i, m], labels[i]] += 1
    pairs = np.square(sizes).sum() - n
    value = _correlation(joint, pairs, mean, all_pairs)
    near = np.empty(c)
    own = weights.sum()
    for _ in range(max_sweeps):
        moved = False
        for i in range(n):
            a = labels[i]
            if sizes[a] == 1:
                continue
            near[:] = 0.0
            for m in range(n_members):
                for b in range(c):
                    near[b] += weights[m] * overlap[codes[i, m], b]
            near[a] -= own
            best, to = value, a
            for b in range(c):
                if b == a:
                    continue
                gain = 2 * (near[b] - near[a])
                more = 2 * (sizes[b] - sizes[a] + 1)
                candidate = _correlation(joint + gain, pairs + more, mean, all_pairs)
                if candidate > best + 1e-12:
                    best, to = candidate, b
            if to != a:
                joint += 2 * (near[to] - near[a])
                pairs += 2 * (sizes[to] - sizes[a] + 1)
                value, labels[i], moved = best, to, True
                sizes[a] -= 1
                sizes[to] += 1
                for m in range(n_members):
                    overlap[codes[i, m], a] -= 1
                    overlap[codes[i, m], to] += 1
        if not moved:
            break
    return value
