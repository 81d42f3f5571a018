"""The arithmetic of weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from graphtailor.graphs import normalize_affinity, rbf_weights, symmetrize
from graphtailor.graphs.weights import (
    inverse_sqrt,
    mean_distances,
    normalize_rows_to,
)
from graphtailor.neighbors import Edges


def test_rbf_is_a_gaussian_without_a_factor_two():
    d = np.linspace(0, 4, 9)
    np.testing.assert_allclose(rbf_weights(d, 1.7), np.exp(-(d**2) / 1.7**2))
    scale = np.linspace(0.5, 2, 9)
    np.testing.assert_allclose(rbf_weights(d, scale), np.exp(-(d**2) / scale**2))


def test_rbf_with_scale_zero_is_one():
    np.testing.assert_array_equal(rbf_weights(np.zeros(3), 0.0), 1)
    np.testing.assert_array_equal(rbf_weights(np.array([0.0, 1.0]), np.zeros(2)), 1)


@pytest.mark.parametrize("unit", [1e-300, 1e-150, 1e150, 1e300])
def test_rbf_knows_no_unit(unit):
    d = np.array([0.0, 1.0, 3.0])
    np.testing.assert_allclose(rbf_weights(d * unit, unit), np.exp(-(d**2)), rtol=1e-12)


@pytest.mark.filterwarnings("error")
def test_rbf_far_beyond_the_scale_is_zero():
    np.testing.assert_array_equal(rbf_weights(np.array([1e200, 1e5]), 1e-100), 0)


def directed():
    A = sparse.random_array((12, 12), density=0.3, rng=np.random.default_rng(0))
    A = A.tocsr()
    A.setdiag(0)
    A.eliminate_zeros()
    return A


@pytest.mark.parametrize(
    ("how", "dense"),
    [
        ("average", lambda A: (A + A.T) / 2),
        ("max", lambda A: np.maximum(A, A.T)),
        ("mutual", lambda A: np.minimum(A, A.T)),
    ],
)
def test_symmetrize(how, dense):
    A = directed()
    G = symmetrize(A, how)
    assert isinstance(G, sparse.csr_array)
    np.testing.assert_array_equal(G.toarray(), dense(A.toarray()))
    np.testing.assert_array_equal(G.toarray(), G.toarray().T)


def test_normalize_dense_and_sparse():
    G = symmetrize(directed(), "average")
    degrees = G.toarray().sum(axis=1)
    expected = G.toarray() / np.sqrt(np.multiply.outer(degrees, degrees))
    np.testing.assert_allclose(normalize_affinity(G).toarray(), expected, rtol=1e-14)
    np.testing.assert_allclose(normalize_affinity(G.toarray()), expected, rtol=1e-14)


def test_normalize_keeps_isolated_samples_at_zero():
    G = np.zeros((4, 4))
    G[0, 1] = G[1, 0] = 3.0
    for graph in (G, sparse.csr_array(G), sparse.csr_matrix(G)):
        W = normalize_affinity(graph)
        W = W.toarray() if sparse.issparse(W) else W
        np.testing.assert_allclose(W, G / 3, rtol=1e-15, atol=0)


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.floats(-300, 300))
def test_normalized_graphs_are_symmetric_to_the_last_bit(seed, exponent):
    rng = np.random.default_rng(seed)
    G = rng.uniform(size=(9, 9)) * (rng.uniform(size=(9, 9)) < 0.5) * 10.0**exponent
    G = symmetrize(sparse.csr_array(G - np.diag(np.diag(G))), "average")
    W = normalize_affinity(G).toarray()
    np.testing.assert_array_equal(W, W.T)
    assert W.min() >= 0
    assert W.max() <= 1 + 1e-12
    root = np.sqrt(np.asarray(G.sum(axis=1)).ravel() / 10.0**exponent)
    np.testing.assert_allclose(W @ root, root, rtol=1e-12)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("exponent", [0, 5, 12])
def test_a_degree_near_underflow_stays_finite(dtype, exponent):
    """Two far samples may hold each other by a weight that is all but zero."""
    weight = dtype(np.finfo(dtype).smallest_subnormal * 2**exponent)
    G = np.zeros((4, 4), dtype=dtype)
    G[0, 1] = G[1, 0] = weight
    G[2, 3] = G[3, 2] = 1
    for graph in (G, sparse.csr_array(G)):
        W = normalize_affinity(graph)
        W = W.toarray() if sparse.issparse(W) else W
        assert np.isfinite(W).all()
        assert W.max() <= 1 + 1e-6
        assert W[2, 3] == 1


def test_inverse_sqrt():
    np.testing.assert_array_equal(inverse_sqrt(np.array([0.0, 4.0])), [0.0, 0.5])


def test_mean_distances_of_samples_without_neighbors_are_zero():
    edges = Edges(np.array([0, 0, 2]), np.array([1, 2, 0]), np.array([1.0, 3.0, 5.0]))
    np.testing.assert_array_equal(mean_distances(edges, 4), [2.0, 0.0, 5.0, 0.0])


def test_new_weights_are_at_most_one():
    """Fitted samples joined by next to nothing do not take hold of a new one."""
    joined = normalize_rows_to(
        sparse.csr_array([[1.0, 0.5, 0.5]]), np.array([1e-300, 2.0, 0.0])
    )
    np.testing.assert_allclose(joined.toarray(), [[1.0, 0.5 / np.sqrt(2 * 2.0), 0.0]])
