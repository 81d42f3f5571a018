"""Every proximal map and projection against its own optimality conditions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from graphtailor.baselines._operators import (
    adaptive_neighbor_weights,
    project_capped_simplex,
    project_simplex,
    shrink_rows,
    singular_value_threshold,
    soft_threshold,
)
from graphtailor.baselines._sparse_projector import project_fantope

numbers = st.floats(-100, 100, allow_nan=False, width=32)
matrices = arrays(
    np.float64, st.tuples(st.integers(1, 8), st.integers(1, 8)), elements=numbers
)
thresholds = st.floats(0, 50)


@given(matrices, thresholds)
def test_soft_threshold_is_the_prox_of_the_1_norm(A, t):
    P = soft_threshold(A, t)
    gap = A - P
    assert (np.abs(gap) <= t + 1e-13).all()
    np.testing.assert_allclose(gap[P != 0], t * np.sign(P[P != 0]), atol=1e-12)


@given(matrices, thresholds)
def test_shrink_rows_is_the_prox_of_the_21_norm(A, t):
    P = shrink_rows(A, t)
    gap = A - P
    assert (np.linalg.norm(gap, axis=1) <= t + 1e-9).all()
    lengths = np.linalg.norm(P, axis=1)
    for p, g, length in zip(P, gap, lengths, strict=True):
        if length > 1e-6:
            np.testing.assert_allclose(g, t * p / length, atol=1e-6)


def test_shrink_rows_leaves_zero_rows():
    np.testing.assert_array_equal(shrink_rows(np.zeros((2, 3)), 1.0), 0)


@pytest.mark.parametrize("shape", [(30, 8), (8, 30), (12, 12)])
@pytest.mark.parametrize("t", [0.0, 1e-9, 0.5, 3.0, 100.0])
def test_singular_value_threshold_equals_the_full_svd(rng, shape, t):
    A = rng.standard_normal(shape)
    P, s, Qt = np.linalg.svd(A, full_matrices=False)
    L, values, vectors = singular_value_threshold(A, t)
    expected = np.maximum(s - t, 0)
    np.testing.assert_allclose(L, (P * expected) @ Qt, atol=1e-11)
    np.testing.assert_allclose(values, expected[expected > 0], atol=1e-11)
    gram = L @ L.T if shape[0] < shape[1] else L.T @ L
    np.testing.assert_allclose((vectors * values**2) @ vectors.T, gram, atol=1e-10)


@given(matrices, st.floats(0.01, 50))
def test_singular_value_threshold_has_a_dual_certificate(A, t):
    L, values, _ = singular_value_threshold(A, t)
    Y = (A - L) / t
    assert np.linalg.norm(Y, 2) <= 1 + 1e-7
    assert np.sum(Y * L) == pytest.approx(values.sum(), rel=1e-6, abs=1e-6)


@given(matrices)
def test_project_simplex_meets_its_optimality_conditions(V):
    X = project_simplex(V)
    assert (X >= 0).all()
    np.testing.assert_allclose(X.sum(axis=1), 1, atol=1e-9)
    for v, x in zip(V, X, strict=True):
        theta = (v - x)[x > 0]
        np.testing.assert_allclose(theta, theta[0], atol=1e-9)
        assert (v[x == 0] <= theta[0] + 1e-9).all()


@given(
    arrays(np.float64, st.integers(1, 12), elements=numbers),
    st.floats(0, 1),
)
def test_project_capped_simplex_meets_its_optimality_conditions(y, share):
    k = share * len(y)
    x = project_capped_simplex(y, k)
    assert x.min() >= 0
    assert x.max() <= 1
    assert x.sum() == pytest.approx(k, abs=1e-9)
    # The nearest point: moving mass from i to j never helps.
    gap = y - x
    can_give, can_take = x > 1e-9, x < 1 - 1e-9
    if can_give.any() and can_take.any():
        assert gap[can_give].min() >= gap[can_take].max() - 1e-8


@pytest.mark.parametrize("k", [1, 3, 7, 40])
def test_project_fantope_equals_the_full_decomposition(rng, k):
    T = rng.standard_normal((40, 40))
    T = (T + T.T) / 2
    w, U = np.linalg.eigh(T)
    expected = (U * project_capped_simplex(w, k)) @ U.T
    np.testing.assert_allclose(project_fantope(T, k), expected, atol=1e-12)


def test_project_fantope_when_every_eigenvalue_takes_part():
    # All eigenvalues equal: the leading 2k alone would not do.
    np.testing.assert_allclose(
        project_fantope(np.eye(50), 3), 3 / 50 * np.eye(50), atol=1e-12
    )


@settings(max_examples=50)
@given(st.integers(4, 20), st.integers(1, 6), st.integers(0, 10**6))
def test_adaptive_weights_are_the_simplex_projection(n, k, seed):
    points = np.random.default_rng(seed).standard_normal((n, 3))
    D = ((points[:, None] - points) ** 2).sum(axis=2)
    S, xi = adaptive_neighbor_weights(D, k)
    k = min(k, n - 2)
    S = S.toarray()
    np.testing.assert_allclose(S.sum(axis=1), 1)
    np.testing.assert_array_equal(np.count_nonzero(S, axis=1), k)
    np.testing.assert_array_equal(S.diagonal(), 0)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        projected = project_simplex(-D[[i]][:, others] / (2 * xi[i]))
        np.testing.assert_allclose(S[i, others], projected[0], atol=1e-9)


def test_adaptive_weights_are_scale_free(rng):
    D = rng.uniform(size=(15, 15))
    S, xi = adaptive_neighbor_weights(D, 4)
    S_scaled, xi_scaled = adaptive_neighbor_weights(7 * D, 4)
    np.testing.assert_allclose(S.toarray(), S_scaled.toarray())
    np.testing.assert_allclose(7 * xi, xi_scaled)


def test_adaptive_weights_share_alike_between_equal_distances():
    S, xi = adaptive_neighbor_weights(np.ones((5, 5)), 2)
    # Ties go to the lowest index.
    np.testing.assert_allclose(S.toarray()[4], [0.5, 0.5, 0, 0, 0])
    np.testing.assert_array_equal(xi, 0)


@pytest.mark.parametrize("n", [2, 3])
def test_adaptive_weights_of_very_few_samples(n):
    S, _ = adaptive_neighbor_weights(1 - np.eye(n), 5)
    np.testing.assert_allclose(S.sum(axis=1), 1)
