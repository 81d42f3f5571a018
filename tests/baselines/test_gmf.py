"""Low-rank approximation with manifold regularisation."""

import warnings

import numpy as np
import pytest
from scipy import linalg, sparse
from sklearn.metrics import adjusted_rand_score

from graphtailor.baselines import GMF
from graphtailor.baselines.gmf import gmf_factorize
from graphtailor.graphs import NeighborGraph
from graphtailor.metrics import clustering_scores


def laplacian(G):
    G = G.toarray()
    return np.diag(G.sum(axis=1)) - G


def objective(X, G, alpha, V, U):
    fit = np.linalg.norm(X - V @ U.T) ** 2
    return fit + alpha * np.trace(V.T @ laplacian(G) @ V)


@pytest.fixture(params=[(30, 8), (12, 25)], ids=["d < n", "d > n"])
def problem(request, rng):
    X = rng.standard_normal(request.param)
    return X, NeighborGraph(n_neighbors=4).fit(X).weights_


@pytest.mark.parametrize("alpha", [0.0, 0.3, 10.0])
def test_closed_form_value_is_the_objective(problem, alpha):
    X, G = problem
    V, U, values = gmf_factorize(X, G, alpha, 3)
    np.testing.assert_allclose(U.T @ U, np.eye(3), atol=1e-10)
    closed = np.sum(X**2) - values.sum()
    assert closed == pytest.approx(objective(X, G, alpha, V, U))


def test_no_alternation_from_random_starts_does_better(problem, rng):
    X, G = problem
    alpha = 0.7
    V, U, _ = gmf_factorize(X, G, alpha, 3)
    best = objective(X, G, alpha, V, U)
    smoother = np.linalg.inv(np.eye(len(X)) + alpha * laplacian(G))
    found = []
    for _ in range(10):
        Q = np.linalg.qr(rng.standard_normal((X.shape[1], 3)))[0]
        for _ in range(3000):
            F = smoother @ X @ Q
            Q = linalg.polar(X.T @ F)[0]
        found.append(objective(X, G, alpha, smoother @ X @ Q, Q))
    assert min(found) == pytest.approx(best, rel=1e-6)
    assert min(found) >= best * (1 - 1e-10)


def test_perturbed_bases_never_do_better(problem, rng):
    X, G = problem
    alpha = 2.0
    V, U, _ = gmf_factorize(X, G, alpha, 3)
    best = objective(X, G, alpha, V, U)
    smoother = np.linalg.inv(np.eye(len(X)) + alpha * laplacian(G))
    for size in (1e-3, 0.1, 10):
        Q = np.linalg.qr(U + size * rng.standard_normal(U.shape))[0]
        assert objective(X, G, alpha, smoother @ X @ Q, Q) >= best * (1 - 1e-12)


def test_equals_the_weighted_svd(problem):
    X, G = problem
    alpha = 1.5
    V, U, _ = gmf_factorize(X, G, alpha, 3)
    R = np.linalg.cholesky(np.eye(len(X)) + alpha * laplacian(G)).T
    P, s, Qt = np.linalg.svd(np.linalg.solve(R.T, X), full_matrices=False)
    expected = np.linalg.solve(R, (P[:, :3] * s[:3]) @ Qt[:3])
    np.testing.assert_allclose(V @ U.T, expected, atol=1e-9)


def test_without_the_graph_it_is_the_truncated_svd(problem):
    X, G = problem
    V, U, _ = gmf_factorize(X, G, 0.0, 3)
    P, s, Qt = np.linalg.svd(X, full_matrices=False)
    np.testing.assert_allclose(V @ U.T, (P[:, :3] * s[:3]) @ Qt[:3], atol=1e-9)


def test_wine_without_the_graph_agrees_with_the_golden_row(wine):
    X, y = wine
    runs = [
        list(
            clustering_scores(
                y, GMF(3, alpha=0, random_state=s).fit_predict(X)
            ).values()
        )
        for s in range(50)
    ]
    np.testing.assert_allclose(
        np.mean(runs, axis=0), [0.922, 0.752, 0.922, 0.770], atol=3e-3
    )


def test_scaled_samples_scale_the_embedding(wine):
    X, _ = wine
    one = GMF(3, alpha=2, random_state=0).fit(X)
    many = GMF(3, alpha=2, random_state=0).fit(8 * X)
    np.testing.assert_allclose(
        many.embedding_ @ many.components_, 8 * one.embedding_ @ one.components_
    )
    np.testing.assert_array_equal(one.labels_, many.labels_)


def test_rank_is_cut_where_the_samples_have_none(rng):
    X = np.outer(rng.standard_normal(6), rng.standard_normal(20))
    assert GMF(3, n_neighbors=2, random_state=0).fit(X).embedding_.shape == (6, 1)


def test_a_weight_that_is_too_large_is_told(wine):
    X, _ = wine
    with pytest.warns(UserWarning, match="Useful values"):
        GMF(3, alpha=1e12, random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        GMF(3, alpha=1000, random_state=0).fit(X)


def test_smooth_signals_on_a_graph_are_clustered_better_than_without(rng):
    y = np.repeat([0, 1, 2], 30)
    X = np.eye(3)[y] @ rng.standard_normal((3, 6)) + 1.2 * rng.standard_normal((90, 6))

    class Groups(NeighborGraph):
        def fit(self, X, y_=None):
            G = (y[:, None] == y).astype(float)
            np.fill_diagonal(G, 0)
            self.weights_ = sparse.csr_array(G)
            return self

    scores = [
        adjusted_rand_score(
            y, GMF(3, alpha=a, graph=Groups(), n_init=10, random_state=0).fit_predict(X)
        )
        for a in (0, 1)
    ]
    assert scores[1] == 1
    assert scores[0] < 0.9
