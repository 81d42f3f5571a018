"""The scalings in which the members of an ensemble see the samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri
from scipy.stats import rankdata
from sklearn.preprocessing import maxabs_scale, normalize, robust_scale, scale
from sklearn.utils.extmath import randomized_svd

# Members see no more features than these: what is left out hardly changes distances.
_MOST_FEATURES = 64
# Standard deviations from the median at which a squashed feature bends.
_BEND = 2.0


def _unit_rows(X: np.ndarray) -> np.ndarray:
    return normalize(maxabs_scale(X))


def _centred_unit_rows(X: np.ndarray) -> np.ndarray:
    Z = maxabs_scale(X)
    return normalize(Z - Z.mean(axis=0))


def _normal_scores(X: np.ndarray) -> np.ndarray:
    """What values of the same ranks would be in a sample of the normal distribution."""
    ranks = np.apply_along_axis(rankdata, 0, X)  # all at once takes six times X
    return ndtri((ranks - 0.5) / len(X))


def _squashed(X: np.ndarray) -> np.ndarray:
    """Near the median as it is, but no value is far from it."""
    return np.tanh(robust_scale(scale(X), unit_variance=True) / _BEND)


# The first keeps what features of one unit tell by their spread, the second makes all
# of them count alike, the next two look at directions, and the last two at features
# whose few large values would drown the rest.
VIEWS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "maxabs": maxabs_scale,
    "standard": scale,
    "unit rows": _unit_rows,
    "centred unit rows": _centred_unit_rows,
    "ranks": _normal_scores,
    "squashed": _squashed,
}


def see(X: np.ndarray, view: str, seed: int) -> np.ndarray:
    """Samples in one scaling, in the directions in which they are largest.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Samples.
    view : str
        A name in `VIEWS`.
    seed : int
        Of the search for those directions, where there are more than 64.

    Returns
    -------
    ndarray of shape (n, min(d, 64))
        The scaled samples.

    Examples
    --------
    >>> import numpy as np
    >>> see(np.array([[1.0], [2.0], [3.0], [1000.0]]), "ranks", 0).ravel().round(2)
    array([-1.15, -0.32,  0.32,  1.15])
    """
    Z = VIEWS[view](X)
    if min(Z.shape) > _MOST_FEATURES:
        U, sizes, _ = randomized_svd(Z, _MOST_FEATURES, n_iter=2, random_state=seed)
        Z = U * sizes
    return np.ascontiguousarray(Z)
