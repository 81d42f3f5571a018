"""L2-Graph: ridge regression of every sample on the others."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Ridge
from sklearn.metrics import adjusted_rand_score

from graphtailor.baselines import L2Graph, l2graph
from graphtailor.baselines.l2graph import RidgeOnOthers, l2_affinity
from graphtailor.bench import load_plan
from graphtailor.bench.run.data import load_data
from graphtailor.metrics import clustering_scores

shapes = pytest.mark.parametrize("shape", [(25, 6), (12, 30), (15, 15)])


def subspaces(rng, n_each=20, dim=3, ambient=15, count=3):
    bases = np.linalg.qr(rng.standard_normal((ambient, dim * count)))[0].T
    # Independent but not orthogonal subspaces.
    bases = bases @ (np.eye(ambient) + 0.3 * rng.standard_normal((ambient, ambient)))
    X = np.vstack(
        [
            rng.standard_normal((n_each, dim)) @ bases[dim * g : dim * (g + 1)]
            for g in range(count)
        ]
    )
    return X, np.repeat(np.arange(count), n_each)


@shapes
@pytest.mark.parametrize("lam", [0.01, 1.0, 100.0])
def test_equals_one_ridge_regression_for_each_sample(rng, shape, lam):
    X = rng.standard_normal(shape)
    n = len(X)
    C = RidgeOnOthers(X, lam).coefficients(0, n)
    for i in range(n):
        others = np.delete(np.arange(n), i)
        A = X[others]
        expected = np.linalg.solve(A @ A.T + lam * np.eye(n - 1), A @ X[i])
        np.testing.assert_allclose(C[i, others], expected, atol=1e-12)
        assert C[i, i] == 0
    peer = Ridge(alpha=lam, fit_intercept=False).fit(X[1:].T, X[0])
    np.testing.assert_allclose(C[0, 1:], peer.coef_, atol=1e-10)


@shapes
def test_equals_the_formula_of_the_paper(rng, shape):
    X = rng.standard_normal(shape)
    n, lam = len(X), 0.5
    P = np.linalg.inv(X @ X.T + lam * np.eye(n))
    C = RidgeOnOthers(X, lam).coefficients(0, n)
    for i in range(n):
        e = np.eye(n)[i]
        q = P @ X @ X[i]
        expected = q - (e @ q) / (e @ P @ e) * (P @ e)
        np.testing.assert_allclose(C[i], expected, atol=1e-11)


def test_woodbury_and_direct_form_agree(rng):
    X = rng.standard_normal((20, 19))
    wide = np.hstack([X, np.zeros((20, 5))])
    thin, direct = RidgeOnOthers(X, 0.3), RidgeOnOthers(wide, 0.3)
    np.testing.assert_allclose(
        thin.coefficients(0, 20), direct.coefficients(0, 20), atol=1e-10
    )
    assert thin.objective == pytest.approx(direct.objective)


@shapes
def test_objective_is_the_sum_of_the_minima(rng, shape):
    X = rng.standard_normal(shape)
    lam = 0.7
    ridge = RidgeOnOthers(X, lam)
    C = ridge.coefficients(0, len(X))
    direct = (np.sum((X - C @ X) ** 2) + lam * np.sum(C**2)) / 2
    assert ridge.objective == pytest.approx(direct)


def test_blocks_of_rows_are_rows_of_the_whole(rng):
    X = rng.standard_normal((25, 6))
    ridge = RidgeOnOthers(X, 0.5)
    np.testing.assert_allclose(
        ridge.coefficients(7, 13), ridge.coefficients(0, 25)[7:13], atol=1e-14
    )


@pytest.mark.parametrize("k", [1, 4])
@shapes
def test_graph_is_built_in_the_published_order(rng, k, shape):
    X = rng.standard_normal(shape)
    n = len(X)
    A, _ = l2_affinity(X, 0.5, k)
    # The published program has the coefficients of a sample in a column.
    C = np.abs(RidgeOnOthers(X, 0.5).coefficients(0, n)).T
    C = C / np.linalg.norm(C, axis=0)
    C = C / C.max(axis=0)
    both = C + C.T
    kept = np.zeros_like(both)
    for j in range(n):
        largest = np.argsort(-both[:, j])[:k]
        kept[largest, j] = both[largest, j]
    np.testing.assert_allclose(A.toarray(), kept + kept.T, atol=1e-11)
    assert (A != A.T).nnz == 0
    assert A.nnz <= 2 * k * n
    assert isinstance(A, sparse.csr_array)


def test_all_coefficients_give_a_dense_graph(rng):
    X = rng.standard_normal((30, 5))
    A, _ = l2_affinity(X, 0.5, None)
    assert isinstance(A, np.ndarray)
    # Where nothing is dropped, making the graph symmetric once more doubles it.
    most, _ = l2_affinity(X, 0.5, 29)
    np.testing.assert_allclose(2 * A, most.toarray(), atol=1e-12)


def test_independent_subspaces_give_a_block_diagonal_graph(rng):
    X, y = subspaces(rng)
    A, _ = l2_affinity(X, 1e-7, None)
    assert A[y[:, None] != y].max() < 1e-4
    model = L2Graph(3, lam=1e-3, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    across = model.affinity_matrix_.toarray()[y[:, None] != y]
    np.testing.assert_array_equal(across, 0)


@pytest.mark.parametrize("lam", [0.001, 0.1, 10.0])
def test_noisy_subspaces_are_found(rng, lam):
    # Of unit length: samples near the origin would drown in the noise.
    X, y = subspaces(rng, n_each=40)
    X = X / np.linalg.norm(X, axis=1, keepdims=True)
    X = X + 0.05 * rng.standard_normal(X.shape)
    model = L2Graph(3, lam=lam, normalize_samples=True, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1


def test_scale_and_rotation(wine, rng):
    X, _ = wine
    A, _ = l2_affinity(X, 0.5)
    scaled, _ = l2_affinity(7 * X, 49 * 0.5)
    np.testing.assert_allclose(A.toarray(), scaled.toarray(), atol=1e-9)
    R = np.linalg.qr(rng.standard_normal((13, 13)))[0]
    rotated, _ = l2_affinity(X @ R, 0.5)
    np.testing.assert_allclose(A.toarray(), rotated.toarray(), atol=1e-9)


def test_samples_may_be_scaled_to_unit_length(rng):
    X = rng.standard_normal((20, 4))
    stretched = X * rng.uniform(1, 9, size=(20, 1))
    A, _ = l2_affinity(X, 0.5, normalize_samples=True)
    B, _ = l2_affinity(stretched, 0.5, normalize_samples=True)
    np.testing.assert_allclose(A.toarray(), B.toarray(), atol=1e-12)


def test_a_zero_sample_is_isolated(rng):
    X = rng.standard_normal((20, 4))
    X[3] = 0
    with pytest.warns(UserWarning, match="connected components"):
        model = L2Graph(1, random_state=0).fit(X)
    assert model.affinity_matrix_[[3]].nnz == 0
    assert np.isfinite(model.embedding_).all()


def test_graph_of_many_samples_is_built_in_blocks(rng, monkeypatch):
    X = rng.standard_normal((50, 3))
    whole, _ = l2_affinity(X, 0.5, 4)
    monkeypatch.setattr(l2graph, "_ROWS_PER_BLOCK", 7)
    in_blocks, _ = l2_affinity(X, 0.5, 4)
    np.testing.assert_allclose(in_blocks.toarray(), whole.toarray(), atol=1e-12)


@pytest.mark.parametrize(
    ("name", "lam", "printed"),
    [
        ("iris", 1000.0, (0.830, 0.663, 0.830, 0.621)),
        ("wine", 100.0, (0.946, 0.808, 0.946, 0.837)),
        ("ionosphere", 0.1, (0.555, 0.153, 0.641, -0.017)),
    ],
)
def test_gives_the_rows_that_the_paper_prints(name, lam, printed):
    plan = load_plan("paper", datasets=[name])
    data = load_data(plan.datasets[0])
    model = L2Graph(data.n_clusters, lam=lam, random_state=0).fit(data.X)
    scores = clustering_scores(data.y, model.labels_)
    ours = [scores[metric] for metric in ("ACC", "NMI", "PUR", "ARI")]
    np.testing.assert_allclose(ours, printed, atol=0.015)
