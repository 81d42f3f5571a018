"""ARPACK may be wrong, and then something else must be right."""

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.exceptions import ConvergenceWarning

from graphtailor.baselines.can import laplacian_eigenvectors
from graphtailor.baselines.glpca import smallest_eigenvectors
from graphtailor.graphs import normalize_affinity
from graphtailor.linalg import eigen
from graphtailor.linalg.eigen import are_leading, leading_eigenvectors
from graphtailor.linalg.svd import left_singular_vectors

N = 700  # above the size up to which LAPACK is used anyway


def chain(n=N):
    """Its leading eigenvalues crowd below 1."""
    return normalize_affinity(
        sparse.csr_array(sparse.diags_array([1.0, 1.0], offsets=[1, -1], shape=(n, n)))
    )


def near_blocks(seed=0, n_blocks=12):
    """Dense blocks joined weakly: as many eigenvalues within 1e-4 below 1."""
    rng = np.random.default_rng(seed)
    block = np.arange(N) % n_blocks
    A = np.where(block[:, None] == block, rng.uniform(0.5, 1, (N, N)), 0)
    A += 1e-5 * rng.uniform(size=(N, N))
    A = np.triu(A, 1)
    return normalize_affinity(sparse.csr_array(A + A.T))


def scattered(seed=0):
    A = sparse.random_array((N, N), density=0.02, rng=np.random.default_rng(seed))
    return normalize_affinity(sparse.csr_array(A + A.T))


def check_against_lapack(W, k, values, vectors):
    true = np.linalg.eigvalsh(W.toarray())[::-1]
    np.testing.assert_allclose(values, true[:k], atol=1e-9)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(k), atol=1e-8)
    np.testing.assert_allclose(W @ vectors, vectors * values, atol=1e-8)


GRAPHS = {"chain": chain, "near blocks": near_blocks, "scattered": scattered}
each_graph = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS.keys())


@each_graph
@pytest.mark.parametrize("k", [1, 3, 12])
def test_close_eigenvalues_are_all_found(graph, k):
    W = graph()
    check_against_lapack(W, k, *leading_eigenvectors(W, k, 0))


def dropping(eigsh, which):
    """An `eigsh` that leaves one eigenvalue out and gives the next one instead."""

    def faulty(A, k, **how):
        values, vectors = eigsh(A, k=k + 1, **how)
        kept = np.argsort(-values)
        kept = np.delete(kept, which)
        return values[kept], vectors[:, kept]

    return faulty


def noise(eigsh):
    """An `eigsh` that gives orthonormal vectors which are no eigenvectors."""

    def faulty(A, k, **how):
        values, vectors = eigsh(A, k=k, **how)
        rng = np.random.default_rng(0)
        return values, np.linalg.qr(rng.normal(size=vectors.shape))[0]

    return faulty


def not_a_number(eigsh):
    def faulty(A, k, **how):
        values, vectors = eigsh(A, k=k, **how)
        return values, np.full_like(vectors, np.nan)

    return faulty


def twice_the_same(eigsh):
    def faulty(A, k, **how):
        values, vectors = eigsh(A, k=k, **how)
        return np.full_like(values, values.max()), vectors[:, [values.argmax()] * k]

    return faulty


FAULTS = {
    "the first left out": lambda eigsh: dropping(eigsh, 0),
    "one in the middle left out": lambda eigsh: dropping(eigsh, 2),
    "noise": noise,
    "not a number": not_a_number,
    "twice the same": twice_the_same,
}
each_fault = pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())


@each_graph
@each_fault
def test_a_faulty_iteration_is_noticed(graph, fault, monkeypatch):
    W = graph()
    monkeypatch.setattr(eigen, "eigsh", fault(eigen.eigsh))
    check_against_lapack(W, 4, *leading_eigenvectors(W, 4, 0))


def memberships(n, m, seed=0):
    """Of samples in groups, with noise: as in an ensemble of clusterings."""
    rng = np.random.default_rng(seed)
    near = np.arange(n)[:, None] % 5 == np.arange(m) % 5
    there = rng.uniform(size=(n, m)) < np.where(near, 0.1, 0.002)
    return sparse.csr_array(there * rng.uniform(0.9, 1, size=(n, m)))


def check_left_vectors(A, k):
    U, values, _ = np.linalg.svd(A.toarray())
    found = left_singular_vectors(A, k, 0)
    np.testing.assert_allclose(found.T @ found, np.eye(k), atol=1e-7)
    np.testing.assert_allclose(np.abs(np.sum(found * U[:, :k], axis=0)), 1, atol=1e-6)
    assert values[k - 1] > 1.01 * values[k]  # or the vectors would not be unique


@pytest.mark.parametrize("shape", [(900, 700), (700, 900), (900, 40), (40, 900)])
def test_left_singular_vectors(shape):
    check_left_vectors(memberships(*shape), 5)


@each_fault
def test_left_singular_vectors_are_checked(fault, monkeypatch):
    monkeypatch.setattr(eigen, "eigsh", fault(eigen.eigsh))
    check_left_vectors(memberships(900, 700), 5)


def test_left_singular_vectors_of_low_rank():
    A = sparse.csr_array(np.repeat(np.eye(2), 20, axis=0) @ np.ones((2, 9)))
    found = left_singular_vectors(A, 3, 0)
    np.testing.assert_allclose(np.abs(found[:, 0]), 1 / np.sqrt(40))
    np.testing.assert_allclose(found[:, 1:], 0, atol=1e-7)


def test_a_large_graph_gets_a_warning_where_lapack_cannot_help(monkeypatch):
    monkeypatch.setattr(eigen, "eigsh", noise(eigen.eigsh))
    monkeypatch.setattr(eigen, "DENSE_UP_TO", 100)
    with pytest.warns(ConvergenceWarning, match=r"(?s)700 samples.*n_clusters"):
        leading_eigenvectors(scattered(), 3, 0)


@each_fault
def test_laplacian_eigenvectors_are_checked(fault, monkeypatch):
    A = scattered()
    monkeypatch.setattr(eigen, "eigsh", fault(eigen.eigsh))
    F, parts = laplacian_eigenvectors(A, 5)
    L = np.diag(A.sum(axis=1)) - A.toarray()
    assert parts == 1
    np.testing.assert_allclose(
        np.einsum("ij,ij->j", F, L @ F), np.linalg.eigvalsh(L)[:5], atol=1e-8
    )


@each_fault
def test_glpca_eigenvectors_are_checked(fault, monkeypatch):
    rng = np.random.default_rng(0)
    X, A = rng.normal(size=(N, 5)), scattered()
    L = sparse.csr_array(sparse.diags_array(A.sum(axis=1)) - A)
    start = rng.uniform(-1, 1, size=N)
    monkeypatch.setattr(eigen, "eigsh", fault(eigen.eigsh))
    values, Q = smallest_eigenvectors(X, L, 4, (1.0, 2.0, 0.0), start)
    M = 2 * L.toarray() - X @ X.T
    np.testing.assert_allclose(values, np.linalg.eigvalsh(M)[:4], atol=1e-6)
    np.testing.assert_allclose(M @ Q, Q * values, atol=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_what_lapack_gives_is_never_rejected(seed):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(60, 60)) * 10.0 ** rng.integers(-100, 100)
    A = A + A.T
    values, vectors = np.linalg.eigh(A)
    for k in (1, 7, 59, 60):
        top = (values[-k:], vectors[:, -k:])
        assert are_leading(lambda x: A @ x, *top)


def test_one_eigenvalue_left_out_is_seen_far_below_the_others():
    A = np.diag(np.r_[np.linspace(1, 0.9, 20), np.zeros(80)])
    kept = np.r_[0:10, 11:15]
    pairs = (A.diagonal()[kept], np.eye(100)[:, kept])
    assert not are_leading(lambda x: A @ x, *pairs)


def test_an_internal_error_of_lapack_is_mended(monkeypatch):
    A = np.random.default_rng(0).normal(size=(9, 9))
    A, B = A + A.T, np.eye(9) + 0.01 * (A @ A.T)
    expected = [linalg.eigvalsh(A), linalg.eigvalsh(A, B)]
    eigh = linalg.eigh

    def failing(A, B, **how):
        if "subset_by_index" in how:
            raise linalg.LinAlgError("Internal Error.")
        return eigh(A, B, **how)

    monkeypatch.setattr(eigen.linalg, "eigh", failing)
    for other, values in zip((None, B), expected, strict=True):
        found, vectors = eigen.eigenpairs(A, 2, 5, other)
        np.testing.assert_allclose(found, values[2:6], atol=1e-10)
        right = vectors if other is None else B @ vectors
        np.testing.assert_allclose(A @ vectors, right * found, atol=1e-9)
