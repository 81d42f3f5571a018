"""Approximate neighbours by pynndescent, which compiles half a minute a metric.

So two of them serve all tests: one for dense samples, one for sparse ones.
"""

import copy
import pickle

import numba
import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs

from graphtailor.graphs import NeighborGraph
from graphtailor.neighbors import NeighborSearch

pytestmark = pytest.mark.slow

CASES = [(np.asarray, "manhattan", "cityblock"), (sparse.csr_array, "cosine", "cosine")]


@pytest.fixture(scope="module")
def X():
    rng = np.random.default_rng(0)
    centred = make_blobs(1500, 10, centers=20, cluster_std=4.0, random_state=0)[0]
    return centred * (rng.uniform(size=centred.shape) < 0.6)


@pytest.mark.parametrize(("container", "metric", "scipy_name"), CASES)
def test_nearly_all_neighbors_at_exact_distances(X, container, metric, scipy_name):
    X = X[X.any(axis=1)]
    fitted, new = X[:1400], X[1400:]
    search = NeighborSearch(metric, "pynndescent").fit(container(fitted))
    for queries, k in ((None, 10), (new, 7)):
        edges = search.nearest(k, None if queries is None else container(queries))
        cols, distances = edges.cols.reshape(-1, k), edges.distances.reshape(-1, k)
        D = cdist(fitted if queries is None else queries, fitted, scipy_name)
        if queries is None:
            np.fill_diagonal(D, np.inf)
        true = np.argsort(D, axis=1)[:, :k]
        found = [np.isin(a, b).mean() for a, b in zip(cols, true, strict=True)]
        assert np.mean(found) > 0.95
        assert cols.dtype == np.int64
        expected = np.take_along_axis(D, cols, axis=1)
        np.testing.assert_allclose(distances, expected, atol=1e-12)
    assert search.recall_ > 0.95


def test_threads_and_repeats_do_not_matter(X):
    before, answers = numba.get_num_threads(), []
    try:
        for n_threads in (1, before, before):
            numba.set_num_threads(n_threads)
            edges = NeighborSearch("manhattan", "pynndescent").fit(X).nearest(20)
            answers.append((edges.cols.tobytes(), edges.distances.tobytes()))
            assert numba.get_num_threads() == n_threads
    finally:
        numba.set_num_threads(before)
    assert len(set(answers)) == 1


def test_a_wider_search_after_a_narrow_one(X):
    search = NeighborSearch("manhattan", "pynndescent").fit(X)
    search.nearest(5)
    wide = search.nearest(30).cols.reshape(-1, 30)
    assert search.tuning_[0] == 30
    exact = NeighborSearch("manhattan", "exact").fit(X).nearest(30).cols.reshape(-1, 30)
    assert np.mean(wide == exact) > 0.9


def test_more_duplicates_than_candidates():
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(20, 6)), 150, axis=0)
    X = X[rng.permutation(len(X))]
    search = NeighborSearch("manhattan", "pynndescent").fit(X)
    cols = search.nearest(8).cols.reshape(-1, 8)
    assert (X[cols] == X[:, None]).all()
    assert not (cols == np.arange(len(X))[:, None]).any()


def test_fitted_builders_are_copied_and_pickled(X):
    builder = NeighborGraph(metric="manhattan", engine="pynndescent").fit(X)
    expected = builder.to_new(X[:50] + 0.1).toarray()
    for again in (copy.deepcopy(builder), pickle.loads(pickle.dumps(builder))):
        np.testing.assert_array_equal(again.to_new(X[:50] + 0.1).toarray(), expected)
