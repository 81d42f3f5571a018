"""Places for the vertices of a graph, in a few dimensions, with joined ones close."""

from __future__ import annotations

import numpy as np
from numba import njit
from scipy import sparse

_LONGEST_STEP = 4.0


def lay_out(
    places: np.ndarray,
    ties: sparse.csr_array,
    rng: np.random.RandomState,
    *,
    n_epochs: int,
    n_pushes: int,
    gravity: float = 0.0,
    shares: np.ndarray | None = None,
) -> np.ndarray:
    r"""Move places until joined vertices are close and others are not.

    Joined vertices attract each other and random pairs repel each other, as in [1]_
    with the similarity :math:`1/(1 + d^2)` of two places at distance d: a descent, edge
    by edge, on the cross entropy between the ties and these similarities. A tie of
    0.25 pulls in every fourth epoch.

    Parameters
    ----------
    places : ndarray of shape (n, d)
        Where the vertices start; at a distance of 1 two of them are half alike.
    ties : csr_array of shape (n, n)
        Symmetric, between 0 and 1.
    rng : RandomState
        Order of the edges, and random pairs.
    n_epochs : int
        Passes over the edges, with steps that become shorter.
    n_pushes : int
        Random pairs for each pull.
    gravity : float, default=0.0
        Share by which places move towards the origin in the first epoch. It brings
        separate parts of a graph together.
    shares : ndarray of shape (n, n), default=None
        Factor of the push between two vertices; 1 by default.

    Returns
    -------
    ndarray of shape (n, d), float32
        The places.

    References
    ----------
    .. [1] L. McInnes, J. Healy, J. Melville, "UMAP: Uniform Manifold Approximation and
       Projection for Dimension Reduction", arXiv:1802.03426.
    """
    places = np.array(places, dtype=np.float32, order="C")
    upper = sparse.coo_array(sparse.triu(ties, k=1))
    # In the order of the rows one vertex would move far before any other does.
    order = rng.permutation(upper.nnz)
    heads, tails = (ends[order].astype(np.int32) for ends in upper.coords)
    weights = upper.data[order].astype(np.float32)
    shares = np.empty((0, 0)) if shares is None else shares
    state = np.uint64(rng.randint(np.iinfo(np.int32).max))
    _pull_and_push(
        *(places, heads, tails, weights, shares.astype(np.float32)),
        *(n_epochs, n_pushes, np.float32(gravity), state),
    )
    return places


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract", "nsz"})
def _pull_and_push(
    places: np.ndarray,
    heads: np.ndarray,
    tails: np.ndarray,
    weights: np.ndarray,
    shares: np.ndarray,
    n_epochs: int,
    n_pushes: int,
    gravity: np.float32,
    state: np.uint64,
) -> None:  # pragma: no cover (compiled)
    n, d = places.shape
    one, longest = np.float32(1.0), np.float32(_LONGEST_STEP)
    for epoch in range(n_epochs):
        rate = np.float32(1.0 - epoch / n_epochs)
        if gravity > 0:
            for i in range(n):
                for a in range(d):
                    places[i, a] *= one - gravity * rate
        for e in range(len(heads)):
            if int((epoch + 1) * weights[e]) == int(epoch * weights[e]):
                continue
            i, j = heads[e], tails[e]
            for turn in range(n_pushes + 1):
                factor = np.float32(-2.0)
                if turn > 0:
                    # Knuth's linear congruential generator; the upper bits are random.
                    state = state * np.uint64(6364136223846793005) + np.uint64(
                        1442695040888963407
                    )
                    i = heads[e] if turn % 2 == 1 else tails[e]
                    j = np.int32(((state >> np.uint64(32)) * np.uint64(n)) >> 32)
                    if i == j:
                        continue
                    factor = np.float32(2.0)
                    if len(shares):
                        factor *= shares[i, j]
                square = np.float32(0.0)
                for a in range(d):
                    gap = places[i, a] - places[j, a]
                    square += gap * gap
                factor /= one + square
                if turn > 0:
                    factor /= np.float32(0.001) + square
                for a in range(d):
                    step = factor * (places[i, a] - places[j, a])
                    step = rate * min(max(step, -longest), longest)
                    places[i, a] += step
                    if turn == 0:
                        places[j, a] -= step
