"""How sure is a mean, and is one method's score really better than another's?"""

from typing import Literal, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import bootstrap, friedmanchisquare, mannwhitneyu, studentized_range

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


def rank_counts(means: pd.DataFrame | ArrayLike) -> pd.DataFrame:
    """Count how often each method ranks 1st, 2nd or 3rd, 4th or 5th, and lower.

    In each column the largest mean has rank 1 and ties share the better rank.

    Parameters
    ----------
    means : DataFrame or array-like of shape (n_methods, n_cells)
        Mean scores, a row for each method and a column for each pair of data set and
        metric. A method with NaN in a cell takes no rank there.

    Returns
    -------
    DataFrame of shape (n_methods, 4)
        Counts in the columns ``"1"``, ``"2-3"``, ``"4-5"`` and ``"6+"``; the rows are
        those of ``means``.

    Examples
    --------
    >>> import pandas as pd
    >>> from graphtailor.statistics import rank_counts
    >>> means = pd.DataFrame({"wine": [0.95, 0.92], "iris": [0.9, 0.9]}, ["SC", "PCA"])
    >>> rank_counts(means)
         1  2-3  4-5  6+
    SC   2    0    0   0
    PCA  1    1    0   0
    """
    # Equal runs averaged in another order differ in the last digits: still a tie.
    table = pd.DataFrame(means).astype(float).round(12)
    ranks = table.rank(axis="index", method="min", ascending=False)
    bins = {"1": (1, 1), "2-3": (2, 3), "4-5": (4, 5), "6+": (6, np.inf)}
    return pd.DataFrame(
        {
            name: ((ranks >= first) & (ranks <= last)).sum(axis="columns")
            for name, (first, last) in bins.items()
        }
    )


class FriedmanTest(NamedTuple):
    """What :func:`friedman_test` found.

    Attributes
    ----------
    p_value : float
        Small if the methods do not rank alike.
    mean_ranks : Series
        Mean rank of each method, 1 is best, the best first.
    critical_difference : float
        Mean ranks farther apart than this differ.
    n_blocks : int
        Number of data sets.
    """

    p_value: float
    mean_ranks: pd.Series
    critical_difference: float
    n_blocks: int


def friedman_test(means: pd.DataFrame, level: float = 0.05) -> FriedmanTest:
    r"""Do the methods rank differently over the data sets, and which of them?

    Friedman's test on the ranks in each data set, and Nemenyi's critical difference
    of mean ranks, :math:`q_\alpha \sqrt{k (k + 1) / (6 N)}` for k methods and N data
    sets, where :math:`q_\alpha` is the quantile of the studentised range divided by
    :math:`\sqrt 2` [1]_.

    Parameters
    ----------
    means : DataFrame of shape (n_methods, n_blocks)
        Mean scores, larger is better, without gaps: a row for each of three or more
        methods, a column for each of two or more data sets.
    level : float, default=0.05
        Level of the critical difference.

    Returns
    -------
    FriedmanTest
        p-value, mean ranks and critical difference.

    References
    ----------
    .. [1] J. Demšar, "Statistical comparisons of classifiers over multiple data
       sets", Journal of Machine Learning Research 7, 2006.

    Examples
    --------
    >>> import pandas as pd
    >>> from graphtailor.statistics import friedman_test
    >>> scores = {"iris": [0.9, 0.8, 0.7], "wine": [0.9, 0.7, 0.8], "ecoli": [3, 2, 1]}
    >>> test = friedman_test(pd.DataFrame(scores, ["SC", "PCA", "NMF"]))
    >>> test.mean_ranks.round(2).to_dict()
    {'SC': 1.0, 'PCA': 2.33, 'NMF': 2.67}
    >>> round(test.critical_difference, 3)
    1.914
    """
    table = pd.DataFrame(means).astype(float).round(12)
    n_methods, n_blocks = table.shape
    if n_methods < 3 or n_blocks < 2 or table.isna().any(axis=None):
        raise ValueError(
            "means must have three or more methods, two or more data sets and no gaps, "
            f"got shape {table.shape} with {int(table.isna().sum().sum())} gaps"
        )
    ranks = table.rank(axis="index", ascending=False)
    is_tie = bool((ranks.nunique() == 1).all())
    p_value = 1.0 if is_tie else float(friedmanchisquare(*ranks.to_numpy()).pvalue)
    quantile = studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    return FriedmanTest(
        p_value=p_value,
        mean_ranks=ranks.mean(axis="columns").sort_values(kind="stable"),
        critical_difference=float(
            quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_blocks))
        ),
        n_blocks=n_blocks,
    )
