"""Robust PCA: thresholds, certificates, recovery, and a generic solver."""

import warnings

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning

from graphtailor.baselines import RPCA, KMeansClustering
from graphtailor.baselines.rpca import (
    _alternate,
    default_weight,
    robust_pca,
    rpca_range,
)
from graphtailor.metrics import clustering_accuracy


def value(X, L, lam):
    return np.linalg.norm(L, "nuc") + lam * np.abs(X - L).sum()


def planted(rng, n=60, d=40, rank=3, share=0.05):
    low = rng.normal(size=(n, rank)) @ rng.normal(size=(rank, d))
    sparse = np.where(rng.uniform(size=(n, d)) < share, 10 * rng.normal(size=(n, d)), 0)
    return low, sparse


def slow_constant_penalty(X, lam, n_iter=4000):
    """Plain alternating directions, written apart from the library."""
    mu = X.size / (4 * np.abs(X).sum())
    L, Y = np.zeros_like(X), np.zeros_like(X)
    for _ in range(n_iter):
        T = X - L + Y / mu
        S = np.sign(T) * np.maximum(np.abs(T) - lam / mu, 0)
        P, s, Qt = np.linalg.svd(X - S + Y / mu, full_matrices=False)
        L = (P * np.maximum(s - 1 / mu, 0)) @ Qt
        Y = Y + mu * (X - L - S)
    return L


@pytest.mark.parametrize("shape", [(14, 6), (6, 14), (10, 10)])
@pytest.mark.parametrize("lam", [0.25, 0.35])
def test_generic_solver_finds_nothing_better(rng, shape, lam):
    X = rng.normal(size=shape)
    L = cp.Variable(shape)
    problem = cp.Problem(cp.Minimize(cp.normNuc(L) + lam * cp.sum(cp.abs(X - L))))
    problem.solve(solver=cp.SCS, eps=1e-8, max_iters=100_000)
    result = robust_pca(X, lam, tol=1e-9, max_iter=20_000)
    assert result.converged
    assert_allclose(result.objective[-1], problem.value, rtol=2e-6)
    assert_allclose(value(X, result.low_rank, lam), result.objective[-1], rtol=1e-9)


def test_multiplier_certifies_the_optimum(rng):
    X = rng.normal(size=(30, 12))
    lam = 0.25
    L, S, Y, objective, converged = robust_pca(X, lam, tol=1e-9, max_iter=20_000)
    assert converged
    assert_allclose(L + S, X, rtol=1e-14)
    assert np.linalg.norm(Y, 2) <= 1 + 1e-7
    assert np.abs(Y).max() <= lam + 1e-7
    assert_allclose(np.sum(Y * X), objective[-1], rtol=1e-7)


def test_slow_run_with_a_constant_penalty_agrees(rng):
    X = rng.normal(size=(25, 10))
    L = slow_constant_penalty(X, 0.25)
    result = robust_pca(X, 0.25, tol=1e-9, max_iter=20_000)
    assert_allclose(result.objective[-1], value(X, L, 0.25), rtol=1e-7)


def test_planted_parts_are_recovered(rng):
    low, sparse = planted(rng)
    model = RPCA(2, tol=1e-8, max_iter=5000, random_state=0).fit(low + sparse)
    size = np.linalg.norm(low)
    assert np.linalg.norm(model.low_rank_ - low) < 1e-5 * size
    assert np.linalg.norm(model.sparse_ - sparse) < 1e-5 * size
    assert np.linalg.matrix_rank(model.low_rank_, tol=1e-4) == 3


def test_both_thresholds_are_sharp(rng):
    X = rng.normal(size=(20, 5))
    low, high, _ = rpca_range(X)
    # The iterations themselves, without the closed forms.
    above = _alternate(X, 1.02 * high, 1e-8, 20_000)
    assert_allclose(above.low_rank, X, atol=1e-6)
    below = _alternate(X, 0.98 * high, 1e-8, 20_000)
    assert np.abs(below.sparse).max() > 1e-3
    assert_allclose(_alternate(X, 0.98 * low, 1e-8, 20_000).low_rank, 0, atol=1e-6)
    assert np.abs(_alternate(X, 1.02 * low, 1e-8, 20_000).low_rank).max() > 1e-3


@pytest.mark.parametrize("factor", [0.5, 2.0])
def test_useless_weights_are_told(rng, factor):
    X = rng.normal(size=(20, 5))
    low, high, _ = rpca_range(X)
    lam = low * factor if factor < 1 else high * factor
    with pytest.warns(UserWarning, match=f"between {low:.3g} and {high:.3g}"):
        result = robust_pca(X, lam)
    assert_array_equal(result.low_rank, X if factor > 1 else 0 * X)
    assert_allclose(result.objective, [value(X, result.low_rank, lam)])
    assert np.linalg.norm(result.dual, 2) <= 1 + 1e-12
    assert np.abs(result.dual).max() <= lam


def test_from_weight_one_on_it_is_kmeans(wine):
    X, _ = wine
    with pytest.warns(UserWarning, match="low-rank part all of X"):
        labels = RPCA(3, lam=1.0, random_state=0).fit_predict(X)
    assert_array_equal(labels, KMeansClustering(3, random_state=0).fit_predict(X))


def test_default_weight_is_useful(wine):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = RPCA(3, random_state=0).fit(wine[0])
    low, high, _ = rpca_range(wine[0])
    assert low < default_weight(wine[0].shape) < high
    assert np.abs(model.sparse_).max() > 0.1
    assert np.abs(model.low_rank_).max() > 0.1


@pytest.mark.parametrize(("share", "kept"), [(0.5, True), (0.15, False)])
def test_default_weight_keeps_shifts_that_many_samples_share(share, kept):
    X = np.zeros((100, 10))
    X[: round(100 * share), 3] = 5.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        L = RPCA(2, random_state=0).fit(X).low_rank_
    assert_allclose(L, X if kept else 0 * X, atol=1e-4)


def test_weight_has_no_unit(wine):
    X, _ = wine
    one, ten = (RPCA(3, random_state=0, tol=1e-8).fit(t * X) for t in (1, 10))
    assert_allclose(ten.low_rank_, 10 * one.low_rank_, atol=1e-5)
    assert_array_equal(one.labels_, ten.labels_)


def test_order_of_samples_does_not_matter(rng):
    X = rng.normal(size=(30, 8))
    order = rng.permutation(30)
    assert_allclose(
        robust_pca(X[order], 0.25).low_rank, robust_pca(X, 0.25).low_rank[order]
    )


def test_gross_errors_do_not_move_the_clusters(rng):
    y = np.repeat([0, 1, 2], 30)
    X = 3 * rng.normal(size=(3, 20))[y] + 0.1 * rng.normal(size=(90, 20))
    X[rng.uniform(size=X.shape) < 0.05] = 60
    model = RPCA(3, n_init=20, random_state=0).fit(X)
    raw = KMeansClustering(3, n_init=20, random_state=0).fit_predict(X)
    assert clustering_accuracy(y, model.labels_) == 1
    assert clustering_accuracy(y, raw) < 0.9


def test_scores_keep_the_leading_distances(rng):
    low, sparse = planted(rng)
    model = RPCA(3, readout="scores", random_state=0).fit(low + sparse)
    assert model.embedding_.shape == (60, 3)
    L = model.low_rank_
    assert_allclose(model.embedding_ @ model.embedding_.T, L @ L.T, atol=1e-3)


def test_running_out_of_iterations_is_told(rng):
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = RPCA(2, max_iter=2).fit(rng.normal(size=(20, 8)))
    assert not model.converged_
    assert model.n_iter_ == len(model.objective_) == 2
