"""Symmetric nonnegative matrix factorisation."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import block_diag
from scipy.optimize import check_grad, minimize
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from graphtailor.baselines import SymNMF
from graphtailor.baselines.symnmf import factorize_graph, symnmf_objective
from graphtailor.graphs import NeighborGraph
from graphtailor.solvers.multiplicative import update_indicator

solvers = pytest.mark.parametrize("solver", ["cd", "mu"])


def gradient(W, V):
    return 4 * (V @ (V.T @ V) - W @ V)


@pytest.fixture
def tiny(rng):
    X = np.vstack([rng.normal(size=(6, 2)), rng.normal(size=(6, 2)) + 4])
    return NeighborGraph(n_neighbors=4).fit(X).affinity_


def test_objective_and_its_gradient(tiny, rng):
    V = rng.uniform(size=(12, 2))
    direct = np.linalg.norm(tiny.toarray() - V @ V.T) ** 2
    assert symnmf_objective(tiny, V) == pytest.approx(direct)
    error = check_grad(
        lambda v: symnmf_objective(tiny, v.reshape(12, 2)),
        lambda v: gradient(tiny, v.reshape(12, 2)).ravel(),
        V.ravel(),
    )
    assert error < 1e-5


@solvers
def test_objective_never_rises(wine, solver):
    X, _ = wine
    model = SymNMF(3, solver=solver, random_state=0).fit(X)
    assert model.converged_
    assert len(model.objective_) == model.n_iter_ + 1
    assert (np.diff(model.objective_) <= 1e-12 * model.objective_[0]).all()
    assert model.indicator_.min() >= 0


@solvers
def test_stationary_at_the_end(tiny, solver):
    V, _, converged = factorize_graph(
        tiny, 2, solver=solver, max_iter=50_000, tol=1e-9, random_state=0
    )
    assert converged
    residual = np.abs(np.minimum(V, gradient(tiny, V))).max()
    assert residual < (1e-7 if solver == "cd" else 1e-4)


@solvers
def test_as_good_as_a_generic_solver(tiny, solver):
    rng = np.random.default_rng(3)
    generic = min(
        minimize(
            lambda v: symnmf_objective(tiny, v.reshape(12, 2)),
            rng.uniform(size=24),
            jac=lambda v: gradient(tiny, v.reshape(12, 2)).ravel(),
            bounds=[(0, None)] * 24,
            options={"ftol": 1e-15, "gtol": 1e-10},
        ).fun
        for _ in range(20)
    )
    ours = min(
        factorize_graph(
            tiny, 2, solver=solver, max_iter=5000, tol=1e-8, random_state=seed
        )[1][-1]
        for seed in range(20)
    )
    assert ours == pytest.approx(generic, rel=1e-6)


def test_an_exact_factor_is_a_fixed_point(rng):
    V = rng.uniform(0.1, 1, size=(10, 3))
    np.testing.assert_allclose(update_indicator(V @ V.T, V), V, rtol=1e-12)


def test_both_solvers_find_the_same_minimum(wine):
    X, _ = wine
    W = NeighborGraph().fit(X).affinity_
    best = {
        solver: min(
            factorize_graph(
                W, 3, solver=solver, max_iter=5000, tol=1e-7, random_state=seed
            )[1][-1]
            for seed in range(5)
        )
        for solver in ("cd", "mu")
    }
    assert best["cd"] == pytest.approx(best["mu"], rel=1e-5)


@solvers
def test_components_are_clusters(rng, solver):
    blocks = [rng.uniform(0.5, 1, size=(m, m)) for m in (8, 11, 9)]
    A = block_diag(*[b + b.T for b in blocks])
    y = np.repeat([0, 1, 2], (8, 11, 9))
    found = [
        SymNMF(3, graph="precomputed", solver=solver, random_state=seed).fit(A)
        for seed in range(5)
    ]
    best = min(found, key=lambda model: model.objective_[-1])
    assert adjusted_rand_score(y, best.labels_) == 1


def test_precomputed_graph_gives_the_same_result(wine):
    X, _ = wine
    knn = SymNMF(3, random_state=0).fit(X)
    given = SymNMF(3, graph="precomputed", random_state=0).fit(knn.graph_.weights_)
    np.testing.assert_array_equal(given.indicator_, knn.indicator_)
    assert isinstance(given.affinity_matrix_, sparse.csr_array)


def test_scale_changes_nothing(wine):
    X, _ = wine
    one = SymNMF(3, random_state=0).fit(X)
    many = SymNMF(3, random_state=0).fit(8 * X)
    np.testing.assert_allclose(one.indicator_, many.indicator_, atol=1e-9)


def test_an_empty_graph_is_one_cluster():
    model = SymNMF(2, graph="precomputed", random_state=0).fit(np.zeros((5, 5)))
    np.testing.assert_array_equal(model.labels_, 0)


def test_running_out_of_iterations_is_told(wine):
    X, _ = wine
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        model = SymNMF(3, max_iter=3, random_state=0).fit(X)
    assert not model.converged_
    assert model.n_iter_ == 3
