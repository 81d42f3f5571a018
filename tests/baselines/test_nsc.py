"""Nonnegative spectral clustering: identities, descent, and what it reduces to."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize
from sklearn.linear_model import Ridge

from graphtailor.baselines import NonnegativeSpectralClustering
from graphtailor.baselines.nsc import (
    Parts,
    nonnegative_indicator,
    regression_error,
    soft_clusters,
)
from graphtailor.baselines.symnmf import symnmf_objective
from graphtailor.metrics import clustering_accuracy


@pytest.mark.parametrize("shape", [(20, 4), (8, 15)])
def test_the_discriminative_term_is_the_error_of_ridge_regression(rng, shape):
    X, F = rng.normal(size=shape), rng.uniform(size=(shape[0], 3))
    centred = X - X.mean(axis=0)
    ridge = np.sum(centred**2) / min(shape)
    peer = Ridge(alpha=ridge).fit(X, F)
    error = np.sum((F - peer.predict(X)) ** 2) + ridge * np.sum(peer.coef_**2)
    assert_allclose(np.trace(F.T @ regression_error(X) @ F), error)


def test_without_regression_and_with_unit_weight_it_is_symnmf(wine):
    X, _ = wine
    model = NonnegativeSpectralClustering(3, lam=0, xi=1, random_state=0).fit(X)
    W = model.affinity_matrix_
    # c = 3, as the two objectives differ by constants alone.
    theirs = symnmf_objective(W, model.indicator_) - np.sum(W.data**2) + 3
    assert_allclose(model.objective_[-1], theirs / 2, atol=1e-9)


@pytest.mark.parametrize("lam", [0.0, 1.0, 100.0])
@pytest.mark.parametrize("xi", [1.0, 100.0])
def test_the_objective_never_rises(wine, lam, xi):
    model = NonnegativeSpectralClustering(3, lam=lam, xi=xi, random_state=0)
    history = model.fit(wine[0]).objective_
    assert np.diff(history).max() <= 1e-10 * abs(history).max()
    assert model.indicator_.min() >= 0


def test_reaches_the_minimum_that_a_general_solver_reaches(rng):
    n, c, xi = 10, 2, 5.0
    M = rng.normal(size=(n, n))
    M = M @ M.T / n
    labels = np.repeat([0, 1], 5)
    F, history, _ = nonnegative_indicator(
        Parts(np.maximum(M, 0), np.maximum(-M, 0)),
        soft_clusters(labels, c),
        xi,
        tol=1e-12,
        max_iter=50_000,
    )

    def objective(f):
        f = f.reshape(n, c)
        G = f.T @ f - np.eye(c)
        value = np.sum(f * (M @ f)) + xi / 2 * np.sum(G**2)
        return value, (2 * M @ f + 2 * xi * f @ G).ravel()

    peer = minimize(
        objective, F.ravel(), jac=True, bounds=[(0, None)] * (n * c), method="L-BFGS-B"
    )
    assert history[-1] == pytest.approx(objective(F.ravel())[0])
    assert history[-1] == pytest.approx(peer.fun, abs=1e-6)


def test_a_large_weight_makes_columns_orthogonal(wine):
    model = NonnegativeSpectralClustering(3, xi=1e4, tol=1e-4, random_state=0)
    F = model.fit(wine[0]).indicator_
    assert_allclose(F.T @ F, np.eye(3), atol=0.02)
    assert clustering_accuracy(wine[1], model.labels_) > 0.94
