"""Approximate neighbours by faiss: recall, exact distances, always the same answer."""

import copy
import json
import pickle

import faiss
import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import pairwise_distances

from graphtailor.graphs import NeighborGraph
from graphtailor.io.models import pack, unpack
from graphtailor.neighbors import NeighborSearch
from graphtailor.neighbors.exact import CandidateDistances, keep_nearest


def blobs(n, d, dtype=np.float64):
    return make_blobs(n, d, centers=20, cluster_std=4.0, random_state=0)[0].astype(
        dtype
    )


def through_pickle(fitted):
    return pickle.loads(pickle.dumps(fitted))


def answer(X, k, **params):
    edges = NeighborSearch(**params).fit(X).nearest(k)
    return edges.cols.reshape(-1, k), edges.distances.reshape(-1, k)


def share_found(cols, true):
    return np.mean([np.isin(a, b).mean() for a, b in zip(cols, true, strict=True)])


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_faiss_finds_nearly_all_neighbors(metric, dtype):
    X = blobs(20_000, 12, dtype)
    search = NeighborSearch(metric, "faiss").fit(X)
    edges = search.nearest(20)
    cols, distances = edges.cols.reshape(-1, 20), edges.distances.reshape(-1, 20)
    rows = np.arange(0, 20_000, 50)
    D = cdist(X[rows], X, metric)
    D[np.arange(len(rows)), rows] = np.inf
    recall = share_found(cols[rows], np.argsort(D, axis=1)[:, :20])
    assert recall > 0.97
    assert search.recall_ == pytest.approx(recall, abs=0.02)
    assert cols.dtype == np.int64
    np.testing.assert_allclose(
        distances[rows], np.take_along_axis(D, cols[rows], axis=1), atol=1e-12
    )
    assert (np.diff(distances, axis=1) >= 0).all()
    assert search._X is X


def test_the_answer_depends_on_the_seed_alone():
    X = blobs(5000, 12, np.float32)
    before = faiss.omp_get_max_threads()
    answers = []
    try:
        for n_threads in (1, 2, 3, 2):
            faiss.omp_set_num_threads(n_threads)
            answers.append(answer(X, 20, engine="faiss", random_state=3))
            assert faiss.omp_get_max_threads() == n_threads
    finally:
        faiss.omp_set_num_threads(before)
    for cols, distances in answers[1:]:
        assert cols.tobytes() == answers[0][0].tobytes()
        assert distances.tobytes() == answers[0][1].tobytes()


def test_the_seed_matters_and_none_draws_a_new_one():
    X = np.random.default_rng(0).normal(size=(5000, 30)).astype(np.float32)
    seeds = [answer(X, 30, engine="faiss", random_state=s)[0] for s in (0, 1)]
    assert (seeds[0] != seeds[1]).any()
    drawn = [NeighborSearch(random_state=None).fit(X)._seed for _ in range(3)]
    assert len(set(drawn)) == 3


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_more_duplicates_than_candidates(metric):
    rng = np.random.default_rng(0)
    X = np.repeat(rng.normal(size=(20, 6)), 150, axis=0)
    X = X[rng.permutation(len(X))]
    cols, distances = answer(X, 8, metric=metric, engine="faiss")
    np.testing.assert_array_equal(distances, 0)
    assert not (cols == np.arange(len(X))[:, None]).any()
    assert (X[cols] == X[:, None]).all()
    assert (np.diff(cols, axis=1) > 0).all()


def test_all_samples_equal():
    X = np.ones((3000, 7))
    cols, distances = answer(X, 5, engine="faiss")
    np.testing.assert_array_equal(distances, 0)
    assert not (cols == np.arange(len(X))[:, None]).any()


def test_far_from_the_origin_and_one_wild_sample():
    """float32 holds neither without a move of the samples."""
    X = np.round(blobs(3000, 6), 3)
    X[17] = 1e150
    expected, _ = answer(X, 10, engine="exact")
    moved = np.where(np.arange(3000)[:, None] == 17, X, X + 1e8)
    for samples in (X, moved):
        cols, _ = answer(samples, 10, engine="faiss")
        keep = np.delete(np.arange(3000), 17)
        assert share_found(cols[keep], expected[keep]) > 0.97


def test_zero_rows_are_at_cosine_distance_one():
    X = blobs(2000, 5)
    X[:3] = 0
    cols, distances = answer(X, 4, metric="cosine", engine="faiss")
    np.testing.assert_array_equal(distances[:3], 1)
    assert not np.isin(cols[3:], [0, 1, 2]).any()


def test_too_few_samples_in_the_lists_that_are_searched():
    """Then the exact engine answers: all others are neighbours of all."""
    X = blobs(300, 6)
    cols, _ = answer(X, 299, engine="faiss")
    expected, _ = answer(X, 299, engine="exact")
    np.testing.assert_array_equal(cols, expected)


@pytest.mark.parametrize("n", [2, 3, 5])
def test_very_few_samples(n):
    X = np.arange(2.0 * n).reshape(n, 2) ** 2
    cols, distances = answer(X, n - 1, engine="faiss")
    expected = answer(X, n - 1, engine="exact")
    np.testing.assert_array_equal(cols, expected[0])
    np.testing.assert_array_equal(distances, expected[1])


def test_low_recall_is_met_with_more_effort(monkeypatch):
    X = np.random.default_rng(0).normal(size=(4000, 40)).astype(np.float32)
    monkeypatch.setattr("graphtailor.neighbors.ann._PROBES", (1, 2, 126))
    search = NeighborSearch(engine="faiss").fit(X)
    search.nearest(10)
    assert search.tuning_ == (10, 2, search.recall_)
    assert search.recall_ == 1


def test_low_recall_is_told(monkeypatch):
    X = np.random.default_rng(0).normal(size=(4000, 40)).astype(np.float32)
    monkeypatch.setattr("graphtailor.neighbors.ann._PROBES", (1, 1, 2))
    search = NeighborSearch(engine="faiss").fit(X)
    with pytest.warns(UserWarning, match=r"'faiss' finds only \d+\.\d% of the 10"):
        search.nearest(10)
    assert search.recall_ < 0.85


def test_new_samples_and_a_search_restored_from_its_tuning(monkeypatch):
    monkeypatch.setattr("graphtailor.neighbors.ann._PROBES", (1, 4, 256))
    X, new = np.split(blobs(6000, 16, np.float32), [5000])
    builder = NeighborGraph(engine="faiss", n_neighbors=10).fit(X)
    assert builder.search_.tuning_[1] > 0
    edges = builder.search_.nearest(10, new)
    true = np.argsort(cdist(new, X), axis=1)[:, :10]
    assert share_found(edges.cols.reshape(-1, 10), true) > 0.9
    expected = builder.to_new(new)
    arrays = {}
    header = json.dumps(pack(builder._search_state, "state", arrays))
    loaded = copy.copy(builder)
    loaded._restore({"_search_state": unpack(json.loads(header), arrays)}, X)
    assert loaded.search_.recall_ == builder.recall_
    np.testing.assert_array_equal(loaded.to_new(new).toarray(), expected.toarray())


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda b: pickle.loads(pickle.dumps(b))]
)
def test_fitted_builders_are_copied_and_pickled(copied):
    X = blobs(1200, 8)
    builder = NeighborGraph(engine="faiss").fit(X)
    assert (builder.engine_, builder.recall_) == ("faiss", builder.search_.recall_)
    again = copied(builder)
    np.testing.assert_array_equal(
        again.to_new(X[:50] + 0.1).toarray(), builder.to_new(X[:50] + 0.1).toarray()
    )
    assert clone(builder).get_params() == builder.get_params()


def test_new_samples_with_other_features_are_refused():
    search = NeighborSearch(engine="faiss").fit(blobs(500, 5))
    with pytest.raises(ValueError, match="X_new has 4 features"):
        search.nearest(3, np.ones((2, 4)))


@pytest.mark.parametrize("metric", ["chebyshev", "canberra", "euclidean", "cosine"])
def test_distances_to_candidates(metric):
    rng = np.random.default_rng(0)
    X = rng.uniform(0.1, 1, size=(30, 4)).astype(np.float32)
    candidates = rng.integers(-1, 30, size=(6, 9))
    distances = CandidateDistances(X, metric).of(X[:6], candidates)
    D = cdist(X[:6], X, metric)
    expected = np.where(
        candidates < 0, np.inf, np.take_along_axis(D, candidates % 30, axis=1)
    )
    np.testing.assert_allclose(distances, expected, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_distances_of_sparse_samples_to_candidates(metric):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 9)) * (rng.uniform(size=(40, 9)) < 0.4)
    X[5] = 0
    candidates = rng.integers(-1, 40, size=(20, 12))
    thin = sparse.csr_array(X)
    distances = CandidateDistances(thin, metric).of(thin[:20], candidates)
    D = pairwise_distances(X[:20], X, metric)
    expected = np.where(
        candidates < 0, np.inf, np.take_along_axis(D, candidates % 40, axis=1)
    )
    if metric == "cosine":
        expected[5, candidates[5] >= 0] = 1  # also to itself, unlike scikit-learn
    np.testing.assert_allclose(distances, expected, rtol=1e-10, atol=1e-7)


def test_the_nearest_candidates_are_those_of_a_sort():
    rng = np.random.default_rng(0)
    candidates = np.array([rng.permutation(40)[:12] for _ in range(200)])
    candidates[rng.uniform(size=candidates.shape) < 0.2] = -1
    distances = rng.integers(0, 4, size=candidates.shape).astype(float)
    own = rng.integers(0, 40, size=200)
    nearest, chosen = keep_nearest(distances, candidates, own, 6)
    for i in range(200):
        legal = (candidates[i] >= 0) & (candidates[i] != own[i])
        pairs = sorted(zip(distances[i, legal], candidates[i, legal], strict=True))[:6]
        pairs += [(np.inf, -1)] * (6 - len(pairs))
        assert list(zip(nearest[i], chosen[i], strict=True)) == pairs
