"""Neighbour search: exact, tied by index, right with duplicates."""

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.neighbors import kneighbors_graph

from graphtailor.linalg.threads import single_threaded
from graphtailor.neighbors import NeighborSearch, default_n_neighbors, exact


def sorted_neighbors(D, k):
    """Neighbours by a stable sort of the distances, itself left out by index."""
    D = np.array(D, dtype=float)
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1, kind="stable")[:, :k]


def found(edges, k):
    return edges.cols.reshape(-1, k), edges.distances.reshape(-1, k)


@pytest.mark.parametrize(
    ("n", "p"), [(150, 8), (178, 8), (351, 9), (683, 10), (1484, 11), (1799, 11)]
)
def test_number_of_neighbors_of_the_study(n, p):
    assert default_n_neighbors(n) == p


@pytest.mark.parametrize(("n", "p"), [(1, 0), (2, 1), (3, 2), (4, 3), (5, 3)])
def test_number_of_neighbors_of_few_samples(n, p):
    assert default_n_neighbors(n) == p


@pytest.mark.parametrize("n_features", [1, 3, 40])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_neighbors_are_those_of_a_sort(n_features, dtype):
    X = np.random.default_rng(0).normal(size=(70, n_features)).astype(dtype)
    cols, distances = found(NeighborSearch().fit(X).nearest(6), 6)
    D = cdist(X, X)
    np.testing.assert_array_equal(cols, sorted_neighbors(D, 6))
    np.testing.assert_allclose(distances, np.take_along_axis(D, cols, 1), rtol=1e-12)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(2, 40), st.integers(1, 20))
def test_ties_go_to_the_lowest_index(seed, n, n_features):
    """Whole numbers from a small range: most distances are tied, many are zero."""
    X = np.random.default_rng(seed).integers(0, 2, size=(n, n_features)).astype(float)
    k = default_n_neighbors(n)
    cols, distances = found(NeighborSearch().fit(X).nearest(k), k)
    D = cdist(X, X)
    np.testing.assert_array_equal(cols, sorted_neighbors(D, k))
    np.testing.assert_allclose(distances, np.take_along_axis(D, cols, 1), atol=1e-12)


@pytest.mark.parametrize("n_features", [2, 30])
def test_neighbors_far_from_the_origin(n_features):
    """A large common offset must not drown the differences between samples."""
    X = np.random.default_rng(0).normal(size=(60, n_features))
    shifted = np.round(X, 3) + 1e8
    cols, distances = found(NeighborSearch().fit(shifted).nearest(5), 5)
    D = cdist(shifted - 1e8, shifted - 1e8)
    np.testing.assert_array_equal(cols, sorted_neighbors(D, 5))
    np.testing.assert_allclose(distances, np.take_along_axis(D, cols, 1), rtol=1e-9)


@pytest.mark.parametrize("n_features", [3, 30])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_duplicates_are_legal_neighbors_at_distance_zero(n_features, container):
    rng = np.random.default_rng(1)
    X = np.repeat(rng.normal(size=(4, n_features)), 9, axis=0)
    cols, distances = found(NeighborSearch().fit(container(X)).nearest(8), 8)
    np.testing.assert_array_equal(distances, 0)
    own = np.arange(36)
    assert not (cols == own[:, None]).any()
    np.testing.assert_array_equal(cols // 9, np.repeat(own // 9, 8).reshape(-1, 8))


def test_a_narrow_answer_after_a_wide_one_is_its_beginning():
    X = np.random.default_rng(0).normal(size=(40, 3))
    search = NeighborSearch().fit(X)
    wide, _ = found(search.nearest(12), 12)
    narrow, _ = found(search.nearest(4), 4)
    np.testing.assert_array_equal(narrow, wide[:, :4])
    wider, _ = found(search.nearest(20), 20)
    np.testing.assert_array_equal(wider[:, :12], wide)


def test_more_neighbors_than_samples():
    X = np.arange(5.0)[:, None]
    search = NeighborSearch().fit(X)
    assert len(search.nearest(50).rows) == 5 * 4
    assert len(search.nearest(50, X + 0.1).rows) == 5 * 5
    assert len(NeighborSearch().fit(X[:1]).nearest(3).rows) == 0


def test_new_samples():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(50, 4)), rng.normal(size=(7, 4))
    cols, distances = found(NeighborSearch().fit(X).nearest(5, new), 5)
    D = cdist(new, X)
    np.testing.assert_array_equal(cols, np.argsort(D, axis=1, kind="stable")[:, :5])
    np.testing.assert_allclose(distances, np.sort(D, axis=1)[:, :5])


def test_a_fitted_sample_that_comes_as_new_is_its_own_neighbor():
    X = np.random.default_rng(0).normal(size=(20, 2))
    cols, distances = found(NeighborSearch().fit(X).nearest(1, X), 1)
    np.testing.assert_array_equal(cols.ravel(), np.arange(20))
    np.testing.assert_array_equal(distances, 0)


@pytest.mark.parametrize("metric", ["manhattan", "cosine", "chebyshev", "canberra"])
def test_other_metrics(metric):
    X = np.random.default_rng(0).uniform(0.1, 1, size=(40, 5))
    scipy_name = {"manhattan": "cityblock"}.get(metric, metric)
    cols, distances = found(NeighborSearch(metric).fit(X).nearest(4), 4)
    D = cdist(X, X, scipy_name)
    np.testing.assert_array_equal(cols, sorted_neighbors(D, 4))
    np.testing.assert_allclose(distances, np.take_along_axis(D, cols, 1), rtol=1e-7)


def test_a_callable_metric():
    X = np.random.default_rng(0).normal(size=(25, 3))
    cols, _ = found(
        NeighborSearch(lambda a, b: np.abs(a - b).sum()).fit(X).nearest(4), 4
    )
    np.testing.assert_array_equal(cols, sorted_neighbors(cdist(X, X, "cityblock"), 4))


def test_precomputed_distances():
    X = np.random.default_rng(0).normal(size=(30, 3))
    D = cdist(X, X)
    cols, _ = found(NeighborSearch("precomputed").fit(D).nearest(5), 5)
    np.testing.assert_array_equal(cols, sorted_neighbors(D, 5))


@pytest.mark.parametrize("diagonal", [True, False])
def test_sparse_precomputed_distances_with_and_without_the_diagonal(diagonal):
    X = np.random.default_rng(0).normal(size=(30, 3))
    stored = kneighbors_graph(X, 12, mode="distance", include_self=diagonal)
    cols, _ = found(NeighborSearch("precomputed").fit(stored).nearest(5), 5)
    np.testing.assert_array_equal(cols, sorted_neighbors(cdist(X, X), 5))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_radius(metric):
    rng = np.random.default_rng(0)
    X, new = rng.uniform(size=(40, 2)), rng.uniform(size=(9, 2))
    search = NeighborSearch(metric).fit(X)
    scipy_name = {"manhattan": "cityblock"}.get(metric, metric)
    for rows, exclude in ((None, True), (new, False)):
        D = cdist(X if rows is None else rows, X, scipy_name)
        edges = search.within(0.3, rows)
        inside = D <= 0.3
        if exclude:
            np.fill_diagonal(inside, False)
        got = np.zeros_like(inside)
        got[edges.rows, edges.cols] = True
        np.testing.assert_array_equal(got, inside)
        np.testing.assert_allclose(edges.distances, D[edges.rows, edges.cols])


def test_radius_keeps_duplicates_and_serves_the_lonely():
    X = np.array([[0.0], [0.0], [5.0]])
    edges = NeighborSearch().fit(X).within(1.0)
    pairs = sorted(zip(edges.rows, edges.cols, strict=True))
    assert pairs == [(0, 1), (1, 0)]
    nothing = NeighborSearch().fit(X[1:]).within(1.0)
    assert len(nothing.rows) == len(nothing.distances) == 0


def test_threads_do_not_matter():
    X = np.random.default_rng(0).normal(size=(300, 20))
    two = NeighborSearch().fit(X).nearest(9)
    with single_threaded():
        one = NeighborSearch().fit(X).nearest(9)
    assert one.cols.tobytes() == two.cols.tobytes()
    assert one.distances.tobytes() == two.distances.tobytes()


@pytest.mark.parametrize("metric", ["euclidean", "l2", "manhattan"])
def test_the_number_of_jobs_changes_nothing(metric, monkeypatch):
    monkeypatch.setattr("graphtailor.neighbors.search._QUERIES_PER_BLOCK", 64)
    X = np.random.default_rng(0).integers(0, 3, (500, 8)).astype(float)
    found = []
    for n_jobs in (None, 1, 2):
        search = NeighborSearch(metric, engine="exact", n_jobs=n_jobs).fit(X)
        edges, new = search.nearest(6), search.nearest(6, X[::3] + 0.5)
        found.append([edges.cols, edges.distances, new.cols, new.distances])
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, two)


def test_one_job_searches_in_the_calling_thread(monkeypatch):
    seen = set()
    nearest = exact.ExactIndex.nearest

    def watched(*args, **how):
        seen.add(threading.current_thread())
        return nearest(*args, **how)

    monkeypatch.setattr(exact.ExactIndex, "nearest", watched)
    X = np.random.default_rng(0).normal(size=(5000, 6))
    NeighborSearch(engine="exact").fit(X).nearest(3)
    assert seen == {threading.current_thread()}
    seen.clear()
    NeighborSearch(engine="exact", n_jobs=2).fit(X).nearest(3)
    assert threading.current_thread() not in seen


def test_names_of_one_metric_are_one_metric():
    X = np.random.default_rng(0).integers(0, 3, (200, 8)).astype(float)
    edges = [NeighborSearch(name).fit(X).nearest(5) for name in ("euclidean", "l2")]
    np.testing.assert_array_equal(edges[0].cols, edges[1].cols)
    np.testing.assert_array_equal(edges[0].distances, edges[1].distances)
