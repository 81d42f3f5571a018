"""Graph-Laplacian PCA."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from graphtailor.baselines import GLPCA, PCAClustering
from graphtailor.baselines.glpca import normalized_weights, smallest_eigenvectors
from graphtailor.graphs import NeighborGraph


def laplacian(X):
    G = NeighborGraph().fit(X).weights_.toarray()
    return np.diag(G.sum(axis=1)) - G


def objective(X, L, alpha, Q):
    return np.linalg.norm(X - Q @ (Q.T @ X)) ** 2 + alpha * np.trace(Q.T @ L @ Q)


def projector(Q):
    return Q @ Q.T


def test_without_the_graph_it_is_pca(wine):
    X, _ = wine
    ours = GLPCA(3, alpha=0, random_state=0).fit(X)
    pca = PCAClustering(3, random_state=0).fit(X)
    np.testing.assert_allclose(
        projector(ours.embedding_), projector(pca.embedding_), atol=1e-9
    )
    assert ours.objective_[0] == pytest.approx(pca.objective_[0])


@pytest.mark.parametrize("alpha", [0.01, 1.0, 100.0])
def test_no_other_orthonormal_basis_does_better(wine, rng, alpha):
    X, _ = wine
    model = GLPCA(3, alpha=alpha, random_state=0).fit(X)
    L, Q = laplacian(X), model.embedding_
    np.testing.assert_allclose(Q.T @ Q, np.eye(3), atol=1e-10)
    best = objective(X, L, alpha, Q)
    assert model.objective_[0] == pytest.approx(best)
    np.testing.assert_allclose(model.components_, Q.T @ X)
    for size in (1e-3, 0.1, 10):
        other = np.linalg.qr(Q + size * rng.standard_normal(Q.shape))[0]
        assert objective(X, L, alpha, other) >= best * (1 - 1e-12)


@pytest.mark.parametrize("alpha", [0.0, 1.0, 1000.0])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_lanczos_agrees_with_lapack(rng, alpha, kind):
    X = rng.standard_normal((650, 12))
    L = laplacian(X)
    start = rng.uniform(-1, 1, 650)
    weights = (1.0, alpha, 0.0)
    values, Q = smallest_eigenvectors(kind(X), sparse.csr_array(L), 4, weights, start)
    expected, U = np.linalg.eigh(alpha * L - X @ X.T)
    np.testing.assert_allclose(values, expected[:4], rtol=1e-9)
    np.testing.assert_allclose(projector(Q), projector(U[:, :4]), atol=1e-6)


def normalized_matrix(X, L, beta):
    n = len(X)
    K = X @ X.T
    fit = np.eye(n) - K / np.linalg.norm(K, 2)
    return (1 - beta) * fit + beta * (L / np.linalg.norm(L, 2) + np.ones((n, n)) / n)


@pytest.mark.parametrize("beta", [0.0, 0.4, 1.0])
def test_normalised_form_is_the_papers_matrix(wine, beta):
    X, _ = wine
    X = X - X.mean(axis=0)
    L = laplacian(X)
    M = normalized_matrix(X, L, beta)
    np.testing.assert_allclose(M @ np.ones(len(X)), 1, atol=1e-12)
    model = GLPCA(3, beta=beta, random_state=0).fit(X)
    expected, U = np.linalg.eigh(M)
    assert expected[0] >= -1e-12
    assert expected[-1] <= 1 + 1e-12
    assert model.objective_[0] == pytest.approx(expected[:3].sum())
    np.testing.assert_allclose(
        projector(model.embedding_), projector(U[:, :3]), atol=1e-6
    )


def test_weights_of_both_forms_convert(wine):
    X, _ = wine
    L = sparse.csr_array(laplacian(X))
    start = np.linspace(-1, 1, len(X))
    beta = 0.3
    fit, smooth, _ = normalized_weights(X, L, beta, start)
    alpha = beta * np.linalg.norm(X, 2) ** 2 / (1 - beta)
    alpha /= np.linalg.norm(L.toarray(), 2)
    assert smooth / fit == pytest.approx(alpha)
    _, Q = smallest_eigenvectors(X, L, 3, (fit, smooth, 0.0), start)
    R = GLPCA(3, alpha=alpha, random_state=0).fit_transform(X)
    np.testing.assert_allclose(projector(Q), projector(R), atol=1e-9)


def test_scale_and_rotation(wine, rng):
    X, _ = wine
    Q = GLPCA(3, alpha=2.0, random_state=0).fit_transform(X)
    scaled = GLPCA(3, alpha=2.0 * 64, random_state=0).fit_transform(8 * X)
    np.testing.assert_allclose(projector(Q), projector(scaled), atol=1e-9)
    R = np.linalg.qr(rng.standard_normal((13, 13)))[0]
    rotated = GLPCA(3, alpha=2.0, random_state=0).fit_transform(X @ R)
    np.testing.assert_allclose(projector(Q), projector(rotated), atol=1e-7)


def test_an_empty_norm_does_no_harm():
    X = np.zeros((6, 2))
    model = GLPCA(2, beta=0.5, n_neighbors=2, random_state=0).fit(X)
    assert np.isfinite(model.embedding_).all()


def test_the_graph_helps_on_smooth_signals(rng):
    y = np.repeat([0, 1, 2], 30)
    X = np.eye(3)[y] @ rng.standard_normal((3, 6)) + 1.2 * rng.standard_normal((90, 6))

    class Groups(NeighborGraph):
        def fit(self, X, y_=None):
            G = (y[:, None] == y).astype(float)
            np.fill_diagonal(G, 0)
            self.weights_ = sparse.csr_array(G)
            self.degrees_ = G.sum(axis=1)
            return self

    params = {"graph": Groups(), "n_init": 10, "random_state": 0}
    without, with_graph = (
        adjusted_rand_score(y, GLPCA(3, alpha=a, **params).fit_predict(X))
        for a in (0, 100)
    )
    assert with_graph == 1
    assert without < 0.9
