"""Blocks of rows, their scaling and samples of them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler, normalize

from graphtailor.representatives import rows as rows_module
from graphtailor.representatives.rows import Rows, sample_rows

X = np.random.default_rng(0).normal(size=(250, 4)) * [1, 5, 0.1, 100]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(rows_module, "_ROWS_PER_BLOCK", 32)


def test_blocks_are_all_rows_in_order():
    slices = Rows(X).slices()
    assert [part.start for part in slices] == list(range(0, 250, 32))
    np.testing.assert_array_equal(np.concatenate([X[part] for part in slices]), X)


@pytest.mark.parametrize("n_jobs", [1, 2, 5, -1, None])
@pytest.mark.parametrize("n", [0, 1, 31, 32, 33, 250])
def test_each_block_once_and_in_order(n, n_jobs):
    seen = list(Rows(X[:n]).each_block(lambda block: block.sum(axis=1), n_jobs))
    assert [part for part, _ in seen] == Rows(X[:n]).slices()
    if n:
        sums = np.concatenate([result for _, result in seen])
        np.testing.assert_array_equal(sums, X[:n].sum(axis=1))


def test_an_error_in_a_block_is_raised():
    def fail(block):
        raise KeyError("in a block")

    with pytest.raises(KeyError, match="in a block"):
        list(Rows(X).each_block(fail, 2))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array, sparse.csr_matrix])
@pytest.mark.parametrize(
    ("scaling", "scaler"),
    [("maxabs", MaxAbsScaler()), ("standard", StandardScaler(with_mean=False))],
)
def test_scaling_block_by_block_is_that_of_all_rows(container, scaling, scaler):
    everything = np.arange(250)
    rows = Rows(container(X)).scaled_by(scaling, everything)
    if scaling == "standard" and container is np.asarray:
        scaler = StandardScaler()
    expected = scaler.fit_transform(X)
    found = rows.take(slice(0, 250))
    found = found.toarray() if sparse.issparse(found) else found
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("scaling", ["maxabs", "minmax", "standard"])
def test_scaling_does_not_depend_on_the_order_of_rows(scaling):
    order = np.random.default_rng(1).permutation(250)
    everything = np.arange(250)
    one = Rows(X).scaled_by(scaling, everything).take(order)
    two = Rows(X[order]).scaled_by(scaling, everything).take(everything)
    assert one.tobytes() == two.tobytes()


def test_the_range_of_all_rows():
    rows = Rows(X).scaled_by("minmax", np.arange(5))
    np.testing.assert_allclose(
        rows.take(slice(0, 250)), MinMaxScaler().fit_transform(X), atol=1e-12
    )


def test_no_scaling():
    rows = Rows(X)
    assert rows.scaled_by(None, np.arange(3)) is rows
    np.testing.assert_array_equal(rows.take([3, 5]), X[[3, 5]])


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_unit_rows_are_scaled_first(container):
    rows = Rows(container(X), unit=True).scaled_by("maxabs", np.arange(250))
    found = rows.take([3, 5])
    found = found.toarray() if sparse.issparse(found) else found
    expected = normalize(MaxAbsScaler().fit_transform(X))[[3, 5]]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_other_rows_are_scaled_alike():
    rows = Rows(X[:200], unit=True).scaled_by("minmax", np.arange(200))
    left = rows.empty()
    assert left.shape == (0, 4)
    assert left.dtype == X.dtype
    np.testing.assert_array_equal(left.like(X).take([1, 7]), rows.take([1, 7]))


@pytest.mark.parametrize("size", [1, 10, 249, 250, 400])
def test_samples_are_different_rows_in_order(size):
    numbers = sample_rows(250, size, 0)
    assert len(numbers) == min(size, 250)
    assert (np.diff(numbers) > 0).all()
    assert numbers[0] >= 0
    assert numbers[-1] < 250
    np.testing.assert_array_equal(numbers, sample_rows(250, size, 0))


def test_samples_are_drawn_evenly():
    counts = sum(
        np.bincount(sample_rows(20, 5, seed), minlength=20) for seed in range(400)
    )
    assert counts.sum() == 2000
    assert 60 < counts.min() < counts.max() < 145
