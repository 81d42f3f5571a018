"""Helpers on CSR arrays against their dense counterparts."""

import numpy as np
import pytest
from scipy import sparse

from graphtailor.linalg.sparse import (
    largest_in_rows,
    pattern_of,
    positive_definite_factors,
    row_index,
    scale_both,
)


def some_matrix(n=30, m=20, seed=0):
    rng = np.random.default_rng(seed)
    return sparse.csr_array(rng.integers(0, 4, (n, m)).astype(float))


def test_rows_of_the_entries():
    A = some_matrix()
    np.testing.assert_array_equal(row_index(A), A.tocoo().row)


def test_the_pattern_has_ones_and_zeros():
    A = some_matrix()
    np.testing.assert_array_equal(pattern_of(A).toarray(), A.toarray() != 0)


def test_scaling_of_rows_and_columns():
    A, rng = some_matrix(), np.random.default_rng(1)
    left, right = rng.uniform(size=30), rng.uniform(size=20)
    expected = left[:, None] * A.toarray() * right
    np.testing.assert_allclose(scale_both(A, left, right).toarray(), expected)


def test_scaling_keeps_symmetry_to_the_last_bit():
    A, scale = some_matrix(20, 20), np.random.default_rng(1).uniform(size=20)
    scaled = scale_both(sparse.csr_array(A + A.T), scale, scale)
    assert (scaled != scaled.T).nnz == 0


@pytest.mark.parametrize("keep", [1, 3, 50])
def test_the_largest_entries_with_ties_to_the_lowest_column(keep):
    A = some_matrix()
    found = largest_in_rows(A, keep)
    for i, row in enumerate(A.toarray()):
        order = np.lexsort((np.arange(len(row)), -row))[:keep]
        kept = np.sort(order[row[order] > 0])
        here = slice(found.indptr[i], found.indptr[i + 1])
        np.testing.assert_array_equal(found.indices[here], kept)
        np.testing.assert_array_equal(found.data[here], row[kept])


def test_the_largest_entries_of_a_matrix_without_entries():
    assert largest_in_rows(sparse.csr_array((3, 4)), 2).nnz == 0


def test_factors_solve():
    A = some_matrix(15, 15).toarray()
    A = A @ A.T + np.eye(15)
    x = positive_definite_factors(sparse.csr_array(A)).solve(np.ones(15))
    np.testing.assert_allclose(A @ x, 1)
