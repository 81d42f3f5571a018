"""Comparisons of many methods: Holm, Friedman and Nemenyi, bootstrap."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import friedmanchisquare

from graphtailor.statistics import bootstrap_interval, friedman_test, holm


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values):
    """Holm's own words: go up the sorted list until p > level / (m - i)."""
    level, m = 0.05, len(p_values)
    rejected = np.zeros(m, dtype=bool)
    for i, k in enumerate(np.argsort(p_values, kind="stable")):
        if p_values[k] * (m - i) >= level:
            break
        rejected[k] = True
    corrected = holm(p_values)
    np.testing.assert_array_equal(corrected < level, rejected)
    assert (corrected >= p_values).all()
    assert (corrected <= 1).all()


def test_holm_refuses_what_is_no_probability():
    with pytest.raises(ValueError, match="from 0 to 1"):
        holm([0.5, 1.5])
    assert holm([]).size == 0


@pytest.mark.parametrize(
    ("n_methods", "quantile"), [(3, 2.343), (5, 2.728), (10, 3.164)]
)
def test_critical_difference_agrees_with_the_printed_quantiles(n_methods, quantile):
    """Quantiles of Nemenyi's test at 0.05 as the literature tabulates them."""
    rng = np.random.default_rng(0)
    test = friedman_test(pd.DataFrame(rng.random((n_methods, 7))))
    expected = quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * 7))
    assert test.critical_difference == pytest.approx(expected, rel=1e-3)


def test_friedman_agrees_with_scipy_and_ranks_add_up():
    rng = np.random.default_rng(1)
    means = pd.DataFrame(rng.random((6, 9)), list("ABCDEF"))
    test = friedman_test(means)
    assert test.p_value == pytest.approx(friedmanchisquare(*means.to_numpy()).pvalue)
    assert test.mean_ranks.sum() == pytest.approx(6 * 7 / 2)
    assert test.mean_ranks.is_monotonic_increasing
    assert test.n_blocks == 9


def test_friedman_without_differences():
    assert friedman_test(pd.DataFrame(np.ones((3, 4)))).p_value == 1.0


@pytest.mark.parametrize("shape", [(2, 5), (5, 1)])
def test_friedman_needs_enough(shape):
    with pytest.raises(ValueError, match="three or more methods"):
        friedman_test(pd.DataFrame(np.ones(shape)))


def test_bootstrap_interval_covers_the_mean_about_as_often_as_it_says():
    rng = np.random.default_rng(2)
    covered = []
    for k in range(200):
        low, high = bootstrap_interval(
            rng.normal(0.5, 0.1, 40), n_resamples=500, seed=k
        )
        covered.append(low <= 0.5 <= high)
    # 0.95 is promised; percentile intervals of 40 values keep about 0.93.
    assert 0.88 <= np.mean(covered) <= 0.99


def test_bootstrap_interval_is_deterministic_and_has_no_width_for_equal_scores():
    scores = [0.8, 0.9, 0.85, 0.7]
    assert bootstrap_interval(scores) == bootstrap_interval(scores)
    assert bootstrap_interval([0.9] * 20) == (0.9, 0.9)
