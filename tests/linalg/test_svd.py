"""Rows turned into fewer features."""

import numpy as np
import pytest

from graphtailor.linalg.svd import with_few_features


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_wide_rows_keep_their_products(dtype):
    X = np.random.default_rng(0).normal(size=(30, 500)).astype(dtype)
    X[4] = X[3]
    X[5] = 0
    turned = with_few_features(X)
    assert turned.shape == (30, 30)
    assert turned.dtype == dtype
    exact = X.astype(np.float64) @ X.T.astype(np.float64)
    error = np.abs(turned.astype(np.float64) @ turned.T - exact).max()
    assert error < 10 * np.finfo(dtype).eps * exact.max()


def test_narrow_rows_stay_as_they_are():
    X = np.random.default_rng(0).normal(size=(30, 30))
    assert with_few_features(X) is X
