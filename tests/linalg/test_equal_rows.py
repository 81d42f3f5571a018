"""Rows that were seen in the fit are known again, and no others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from graphtailor.linalg import equal_rows
from graphtailor.linalg.equal_rows import KnownRows


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_equal_rows(container):
    X = np.array([[1.0, 0], [2, 3], [1, 0], [0, 0]])
    known = KnownRows(container(X))
    np.testing.assert_array_equal(known.group, [0, 1, 0, 2])
    assert known.n_distinct == 3
    again = container(np.array([[2.0, 3], [9, 9], [-0.0, 0.0]]))
    np.testing.assert_array_equal(known.find(again), [1, -1, 2])
    means = known.mean_of_equal_rows(np.array([[1.0], [5], [3], [7]]))
    np.testing.assert_array_equal(means, [[2], [5], [7]])


def test_known_sparse_rows_however_they_are_stored():
    X = sparse.csr_array(np.array([[0.0, 2, 3], [1, 0, 0]]))
    known = KnownRows(X)
    stored = sparse.csr_array(
        (np.array([3.0, 2.0, 0.0]), np.array([2, 1, 0]), np.array([0, 3])), shape=(1, 3)
    )
    np.testing.assert_array_equal(known.find(stored), [0])


@settings(max_examples=60)
@given(
    st.integers(1, 40),
    st.integers(1, 4),
    st.integers(0, 10**6),
    st.sampled_from([np.float32, np.float64]),
    st.booleans(),
)
def test_against_a_dictionary_of_rows(n, d, seed, dtype, thin):
    rng = np.random.default_rng(seed)
    values = np.array([0.0, -0.0, 1.0, -1.0, 1e-30, 0.1], dtype=dtype)
    values = np.append(values, np.nextafter(values[-1], dtype(1)))
    X, new = rng.choice(values, size=(n, d)), rng.choice(values, size=(30, d))
    groups = {}
    expected = [groups.setdefault(tuple(row + 0), len(groups)) for row in X]
    convert = sparse.csr_array if thin else np.asarray
    known = KnownRows(convert(X))
    np.testing.assert_array_equal(known.group, expected)
    assert known.n_distinct == len(groups)
    wanted = [groups.get(tuple(row + 0), -1) for row in new]
    np.testing.assert_array_equal(known.find(convert(new)), wanted)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_last_bit_of_a_row_counts(container, dtype):
    """A hash that rounds would be the same at every seed, and the search endless."""
    X = np.full((20, 2), 1.1, dtype=dtype)
    for row in range(1, len(X)):
        X[row, 0] = np.nextafter(X[row - 1, 0], dtype(2))
    assert len(np.unique(equal_rows.row_hashes(container(X), 0))) == len(X)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_rows_with_one_hash_are_told_apart(container, monkeypatch):
    """The first seeds throw all rows together, or many of them."""
    true_hashes = equal_rows.row_hashes

    def poor_hashes(X, seed):
        return true_hashes(X, seed) % np.uint64([1, 3, 2**63][min(seed, 2)])

    monkeypatch.setattr(equal_rows, "row_hashes", poor_hashes)
    X = np.random.default_rng(0).normal(size=(50, 2))
    X[20:30] = X[:10]
    known = KnownRows(container(X))
    assert known.n_distinct == 40
    np.testing.assert_array_equal(known.group[20:30], np.arange(10))
    np.testing.assert_array_equal(known.find(container(X)), known.group)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_a_new_row_with_a_known_hash_is_not_known(container, monkeypatch):
    X = np.arange(6.0).reshape(3, 2)
    known = KnownRows(container(X))
    hashes = equal_rows.row_hashes(container(X), 0)
    monkeypatch.setattr(equal_rows, "row_hashes", lambda X, seed: hashes)
    found = known.find(container(X + [[0, 0], [0, 1], [0, 0]]))
    np.testing.assert_array_equal(found, [0, -1, 2])


def test_more_rows_than_are_compared_at_a_time(monkeypatch):
    monkeypatch.setattr(equal_rows, "_CHUNK", 7)
    X = np.random.default_rng(0).integers(3, size=(100, 2)).astype(float)
    known = KnownRows(X)
    assert known.n_distinct == 9
    np.testing.assert_array_equal(known.find(X), known.group)


def test_samples_without_features_are_all_the_same():
    known = KnownRows(np.empty((4, 0)))
    np.testing.assert_array_equal(known.group, np.zeros(4))
    np.testing.assert_array_equal(known.find(np.empty((2, 0))), [0, 0])


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_rows_with_nan_are_refused(container):
    """NaN differs from itself, so that no seed would part such rows."""
    with pytest.raises(ValueError, match="NaN"):
        KnownRows(container(np.full((3, 2), np.nan)))
