"""Leading eigenvectors against LAPACK where eigenvalues repeat or crowd below 1."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial import KDTree

from graphtailor.graphs import normalize_affinity
from graphtailor.linalg.eigen import leading_eigenvectors


def rings(*sizes, link=0.0, loop=1.0):
    """Rings side by side, each vertex with a loop; a ring of one is a loop."""
    blocks = []
    for size in sizes:
        around = sparse.diags_array(np.ones(size), offsets=0) * loop
        if size > 2:
            next_one = np.roll(np.eye(size), 1, axis=1)
            around = around + sparse.csr_array(next_one + next_one.T)
        blocks.append(around)
    G = sparse.block_diag(blocks).tolil()
    for border in np.cumsum(sizes)[:-1]:
        if link:
            G[border - 1, border] = G[border, border - 1] = link
    return normalize_affinity(sparse.csr_array(G))


def anchor_graph(n, m, d, seed=0):
    """Anchors joined by the rows that they share."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    distances, nearest = KDTree(X[:m]).query(X, 5)
    B = np.exp(-np.square(distances / distances.mean()))
    shares = (B / np.sqrt(B.sum(axis=1, keepdims=True))).ravel()
    B = sparse.csr_array((shares, (np.repeat(np.arange(n), 5), nearest.ravel())))
    return normalize_affinity(sparse.csr_array(B.T @ B))


GRAPHS = {
    "one ring": rings(700),
    "small, by LAPACK": rings(30, 20),
    "six rings": rings(*[110] * 6),
    "rings of many sizes": rings(400, 200, 80, 20, 5),
    "a ring and single loops": rings(650, *[1] * 30),
    "nearly apart": rings(*[60] * 11, link=1e-12),
    "weakly linked": rings(*[60] * 11, link=1e-5),
    "anchors": anchor_graph(6000, 650, 2),
    "anchors of few rows": anchor_graph(1500, 650, 2),
    "anchors of many features": anchor_graph(1500, 650, 10),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_against_lapack(name):
    W = GRAPHS[name]
    expected = np.linalg.eigvalsh(W.toarray())[::-1]
    for k in (1, 2, 5, 7, 40):
        check(W, expected[:k], *leading_eigenvectors(W, k, 0))


def check(W, expected, values, vectors):
    k, dense = len(expected), W.toarray()
    np.testing.assert_allclose(values, expected, atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-9)
    np.testing.assert_allclose(dense @ vectors, vectors * values, atol=1e-8)


CROWDED = {
    "rings, one pattern of each and one more": (rings(*[60] * 11, link=1e-12), 12),
    "rings, a few more": (rings(*[60] * 11, link=1e-7), 15),
    "a ring with loose ends": (rings(650, *[1] * 30, link=1e-9), 4),
    "beyond the components, 1": (anchor_graph(1400, 650, 2, seed=1), 7),
    "beyond the components, 2": (anchor_graph(2500, 650, 2, seed=1), 5),
    "beyond the components, 3": (anchor_graph(1400, 650, 2, seed=4), 4),
    # One of them was left out, and 34 steps of the check did not see it.
    "one left out far from the last": (anchor_graph(1300, 650, 2, seed=1), 15),
    "one left out near the last": (anchor_graph(3000, 650, 2, seed=4), 5),
}


@pytest.mark.parametrize("case", CROWDED)
def test_eigenvalues_that_crowd_below_one(case):
    """Some of very many that all but agree are wanted."""
    W, k = CROWDED[case]
    expected = np.linalg.eigvalsh(W.toarray())[::-1][:k]
    check(W, expected, *leading_eigenvectors(W, k, 0))


def test_isolated_vertices_have_no_say():
    W = rings(620, 60)
    W = sparse.csr_array(sparse.block_diag([W, sparse.csr_array((30, 30))]))
    values, vectors = leading_eigenvectors(W, 4, 0)
    np.testing.assert_allclose(values[:2], 1)
    assert values[2] < 1 - 1e-5
    np.testing.assert_allclose(vectors[680:], 0, atol=1e-9)


def test_the_same_every_time():
    W = GRAPHS["anchors"]
    one, two = (leading_eigenvectors(W, 20, 0)[1] for _ in range(2))
    assert one.tobytes() == two.tobytes()
