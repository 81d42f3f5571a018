"""Rows and anchors: weights between them, the graph of the anchors, and back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from scipy import sparse

from graphtailor.linalg.scaling import within_reach
from graphtailor.neighbors.nearest_anchors import NearestAnchors

# Weights to the anchors are added up as multiples of this: sums of integers come out
# the same in any order, so that blocks, threads and machines agree to the last bit.
# A thousand million rows, each giving at most one to a pair, still fit.
_UNIT = 2.0**-30
_ROWS_FOR_BANDWIDTH = 5_000


class Memberships(NamedTuple):
    """How rows belong to their nearest anchors.

    Attributes
    ----------
    anchors : ndarray of shape (n, k), int32
        The nearest anchors of each row.
    shares : ndarray of shape (n, k)
        Nonnegative, of sum one in each row.
    strength : ndarray of shape (n,)
        Sum of the weights to the anchors; small for a row far from all of them.
    """

    anchors: np.ndarray
    shares: np.ndarray
    strength: np.ndarray


class AnchorLinks:
    r"""Weights between rows and their nearest anchors.

    Row s is joined to its k nearest anchors by
    :math:`B_{si} = \exp(-\|x_s - a_i\|^2 / \sigma^2)`, of sum :math:`r_s`. Two anchors
    are joined by what they share: :math:`G = B^T \mathrm{diag}(1/r) B`, whose row sums
    are the masses of the anchors.

    Parameters
    ----------
    anchors : ndarray of shape (m, d)
        The anchors.
    bandwidth : float
        :math:`\sigma`; 0 where every row lies on an anchor.
    k : int
        Nearest anchors of a row.
    """

    def __init__(self, anchors: np.ndarray, bandwidth: float, k: int) -> None:
        self.anchors = anchors
        self.bandwidth = bandwidth
        self.search = NearestAnchors(anchors, k)

    @classmethod
    def from_sample(cls, anchors: np.ndarray, sample: Any, k: int) -> AnchorLinks:
        """With the mean distance of a sample to its nearest anchors as bandwidth."""
        # Taken from end to end, as the table may be sorted by its clusters.
        step = max(sample.shape[0] // _ROWS_FOR_BANDWIDTH, 1)
        _, distances = NearestAnchors(anchors, k).find(sample[::step])
        return cls(anchors, float(distances.mean()), k)

    def memberships(self, X: Any) -> Memberships:
        """Weights of rows to their nearest anchors, each row for itself."""
        indices, distances = self.search.find(within_reach(X, self.anchors))
        # Beyond the limit no square is finite, and all anchors are equally far.
        relative_distances = np.minimum(distances / (self.bandwidth or 1.0), 1e150)
        exponents = np.square(relative_distances)
        # Relative to the nearest anchor, so that a row far from all has shares too.
        relative = np.exp(exponents[:, :1] - exponents)
        totals = relative.sum(axis=1)
        strength = np.exp(-exponents[:, 0]) * totals
        shares = relative / totals[:, None]
        return Memberships(indices, shares.astype(self.anchors.dtype), strength)


class SharedRows:
    """Adds up what each pair of anchors shares, block after block of rows.

    Sums of blocks may be added to each other in any order: the result is the same to
    the last bit.

    Parameters
    ----------
    n_anchors : int
        m.
    """

    def __init__(self, n_anchors: int) -> None:
        self.units = np.zeros((n_anchors, n_anchors), dtype=np.int64)

    def add(self, rows: Memberships) -> None:
        """Add a block of rows."""
        _add_shared(rows.anchors, rows.shares, rows.strength, 1 / _UNIT, self.units)

    def graph(self) -> sparse.csr_array:
        """G: symmetric, with its diagonal."""
        G = sparse.csr_array(self.units)
        return sparse.csr_array((G.data * _UNIT, G.indices, G.indptr), G.shape)


def lift(rows: Memberships, V: np.ndarray) -> np.ndarray:
    """Indicator of the rows: the mean of their anchors' by their shares.

    Parameters
    ----------
    rows : Memberships
        Of n rows.
    V : ndarray of shape (m, c)
        Indicator of the anchors.

    Returns
    -------
    ndarray of shape (n, c)
        Every row has a positive entry if every row of V has one.
    """
    lifted = np.zeros((len(rows.anchors), V.shape[1]), dtype=V.dtype)
    _lift(rows.anchors, rows.shares, V, lifted)
    return lifted


@njit(cache=True, nogil=True)
def _add_shared(
    anchors: np.ndarray,
    shares: np.ndarray,
    strength: np.ndarray,
    units: float,
    counts: np.ndarray,
) -> None:
    n, k = anchors.shape
    for s in range(n):
        for a in range(k):
            part = units * strength[s] * shares[s, a]
            for b in range(a, k):
                amount = np.int64(np.rint(part * shares[s, b]))
                counts[anchors[s, a], anchors[s, b]] += amount
                if a != b:
                    counts[anchors[s, b], anchors[s, a]] += amount


@njit(cache=True, nogil=True)
def _lift(
    anchors: np.ndarray, shares: np.ndarray, V: np.ndarray, lifted: np.ndarray
) -> None:
    n, k = anchors.shape
    for s in range(n):
        for a in range(k):
            share = shares[s, a]
            for cluster in range(V.shape[1]):
                lifted[s, cluster] += share * V[anchors[s, a], cluster]
