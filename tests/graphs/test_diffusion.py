"""Diffusion against dense matrix powers."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from graphtailor.graphs import NeighborGraph, normalize_affinity
from graphtailor.graphs.diffused_graph import Diffusion
from graphtailor.linalg.sparse import largest_in_rows


def graph(n=40, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, 3))
    return NeighborGraph().fit(X).affinity_


def diffuse(W, steps, keep):
    return Diffusion(W, keep).after(steps)


def dense_power(W, steps):
    n = W.shape[0]
    T = normalize_affinity(W.toarray())
    A = np.linalg.matrix_power((np.eye(n) + T) / 2, steps)
    np.fill_diagonal(A, 0)
    return normalize_affinity((A + A.T) / 2)


@pytest.mark.parametrize("steps", [1, 2, 4, 8, 16])
def test_uncut_diffusion_is_a_matrix_power(steps):
    W = graph()
    np.testing.assert_allclose(
        diffuse(W, steps, keep=40).toarray(), dense_power(W, steps), atol=1e-12
    )


@pytest.mark.parametrize(("steps", "rounded"), [(3, 4), (5, 8), (7, 8), (9, 16)])
def test_steps_are_rounded_up_to_a_power_of_two(steps, rounded):
    W = graph()
    np.testing.assert_array_equal(
        diffuse(W, steps, keep=10).toarray(), diffuse(W, rounded, keep=10).toarray()
    )


@pytest.mark.parametrize("keep", [1, 4, 12])
def test_cut_diffusion_is_sparse_symmetric_and_normalized(keep):
    A = diffuse(graph(), 8, keep)
    assert isinstance(A, sparse.csr_array)
    assert A.nnz <= 2 * keep * 40
    dense = A.toarray()
    np.testing.assert_array_equal(dense, dense.T)
    np.testing.assert_array_equal(np.diag(dense), 0)
    assert dense.min() >= 0
    assert np.linalg.eigvalsh(dense)[-1] == pytest.approx(1, abs=1e-12)


def test_nothing_flows_between_components():
    W = sparse.block_diag([graph(seed=0), graph(seed=1)], format="csr")
    A = diffuse(sparse.csr_array(W), 8, keep=30).toarray()
    np.testing.assert_array_equal(A[:40, 40:], 0)
    np.testing.assert_allclose(A[:40, :40], diffuse(graph(), 8, 30).toarray())


def test_isolated_samples_stay_isolated():
    W = sparse.block_diag([graph(), sparse.csr_array((2, 2))], format="csr")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        A = diffuse(sparse.csr_array(W), 8, keep=10).toarray()
    np.testing.assert_array_equal(A[40:], 0)
    assert np.isfinite(A).all()


def test_empty_and_single():
    for n in (1, 3):
        assert diffuse(sparse.csr_array((n, n)), 4, keep=3).nnz == 0


def test_no_warning_where_the_diagonal_is_cut():
    """A hub's own return may be smaller than what its neighbours get."""
    star = np.zeros((30, 30))
    star[0, 1:] = star[1:, 0] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        A = diffuse(sparse.csr_array(star), 8, keep=1)
    assert np.isfinite(A.data).all()


def test_the_given_graph_is_not_changed():
    W = graph()
    before = W.toarray()
    diffuse(W, 8, 5)
    np.testing.assert_array_equal(W.toarray(), before)


def test_largest_entries_of_rows_with_ties_to_the_lowest_column():
    A = np.array([[3.0, 1, 3, 3], [0, 0, 0, 0], [1, 2, 3, 4], [0, 5, 0, 0]])
    kept = largest_in_rows(sparse.csr_array(A), 2).toarray()
    expected = [[3, 0, 3, 0], [0, 0, 0, 0], [0, 0, 3, 4], [0, 5, 0, 0]]
    np.testing.assert_array_equal(kept, expected)
