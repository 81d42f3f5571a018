"""Weights of rows, as multiplicities."""

import numpy as np
import pytest

from graphtailor.models.arguments import counted_rows, row_weights

ROWS = np.arange(8.0).reshape(4, 2)
UNEVEN = np.array([0.5, 1.5, 0.25, 1.75])


@pytest.mark.parametrize("weights", [[1, 2, 0, 5], [1.0, 2.0, 0.0, 5.0]])
def test_whole_weights_stay_whole(weights):
    found = row_weights(weights, ROWS)
    assert found.dtype == np.int64
    np.testing.assert_array_equal(found, weights)


@pytest.mark.parametrize("factor", [1e-300, 1e-9, 0.5, 1e300])
def test_weights_that_are_too_small_or_too_large_count_by_their_ratios(factor):
    np.testing.assert_allclose(row_weights(factor * UNEVEN, ROWS), UNEVEN, rtol=1e-9)


def test_other_weights_stay_as_they_are():
    np.testing.assert_array_equal(row_weights(3 * UNEVEN, ROWS), 3 * UNEVEN)


def test_rows_of_weight_zero_are_left_out():
    np.testing.assert_array_equal(counted_rows(ROWS, np.array([1, 0, 2, 0])), ROWS[::2])
    assert counted_rows(ROWS, None) is ROWS
    assert counted_rows(ROWS, UNEVEN) is ROWS
