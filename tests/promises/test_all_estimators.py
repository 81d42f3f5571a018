"""Every method of the registry on the same hard small inputs."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphtailor import GraphTailor
from graphtailor.registry import METHODS, get_method

pytestmark = [
    # Hard inputs are often cut off early or degenerate, and that is told.
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

ANCHORS = replace(
    METHODS["GraphTailor"],
    name="GraphTailor on anchors",
    estimator=partial(GraphTailor, representatives=30),
)
every_method = pytest.mark.parametrize(
    "method", [*METHODS.values(), ANCHORS], ids=lambda method: method.name
)


def expected_failures(estimator):
    if estimator.__sklearn_tags__().input_tags.positive_only:
        return {"check_clustering": "hands samples of both signs to every clusterer"}
    return {}


def with_two_clusters(method):
    # Some checks take two columns for granted where memberships are predicted.
    model = method.estimator(2).set_params(**method.fixed)
    # They are about the interface: some methods iterate long on the checks' noise.
    is_long = method.name in ("Proposed", "SymNMF", "CGL")
    return model.set_params(max_iter=100) if is_long else model


@parametrize_with_checks(
    [with_two_clusters(method) for method in METHODS.values()],
    expected_failed_checks=expected_failures,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def build(method, n_clusters, seed=0):
    model = method.estimator(n_clusters, random_state=seed)
    model.set_params(**method.fixed)
    # One random start of K-means may fail on any data.
    return model.set_params(n_init=10) if "n_init" in model.get_params() else model


def blobs(seed=0, n_each=20, n_features=6):
    """Three round clusters, nonnegative and in three directions."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], n_each)
    centers = 10 * np.eye(3, n_features) + 2
    return centers[y] + rng.uniform(-1, 1, size=(3 * n_each, n_features)), y


def check_fitted(model, n_samples, n_clusters):
    assert model.labels_.shape == (n_samples,)
    assert np.issubdtype(model.labels_.dtype, np.integer)
    assert model.labels_.min() >= 0
    # CAN returns the components it found, few or many.
    if type(model).__name__ != "CAN":
        assert model.labels_.max() < n_clusters
    assert isinstance(model.objective_, np.ndarray)
    assert np.isfinite(model.objective_).all()
    assert isinstance(model.n_iter_, int)
    assert model.n_iter_ >= 1
    assert isinstance(model.converged_, bool)
    for name in ("embedding_", "indicator_"):
        if hasattr(model, name):
            assert np.isfinite(getattr(model, name)).all()
    if hasattr(model, "affinity_matrix_"):
        A = model.affinity_matrix_
        A = A.toarray() if sparse.issparse(A) else A
        assert A.min() >= 0
        np.testing.assert_allclose(A, A.T, atol=1e-8)


@every_method
def test_blobs_are_found(method):
    X, y = blobs()
    model = build(method, 3).fit(X)
    check_fitted(model, 60, 3)
    assert adjusted_rand_score(y, model.labels_) > 0.95


@every_method
def test_blobs_in_another_order_are_found_alike(method):
    X, _ = blobs()
    order = np.random.default_rng(1).permutation(60)
    labels = build(method, 3).fit(X).labels_
    again = build(method, 3).fit(X[order]).labels_
    assert adjusted_rand_score(labels[order], again) > 0.95


@every_method
def test_disconnected_graph(method):
    rng = np.random.default_rng(0)
    X = np.vstack([rng.uniform(size=(20, 3)), rng.uniform(size=(20, 3)) + 1000])
    for n_clusters in (2, 4):
        check_fitted(build(method, n_clusters).fit(X), 40, n_clusters)


@every_method
def test_duplicates(method):
    X, _ = blobs(n_each=2)
    X = np.repeat(X, 12, axis=0)
    check_fitted(build(method, 3).fit(X), 72, 3)


@every_method
def test_all_samples_equal(method):
    check_fitted(build(method, 2).fit(np.ones((12, 3))), 12, 2)


@every_method
def test_one_feature(method):
    X = np.random.default_rng(0).uniform(size=(30, 1))
    check_fitted(build(method, 2).fit(X), 30, 2)


@every_method
def test_constant_feature(method):
    X, _ = blobs(n_each=10)
    X = np.hstack([X, np.ones((30, 1)), np.zeros((30, 1))])
    check_fitted(build(method, 3).fit(X), 30, 3)


@every_method
def test_more_features_than_samples(method):
    X = np.random.default_rng(0).uniform(size=(15, 40))
    check_fitted(build(method, 3).fit(X), 15, 3)


@every_method
@pytest.mark.parametrize("n", [2, 3, 6])
def test_as_many_clusters_as_samples(method, n):
    X = np.random.default_rng(0).uniform(size=(n, 4))
    check_fitted(build(method, n).fit(X), n, n)


@every_method
def test_one_cluster(method):
    X, _ = blobs(n_each=5)
    model = build(method, 1).fit(X)
    check_fitted(model, 15, 1)
    np.testing.assert_array_equal(model.labels_, 0)


@every_method
def test_more_clusters_than_samples_are_refused(method):
    with pytest.raises(ValueError, match=r"(?=.*n_clusters=5)(?=.*n_samples=4)"):
        build(method, 5).fit(np.ones((4, 2)))


@every_method
def test_float32(method):
    X, y = blobs()
    model = build(method, 3).fit(X.astype(np.float32))
    check_fitted(model, 60, 3)
    assert adjusted_rand_score(y, model.labels_) > 0.95
    for name in ("embedding_", "indicator_", "components_"):
        if hasattr(model, name):
            assert getattr(model, name).dtype == np.float32


@every_method
def test_sparse_samples_give_the_same_clusters(method):
    X, _ = blobs()
    X[X < 2] = 0
    dense = build(method, 3).fit(X)
    for container in (sparse.csr_array, sparse.csr_matrix):
        thin = build(method, 3).fit(container(X))
        check_fitted(thin, 60, 3)
        assert adjusted_rand_score(dense.labels_, thin.labels_) == 1


@every_method
def test_data_frame(method):
    X, _ = blobs(n_each=10)
    frame = pd.DataFrame(X, columns=[f"f{i}" for i in range(X.shape[1])])
    model = build(method, 3).fit(frame)
    np.testing.assert_array_equal(model.labels_, build(method, 3).fit(X).labels_)
    np.testing.assert_array_equal(model.feature_names_in_, frame.columns)


@every_method
def test_samples_and_parameters_are_left_alone(method):
    X, _ = blobs(n_each=10)
    X.flags.writeable = False
    model = build(method, 3)
    before = model.get_params(deep=False)
    printed = repr(clone(model))  # a solver is an object that a fit could change
    model.fit(X)
    assert model.get_params(deep=False) == before
    assert repr(model) == printed


@every_method
def test_negative_samples_are_refused_where_they_must_be(method):
    X, _ = blobs(n_each=10)
    X = X - X.mean(axis=0)
    if method.needs_nonnegative:
        with pytest.raises(ValueError, match="Negative values"):
            build(method, 3).fit(X)
    else:
        check_fitted(build(method, 3).fit(X), 30, 3)


@every_method
def test_registry_entries_are_sound(method):
    params = method.estimator().get_params()
    assert {"n_clusters", "random_state"} <= set(params)
    of_model = {name.partition("__")[0] for name in method.fixed}
    assert set(method.grid) | of_model <= set(params)
    assert not set(method.grid) & set(method.fixed)
    assert method.uses_graph == ("graph" in params)
    assert method.estimator.__doc__


@pytest.mark.parametrize("name", ["k-means", "KMEANS", "K means", "k_means"])
def test_names_are_found_whatever_their_spelling(name):
    assert get_method(name).name == "K-means"


def test_an_unknown_name_gets_a_hint():
    with pytest.raises(ValueError, match=r"no method 'GLPCAA'.*mean 'GLPCA'"):
        get_method("GLPCAA")
