"""Sweeps over V by windows of blocks: exact, monotone, the same on any threads."""

import numpy as np
import pytest
from scipy import sparse

from graphtailor.decide import sizes
from graphtailor.linalg.sparse import CsrRows
from graphtailor.linalg.threads import Workers
from graphtailor.solvers.descent import descend_from
from graphtailor.solvers.problem import DescentProblem, Limits, alternate, fit_indicator
from graphtailor.solvers.support import support_of
from graphtailor.solvers.v_step import gram, sweep_rows
from graphtailor.solvers.v_step_parallel import Windows, interaction


def problem(n=60, c=3, seed=0, dtype=np.float64, density=0.2):
    rng = np.random.default_rng(seed)
    W = rng.uniform(size=(n, n)) * (rng.uniform(size=(n, n)) < density)
    W = np.triu(W, 1) + np.triu(W, 1).T
    support = support_of(sparse.csr_array(W), sparse.csr_array((n, n)), dtype)
    V = rng.uniform(size=(n, c)) * (rng.uniform(size=(n, c)) < 0.7)
    return support, V.astype(dtype), W


def value(A, V):
    return np.linalg.norm(A - V.astype(np.float64) @ V.T.astype(np.float64)) ** 2


def sweep(windows, support, V, n_jobs=1):
    V, G = V.copy(), gram(V)
    with Workers(n_jobs) as workers:
        decrease, repeated = windows.sweep(support.given, V, G, workers)
    return V, G, decrease, repeated


@pytest.mark.parametrize(("rows", "blocks"), [(10, 3), (7, 4), (1, 60), (25, 2)])
def test_the_interaction_is_exact(rows, blocks):
    """The change of the objective, beyond what the blocks change by themselves."""
    n = 60
    support, V, A = problem(n)
    windows = Windows(support.indptr, support.indices, rows, blocks)
    rng = np.random.default_rng(1)
    for window in range(windows.n_windows):
        firsts = np.arange(window, -(-n // rows), windows.n_windows) * rows
        together, alone, changes = V.copy(), [], []
        for first in firsts:
            moved = V.copy()
            part = slice(first, first + rows)
            moved[part] = rng.uniform(size=moved[part].shape)
            together[part] = moved[part]
            alone.append(value(A, moved) - value(A, V))
            changes.append(gram(moved) - gram(V))
        bounds = windows._bounds[window : window + 2]
        found = interaction(
            *(CsrRows(support.indptr, support.indices, support.given), V, together),
            *(windows._crossings[slice(*bounds)], np.array(changes)),
        )
        expected = value(A, together) - value(A, V) - sum(alone)
        assert found == pytest.approx(expected, rel=1e-10, abs=1e-9)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize(("rows", "blocks"), [(10, 3), (7, 4), (60, 8), (1, 60)])
def test_a_sweep_never_raises_the_objective(rows, blocks, dtype):
    support, V, A = problem(dtype=dtype)
    windows = Windows(support.indptr, support.indices, rows, blocks)
    tolerance = 1e-10 if dtype == np.float64 else 1e-5
    for _ in range(6):
        before = value(A, V)
        V, G, decrease, _ = sweep(windows, support, V)
        assert decrease >= 0
        fell = before - value(A, V)
        assert decrease == pytest.approx(fell, abs=tolerance * before)
        np.testing.assert_allclose(G, gram(V), rtol=tolerance, atol=tolerance)
        assert V.min() >= 0


@pytest.mark.parametrize("n_jobs", [2, 4, 7])
def test_threads_do_not_change_a_byte(n_jobs):
    support, V, _ = problem(n=300, seed=3, density=0.05)
    windows = Windows(support.indptr, support.indices, 10, 5)
    one = other = V
    for _ in range(5):
        one, G_one, fell_one, _ = sweep(windows, support, one)
        other, G, fell, _ = sweep(windows, support, other, n_jobs)
        assert one.tobytes() == other.tobytes()
        assert G_one.tobytes() == G.tobytes()
        assert fell_one == fell


def test_a_window_that_would_raise_the_objective_is_swept_in_sequence():
    """All rows at 1/2 where 1 is best: each block alone makes up for the others."""
    n = 40
    complete = 1 - np.eye(n)
    support = support_of(sparse.csr_array(complete), None, np.float64)
    V = np.full((n, 1), 0.5)
    windows = Windows(support.indptr, support.indices, 5, 8)
    proposals = V.copy()
    for first in range(0, n, 5):
        part = V[first : first + 5].copy()
        sweep_rows(
            CsrRows(support.indptr, support.indices, support.given),
            *(V, part, first, gram(V)),
        )
        proposals[first : first + 5] = part
    assert value(complete, proposals) > value(complete, V)

    swept, G, decrease, repeated = sweep(windows, support, V)
    assert repeated == windows.n_windows == 1
    expected, G_expected = V.copy(), gram(V)
    fell = sweep_rows(
        CsrRows(support.indptr, support.indices, support.given),
        *(expected, expected, 0, G_expected),
    )
    np.testing.assert_allclose(swept, expected, rtol=1e-12)
    np.testing.assert_allclose(G, G_expected, rtol=1e-12)
    assert decrease == pytest.approx(fell)


def test_one_block_is_the_plain_sweep():
    support, V, _ = problem()
    windows = Windows(support.indptr, support.indices, 60, 8)
    swept, _, _, repeated = sweep(windows, support, V)
    expected = V.copy()
    A = CsrRows(support.indptr, support.indices, support.given)
    sweep_rows(A, expected, expected, 0, gram(V))
    assert swept.tobytes() == expected.tobytes()
    assert repeated == 0


@pytest.mark.parametrize("beta", [0.5, 50.0])
class TestLargeProblems:
    """Windows and renumbering as large problems have them, on a small one."""

    @staticmethod
    def build(beta, n_jobs, monkeypatch, dtype=np.float64):
        monkeypatch.setattr(sizes, "PARALLEL_FROM", 0)
        n = 1400  # three blocks
        rng = np.random.default_rng(0)
        labels = rng.integers(3, size=n)
        X = (rng.normal(size=(3, 4))[labels] + rng.normal(size=(n, 4))).astype(dtype)
        near = np.abs(rng.normal(size=n) + 3 * labels)
        W = sparse.random_array((n, n), density=0.01, rng=rng, dtype=dtype)
        W = sparse.csr_array(W + W.T)
        W.data *= np.exp(-np.square(near[W.tocoo().row] - near[W.indices]))
        W.setdiag(0)
        W.eliminate_zeros()
        pairs = sparse.random_array((n, n), density=0.01, rng=rng)
        support = support_of(W, pairs, dtype)
        problem = DescentProblem(X, support, 1.0, beta, n_jobs)
        return problem, rng.uniform(size=(n, 3)).astype(dtype) / np.sqrt(n)

    def test_threads_do_not_change_a_byte(self, beta, monkeypatch):
        found = []
        for n_jobs in (1, 2, 4):
            problem, V = self.build(beta, n_jobs, monkeypatch)
            starts = [("one", lambda V=V: V), ("other", lambda V=V: V[::-1].copy())]
            result, tried = descend_from(problem, starts, max_iter=15, tol=1e-7)
            found.append([result.V, result.S.data, result.objective, tried[1].labels])
        for one, *others in zip(*found, strict=True):
            assert all(one.tobytes() == other.tobytes() for other in others)

    def test_results_come_in_the_order_of_the_samples(self, beta, monkeypatch):
        problem, V = self.build(beta, 2, monkeypatch)
        result, (start,) = descend_from(
            problem, [("one", lambda: V)], max_iter=60, tol=1e-9
        )
        support = problem.support
        rows = np.repeat(np.arange(len(V)), np.diff(support.indptr))
        s = result.S.toarray()[support.indices, rows]
        exact = problem.objective(s, result.V)
        assert result.objective[-1] == pytest.approx(exact, rel=1e-9)
        assert problem.objective(s, result.V[::-1].copy()) > exact
        agree = start.labels == result.V.argmax(axis=1)
        assert agree.mean() > 0.95

    def test_the_objective_never_rises(self, beta, monkeypatch):
        problem, V = self.build(beta, 2, monkeypatch)
        _, history = fit_indicator(problem, problem.support.given, V, Limits(20, 0))
        assert (np.diff(history) / history[:-1]).max() <= 1e-12
        _, result = alternate(problem, problem.support.given, V, Limits(20, 0))
        assert (np.diff(result.objective) / result.objective[:-1]).max() <= 1e-12
