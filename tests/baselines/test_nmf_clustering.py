"""Nonnegative matrix factorisation, then K-means."""

import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from graphtailor.baselines import NMFClustering
from graphtailor.baselines.nmf import initial_factors, squared_residual, unit_columns


@pytest.fixture
def small(rng):
    return rng.uniform(size=(15, 3)) @ rng.uniform(size=(3, 8)) + 0.05 * rng.uniform(
        size=(15, 8)
    )


@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_objective_never_rises(wine, solver):
    X, _ = wine
    model = NMFClustering(3, solver=solver, random_state=0).fit(X)
    assert model.converged_
    assert (np.diff(model.objective_) <= 1e-10 * model.objective_[0]).all()


def test_objective_by_traces_is_the_direct_one(small, rng):
    V, U = rng.uniform(size=(15, 3)), rng.uniform(size=(8, 3))
    direct = np.linalg.norm(small - V @ U.T) ** 2
    assert squared_residual(small, V, U) == pytest.approx(direct)


@pytest.mark.parametrize("solver", ["mu", "cd"])
def test_last_objective_is_that_of_the_embedding(wine, solver):
    X, _ = wine
    model = NMFClustering(3, solver=solver, random_state=0).fit(X)
    direct = np.linalg.norm(X - model.embedding_ @ model.components_) ** 2
    assert model.objective_[-1] == pytest.approx(direct, rel=1e-9)


def test_factors_are_nonnegative_and_normalised(wine):
    X, _ = wine
    model = NMFClustering(3, random_state=0).fit(X)
    assert model.embedding_.min() >= 0
    assert model.components_.min() >= 0
    np.testing.assert_allclose(np.linalg.norm(model.components_, axis=1), 1)


def test_stationary_at_the_end(small):
    model = NMFClustering(
        3, solver="cd", tol=1e-12, max_iter=50_000, random_state=0
    ).fit(small)
    V, U = model.embedding_, model.components_.T
    residual = V @ U.T - small
    for factor, gradient in ((V, residual @ U), (U, residual.T @ V)):
        assert np.abs(np.minimum(factor, gradient)).max() < 1e-3


def test_as_good_as_a_generic_solver(small):
    def value(z):
        V, U = z[:45].reshape(15, 3), z[45:].reshape(8, 3)
        R = V @ U.T - small
        return np.sum(R**2), 2 * np.r_[(R @ U).ravel(), (R.T @ V).ravel()]

    rng = np.random.default_rng(1)
    generic = min(
        minimize(
            value,
            rng.uniform(size=69),
            jac=True,
            bounds=[(0, None)] * 69,
            options={"maxiter": 5000, "ftol": 1e-14},
        ).fun
        for _ in range(10)
    )
    params = {"solver": "cd", "tol": 1e-10, "max_iter": 20_000}
    ours = min(
        NMFClustering(3, **params, random_state=s).fit(small).objective_[-1]
        for s in range(10)
    )
    assert ours == pytest.approx(generic, rel=1e-3)


def test_same_iterates_as_scikit_learns_nmf(wine):
    X, _ = wine
    V0, U0 = initial_factors(X, 3, np.random.RandomState(0))
    peer = NMF(3, init="custom", solver="mu", tol=0, max_iter=40)
    peer.fit_transform(X, W=V0, H=np.ascontiguousarray(U0.T))
    with pytest.warns(ConvergenceWarning, match="max_iter=40"):
        ours = NMFClustering(3, tol=0, max_iter=40, random_state=0).fit(X)
    _, U = unit_columns(V0, peer.components_.T)
    np.testing.assert_allclose(ours.components_, U.T, rtol=1e-10)
    assert ours.objective_[-2] == pytest.approx(peer.reconstruction_err_**2)


def test_one_component_is_the_leading_singular_one(small):
    model = NMFClustering(1, tol=1e-14, max_iter=5000, random_state=0).fit(small)
    P, s, Qt = np.linalg.svd(small)
    leading = s[0] * np.outer(P[:, 0], Qt[0])
    np.testing.assert_allclose(model.embedding_ @ model.components_, leading, atol=1e-5)


def test_transform_of_the_samples_is_the_embedding(wine):
    X, _ = wine
    model = NMFClustering(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.transform(X), model.embedding_)


def test_negative_samples_are_refused(wine):
    X, _ = wine
    with pytest.raises(ValueError, match=r"Negative values .*NMFClustering.*MinMax"):
        NMFClustering(3).fit(X - X.mean(axis=0))
    model = NMFClustering(3, random_state=0).fit(X)
    with pytest.raises(ValueError, match="Negative values"):
        model.transform(-X)


def test_zero_samples_have_zero_coefficients(small):
    X = np.vstack([small, np.zeros((1, 8))])
    model = NMFClustering(3, tol=1e-3, random_state=0).fit(X)
    np.testing.assert_allclose(model.embedding_[-1], 0, atol=1e-12)


def test_parts_are_found(rng):
    # Every sample uses one of three disjoint groups of features.
    y = np.repeat([0, 1, 2], 20)
    X = np.kron(np.eye(3)[y], np.ones(4)) * rng.uniform(0.5, 1.5, size=(60, 12))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = NMFClustering(3, n_init=10, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
