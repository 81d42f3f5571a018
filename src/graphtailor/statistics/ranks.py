"""Where do methods rank over many data sets?"""

from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import friedmanchisquare, studentized_range


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
