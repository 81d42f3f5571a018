"""The pattern of S."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from graphtailor.solvers.support import support_of


def random_graph(n, seed, density=0.2):
    rng = np.random.default_rng(seed)
    W = rng.uniform(size=(n, n)) * (rng.uniform(size=(n, n)) < density)
    W = (W + W.T) / 2
    np.fill_diagonal(W, 0)
    pairs = sparse.csr_array((rng.uniform(size=(n, n)) < density).astype(float))
    return sparse.csr_array(W), pairs


@settings(max_examples=30)
@given(st.integers(1, 25), st.integers(0, 10**6), st.booleans())
def test_symmetric_pattern_without_diagonal(n, seed, full):
    W, pairs = random_graph(n, seed)
    support = support_of(W, None if full else pairs, np.float64)
    pattern = support.matrix(np.ones(len(support.indices))).toarray()
    if full:
        expected = np.ones((n, n))
    else:
        both = (pairs + pairs.T).toarray()
        expected = ((W.toarray() > 0) | (both > 0)).astype(float)
    np.fill_diagonal(expected, 0)
    np.testing.assert_array_equal(pattern, expected)
    np.testing.assert_array_equal(support.matrix(support.given).toarray(), W.toarray())
    assert support.n_samples == n
    assert support.matrix(support.given).has_sorted_indices


@settings(max_examples=30)
@given(st.integers(1, 25), st.integers(0, 10**6))
def test_mirror(n, seed):
    W, pairs = random_graph(n, seed)
    support = support_of(W, pairs, np.float64)
    values = np.random.default_rng(seed).uniform(size=len(support.indices))
    S = support.matrix(values).toarray()
    np.testing.assert_array_equal(support.matrix(values[support.mirror]).toarray(), S.T)
    np.testing.assert_array_equal(
        support.matrix(support.symmetric(values)).toarray(), (S + S.T) / 2
    )
    np.testing.assert_array_equal(
        support.mirror[support.mirror], np.arange(len(values))
    )


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_type_of_the_values(dtype):
    W, pairs = random_graph(10, 0)
    support = support_of(W, pairs, dtype)
    assert support.given.dtype == dtype
    assert support.symmetric(support.given).dtype == dtype


def test_the_diagonal_of_the_given_graph_is_left_out():
    W = sparse.csr_array(np.ones((3, 3)))
    support = support_of(W, sparse.csr_array((3, 3)), np.float64)
    np.testing.assert_array_equal(
        support.matrix(support.given).toarray(), 1 - np.eye(3)
    )


def test_a_given_graph_with_unsorted_rows():
    places = (np.array([2, 1, 0, 0]), np.array([0, 2, 3, 4]))
    unsorted = sparse.csr_array((np.array([3.0, 2.0, 2.0, 3.0]), *places), (3, 3))
    support = support_of(unsorted, sparse.csr_array((3, 3)), np.float64)
    expected = [[0, 2, 3], [2, 0, 0], [3, 0, 0]]
    np.testing.assert_array_equal(support.matrix(support.given).toarray(), expected)
    np.testing.assert_array_equal(unsorted.indices, [2, 1, 0, 0])


def test_pairs_may_be_unsorted_repeated_or_zero():
    W = sparse.csr_array((4, 4))
    stored = (np.array([1.0, 1.0, 0.0]), np.array([3, 2, 2]), np.array([0, 3, 3, 3, 3]))
    support = support_of(W, sparse.csr_array(stored, shape=(4, 4)), np.float64)
    np.testing.assert_array_equal(support.indptr, [0, 2, 2, 3, 4])
    np.testing.assert_array_equal(support.indices, [2, 3, 0, 0])


@settings(max_examples=30)
@given(st.integers(1, 25), st.integers(0, 10**6))
def test_renumbering(n, seed):
    W, pairs = random_graph(n, seed)
    support = support_of(W, pairs, np.float64)
    rng = np.random.default_rng(seed)
    order = rng.permutation(n)
    moved, source = support.renumbered(order)
    values = rng.uniform(size=len(support.indices))
    np.testing.assert_array_equal(
        moved.matrix(values[source]).toarray(),
        support.matrix(values).toarray()[np.ix_(order, order)],
    )
    expected = support_of(W[order][:, order], pairs[order][:, order], np.float64)
    for name in ("indptr", "indices", "mirror", "given"):
        np.testing.assert_array_equal(getattr(moved, name), getattr(expected, name))
