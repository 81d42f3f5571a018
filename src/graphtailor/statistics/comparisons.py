"""How sure is a mean, and is one method's score really better than another's?"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import bootstrap, mannwhitneyu

# Scores that agree to this many digits are equal.
_DIGITS = 12


def _check_scores(argument: str, scores: ArrayLike) -> np.ndarray:
    """Return the scores of repeated runs as a finite, non-empty vector."""
    vector = np.asarray(scores, dtype=float)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(
            f"{argument} must be a vector with the score of each run, "
            f"got shape {vector.shape}"
        )
    if not np.isfinite(vector).all():
        raise ValueError(
            f"{argument} has scores that are not finite; leave failed runs out"
        )
    return vector


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
    vector = _check_scores("scores", scores)
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


def rank_sum(reference: ArrayLike, other: ArrayLike) -> float:
    """Two-sided p-value of the Wilcoxon rank-sum test between two sets of runs.

    The normal approximation is corrected for ties and continuity. Scores that are
    all equal give no evidence of a difference: the p-value is 1.

    Parameters
    ----------
    reference, other : array-like of shape (n_runs,)
        Scores of the repeated runs of two methods; the lengths may differ. A
        deterministic method contributes its one score as often as it was run.

    Returns
    -------
    float
        p-value in [0, 1].

    Examples
    --------
    >>> from graphtailor.statistics import rank_sum
    >>> round(rank_sum([0.91, 0.92, 0.93, 0.94], [0.81, 0.82, 0.83, 0.84]), 4)
    0.0304
    >>> rank_sum([0.9, 0.9], [0.9, 0.9])
    1.0
    """
    x = _check_scores("reference", reference)
    y = _check_scores("other", other)
    # Equal partitions may have scores that differ in their last bits: these are ties.
    largest = max(np.abs(x).max(), np.abs(y).max()) or 1.0
    x, y = np.round(x / largest, _DIGITS), np.round(y / largest, _DIGITS)
    if np.ptp(np.concatenate([x, y])) == 0:
        return 1.0
    test = mannwhitneyu(
        x, y, alternative="two-sided", method="asymptotic", use_continuity=True
    )
    return float(test.pvalue)


def mark(
    reference: ArrayLike, other: ArrayLike, level: float = 0.05
) -> Literal["better", "same", "worse"]:
    """Say whether the reference method is better than the other, the same or worse.

    Parameters
    ----------
    reference, other : array-like of shape (n_runs,)
        Scores of the repeated runs of two methods, larger is better.
    level : float, default=0.05
        A difference counts when the p-value of :func:`rank_sum` is below it.

    Returns
    -------
    {"better", "same", "worse"}
        ``"better"`` when the difference counts and the reference has the larger mean.

    Examples
    --------
    >>> from graphtailor.statistics import mark
    >>> mark([0.91, 0.92, 0.93, 0.94], [0.81, 0.82, 0.83, 0.84])
    'better'
    >>> mark([0.91, 0.92, 0.93, 0.94], [0.81, 0.82, 0.83, 0.84], level=0.01)
    'same'
    """
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, got {level!r}")
    difference = float(np.mean(_check_scores("reference", reference))) - float(
        np.mean(_check_scores("other", other))
    )
    if rank_sum(reference, other) >= level or difference == 0:
        return "same"
    return "better" if difference > 0 else "worse"


def holm(p_values: ArrayLike) -> np.ndarray:
    r"""Holm's step-down correction of several p-values.

    With :math:`p_{(1)} \le \dots \le p_{(m)}` the corrected ones are
    :math:`\max_{j \le i} \min(1, (m - j + 1)\, p_{(j)})`: those below 0.05 are
    differences of which, with probability 0.95, none is a false one [1]_.

    Parameters
    ----------
    p_values : array-like of shape (m,)
        One for each comparison.

    Returns
    -------
    ndarray of shape (m,)
        Corrected p-values, never smaller than the given ones.

    References
    ----------
    .. [1] S. Holm, "A simple sequentially rejective multiple test procedure",
       Scandinavian Journal of Statistics 6(2), 1979.

    Examples
    --------
    >>> from graphtailor.statistics import holm
    >>> holm([0.01, 0.04, 0.03]).round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = np.asarray(p_values, dtype=float)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise ValueError("p_values must be a vector of numbers from 0 to 1")
    order = np.argsort(p, kind="stable")
    steps = np.minimum(p[order] * np.arange(p.size, 0, -1), 1.0)
    corrected = np.empty_like(p)
    corrected[order] = np.maximum.accumulate(steps)
    return corrected
