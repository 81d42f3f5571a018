"""Clusters of anchors: a descent, and an indicator for every anchor."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from graphtailor.representatives.graph import learn_anchor_graph
from graphtailor.representatives.links import AnchorLinks, SharedRows
from graphtailor.representatives.model import (
    anchor_indicator,
    cluster_anchors,
    normalized_cut,
)
from graphtailor.solvers.starts import indicator_starts


def problem(centres, m=60, n=3000, seed=0, **params):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, len(centres), n)
    X = np.asarray(centres, dtype=float)[y] + rng.normal(size=(n, 2))
    links = AnchorLinks.from_sample(X[:m], X, 5)
    shared = SharedRows(m)
    shared.add(links.memberships(X))
    settings = {"alpha": 0.0, "beta": 100.0, "diffusion": "auto"} | params
    graph = learn_anchor_graph(
        links.anchors, shared.graph(), n_clusters=len(centres), **settings
    )
    return links.anchors, graph, y[:m]


FAR = [(0, 0), (12, 0), (0, 12)]
NEAR = [(0, 0), (3, 0), (0, 3)]


def cluster(anchors, graph, **params):
    defaults = {
        "n_clusters": 3,
        "beta": 100.0,
        "init": "mixed",
        "n_init": 6,
        "max_iter": 200,
        "tol": 1e-7,
        "random_state": 0,
        "n_jobs": 1,
    }
    return cluster_anchors(anchors, graph, **defaults | params)


@pytest.mark.parametrize("init", ["mixed", "spectral", "k-means"])
def test_groups_that_lie_apart(init):
    anchors, graph, y = problem(FAR)
    result, tried = cluster(anchors, graph, init=init)
    labels = anchor_indicator(anchors, graph, result.V).argmax(axis=1)
    assert adjusted_rand_score(y, labels) == 1
    assert len(tried) == 6


def one_hot(labels):
    return np.eye(3)[labels]


def test_the_normalised_cut_against_its_definition():
    _, graph, y = problem(NEAR)
    roots = np.sqrt(graph.masses)
    links = graph.W.toarray() * np.outer(roots, roots)
    for labels in (y, np.roll(y, 5), np.minimum(y, 1)):
        cut = sum(
            1 - links[np.ix_(inside, inside)].sum() / graph.masses[inside].sum()
            for inside in (labels == k for k in range(3))
            if inside.any()
        )
        empty = 3 - len(np.unique(labels))
        found = normalized_cut(graph, one_hot(labels))
        assert found == pytest.approx(cut + empty)


@pytest.mark.parametrize("beta", [0.0, 0.5, 5.0, 100.0])
@pytest.mark.parametrize("diffusion", [1, "auto"])
def test_the_objective_never_rises(beta, diffusion):
    anchors, graph, _ = problem(NEAR, beta=beta, diffusion=diffusion)
    result, tried = cluster(anchors, graph, beta=beta, tol=0.0, max_iter=60)
    values = result.objective
    assert np.diff(values).max(initial=0) <= 1e-10 * values[0]
    kept = min(tried, key=lambda start: normalized_cut(graph, one_hot(start.labels)))
    assert values[-1] <= kept.objective * (1 + 1e-12)
    S, V, W = result.S.toarray(), result.V, graph.W.toarray()
    by_the_book = np.linalg.norm(S - V @ V.T) ** 2 + beta * np.linalg.norm(S - W) ** 2
    assert values[-1] == pytest.approx(by_the_book, rel=1e-9, abs=1e-9)
    assert V.min() >= 0
    assert S.min() >= 0


def test_a_start_of_ones_own_is_the_only_one():
    anchors, graph, y = problem(FAR)
    result, tried = cluster(anchors, graph, init=("given", np.eye(3)[y] + 0.01))
    assert [start.kind for start in tried] == ["given"]
    labels = anchor_indicator(anchors, graph, result.V).argmax(axis=1)
    np.testing.assert_array_equal(labels, y)


def test_a_seed_decides_everything_on_any_number_of_threads():
    anchors, graph, _ = problem(NEAR)
    first, *others = (cluster(anchors, graph, n_jobs=n_jobs)[0] for n_jobs in (1, 2, 2))
    for other in others:
        assert first.V.tobytes() == other.V.tobytes()
        assert first.objective.tobytes() == other.objective.tobytes()


def test_heavy_anchors_count_for_more():
    """Alone the first two of three lie nearest; heavy, they are two clusters."""
    anchors, W = np.array([[0.0], [1.0], [2.2]]), sparse.csr_array(np.eye(3))
    found = {}
    for masses in ((1, 1, 1), (1000, 1000, 1)):
        starts = indicator_starts(
            anchors,
            W,
            2,
            "k-means",
            5,
            np.random.RandomState(0),
            np.float64,
            masses=np.array(masses, dtype=float),
        )
        found[masses] = [make() for _, make in starts]
    labels = [tuple(V.argmax(axis=1)) for V in found[1, 1, 1]]
    assert any(first == middle != last for first, middle, last in labels)
    for V in found[1000, 1000, 1]:
        _, middle, last = V.argmax(axis=1)
        assert middle == last
        # Rows stand for V times the root of the mass.
        assert V[1].max() / V[2].max() == pytest.approx(np.sqrt(1000))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_anchor_has_a_cluster(dtype):
    """One without mass, or that nothing pulls, follows the nearest with a cluster."""
    anchors, graph, _ = problem(FAR)
    anchors = anchors.astype(dtype)
    V = np.random.default_rng(0).uniform(0.1, 1, size=(60, 3))
    V[[3, 7, 20]] = 0
    full = anchor_indicator(anchors, graph, V)
    assert full.dtype == dtype
    assert (full.max(axis=1) > 0).all()
    held = np.setdiff1d(np.arange(60), [3, 7, 20])
    for empty in (3, 7, 20):
        near = held[np.argmin(np.linalg.norm(anchors[held] - anchors[empty], axis=1))]
        np.testing.assert_array_equal(full[empty], full[near])
    root = np.sqrt(graph.masses[held])[:, None]
    np.testing.assert_allclose(full[held] * root, V[held], rtol=1e-5)


def test_anchors_without_mass_have_a_cluster():
    """Anchors far from all rows: no row is joined to them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 2))
    anchors = np.vstack([X[:20], np.full((3, 2), 99.0)])
    links = AnchorLinks.from_sample(anchors, X, 5)
    shared = SharedRows(23)
    shared.add(links.memberships(X))
    graph = learn_anchor_graph(
        anchors, shared.graph(), n_clusters=2, alpha=0.0, beta=100.0, diffusion="auto"
    )
    np.testing.assert_array_equal(graph.masses[20:], 0)
    result, _ = cluster(anchors, graph, n_clusters=2)
    full = anchor_indicator(anchors, graph, result.V)
    assert np.isfinite(full).all()
    assert (full.max(axis=1) > 0).all()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_an_empty_indicator_says_nothing_of_any_anchor(dtype):
    anchors, graph, _ = problem(FAR)
    full = anchor_indicator(anchors.astype(dtype), graph, np.zeros((60, 3)))
    np.testing.assert_array_equal(full, 1)
    assert full.dtype == dtype
