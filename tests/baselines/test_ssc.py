"""Sparse spectral clustering: duality, limits, and a generic solver."""

import warnings

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_moons
from sklearn.exceptions import ConvergenceWarning

from graphtailor.baselines import SparseSpectralClustering, SpectralClusteringNJW
from graphtailor.baselines._sparse_projector import (
    FantopeProjector,
    project_fantope,
    sparse_projector,
)
from graphtailor.graphs import NeighborGraph
from graphtailor.linalg.eigen import leading_eigenvectors
from graphtailor.metrics import clustering_accuracy

EXACT = {"tol": 1e-8, "max_iter": 20_000}


def affinity(rng, n=12, k=4):
    return NeighborGraph(n_neighbors=k).fit(rng.normal(size=(n, 3))).affinity_.toarray()


def value(P, W, lam):
    return np.trace(P) - np.sum(P * W) + lam * np.abs(P).sum()


def dual_value(W, dual, c, lam):
    """Sum of the c smallest eigenvalues of Phi + Z for a feasible Z."""
    Phi = np.eye(len(W)) - W
    Z = np.clip(-(Phi + dual), -lam, lam)
    return np.linalg.eigvalsh(Phi + (Z + Z.T) / 2)[:c].sum()


@pytest.mark.parametrize("c", [2, 3])
@pytest.mark.parametrize("lam", [0.02, 0.1])
def test_generic_solver_finds_nothing_better(rng, c, lam):
    W = affinity(rng)
    n = len(W)
    P = cp.Variable((n, n), symmetric=True)
    problem = cp.Problem(
        cp.Minimize(cp.trace(P @ (np.eye(n) - W)) + lam * cp.sum(cp.abs(P))),
        [P >> 0, np.eye(n) - P >> 0, cp.trace(P) == c],
    )
    problem.solve(solver=cp.SCS, eps=1e-9, max_iters=200_000)
    result = sparse_projector(W, c, lam, **EXACT)
    assert result.converged
    assert_allclose(result.objective[-1], problem.value, rtol=1e-5)
    assert_allclose(result.objective[-1], value(result.projector, W, lam), rtol=1e-9)


@pytest.mark.parametrize(("n", "c", "lam"), [(40, 3, 0.003), (60, 4, 0.05)])
def test_gap_to_the_dual_problem_closes(rng, n, c, lam):
    W = affinity(rng, n, 6)
    result = sparse_projector(W, c, lam, **EXACT)
    assert result.converged
    lower = dual_value(W, result.dual, c, lam)
    assert lower <= result.objective[-1] + 1e-9
    assert_allclose(lower, result.objective[-1], rtol=1e-5)


def test_solution_lies_between_projectors(rng):
    Q = sparse_projector(affinity(rng, 50, 6), 4, 0.01).projector
    assert_array_equal(Q, Q.T)
    assert_allclose(np.trace(Q), 4)
    eigenvalues = np.linalg.eigvalsh(Q)
    assert eigenvalues.min() > -1e-10
    assert eigenvalues.max() < 1 + 1e-10


def test_without_sparsity_it_is_spectral_clustering(wine):
    X, _ = wine
    model = SparseSpectralClustering(3, lam=0.0, random_state=0).fit(X)
    V = leading_eigenvectors(model.affinity_matrix_, 3)[1]
    assert_allclose(model.projector_, V @ V.T, atol=1e-8)
    plain = SpectralClusteringNJW(3, random_state=0).fit_predict(X)
    assert clustering_accuracy(plain, model.labels_) == 1


def test_a_weight_beyond_the_largest_affinity_is_told(wine):
    X, _ = wine
    W = NeighborGraph().fit(X).affinity_.toarray()
    with pytest.warns(UserWarning, match=f"lam below {W.max():.3g}"):
        model = SparseSpectralClustering(3, lam=1.0).fit(X)
    assert_array_equal(model.projector_, 3 / len(X) * np.eye(len(X)))
    assert_allclose(model.objective_, [6.0])
    assert_allclose(value(model.projector_, W, 1.0), 6.0)


def test_closed_form_beyond_the_largest_affinity_is_optimal(rng):
    W = affinity(rng)
    lam = 1.1 * W.max()
    with pytest.warns(UserWarning, match="no clusters can be read"):
        result = sparse_projector(W, 3, lam)
    assert_allclose(dual_value(W, result.dual, 3, lam), result.objective[-1])
    below = sparse_projector(W, 3, 0.9 * W.max(), **EXACT)
    assert below.objective[-1] < 3 * (1 + 0.9 * W.max()) - 1e-4


def test_default_weight_is_useful(wine):
    X, y = wine
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = SparseSpectralClustering(3, random_state=0).fit(X)
    plain = SparseSpectralClustering(3, lam=0.0).fit(X)
    assert np.abs(model.projector_).sum() < 0.95 * np.abs(plain.projector_).sum()
    assert clustering_accuracy(y, model.labels_) > 0.94


@pytest.mark.parametrize("c", [1, 2, 5])
def test_default_weight_is_useful_on_a_complete_graph(c):
    W = (np.ones((5, 5)) - np.eye(5)) / 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = sparse_projector(W, c)
    assert result.converged
    assert_allclose(np.trace(result.projector), c)


def test_scale_does_not_matter(wine):
    X, _ = wine
    one = SparseSpectralClustering(3, random_state=0).fit(X)
    other = SparseSpectralClustering(3, random_state=0).fit(8 * X)
    assert_array_equal(one.projector_, other.projector_)


def test_order_of_samples_does_not_matter(rng):
    W = affinity(rng, 40, 6)
    order = rng.permutation(40)
    Q = sparse_projector(W, 3, 0.01, tol=1e-7, max_iter=2000).projector
    again = sparse_projector(W[order][:, order], 3, 0.01, tol=1e-7, max_iter=2000)
    assert_allclose(again.projector, Q[order][:, order], atol=1e-4)


def test_moons_and_a_precomputed_graph():
    X, y = make_moons(150, noise=0.05, random_state=0)
    model = SparseSpectralClustering(2, random_state=0).fit(X)
    assert clustering_accuracy(y, model.labels_) == 1
    given = SparseSpectralClustering(2, graph="precomputed", random_state=0)
    labels = given.fit_predict(model.graph_.weights_)
    assert_array_equal(labels, model.labels_)


def test_large_graphs_take_the_partial_decomposition(rng):
    W = affinity(rng, 450, 8)
    result = sparse_projector(W, 3, 1e-3, tol=1e-6, max_iter=2000)
    assert result.converged
    lower = dual_value(W, result.dual, 3, 1e-3)
    assert_allclose(lower, result.objective[-1], rtol=1e-3)
    assert lower <= result.objective[-1]


def test_partial_projection_equals_the_direct_one(rng):
    n, k = 500, 4
    T = rng.normal(size=(n, n)) / np.sqrt(n)
    T = (T + T.T) / 2
    # A useless start, and a spectrum with many eigenvalues above the threshold.
    projector = FantopeProjector(rng.normal(size=(n, 2 * k)), k)
    for shift in (0.0, 0.05):
        Q = projector.project(T + shift * np.diag(rng.normal(size=n)), 1e-11)
    assert_allclose(np.trace(Q), k)
    low_rank = rng.normal(size=(n, 6)) / 10
    T = low_rank @ low_rank.T + 0.01 * T
    Q = projector.project(T, 1e-11)
    assert_allclose(Q, project_fantope(T, k), atol=1e-8)
    assert projector.is_exact(T, Q, 1e-6)
    assert not projector.is_exact(T, Q + 1e-3, 1e-6)
    assert_array_equal(projector.project(T, 1.0), project_fantope(T, k))


def test_running_out_of_iterations_is_told(wine):
    with pytest.warns(ConvergenceWarning, match="max_iter=2"):
        model = SparseSpectralClustering(3, max_iter=2).fit(wine[0])
    assert not model.converged_
