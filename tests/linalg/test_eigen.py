"""Leading eigenvectors against LAPACK, most of all where eigenvalues repeat."""

import numpy as np
import pytest
from scipy import linalg, sparse

from graphtailor.graphs import NeighborGraph, normalize_affinity
from graphtailor.linalg.eigen import leading_eigenvectors


def random_graph(n, seed, density=0.02):
    rng = np.random.default_rng(seed)
    A = sparse.random_array((n, n), density=density, rng=rng)
    ring = sparse.csr_array(
        (np.full(n, 0.1), (np.arange(n), np.roll(np.arange(n), 1))), shape=(n, n)
    )
    A = A + A.T + ring + ring.T
    A = sparse.csr_array(A)
    A.setdiag(0)
    A.eliminate_zeros()
    return A


def check(W, k, tol=1e-8):
    """Values agree; projectors agree up to the last gap in the spectrum."""
    dense = W.toarray() if sparse.issparse(W) else W
    values, vectors = leading_eigenvectors(W, k, random_state=0)
    assert values.shape == (k,)
    assert vectors.shape == (dense.shape[0], k)
    all_values, all_vectors = linalg.eigh(dense)
    expected = all_values[::-1][:k]
    np.testing.assert_allclose(values, expected, atol=tol)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=tol)
    residual = dense @ vectors - vectors * values
    assert np.abs(residual).max() < tol
    # A subspace is well defined only where it ends at a gap.
    order = all_values[::-1]
    gaps = order[:-1] - order[1:]
    ends = [j for j in range(1, k + 1) if j < len(order) and gaps[j - 1] > 1e-4]
    for j in ends[-3:]:
        top = all_vectors[:, ::-1][:, :j]
        ours = vectors[:, :j]
        np.testing.assert_allclose(ours @ ours.T, top @ top.T, atol=tol * 1e3)
    return ends


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n", [5, 60, 700])
def test_connected(n, container):
    W = normalize_affinity(random_graph(n, 0).toarray())
    assert check(container(W), 4)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("k", [1, 3, 5, 6, 9])
def test_disconnected(k, container):
    """Five components, eigenvalue 1 five times, beyond the size LAPACK is used for."""
    blocks = [random_graph(n, i, 0.05) for i, n in enumerate((300, 200, 150, 90, 10))]
    W = normalize_affinity(sparse.block_diag(blocks, format="csr"))
    check(container(W.toarray()), k)


def test_a_large_component_among_small_ones():
    blocks = [random_graph(n, i, 0.05) for i, n in enumerate((650, 40, 40))]
    W = normalize_affinity(sparse.csr_array(sparse.block_diag(blocks)))
    assert check(W, 6)


@pytest.mark.parametrize("link", [1e-15, 1e-11, 1e-6])
@pytest.mark.parametrize("n_blocks", [3, 12])
def test_all_but_disconnected(link, n_blocks):
    """Eigenvalues that crowd just below 1."""
    size = 720 // n_blocks
    G = sparse.block_diag([random_graph(size, i, 0.1) for i in range(n_blocks)]).tolil()
    for block in range(n_blocks - 1):
        a, b = block * size, (block + 1) * size
        G[a, b] = G[b, a] = link
    W = normalize_affinity(sparse.csr_array(G))
    check(W, n_blocks)
    check(W, n_blocks + 3)


@pytest.mark.parametrize("k", [1, 2, 4])
def test_isolated_samples(k):
    blocks = [random_graph(650, 0), sparse.csr_array((20, 20)), random_graph(60, 1)]
    W = normalize_affinity(sparse.csr_array(sparse.block_diag(blocks)))
    check(W, k)


def test_isolated_samples_beside_one_component():
    W = sparse.block_diag([random_graph(650, 0), sparse.csr_array((20, 20))])
    check(normalize_affinity(sparse.csr_array(W)), 3)


@pytest.mark.parametrize("n", [5, 700])
def test_a_graph_without_edges(n):
    values, vectors = leading_eigenvectors(sparse.csr_array((n, n)), 3, 0)
    np.testing.assert_allclose(values, 0, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-12)


def test_edges_of_weight_zero_join_nothing():
    """An RBF weight may underflow: the edge is stored, and yet is none."""
    G = sparse.block_diag([random_graph(n, n, 0.05) for n in (300, 250, 150)]).tolil()
    G[0, 300] = G[300, 0] = 1.0
    G = sparse.csr_array(G)
    row = slice(G.indptr[0], G.indptr[1])
    G.data[row] = np.where(G.indices[row] == 300, 0.0, G.data[row])
    row = slice(G.indptr[300], G.indptr[301])
    G.data[row] = np.where(G.indices[row] == 0, 0.0, G.data[row])
    check(normalize_affinity(G), 3)
    check(normalize_affinity(G), 5)


def test_very_many_components():
    """Pairs of samples: more components than eigenvectors asked for."""
    W = sparse.csr_array(sparse.kron(sparse.eye_array(400), [[0.0, 1.0], [1.0, 0.0]]))
    values, vectors = leading_eigenvectors(W, 5, 0)
    np.testing.assert_allclose(values, 1)
    np.testing.assert_allclose(W @ vectors, vectors, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(5), atol=1e-12)


def test_neighbor_graph_with_separated_clusters():
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(7, 4)) * 100
    X = centers[np.repeat(np.arange(7), 100)] + rng.normal(size=(700, 4))
    check(NeighborGraph().fit(X).affinity_, 7)
    check(NeighborGraph().fit(X).affinity_, 10)


def test_float32():
    W = normalize_affinity(random_graph(700, 0)).astype(np.float32)
    values, vectors = leading_eigenvectors(W, 3, 0)
    expected = linalg.eigvalsh(W.toarray().astype(np.float64))[::-1][:3]
    np.testing.assert_allclose(values, expected, atol=1e-6)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-6)


@pytest.mark.parametrize("k", [5, 6])
def test_all_or_nearly_all_eigenvectors(k):
    check(normalize_affinity(random_graph(6, 0, 0.5)), k)


def test_a_seed_decides_everything():
    W = normalize_affinity(random_graph(700, 0))
    one, two = (leading_eigenvectors(W, 4, 7)[1] for _ in range(2))
    assert one.tobytes() == two.tobytes()


def test_a_cut_between_equal_eigenvalues_gives_all_pairs():
    blocks = np.kron(np.eye(3), np.full((20, 20), 1 / 20))
    values, vectors = leading_eigenvectors(blocks, 4, 0)
    np.testing.assert_allclose(values, [1, 1, 1, 0], atol=1e-12)
    np.testing.assert_allclose(blocks @ vectors, vectors * values, atol=1e-12)
