"""Compiled steps against brute force, differences and generic solvers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse

from graphtailor.linalg.sparse import CsrRows
from graphtailor.solvers.s_step import ColumnSweeper, Sweeps, Targets
from graphtailor.solvers.support import support_of
from graphtailor.solvers.v_step import (
    best_entry,
    gram,
    sweep_new_indicator,
    sweep_rows,
)


def problem(n=20, d=4, c=3, seed=0, full=False, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    W = rng.uniform(size=(n, n)) * (rng.uniform(size=(n, n)) < 0.2)
    W = (W + W.T) / 2
    np.fill_diagonal(W, 0)
    extra = sparse.csr_array(rng.uniform(size=(n, n)) < 0.1)
    support = support_of(sparse.csr_array(W), None if full else extra, dtype)
    V = rng.uniform(size=(n, c)) * (rng.uniform(size=(n, c)) < 0.7)
    s = rng.uniform(size=len(support.indices))
    return X.astype(dtype), support, s.astype(dtype), V.astype(dtype)


def value(X, support, s, V, alpha, beta):
    S = support.matrix(s).toarray().T.astype(np.float64)
    W = support.matrix(support.given).toarray().astype(np.float64)
    X, V = X.astype(np.float64), V.astype(np.float64)
    return (
        alpha * np.linalg.norm(X - S.T @ X) ** 2
        + np.linalg.norm(S - V @ V.T) ** 2
        + beta * np.linalg.norm(S - W) ** 2
    )


def sweep_s(X, support, s, V, alpha, beta, sweeps, tol=0.0, n_jobs=1, shuffle=0):
    columns = ColumnSweeper(X, alpha, beta, n_jobs)
    targets = Targets(X, (support.indptr, support.indices), support.given, V)
    return columns.sweep(targets, s, V, Sweeps(sweeps, tol, shuffle))


def sweep_v(support, s, V):
    G = gram(V)
    A = CsrRows(support.indptr, support.indices, support.symmetric(s))
    return sweep_rows(A, V, V, 0, G), G


@settings(max_examples=200)
@given(st.floats(0, 1e3), st.floats(-1e3, 1e3))
def test_best_entry_against_all_roots(p, q):
    def quartic(x):
        return x**4 + 2 * p * x**2 + 4 * q * x

    roots = np.roots([1, 0, p, q])
    real = roots[np.abs(roots.imag) < 1e-6].real
    expected = min([0.0, *(x for x in real if x > 0)], key=quartic)
    x = best_entry(p, q)
    assert x >= 0
    assert quartic(x) <= quartic(expected) + 1e-12 * (1 + abs(quartic(expected)))
    assert x == pytest.approx(expected, abs=1e-5, rel=1e-9)


@pytest.mark.parametrize("p", [0.0, 1e-300, 1e-150, 1e-8, 1.0, 1e8, 1e150])
@pytest.mark.parametrize("q", [-1e150, -1.0, -1e-8, -1e-150, -1e-300, 0.0, 1.0])
def test_best_entry_of_extreme_cubics(p, q):
    x = best_entry(p, q)
    assert np.isfinite(x)
    assert x >= 0
    if q >= 0 or (p > 0 and -q / p == 0):
        assert x == 0
    else:
        assert abs(x**3 + p * x + q) <= 1e-12 * abs(q)


def test_one_entry_of_the_representation_against_brute_force():
    X, support, s, V = problem()
    alpha, beta = 3.0, 0.7
    for e in (0, len(s) // 2, len(s) - 1):
        j = np.searchsorted(support.indptr, e, side="right") - 1
        # A pattern with this single pair leaves every other entry as it is.
        lone = sparse.csr_array(
            (np.ones(1), (np.array([j]), support.indices[e : e + 1])),
            shape=(len(X), len(X)),
        )

        def at(x, e=e):
            moved = s.copy()
            moved[e] = x
            return value(X, support, moved, V, alpha, beta)

        best = optimize.minimize_scalar(at, bounds=(0, 50), options={"xatol": 1e-10})
        # What the other entries explain is taken off the target beforehand.
        S = support.matrix(s).tolil()
        S[j, support.indices[e]] = 0
        target = np.zeros_like(X)
        target[j] = X[j] - (S.tocsr() @ X)[j]
        moved = s[e : e + 1].copy()
        pattern = (lone.indptr.astype(np.int64), lone.indices.astype(np.int64))
        targets = Targets(target, pattern, support.given[e : e + 1], V)
        ColumnSweeper(X, alpha, beta, 1).sweep(targets, moved, V, Sweeps(1))
        assert moved[0] == pytest.approx(best.x, abs=1e-6)


def test_one_entry_of_the_indicator_against_brute_force():
    """The first entry that a sweep visits, all others as they were."""
    X, support, s, V = problem(c=1)
    start = V.copy()
    sweep_v(support, s, V)

    def at(x):
        moved = start.copy()
        moved[0, 0] = x
        return value(X, support, s, moved, 0, 0)

    best = optimize.minimize_scalar(at, bounds=(0, 20), options={"xatol": 1e-10})
    assert V[0, 0] == pytest.approx(best.x, abs=1e-6)


@pytest.mark.parametrize("c", [1, 2, 4])
def test_every_entry_of_an_indicator_sweep_against_brute_force(c):
    """A slow sweep, entry by entry, on the whole objective."""
    X, support, s, V = problem(n=8, c=c, seed=2)
    slow = V.copy()
    for place in np.ndindex(slow.shape):

        def at(x, place=place):
            moved = slow.copy()
            moved[place] = x
            return value(X, support, s, moved, 0, 0)

        best = optimize.minimize_scalar(at, bounds=(0, 10), options={"xatol": 1e-11})
        slow[place] = best.x if best.fun < at(0.0) else 0.0
    sweep_v(support, s, V)
    np.testing.assert_allclose(V, slow, atol=1e-5)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("c", [1, 3, 7])
def test_the_decrease_told_is_that_of_the_objective(c, dtype):
    X, support, s, V = problem(c=c, dtype=dtype)
    tolerance = 1e-10 if dtype == np.float64 else 1e-5
    for _ in range(4):
        before = value(X, support, s, V, 0, 0)
        fell, G = sweep_v(support, s, V)
        after = value(X, support, s, V, 0, 0)
        assert fell == pytest.approx(before - after, abs=tolerance * before)
        assert fell >= -1e-12
        np.testing.assert_allclose(G, gram(V), rtol=tolerance, atol=tolerance)
        assert V.min() >= 0


def test_gram():
    V = np.random.default_rng(0).uniform(size=(30, 4))
    np.testing.assert_allclose(gram(V), V.T @ V, rtol=1e-12)
    assert gram(V.astype(np.float32)).dtype == np.float64


@pytest.mark.parametrize("shuffle", [0, 1])
@pytest.mark.parametrize("beta", [0.0, 0.01, 1.0, 1000.0])
@pytest.mark.parametrize("alpha", [0.0, 0.01, 1.0, 1000.0])
def test_sweeps_over_the_representation_never_raise_the_objective(alpha, beta, shuffle):
    X, support, s, V = problem()
    before = value(X, support, s, V, alpha, beta)
    for sweep in range(5):
        leftover = sweep_s(X, support, s, V, alpha, beta, 1, shuffle=shuffle * sweep)
        after = value(X, support, s, V, alpha, beta)
        assert after <= before * (1 + 1e-12)
        before = after
        S = support.matrix(s).toarray().T
        expected = alpha * np.linalg.norm(X - S.T @ X) ** 2
        assert leftover == pytest.approx(expected, rel=1e-9, abs=1e-12)
        assert s.min() >= 0


@pytest.mark.parametrize("shuffle", [0, 5])
def test_representation_on_a_full_support_against_a_generic_solver(shuffle):
    """Column by column a nonnegative least squares problem."""
    X, support, s, V = problem(n=14, full=True)
    alpha, beta, n = 2.0, 0.5, 14
    sweep_s(X, support, s, V, alpha, beta, 2000, shuffle=shuffle)
    S = support.matrix(s).toarray().T
    W = support.matrix(support.given).toarray()
    for j in range(n):
        others = np.delete(np.arange(n), j)
        stacked = np.vstack(
            [
                np.sqrt(alpha) * X[others].T,
                np.eye(n - 1),
                np.sqrt(beta) * np.eye(n - 1),
            ]
        )
        wanted = np.r_[
            np.sqrt(alpha) * X[j], V[others] @ V[j], np.sqrt(beta) * W[others, j]
        ]
        expected, _ = optimize.nnls(stacked, wanted)
        np.testing.assert_allclose(S[others, j], expected, atol=1e-8)


@pytest.mark.parametrize("shuffle", [0, 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("alpha", [0.0, 2.0])
def test_sparse_samples_take_the_same_steps(alpha, dtype, shuffle):
    rng = np.random.default_rng(5)
    X, support, s, V = problem(d=12, dtype=dtype)
    X = X * (rng.uniform(size=X.shape) < 0.4).astype(dtype)
    X[3] = 0
    thin = s.copy()
    how = {"tol": 1e-9, "shuffle": shuffle}
    one = sweep_s(X, support, s, V, alpha, 0.5, 3, **how)
    other = sweep_s(sparse.csr_array(X), support, thin, V, alpha, 0.5, 3, **how)
    tolerance = 1e-12 if dtype == np.float64 else 1e-5
    np.testing.assert_allclose(thin, s, rtol=tolerance, atol=tolerance)
    assert other == pytest.approx(one, rel=10 * tolerance)
    assert s.dtype == thin.dtype == dtype


def test_random_orders_converge_where_neighbors_are_alike():
    """A fixed order is slow on columns of samples that are nearly the same."""
    X, support, s, V = problem(n=40, d=6, full=True)
    X = 1 + 0.3 * X
    X /= np.sqrt(np.square(X).sum(axis=1).mean())
    best = s.copy()
    sweep_s(X, support, best, V, 100.0, 100.0, 5000)
    errors = []
    for shuffle in (0, 1):
        found = s.copy()
        sweep_s(X, support, found, V, 100.0, 100.0, 20, shuffle=shuffle)
        errors.append(np.abs(found - best).max())
    assert errors[1] < errors[0] / 100


def test_a_column_is_left_where_it_stands_still():
    X, support, s, V = problem()
    sweep_s(X, support, s, V, 1.0, 1.0, 1000)
    settled = s.copy()
    sweep_s(X, support, s, V, 1.0, 1.0, 1000, tol=1e-3)
    np.testing.assert_allclose(s, settled, atol=1e-12)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_threads_do_not_change_a_byte(container):
    X, support, s, V = problem(n=700, seed=4)
    other = s.copy()
    one = sweep_s(container(X), support, s, V, 3.0, 0.1, 3, n_jobs=1, shuffle=1)
    two = sweep_s(container(X), support, other, V, 3.0, 0.1, 3, n_jobs=2, shuffle=1)
    assert s.tobytes() == other.tobytes()
    assert one == two


def test_nonnegative_least_squares_of_new_samples():
    rng = np.random.default_rng(0)
    V = rng.uniform(size=(15, 3))
    s = rng.normal(size=(6, 15))
    pattern = sparse.csr_array(s)
    V_new = np.zeros((6, 3))
    for _ in range(3000):
        moved = sweep_new_indicator(
            pattern.indptr, pattern.indices, pattern.data, V, gram(V), V_new
        )
    assert moved < 1e-12
    for row, target in zip(V_new, s, strict=True):
        np.testing.assert_allclose(row, optimize.nnls(V, target)[0], atol=1e-8)


def test_an_empty_cluster_takes_no_new_samples():
    V = np.array([[1.0, 0.0], [2.0, 0.0]])
    V_new = np.zeros((1, 2))
    pattern = sparse.csr_array(np.ones((1, 2)))
    sweep_new_indicator(
        pattern.indptr, pattern.indices, pattern.data, V, gram(V), V_new
    )
    assert V_new[0, 0] > 0
    assert V_new[0, 1] == 0
