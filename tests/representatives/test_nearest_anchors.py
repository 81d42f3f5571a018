"""Nearest anchors against brute force, and the same for a row in any company."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from graphtailor.representatives import links
from graphtailor.representatives.links import NearestAnchors


def by_brute_force(anchors, X, k):
    """All distances; of equal ones the lowest index first."""
    D = cdist(X.astype(np.float64), anchors.astype(np.float64))
    order = np.argsort(D, axis=1, kind="stable")[:, : min(k, len(anchors))]
    return order, np.take_along_axis(D, order, axis=1)


def check(anchors, X, k=5):
    found, distances = NearestAnchors(anchors, k).find(X)
    expected, far = by_brute_force(anchors, X, k)
    assert found.dtype == np.int32
    np.testing.assert_allclose(distances, far, rtol=1e-12)
    np.testing.assert_array_equal(found, expected)


def check_in_any_company(anchors, X, k=5):
    """Single rows, a few of them and other borders of the blocks change no bit."""
    search = NearestAnchors(anchors, k)
    found, distances = search.find(X)
    n = X.shape[0]
    rng = np.random.default_rng(0)
    parts = [[i] for i in range(0, n, max(n // 60, 1))]
    parts += [np.sort(rng.choice(n, size, replace=False)) for size in (2, 7, n // 2)]
    parts.append(np.arange(n)[::-1])
    for part in parts:
        alone, far = search.find(X[part])
        np.testing.assert_array_equal(alone, found[part])
        assert far.tobytes() == distances[part].tobytes()


def samples(m=60, n=300, d=8, dtype=np.float64, shift=0.0, seed=0):
    rng = np.random.default_rng(seed)
    anchors = rng.normal(size=(m, d)) + shift
    return anchors.astype(dtype), (rng.normal(size=(n, d)) + shift).astype(dtype)


CASES = {
    "1 feature": samples(d=1),
    "2 features": samples(d=2),
    "4 features, by a tree": samples(d=4),
    "5 features, by products": samples(d=5),
    "float32": samples(dtype=np.float32),
    "float32, by a tree": samples(d=2, dtype=np.float32),
    "far from the origin": samples(shift=1e7),
    "float32 far from the origin": samples(dtype=np.float32, shift=1e3),
    "fewer anchors than wanted": samples(m=3),
    "one anchor": samples(m=1),
    "as many anchors as wanted": samples(m=5),
    "tiny": tuple(1e-150 * A for A in samples()),
    "huge": tuple(1e150 * A for A in samples()),
    "wide": samples(d=300),
}


@pytest.mark.parametrize("case", CASES)
def test_brute_force(case):
    check(*CASES[case])


@pytest.mark.parametrize("case", CASES)
def test_company(case):
    check_in_any_company(*CASES[case])


def test_blocks_have_no_borders(monkeypatch):
    anchors, X = samples(n=500)
    whole = NearestAnchors(anchors, 5).find(X)
    for rows in (1, 7, 499):
        monkeypatch.setattr(links, "_ROWS_PER_SEARCH", rows)
        parts = NearestAnchors(anchors, 5).find(X)
        assert parts[0].tobytes() == whole[0].tobytes()
        assert parts[1].tobytes() == whole[1].tobytes()


def whole_numbers(d, m=200, dtype=np.float64, unit=1.0):
    """Binary anchors, and rows on them: nearly all distances are tied."""
    rng = np.random.default_rng(d)
    anchors = np.unique(rng.integers(0, 2, (m, d)), axis=0) * unit
    return anchors.astype(dtype), anchors[rng.integers(0, len(anchors), 150)].astype(
        dtype
    )


def two_tight_groups(dtype, width):
    """What tells near anchors apart is lost beside the distance of the groups."""
    rng = np.random.default_rng(0)
    A, X = (
        rng.choice([-1.0, 1.0], size=(n, 1)) + width * rng.normal(size=(n, 8))
        for n in (300, 150)
    )
    return A.astype(dtype), X.astype(dtype)


def with_an_outlier(dtype, far):
    anchors, X = samples(dtype=dtype)
    anchors[0] = far
    return anchors, X


TIED = {
    "equal anchors": (np.repeat(samples(m=6)[0], 20, axis=0), samples()[1]),
    "equal anchors, by a tree": (
        np.repeat(samples(m=6, d=2)[0], 20, axis=0),
        samples(d=2)[1],
    ),
    "middle of the cells of a grid": (
        np.stack(np.meshgrid(*[np.arange(3.0)] * 4), axis=-1).reshape(-1, 4),
        np.random.default_rng(0).integers(0, 3, (60, 4)) + 0.5,
    ),
    "9 binary features": whole_numbers(9),
    "12 binary features": whole_numbers(12),
    "12 features of 0 and 0.1": whole_numbers(12, unit=0.1),
    "float32, 12 features of 0 and 0.1": whole_numbers(12, 200, np.float32, 0.1),
}
CANCELLING = {
    "float32, two tight groups": two_tight_groups(np.float32, 1e-4),
    "two tight groups": two_tight_groups(np.float64, 1e-8),
    "float32, one anchor far away": with_an_outlier(np.float32, 1e6),
    "one anchor far away": with_an_outlier(np.float64, 1e12),
}


@pytest.mark.parametrize("case", TIED)
def test_ties_go_to_the_lowest_index(case):
    anchors, X = TIED[case]
    found, _ = NearestAnchors(anchors, 5).find(X)
    # Sums of squares one after the other, as cdist may round otherwise.
    squares = np.zeros((len(X), len(anchors)))
    for a, x in zip(anchors.T.astype(float), X.T.astype(float), strict=True):
        squares += np.square(x[:, None] - a)
    expected = np.argsort(squares, axis=1, kind="stable")[:, :5]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("case", CANCELLING)
def test_nothing_cancels(case):
    check(*CANCELLING[case])


@pytest.mark.parametrize("case", TIED | CANCELLING)
def test_company_of_hard_cases(case):
    check_in_any_company(*(TIED | CANCELLING)[case])


@pytest.mark.parametrize("d", [2, 8])
@pytest.mark.parametrize("far", [1e100, 1e160, 1e300])
def test_a_row_beyond_all_squares_has_anchors_too(far, d):
    anchors, _ = samples(d=d)
    found, _ = NearestAnchors(anchors, 5).find(np.full((1, d), far))
    assert found.min() >= 0
    assert found.max() < len(anchors)
    assert len(set(found[0])) == 5


def test_no_rows():
    found, distances = NearestAnchors(np.eye(6), 4).find(np.empty((0, 6)))
    assert found.shape == distances.shape == (0, 4)


def test_read_only_rows():
    anchors, X = samples()
    expected = NearestAnchors(anchors, 5).find(X)[0]
    X.flags.writeable = False
    np.testing.assert_array_equal(NearestAnchors(anchors, 5).find(X)[0], expected)


few_values = st.sampled_from([0.0, 1.0, -1.0, 0.5, 1e-3, 100.0])


@given(st.data())
def test_awkward_tables(data):
    d = data.draw(st.sampled_from([1, 3, 6]))
    m, n = data.draw(st.integers(1, 30)), data.draw(st.integers(1, 12))
    anchors = data.draw(arrays(np.float64, (m, d), elements=few_values))
    X = data.draw(arrays(np.float64, (n, d), elements=few_values))
    k = data.draw(st.integers(1, 6))
    found, distances = NearestAnchors(anchors, k).find(X)
    _, far = by_brute_force(anchors, X, k)
    np.testing.assert_allclose(distances, far, rtol=1e-12)
    for row in found:
        assert len(set(row)) == min(k, m)
    for i in range(n):
        alone, _ = NearestAnchors(anchors, k).find(X[i : i + 1])
        np.testing.assert_array_equal(alone[0], found[i])
