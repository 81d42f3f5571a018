"""Data that several tests of the compared methods share."""

import numpy as np
import pytest
from sklearn.datasets import load_wine


@pytest.fixture
def rng():
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def wine():
    """WINE, each feature divided by its maximum, as the golden values need it."""
    X, y = load_wine(return_X_y=True)
    return X / X.max(axis=0), y
