"""Is one method's score really better than another's, and where does it rank?"""

from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import mannwhitneyu

__all__ = ["mark", "rank_counts", "rank_sum"]


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
