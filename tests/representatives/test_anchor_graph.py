"""The anchors' graph: masses, self-expression, the walk and its length."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import optimize, sparse

from graphtailor.representatives import graph as graph_module
from graphtailor.representatives.graph import learn_anchor_graph
from graphtailor.representatives.links import AnchorLinks, SharedRows


def given_graph(m=30, n=600, d=3, seed=0, centres=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    if centres is not None:
        X += np.asarray(centres)[rng.integers(0, len(centres), n)]
    links = AnchorLinks.from_sample(X[:m], X, 5)
    shared = SharedRows(m)
    shared.add(links.memberships(X))
    return links.anchors, shared.graph()


def learn(anchors, G, **params):
    defaults = {"n_clusters": 3, "alpha": 0.0, "beta": 100.0, "diffusion": 1}
    return learn_anchor_graph(anchors, G, **defaults | params)


def normalised(G):
    """L^-1/2 G L^-1/2, dense."""
    scale = 1 / np.sqrt(G.sum(axis=1))
    return scale[:, None] * G * scale


def check_sound(graph):
    """Symmetric, and a random walk that rests at the masses."""
    W, root = graph.W, np.sqrt(graph.masses)
    assert abs(W - W.T).max() == 0
    assert W.data.min() >= 0
    np.testing.assert_allclose(W @ root, root, rtol=1e-9)
    assert np.linalg.eigvalsh(W.toarray()).max() == pytest.approx(1, abs=1e-9)


@pytest.mark.parametrize("diffusion", [0, 1])
def test_the_bare_graph(diffusion):
    anchors, G = given_graph()
    graph = learn(anchors, G, diffusion=diffusion)
    dense = G.toarray()
    np.testing.assert_allclose(graph.W.toarray(), normalised(dense), rtol=1e-12)
    np.testing.assert_allclose(graph.masses, dense.sum(axis=1), rtol=1e-12)
    assert graph.walk == 1
    check_sound(graph)


def test_the_embedding_is_made_of_the_leading_eigenvectors():
    anchors, G = given_graph()
    embedding = learn(anchors, G, diffusion=7, n_clusters=4).embedding
    values, vectors = np.linalg.eigh(normalised(G.toarray()))
    top = vectors[:, ::-1][:, :4]
    assert values[-4] - values[-5] > 1e-3
    np.testing.assert_allclose(embedding @ embedding.T, top @ top.T, atol=1e-9)


def expression_problem(anchors, G):
    """X~ and W~ of the weighted problem, dense."""
    X = anchors * np.sqrt(G.sum(axis=1))[:, None]
    return X / np.sqrt(np.square(X).sum() / len(X)), normalised(G)


def by_least_squares(X, W, alpha, beta):
    """Each column of S by nonnegative least squares on the pattern."""
    S = np.zeros_like(W)
    for j in range(len(W)):
        on = np.flatnonzero(W[:, j])
        pull = np.sqrt(1 + beta)
        stacked = np.vstack([np.sqrt(alpha) * X[on].T, pull * np.eye(len(on))])
        wanted = np.r_[np.sqrt(alpha) * X[j], pull * W[on, j]]
        S[on, j] = optimize.nnls(stacked, wanted)[0]
    return (S + S.T) / 2


def check_expressed(graph, anchors, G, alpha, beta, accuracy):
    """The solution is made symmetric and normalised anew."""
    X, W = expression_problem(anchors, G.toarray())
    S = by_least_squares(X, W, alpha, beta)
    root = np.sqrt(G.toarray().sum(axis=1))
    flow = root[:, None] * S * root
    np.testing.assert_allclose(graph.W.toarray(), normalised(flow), atol=accuracy)
    np.testing.assert_allclose(graph.masses, flow.sum(axis=1), rtol=10 * accuracy)
    check_sound(graph)


@pytest.mark.parametrize(("alpha", "beta"), [(1.0, 1.0), (100.0, 100.0), (30.0, 0.5)])
@pytest.mark.parametrize("d", [1, 3, 8])
def test_self_expression_solves_its_problem(monkeypatch, alpha, beta, d):
    """With the diagonal; brought to its end, so that the two can be compared."""
    monkeypatch.setattr(graph_module, "_SWEEPS", 100_000)
    monkeypatch.setattr(graph_module, "_STANDING_STILL", 1e-13)
    anchors, G = given_graph(d=d)
    graph = learn(anchors, G, alpha=alpha, beta=beta)
    check_expressed(graph, anchors, G, alpha, beta, 1e-8)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_self_expression_is_nearly_brought_to_its_end(n_jobs):
    """To 1e-5 an entry, times the condition of the problem."""
    anchors, G = given_graph()
    graph = learn(anchors, G, alpha=100.0, beta=100.0, n_jobs=n_jobs)
    X, _ = expression_problem(anchors, G.toarray())
    condition = 1 + 100.0 * np.linalg.norm(X, 2) ** 2 / 101.0
    check_expressed(graph, anchors, G, 100.0, 100.0, 1e-5 * condition)


def test_a_heavy_given_graph_leaves_self_expression_no_say():
    anchors, G = given_graph()
    graph = learn(anchors, G, alpha=1.0, beta=1e9)
    np.testing.assert_allclose(graph.W.toarray(), normalised(G.toarray()), atol=1e-7)


@pytest.mark.parametrize("walk", [2, 3, 5, 16])
def test_a_spread_graph_is_a_power_of_the_bare_one(walk):
    """All eigenpairs and all entries are kept of so few anchors."""
    anchors, G = given_graph(m=12)
    graph = learn(anchors, G, diffusion=walk)
    W = normalised(G.toarray())
    np.testing.assert_allclose(
        graph.W.toarray(), np.linalg.matrix_power(W, walk), atol=1e-9
    )
    np.testing.assert_allclose(graph.masses, G.sum(axis=1), rtol=1e-9)
    assert graph.walk == walk
    check_sound(graph)


def test_a_spread_graph_stays_sparse_and_sound():
    anchors, G = given_graph(m=900, n=9000, d=2)
    graph = learn(anchors, G, diffusion=20)
    assert graph.W.nnz < 2 * 6 * 10 * 900
    check_sound(graph)


def test_a_spread_graph_of_rings_keeps_them_apart():
    """What is left of rounding between components weighs nothing."""
    blocks = [given_graph(m=40, n=800, d=1, seed=seed)[1] for seed in range(3)]
    G = sparse.csr_array(sparse.block_diag(blocks))
    graph = learn(np.zeros((120, 0)), G, diffusion=50)
    across = graph.W.toarray()
    for first in range(0, 120, 40):
        across[first : first + 40, first : first + 40] = 0
    assert across.max() < 1e-9
    check_sound(graph)


def chain(m):
    """Anchors in a row, each with the next one."""
    G = sparse.diags_array(
        [np.ones(m - 1), np.full(m, 2.0), np.ones(m - 1)], offsets=[-1, 0, 1]
    )
    return np.linspace(0, 1, m)[:, None], sparse.csr_array(G)


def auto_walk(anchors, G, n_clusters):
    return learn(anchors, G, diffusion="auto", n_clusters=n_clusters).walk


def test_no_walk_where_clusters_have_no_structure_of_their_own():
    """Three complete graphs: beyond the clusters every pattern fades in one step."""
    G = sparse.csr_array(sparse.kron(np.eye(3), np.ones((10, 10))))
    assert auto_walk(np.zeros((30, 1)), G, 3) == 1


def test_chains_ask_for_long_walks():
    """Twice the length fades four times as slowly."""
    walks = [auto_walk(*chain(m), 2) for m in (50, 100, 200)]
    assert walks[0] > 5
    for short, long in pairwise(walks):
        assert long / short == pytest.approx(4, rel=0.15)


def test_the_walk_is_a_tenth_of_the_time_of_fading():
    anchors, G = chain(60)
    for n_clusters in (1, 2, 5):
        value = np.linalg.eigvalsh(normalised(G.toarray()))[::-1][n_clusters]
        assert auto_walk(anchors, G, n_clusters) == int(0.1 / (1 - value))


def test_no_walk_is_longer_than_the_longest():
    assert auto_walk(*chain(3000), 2) == graph_module._LONGEST_WALK
    apart = sparse.csr_array(sparse.kron(np.eye(6), np.ones((5, 5))))
    assert auto_walk(np.zeros((30, 1)), apart, 3) == graph_module._LONGEST_WALK


@pytest.mark.parametrize("diffusion", [1, 4, "auto"])
@pytest.mark.parametrize("m", [1, 2, 3])
def test_no_more_anchors_than_clusters(m, diffusion):
    anchors, G = given_graph(m=m, n=50)
    graph = learn(anchors, G, diffusion=diffusion, n_clusters=3)
    assert graph.W.shape == (m, m)
    assert graph.embedding.shape == (m, m)
    check_sound(graph)


@pytest.mark.parametrize("alpha", [0.0, 10.0])
@pytest.mark.parametrize("diffusion", [1, 6, "auto"])
def test_anchors_without_rows(diffusion, alpha):
    anchors, G = given_graph(m=20)
    G = sparse.csr_array(sparse.block_diag([G, sparse.csr_array((4, 4))]))
    anchors = np.vstack([anchors, np.full((4, 3), 50.0)])
    graph = learn(anchors, G, diffusion=diffusion, alpha=alpha)
    np.testing.assert_array_equal(graph.masses[20:], 0)
    assert graph.W[20:].nnz == 0
    assert np.isfinite(graph.W.data).all()
    check_sound(graph)


def test_no_rows_at_all():
    graph = learn(np.eye(4), sparse.csr_array((4, 4)), diffusion="auto")
    assert graph.W.nnz == 0
    np.testing.assert_array_equal(graph.masses, 0)


@pytest.mark.parametrize("scale", [1e-9, 1e-3, 1e9])
def test_the_number_of_rows_does_not_matter(scale):
    """More rows of the same kind: the same graph."""
    anchors, G = given_graph()
    for params in ({}, {"diffusion": 5}, {"alpha": 10.0}):
        one = learn(anchors, G, **params).W.toarray()
        two = learn(anchors, sparse.csr_array(G * scale), **params).W.toarray()
        np.testing.assert_allclose(one, two, atol=1e-6)
