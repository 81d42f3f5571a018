"""Starting points."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from threadpoolctl import threadpool_info

from graphtailor import JointModel
from graphtailor.graphs import NeighborGraph
from graphtailor.solvers.starts import (
    given_start,
    indicator_starts,
    partition_start,
    scale_to,
)


@pytest.fixture
def blobs():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    return rng.normal(size=(3, 4))[y] * 20 + rng.normal(size=(60, 4)), y


@pytest.fixture
def W(blobs):
    return NeighborGraph().fit(blobs[0]).affinity_


def make(X, W, init, n_init=4, seed=0):
    starts = indicator_starts(X, W, 3, init, n_init, np.random.RandomState(seed))
    return [(kind, start()) for kind, start in starts]


@pytest.mark.parametrize("init", ["mixed", "random", "spectral", "k-means"])
def test_starts_are_nonnegative_and_at_the_scale_of_the_graph(blobs, W, init):
    for kind, V in make(blobs[0], W, init):
        assert init in ("mixed", kind)
        assert V.shape == (60, 3)
        assert V.min() >= 0
        assert np.sum(V * (W @ V)) == pytest.approx(
            np.linalg.norm(V.T @ V) ** 2, rel=1e-5
        )


def test_mixed_takes_the_kinds_in_turn(blobs, W):
    kinds = [kind for kind, _ in make(blobs[0], W, "mixed", n_init=7)]
    assert kinds[:3] == kinds[3:6]
    assert set(kinds[:3]) == {"spectral", "k-means", "random"}


def test_without_samples_k_means_gives_way(W):
    kinds = [kind for kind, _ in make(None, W, "mixed", n_init=6)]
    assert "k-means" not in kinds


@pytest.mark.parametrize("init", ["spectral", "k-means"])
def test_partitions_of_blobs(blobs, W, init):
    X, y = blobs
    found = [V.argmax(axis=1) for _, V in make(X, W, init, n_init=5)]
    agree = [all(len(set(labels[y == c])) == 1 for c in range(3)) for labels in found]
    assert any(agree)


def test_a_seed_decides_everything(blobs, W):
    one, two = make(blobs[0], W, "mixed"), make(blobs[0], W, "mixed")
    for (_, a), (_, b) in zip(one, two, strict=True):
        assert a.tobytes() == b.tobytes()
    other = make(blobs[0], W, "random", seed=1)
    assert not np.array_equal(other[0][1], make(blobs[0], W, "random")[0][1])


def test_scale_is_the_best_one(W):
    V = np.random.default_rng(0).uniform(size=(60, 3))
    best = scale_to(W, V)

    def misfit(V):
        return np.linalg.norm(W.toarray() - V @ V.T)

    assert misfit(best) < misfit(best * 1.01)
    assert misfit(best) < misfit(best * 0.99)


def test_a_graph_without_edges_gives_a_finite_start():
    V = scale_to(sparse.csr_array((5, 5)), np.ones((5, 2)))
    assert np.isfinite(V).all()
    assert V.min() > 0


def test_partition_start():
    V = partition_start(np.array([1, 0]), 3)
    np.testing.assert_array_equal(V.argmax(axis=1), [1, 0])
    assert V.min() > 0


@pytest.mark.parametrize("convert", [np.asarray, list, lambda y: y.astype(np.int8)])
def test_labels_as_start(W, blobs, convert):
    V = given_start(convert(blobs[1]), W, 3)
    np.testing.assert_array_equal(V.argmax(axis=1), blobs[1])


def test_an_indicator_as_start(W):
    given = np.random.default_rng(0).uniform(size=(60, 3))
    V = given_start(given, W, 3)
    np.testing.assert_allclose(V / V[0, 0], given / given[0, 0])


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.full(60, 3), "n_clusters"),
        (np.full(60, -1), "n_clusters"),
        (np.zeros(59, dtype=int), "shape"),
        (np.zeros(60), "shape"),
        (np.ones((60, 2)), "shape"),
        (-np.ones((60, 3)), "nonnegative"),
        (np.full((60, 3), np.nan), "finite"),
        (np.zeros((60, 3)), "zero"),
    ],
    ids=[
        "too large",
        "negative",
        "short",
        "float labels",
        "narrow",
        "minus",
        "nan",
        "0",
    ],
)
def test_bad_starts_are_refused(W, bad, message):
    with pytest.raises(ValueError, match=rf"init.*{message}"):
        given_start(bad, W, 3)


def test_starts_side_by_side_leave_the_process_as_it_was():
    """Warning filters and thread limits are global: threads must not mix them up."""
    X = np.random.default_rng(0).normal(size=(80, 3))
    filters = list(warnings.filters)
    limits = [library["num_threads"] for library in threadpool_info()]
    for seed in range(15):
        JointModel(3, init="k-means", n_init=8, n_jobs=4, random_state=seed).fit(X)
    assert warnings.filters == filters
    assert [library["num_threads"] for library in threadpool_info()] == limits
