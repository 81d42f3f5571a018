"""Robust PCA on graphs: optimality, special cases, scales."""

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from graphtailor.baselines import GRPCA
from graphtailor.baselines.grpca import _alternate, graph_robust_pca
from graphtailor.baselines.rpca import robust_pca, rpca_range
from graphtailor.graphs import NeighborGraph
from graphtailor.metrics import clustering_accuracy

EXACT = {"tol": 1e-9, "max_iter": 20_000}


@pytest.fixture
def problem(rng):
    X = rng.normal(size=(20, 6)) + 3 * rng.normal(size=(2, 6))[np.arange(20) % 2]
    W = NeighborGraph(n_neighbors=4).fit(X).affinity_
    return X, W, np.eye(20) - W.toarray()


def value(X, L, Phi, lam, gamma):
    smooth = gamma * np.sum(L * (Phi @ L))
    return np.linalg.norm(L, "nuc") + lam * np.abs(X - L).sum() + smooth


@pytest.mark.parametrize(("lam", "gamma"), [(0.25, 0.02), (0.3, 0.3), (0.5, 3.0)])
def test_generic_solver_finds_nothing_better(problem, lam, gamma):
    X, W, Phi = problem
    L = cp.Variable(X.shape)
    R = np.linalg.cholesky(Phi + 1e-12 * np.eye(20)).T
    terms = cp.normNuc(L) + lam * cp.sum(cp.abs(X - L)) + gamma * cp.sum_squares(R @ L)
    generic = cp.Problem(cp.Minimize(terms))
    generic.solve(solver=cp.SCS, eps=1e-8, max_iters=200_000)
    result = graph_robust_pca(X, W, lam, gamma, **EXACT)
    assert result.converged
    assert_allclose(result.objective[-1], generic.value, rtol=3e-6)
    assert_allclose(
        result.objective[-1], value(X, result.low_rank, Phi, lam, gamma), rtol=1e-9
    )


@pytest.mark.parametrize("gamma", [0.05, 1.0])
def test_multiplier_certifies_the_optimum(problem, gamma):
    X, W, Phi = problem
    lam = 0.3
    L, S, Y, _, converged = graph_robust_pca(X, W, lam, gamma, **EXACT)
    assert converged
    assert_array_equal(S, X - L)
    # Y is a subgradient of the sparse term at S ...
    assert np.abs(Y).max() <= lam * (1 + 1e-6)
    assert_allclose(np.sum(Y * S), lam * np.abs(S).sum(), rtol=1e-6)
    # ... and, without the slope of the graph term, of the nuclear norm at L.
    Z = Y - 2 * gamma * (Phi @ L)
    assert np.linalg.norm(Z, 2) <= 1 + 1e-6
    assert_allclose(np.sum(Z * L), np.linalg.norm(L, "nuc"), rtol=1e-6)


def test_without_graph_it_is_robust_pca(problem):
    X, W, _ = problem
    ours = graph_robust_pca(X, W, 0.3, 0.0, **EXACT)
    plain = robust_pca(X, 0.3, **EXACT)
    assert_allclose(ours.objective[-1], plain.objective[-1], rtol=1e-7)
    assert_allclose(ours.low_rank, plain.low_rank, atol=1e-5)


def test_a_large_weight_leaves_no_sparse_part(problem):
    X, W, Phi = problem
    P, _, Qt = np.linalg.svd(X, full_matrices=False)
    gamma = 0.1
    multiplier = P @ Qt + 2 * gamma * Phi @ X
    enough = np.abs(multiplier).max()
    with pytest.warns(UserWarning, match=f"lam below {enough:.3g}"):
        result = graph_robust_pca(X, W, 1.05 * enough, gamma)
    assert_array_equal(result.low_rank, X)
    assert_allclose(result.dual, multiplier, atol=1e-12)
    assert_allclose(result.objective, [value(X, X, Phi, 1.0, gamma)])
    # The iterations themselves, without the closed form.
    Phi = sparse.csc_array(Phi)
    iterated = _alternate(X, Phi, 1.05 * enough, gamma, 1e-9, 20_000)
    assert_allclose(iterated.low_rank, X, atol=1e-5)
    result = graph_robust_pca(X, W, 0.95 * enough, gamma, **EXACT)
    assert np.abs(result.sparse).max() > 1e-3


@pytest.mark.parametrize("t", [0.1, 7.0])
def test_scale_of_the_samples_and_of_gamma(problem, t):
    X, W, _ = problem
    one = graph_robust_pca(X, W, 0.3, 0.2, **EXACT)
    other = graph_robust_pca(t * X, W, 0.3, 0.2 / t, **EXACT)
    assert_allclose(other.low_rank, t * one.low_rank, atol=1e-6 * t)


def test_default_weights_follow_the_scale(wine):
    X, _ = wine
    one = GRPCA(3, random_state=0).fit(X)
    other = GRPCA(3, random_state=0).fit(1000 * X)
    assert one.converged_
    assert_array_equal(one.labels_, other.labels_)


def test_a_heavy_graph_makes_samples_of_a_component_alike(problem):
    X, _, _ = problem
    blocks = np.kron(np.eye(2), np.ones((10, 10)) - np.eye(10)) / 9
    L = graph_robust_pca(X, sparse.csr_array(blocks), 0.3, 1e3, max_iter=5000).low_rank
    for part in (L[:10], L[10:]):
        assert_allclose(part, np.broadcast_to(part.mean(axis=0), part.shape), atol=1e-3)


def test_order_of_samples_does_not_matter(problem, rng):
    X, W, _ = problem
    order = rng.permutation(20)
    one = graph_robust_pca(X, W, 0.3, 0.2).low_rank
    other = graph_robust_pca(X[order], W[order][:, order], 0.3, 0.2).low_rank
    assert_allclose(other, one[order], atol=1e-9)


def test_gross_errors_do_not_move_the_clusters(rng):
    y = np.repeat([0, 1, 2], 30)
    X = 3 * rng.normal(size=(3, 20))[y] + 0.5 * rng.normal(size=(90, 20))
    X[rng.uniform(size=X.shape) < 0.05] = 30
    model = GRPCA(3, n_init=20, random_state=0).fit(X)
    assert model.converged_
    assert clustering_accuracy(y, model.labels_) == 1


def test_scores_are_offered(wine):
    model = GRPCA(3, readout="scores", random_state=0).fit(wine[0])
    assert model.embedding_.shape == (178, 3)
    gram = model.embedding_.T @ model.embedding_
    assert_allclose(gram, np.diag(np.diag(gram)), atol=1e-8)


def test_empty_features_change_nothing(wine):
    X, _ = wine
    wide = np.zeros((len(X), 3 * X.shape[1]))
    wide[:, 1::3] = X
    params = {"lam": 0.2, "gamma": 0.05, "tol": 1e-7, "random_state": 0}
    one, other = GRPCA(3, **params).fit(X), GRPCA(3, **params).fit(wide)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    for name in ("low_rank_", "sparse_"):
        found = getattr(other, name)
        np.testing.assert_allclose(found[:, 1::3], getattr(one, name), atol=1e-9)
        np.testing.assert_array_equal(np.delete(found, np.s_[1::3], axis=1), 0)


def test_a_small_weight_leaves_no_low_rank_part(problem):
    """The graph has no say where L is 0, so that robust PCA's bound holds."""
    X, W, _ = problem
    low = rpca_range(X)[0]
    with pytest.warns(UserWarning, match="the sparse part all of X"):
        found = graph_robust_pca(X, W, 0.99 * low, 0.3)
    assert_array_equal(found.low_rank, 0)
    assert len(found.objective) == 1
    close = graph_robust_pca(X, W, 1.0001 * low, 0.3, **EXACT)
    assert_allclose(close.low_rank, 0, atol=1e-2)
