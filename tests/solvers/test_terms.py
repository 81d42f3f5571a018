"""The three terms: values by the book, gradients by finite differences."""

import numpy as np
import pytest
from scipy import sparse

from graphtailor.solvers.terms import (
    GraphFidelity,
    IndicatorFit,
    SelfExpression,
    joint_terms,
    objective,
)

N, D, C = 9, 4, 3


def problem(seed=0, sign="mixed"):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, D))
    X = np.abs(X) if sign == "positive" else X
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


def finite_differences(function, A, step=1e-6):
    gradient = np.empty_like(A)
    for place in np.ndindex(A.shape):
        up, down = A.copy(), A.copy()
        up[place] += step
        down[place] -= step
        gradient[place] = (function(up) - function(down)) / (2 * step)
    return gradient


@pytest.mark.parametrize(("alpha", "beta"), [(0, 0), (1, 1), (0.01, 1000), (1000, 0)])
def test_objective_dense_and_sparse(alpha, beta):
    X, S, V, W = problem()
    expected = by_the_book(X, S, V, W, alpha, beta)
    for convert_x in (np.asarray, sparse.csr_array):
        for convert in (np.asarray, sparse.csr_array, sparse.csc_array):
            terms = joint_terms(convert_x(X), convert(W), alpha, beta)
            assert objective(terms, convert(S), V) == pytest.approx(expected)


def test_samples_without_features_leave_self_expression_out():
    X, S, V, W = problem()
    terms = joint_terms(X[:, :0], sparse.csr_array(W), 100.0, 2.0)
    expected = by_the_book(X, S, V, W, 0.0, 2.0)
    assert objective(terms, sparse.csr_array(S), V) == pytest.approx(expected)


def gradient_of(term, S, V):
    positive, negative = term.multiplicative_pieces(S, V)
    return 2 * (negative - positive)


@pytest.mark.parametrize(
    "term",
    [
        SelfExpression(problem()[0], 1.7),
        IndicatorFit(),
        GraphFidelity(problem()[3], 0.6),
    ],
    ids=lambda term: type(term).__name__,
)
def test_the_pieces_make_the_gradient(term):
    _, S, V, _ = problem()
    gradient = finite_differences(lambda A: term.value(A, V), S)
    np.testing.assert_allclose(gradient_of(term, S, V), gradient, atol=1e-6)


def test_gradient_as_printed():
    X, S, V, W = problem()
    alpha, beta, K = 1.3, 0.4, X @ X.T
    total = sum(gradient_of(term, S, V) for term in joint_terms(X, W, alpha, beta))
    printed = 2 * ((1 + beta) * S + alpha * K @ S - alpha * K - V @ V.T - beta * W)
    np.testing.assert_allclose(total, printed, atol=1e-12)


@pytest.mark.parametrize("sign", ["mixed", "positive"])
def test_multiplicative_pieces(sign):
    X, S, V, W = problem(sign=sign)
    alpha, beta, K = 1.3, 0.4, X @ X.T
    plus, minus = np.maximum(K, 0), np.maximum(-K, 0)
    printed = [
        (alpha * plus + alpha * minus @ S, alpha * plus @ S + alpha * minus),
        (V @ V.T, S),
        (beta * W, beta * S),
    ]
    for term, expected in zip(joint_terms(X, W, alpha, beta), printed, strict=True):
        positive, negative = term.multiplicative_pieces(S, V)
        np.testing.assert_allclose(positive, expected[0], atol=1e-12)
        np.testing.assert_allclose(negative, expected[1], atol=1e-12)


def test_multiplicative_pieces_are_never_negative():
    """Where K- S is zero, rounding must not push a piece below it."""
    rng = np.random.default_rng(0)
    X = np.zeros((40, 30))
    X[:20, :15] = rng.normal(size=(20, 15))
    X[20:, 15:] = rng.uniform(size=(20, 15))
    S = rng.uniform(size=(40, 40))
    positive, negative = SelfExpression(X, 1000.0).multiplicative_pieces(S, S[:, :2])
    assert positive.min() >= 0
    assert negative.min() >= 0


def test_the_value_of_the_indicator_fit_is_never_negative():
    V = np.random.default_rng(0).uniform(size=(50, 3))
    assert 0 <= IndicatorFit().value(V @ V.T, V) < 1e-9
