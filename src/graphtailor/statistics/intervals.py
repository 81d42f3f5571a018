"""How sure is a mean?"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import bootstrap

from graphtailor.statistics._scores import check_scores


def bootstrap_interval(
    scores: ArrayLike, level: float = 0.95, n_resamples: int = 2000, seed: int = 0
) -> tuple[float, float]:
    """Bootstrap interval of the mean score of repeated runs.

    Parameters
    ----------
    scores : array-like of shape (n_runs,)
        Scores of the repeated runs of one method.
    level : float, default=0.95
        Probability with which the interval holds the true mean.
    n_resamples : int, default=2000
        Number of resamples, of which percentiles are taken.
    seed : int, default=0
        Seed of the resamples.

    Returns
    -------
    low, high : float
        Ends of the interval; both are the score if all scores are equal.

    Examples
    --------
    >>> from graphtailor.statistics import bootstrap_interval
    >>> low, high = bootstrap_interval([0.90, 0.91, 0.92, 0.95])
    >>> 0.90 <= low < 0.92 < high <= 0.95
    True
    """
    vector = check_scores("scores", scores)
    if np.ptp(vector) == 0:
        return float(vector[0]), float(vector[0])
    found = bootstrap(
        (vector,),
        np.mean,
        confidence_level=level,
        n_resamples=n_resamples,
        method="percentile",
        rng=np.random.default_rng(seed),
    ).confidence_interval
    return float(found.low), float(found.high)
