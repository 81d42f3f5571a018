"""A sample of rows in which every cluster has its share."""

import numpy as np


def spread_sample(labels: np.ndarray, most: int) -> np.ndarray:
    """Draw `most` rows from all clusters in proportion to size, at least one of each.

    Numbers of rows rise, and the same labels give the same rows.
    """
    n = len(labels)
    if n <= most:
        return np.arange(n)
    shuffled = np.random.default_rng(0).permutation(n)
    by_cluster = shuffled[np.argsort(labels[shuffled], kind="stable")]
    places = np.arange(most) * n // most
    firsts = np.unique(labels[by_cluster], return_index=True)[1]
    return np.unique(by_cluster[np.union1d(places, firsts)])
