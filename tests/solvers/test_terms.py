"""The objective by the book."""

import numpy as np
import pytest
from scipy import sparse

from graphtailor.solvers.terms import indicator_fit, objective

N, D, C = 9, 4, 3


def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N, D))
    S = rng.uniform(size=(N, N)) * (rng.uniform(size=(N, N)) < 0.6)
    np.fill_diagonal(S, 0)
    V = rng.uniform(size=(N, C))
    W = rng.uniform(size=(N, N)) * (rng.uniform(size=(N, N)) < 0.5)
    W = (W + W.T) / 2
    np.fill_diagonal(W, 0)
    return X, S, V, W


def by_the_book(X, S, V, W, alpha, beta):
    return (
        alpha * np.linalg.norm(X - S.T @ X) ** 2
        + np.linalg.norm(S - V @ V.T) ** 2
        + beta * np.linalg.norm(S - W) ** 2
    )


@pytest.mark.parametrize(("alpha", "beta"), [(0, 0), (1, 1), (0.01, 1000), (1000, 0)])
def test_objective_dense_and_sparse(alpha, beta):
    X, S, V, W = problem()
    expected = by_the_book(X, S, V, W, alpha, beta)
    for convert_x in (np.asarray, sparse.csr_array):
        for convert in (np.asarray, sparse.csr_array, sparse.csc_array):
            given = (convert_x(X), convert(W), convert(S), V)
            assert objective(*given, alpha=alpha, beta=beta) == pytest.approx(expected)


def test_samples_without_features_leave_self_expression_out():
    X, S, V, W = problem()
    given = (X[:, :0], sparse.csr_array(W), sparse.csr_array(S), V)
    expected = by_the_book(X, S, V, W, 0.0, 2.0)
    assert objective(*given, alpha=100.0, beta=2.0) == pytest.approx(expected)


def test_the_indicator_fit_is_never_negative():
    V = np.random.default_rng(0).uniform(size=(50, 3))
    assert 0 <= indicator_fit(V @ V.T, V) < 1e-9
