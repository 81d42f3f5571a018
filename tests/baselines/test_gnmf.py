"""Graph regularised nonnegative matrix factorisation."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from graphtailor.baselines import GNMF, NMFClustering
from graphtailor.baselines.gnmf import gnmf_factorize
from graphtailor.baselines.nmf import initial_factors
from graphtailor.graphs import NeighborGraph


@pytest.fixture
def problem(wine):
    X, _ = wine
    V0, U0 = initial_factors(X, 3, np.random.RandomState(0))
    return X, NeighborGraph().fit(X).weights_, V0, U0


def objective(X, G, lam, V, U):
    G = G.toarray()
    L = np.diag(G.sum(axis=1)) - G
    return np.linalg.norm(X - V @ U.T) ** 2 + lam * np.trace(V.T @ L @ V)


@pytest.mark.parametrize("lam", [0.0, 0.01, 1.0, 100.0, 1000.0])
def test_objective_never_rises(problem, lam):
    X, G, V0, U0 = problem
    V, U, history, _ = gnmf_factorize(X, G, lam, (V0, U0), max_iter=200, tol=0)
    assert (np.diff(history) <= 1e-12 * history[0]).all()
    assert history[0] == pytest.approx(objective(X, G, lam, V0, U0))
    assert history[-1] == pytest.approx(objective(X, G, lam, V, U))
    assert V.min() >= 0
    assert U.min() >= 0


def test_without_the_graph_it_is_nmf_iterate_by_iterate(problem):
    X, G, V0, U0 = problem
    for steps in (1, 2, 5, 25):
        V, U, _, _ = gnmf_factorize(X, G, 0.0, (V0, U0), max_iter=steps, tol=0)
        peer = NMF(3, init="custom", solver="mu", tol=0, max_iter=steps)
        W = peer.fit_transform(X, W=V0.copy(), H=np.ascontiguousarray(U0.T))
        np.testing.assert_allclose(V, W, rtol=1e-10)
        np.testing.assert_allclose(U.T, peer.components_, rtol=1e-10)


def test_without_the_graph_it_is_nmf_as_an_estimator(wine):
    X, _ = wine
    with pytest.warns(ConvergenceWarning):
        ours = GNMF(3, lam=0, max_iter=100, tol=0, random_state=0).fit(X)
    with pytest.warns(ConvergenceWarning):
        nmf = NMFClustering(3, max_iter=100, tol=0, random_state=0).fit(X)
    np.testing.assert_allclose(ours.components_, nmf.components_, rtol=1e-9)
    # NMF solves for its embedding once more, and GNMF does not.
    np.testing.assert_allclose(ours.objective_[::10], nmf.objective_[:-1], rtol=1e-9)


def test_the_first_step_moves_against_the_gradient(problem):
    # V_new - V has the sign of the negative gradient, entry by entry.
    X, G, V0, U0 = problem
    V, _, _, _ = gnmf_factorize(X, G, 10.0, (V0, U0), max_iter=1, tol=0)
    L = np.diag(G.toarray().sum(axis=1)) - G.toarray()
    gradient = (V0 @ U0.T - X) @ U0 + 10.0 * L @ V0
    moved = V - V0
    clear = np.abs(gradient) > 1e-8
    assert (np.sign(moved[clear]) == -np.sign(gradient[clear])).all()


def test_there_is_no_minimiser(problem):
    X, G, V0, U0 = problem
    before = objective(X, G, 5.0, V0, U0)
    after = objective(X, G, 5.0, V0 / 10, U0 * 10)
    smoothness = objective(0 * X, G, 1.0, V0, 0 * U0)
    assert before - after == pytest.approx(0.99 * 5.0 * smoothness)


def test_scaled_samples_scale_the_coefficients(problem):
    X, G, V0, U0 = problem
    V, U, _, _ = gnmf_factorize(X, G, 3.0, (V0, U0), max_iter=50, tol=0)
    V_t, U_t, _, _ = gnmf_factorize(7 * X, G, 3.0, (7 * V0, U0), max_iter=50, tol=0)
    np.testing.assert_allclose(V_t, 7 * V, rtol=1e-9)
    np.testing.assert_allclose(U_t, U, rtol=1e-9)


def test_sparse_samples_give_the_same_factors(problem):
    X, G, V0, U0 = problem
    dense = gnmf_factorize(X, G, 3.0, (V0, U0), max_iter=20, tol=0)
    thin = gnmf_factorize(sparse.csr_array(X), G, 3.0, (V0, U0), max_iter=20, tol=0)
    np.testing.assert_allclose(dense[0], thin[0], rtol=1e-9)
    np.testing.assert_allclose(dense[2], thin[2], rtol=1e-9)


def test_zero_rows_and_columns_do_no_harm():
    X = np.zeros((6, 4))
    X[:4, :3] = np.arange(12).reshape(4, 3)
    with pytest.warns(ConvergenceWarning):
        model = GNMF(2, lam=1, n_neighbors=2, random_state=0).fit(X)
    assert np.isfinite(model.embedding_).all()


def test_negative_samples_are_refused(wine):
    X, _ = wine
    with pytest.raises(ValueError, match=r"Negative values .*GNMF.*MinMaxScaler"):
        GNMF(3).fit(X - 1)


def test_running_out_of_iterations_is_told(wine):
    X, _ = wine
    with pytest.warns(ConvergenceWarning, match="max_iter=7"):
        model = GNMF(3, max_iter=7, random_state=0).fit(X)
    assert model.n_iter_ == 7
    assert len(model.objective_) == 8


def test_the_graph_helps_on_smooth_signals(rng):
    # Two groups of noisy samples whose graph knows the groups.
    y = np.repeat([0, 1], 30)
    X = np.abs(np.eye(2)[y] @ rng.uniform(size=(2, 10)) + rng.normal(size=(60, 10)))

    class Groups(NeighborGraph):
        def fit(self, X, y_=None):
            G = (y[:, None] == y).astype(float)
            np.fill_diagonal(G, 0)
            self.weights_ = sparse.csr_array(G)
            return self

    scores = []
    for lam in (0, 100):
        with pytest.warns(ConvergenceWarning):
            model = GNMF(
                2,
                lam=lam,
                graph=Groups(),
                max_iter=100,
                tol=0,
                n_init=10,
                random_state=0,
            ).fit(X)
        scores.append(adjusted_rand_score(y, model.labels_))
    assert scores[1] == 1
    assert scores[0] < 0.9
