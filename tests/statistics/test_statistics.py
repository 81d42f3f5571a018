"""Rank-sum marks and rank counts."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm, rankdata

from graphtailor.statistics import mark, rank_counts, rank_sum

# A grid, so that ties are common.
scores = st.lists(st.integers(0, 10).map(lambda k: k / 10), min_size=2, max_size=20)


def corrected_normal_p(x, y):
    """Two-sided p-value of the rank sum, corrected for ties and continuity."""
    both = np.concatenate([x, y])
    n, m, total = len(x), len(y), len(both)
    ties = np.unique(both, return_counts=True)[1]
    variance = n * m / 12 * (total + 1 - np.sum(ties**3 - ties) / (total * (total - 1)))
    distance = abs(rankdata(both)[:n].sum() - n * (total + 1) / 2) - 0.5
    return min(1.0, 2 * norm.sf(distance / np.sqrt(variance)))


@given(scores, scores)
def test_rank_sum_equals_the_corrected_normal_approximation(x, y):
    expected = 1.0 if len({*x, *y}) == 1 else corrected_normal_p(x, y)
    assert rank_sum(x, y) == pytest.approx(expected, abs=1e-12)


@given(scores, scores)
def test_marks_are_antisymmetric(x, y):
    opposite = {"better": "worse", "same": "same", "worse": "better"}
    assert mark(x, y) == opposite[mark(y, x)]


def test_equal_scores_of_deterministic_methods_are_the_same():
    assert rank_sum([0.7] * 20, [0.7] * 20) == 1
    assert mark([0.7] * 20, [0.7] * 20) == "same"


def test_different_scores_of_deterministic_methods_are_not():
    assert mark([0.7] * 20, [0.6] * 20) == "better"
    assert mark([0.6] * 20, [0.7] * 20) == "worse"


def test_the_level_decides():
    high, low = [0.91, 0.92, 0.93, 0.94], [0.81, 0.82, 0.83, 0.84]
    p = rank_sum(high, low)
    assert mark(high, low, level=p + 1e-9) == "better"
    assert mark(high, low, level=p) == "same"


def test_no_mark_against_the_order_of_the_means():
    # The ranks favour the second sample, one huge score makes the means equal.
    low, high = [0.0] * 19 + [19.0], [1.0] * 20
    assert rank_sum(low, high) < 0.05
    assert np.mean(low) < np.mean(high)
    assert mark(low, high) == "worse"
    assert mark([0.0] * 19 + [20.0], high) == "same"


@pytest.mark.parametrize(
    ("reference", "other", "message"),
    [
        ([], [0.5], "reference must be a vector"),
        ([0.5], [[0.5]], "other must be a vector"),
        ([0.5, np.nan], [0.5], "reference has scores that are not finite"),
    ],
)
def test_bad_scores_are_named(reference, other, message):
    for test in (rank_sum, mark):
        with pytest.raises(ValueError, match=message):
            test(reference, other)


@pytest.mark.parametrize("level", [0, 1, -0.05, np.nan])
def test_bad_level_is_named(level):
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        mark([0.5], [0.5], level=level)


def test_rank_counts_bins():
    means = pd.DataFrame({"cell": np.linspace(0.9, 0.3, 7)}, index=list("abcdefg"))
    expected = pd.DataFrame(
        [[1, 0, 0, 0]] + [[0, 1, 0, 0]] * 2 + [[0, 0, 1, 0]] * 2 + [[0, 0, 0, 1]] * 2,
        index=list("abcdefg"),
        columns=["1", "2-3", "4-5", "6+"],
    )
    pd.testing.assert_frame_equal(rank_counts(means), expected)


def test_ties_share_the_better_rank():
    counts = rank_counts([[0.9], [0.8], [0.8], [0.8], [0.7]])
    assert counts["2-3"].tolist() == [0, 1, 1, 1, 0]
    assert counts["4-5"].tolist() == [0, 0, 0, 0, 1]
    assert rank_counts([[0.1 + 0.2], [0.3]])["1"].tolist() == [1, 1]


def test_a_missing_mean_takes_no_rank():
    counts = rank_counts([[np.nan, 0.9], [0.5, 0.8], [0.4, np.nan]])
    assert counts.to_numpy().tolist() == [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0]]


def test_scores_that_differ_in_their_last_bits_are_ties():
    x = np.array([0.7, 0.8, 0.8, 0.9, 0.9, 0.9])
    y = np.array([0.6, 0.7, 0.8, 0.8, 0.8, 0.9])
    bits = np.spacing(x) * [0, 1, -1, 2, -2, 0]
    assert rank_sum(x + bits, y) == rank_sum(x, y)
    assert rank_sum(x + bits, x) == rank_sum(x, x)
    assert rank_sum(np.full(5, 0.9), np.full(5, np.nextafter(0.9, 1))) == 1.0
    # What is small itself is not rounded away.
    assert rank_sum(1e-20 * x, 1e-20 * y) == pytest.approx(rank_sum(x, y))
