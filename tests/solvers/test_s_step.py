"""The S-step by inner products takes the same steps as the one by features."""

import numpy as np
import pytest
from scipy import sparse

from graphtailor import JointModel
from graphtailor.graphs import NeighborGraph
from graphtailor.linalg.threads import Workers
from graphtailor.solvers import s_step
from graphtailor.solvers.s_step import ColumnSweeper, GramColumns, Sweeps, Targets
from graphtailor.solvers.support import support_of


def problem(n=60, d=40, dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(dtype)
    W = NeighborGraph(n_neighbors=6).fit(X).affinity_
    support = support_of(W, W, dtype)
    return X, support, rng.random((n, 3)).astype(dtype)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(("dtype", "exact"), [(np.float64, 1e-12), (np.float32, 2e-6)])
@pytest.mark.parametrize(("alpha", "beta"), [(0.0, 1.0), (3.0, 0.1), (100.0, 100.0)])
def test_the_same_steps_as_by_features(alpha, beta, dtype, exact, n_jobs):
    X, support, V = problem(dtype=dtype)
    pattern = (support.indptr, support.indices)
    first, second = support.given.copy(), support.given.copy()
    with Workers(n_jobs) as workers:
        grams = GramColumns(X, pattern, alpha, beta, workers)
        for iteration in range(1, 5):
            how = (Sweeps(2, 0.0, iteration), workers)
            found = grams.sweep(support.given, first, V, *how)
            columns = ColumnSweeper(X, alpha, beta, n_jobs)
            targets = Targets(X, pattern, support.given, V)
            expected = columns.sweep(targets, second, V, *how)
            np.testing.assert_allclose(first, second, atol=exact, rtol=10 * exact)
            assert found == pytest.approx(expected, rel=10 * exact, abs=exact)


def test_what_is_left_over_is_never_negative():
    X, support, V = problem()
    copies = np.repeat(X[:6], 10, axis=0)  # every sample is represented exactly
    s = np.zeros_like(support.given)
    with Workers(1) as workers:
        pattern = (support.indptr, support.indices)
        grams = GramColumns(copies, pattern, 1e6, 0.0, workers)
        left = [
            grams.sweep(s, s, 0 * V, Sweeps(50, 0.0, 1 + k), workers) for k in range(9)
        ]
    assert min(left) >= 0
    assert np.diff(left).max() <= 1e-8 * left[0]


def test_it_is_used_where_it_is_quicker(monkeypatch):
    X, support, _ = problem()
    pattern = (support.indptr, support.indices)
    with Workers(1) as workers:
        how = (1.0, 1.0, workers)
        assert GramColumns.if_quicker(X, pattern, *how) is not None
        assert GramColumns.if_quicker(X[:, :3], pattern, *how) is None
        assert GramColumns.if_quicker(sparse.csr_array(X), pattern, *how) is None
        monkeypatch.setattr(s_step, "_MOST_PRODUCTS", 100)
        assert GramColumns.if_quicker(X, pattern, *how) is None


def test_a_fit_does_not_depend_on_the_way(monkeypatch):
    X, _, _ = problem(n=150, d=60)
    models = []
    for most in (10**9, 0):
        monkeypatch.setattr(s_step, "_MOST_PRODUCTS", most)
        models.append(JointModel(3, random_state=0, n_init=3).fit(X))
    one, other = models
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.objective_[-1] == pytest.approx(other.objective_[-1], rel=1e-9)
