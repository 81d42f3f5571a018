"""Refits at other settings: easy clusters stay, noise does not, seeds repeat it."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from graphtailor import EnsembleGraph, GraphTailor, JointModel, NeighborGraph
from graphtailor.baselines import KMeansClustering
from graphtailor.diagnostics import sensitivity
from graphtailor.diagnostics.model_access import scaled_features, view_of
from graphtailor.diagnostics.sensitivity import (
    SettingsAgreement,
    neighboring_settings,
    why_no_refits,
)
from graphtailor.representatives.rows import sample_rows
from graphtailor.solvers import Descent


@pytest.fixture(scope="module")
def blobs() -> np.ndarray:
    return make_blobs(80, centers=4, cluster_std=0.3, random_state=1)[0]


@pytest.mark.parametrize("method", [GraphTailor, JointModel])
def test_easy_clusters_stay_at_all_settings(blobs, method):
    found = neighboring_settings(method(4, random_state=0).fit(blobs), blobs)
    assert found.betas.tolist() == [10, 100, 1000]
    np.testing.assert_array_equal(found.agreement, np.ones((3, 3)))
    assert found.kept[1] == 1
    assert (found.n_neighbors, found.neighbors.tolist()) == (7, [3, 14])
    assert found.neighbors_agreement.tolist() == [1, 1]
    assert (found.n_rows, found.n_samples) == (80, 80)
    assert found.without_members == (method is GraphTailor)


def test_noise_does_not_stay():
    X = np.random.default_rng(0).normal(size=(150, 10))
    found = neighboring_settings(JointModel(4, random_state=0).fit(X), X)
    assert found.agreement.min() < 0.6
    assert found.neighbors_agreement.max() < 0.9


def test_each_cell_is_a_fit_at_its_settings():
    X = np.random.default_rng(1).normal(size=(60, 3))
    model = JointModel(3, alpha=20.0, beta=50.0, random_state=4).fit(X)
    found = neighboring_settings(model, X)
    quick = {"n_init": 3, "tol": 1e-4, "random_state": 5}
    for (i, j), value in np.ndenumerate(found.agreement):
        alpha, beta = found.alphas[i], found.betas[j]
        other = JointModel(3, alpha=alpha, beta=beta, **quick).fit(X)
        assert value == adjusted_rand_score(model.labels_, other.labels_)
    for k, value in zip(found.neighbors, found.neighbors_agreement, strict=True):
        graph = NeighborGraph(n_neighbors=int(k))
        other = JointModel(3, alpha=20.0, beta=50.0, graph=graph, **quick).fit(X)
        assert value == adjusted_rand_score(model.labels_, other.labels_)


@pytest.mark.parametrize("scaling", ["standard", None])
@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_graph_tailor_is_compared_with_single_joint_models(metric, scaling):
    """On its own scaling, with its own weights, in units of the mean row length."""
    X = 1000 * np.random.default_rng(1).normal(size=(60, 3))
    model = GraphTailor(3, metric=metric, scaling=scaling, random_state=4).fit(X)
    found = neighboring_settings(model, X)
    i, j = found.kept
    decision = model.decision_
    assert (found.alphas[i], found.betas[j]) == (decision.alpha, decision.beta)
    other = JointModel(
        3,
        alpha=decision.alpha,
        beta=decision.beta,
        scaling="length",
        n_init=3,
        tol=1e-4,
        random_state=5,
    ).fit(scaled_features(view_of(model), X))
    value = adjusted_rand_score(model.labels_, other.labels_)
    assert found.agreement[found.kept] == value


def test_the_same_every_time_and_step_by_step():
    X = np.random.default_rng(0).normal(size=(70, 4))
    model = GraphTailor("auto", random_state=3, n_jobs=1).fit(X)
    before = model.get_params(), model.labels_.copy()
    steps = []
    first = neighboring_settings(model, X, lambda *step: steps.append(step))
    assert steps == [(k, 11) for k in range(1, 12)]
    second = neighboring_settings(model.set_params(n_jobs=2), pd.DataFrame(X))
    np.testing.assert_array_equal(first.agreement, second.agreement)
    np.testing.assert_array_equal(first.neighbors_agreement, second.neighbors_agreement)
    assert model.get_params() == {**before[0], "n_jobs": 2}
    np.testing.assert_array_equal(model.labels_, before[1])


@pytest.mark.parametrize(
    ("weight", "expected"),
    [(100.0, [10, 100, 1000]), (0.5, [0.5, 5]), (2.0, [1, 2, 20]), (0.0, [0, 10, 100])],
)
def test_beta_has_a_floor(weight, expected, blobs):
    model = JointModel(4, beta=weight, n_init=1, random_state=0).fit(blobs)
    found = neighboring_settings(model, blobs)
    assert found.betas.tolist() == expected
    assert found.betas[found.kept[1]] == weight
    assert found.agreement.shape == (3, len(expected))


def test_weights_of_zero_have_neighbours(blobs):
    model = JointModel(4, alpha=0.0, n_init=1, random_state=0).fit(blobs)
    assert neighboring_settings(model, blobs).alphas.tolist() == [0, 10, 100]


def test_pairs_in_the_place_of_features(blobs):
    """Without features alpha means nothing; a given graph has no neighbours to set."""
    D = pairwise_distances(blobs)
    by_distance = NeighborGraph(metric="precomputed")
    W = NeighborGraph().fit(blobs).affinity_
    for model in (
        GraphTailor(4, metric="precomputed", random_state=0),
        JointModel(4, graph=by_distance, random_state=0),
    ):
        found = neighboring_settings(model.fit(D), D)
        assert found.agreement.shape == (1, 3)
        assert found.neighbors.tolist() == [3, 14]
        assert found.agreement.min() == found.neighbors_agreement.min() == 1
    for model in (
        GraphTailor(4, metric="affinity", random_state=0),
        JointModel(4, graph="precomputed", random_state=0),
    ):
        found = neighboring_settings(model.fit(W), W)
        assert (found.n_neighbors, found.neighbors.tolist()) == (0, [])
        assert found.agreement.min() == 1


def test_builders(blobs):
    graph = NeighborGraph(n_neighbors=5, weights="binary")
    model = JointModel(4, graph=graph, random_state=0).fit(blobs)
    found = neighboring_settings(model, sparse.csr_array(blobs))
    assert (found.n_neighbors, found.neighbors.tolist()) == (5, [2, 10])
    within = JointModel(4, graph=NeighborGraph(radius=0.2), random_state=0).fit(blobs)
    assert neighboring_settings(within, blobs).n_neighbors == 0
    members = JointModel(4, graph=EnsembleGraph(random_state=0), random_state=0)
    found = neighboring_settings(members.fit(blobs), blobs)
    assert (found.without_members, found.n_neighbors) == (True, 7)


def test_of_many_rows_a_sample_is_fitted(monkeypatch):
    monkeypatch.setattr(sensitivity, "_MOST_ROWS", 60)
    monkeypatch.setattr(sensitivity, "_MOST_ROWS_OF_FULL", 50)
    X, _ = make_blobs(300, centers=[[0, 0], [19, 0]], random_state=0)
    model = GraphTailor(2, representatives=100, random_state=0).fit(X)
    found = neighboring_settings(model, X)
    assert (found.n_rows, found.n_samples) == (60, 300)
    assert found.n_neighbors == 6
    assert found.agreement.min() == 1
    full = JointModel(2, solver=Descent(support=None), random_state=0).fit(X)
    assert neighboring_settings(full, X).n_rows == 50
    # A cluster that the sample hardly shows is not looked for.
    model.labels_[0] = 2
    assert (model.labels_[sample_rows(300, 60, 1)] == 2).sum() <= 1
    assert neighboring_settings(model, X).agreement.min() > 0.95
    D = pairwise_distances(X)
    pairs = GraphTailor(2, metric="precomputed", random_state=0).fit(D)
    assert neighboring_settings(pairs, D).n_rows == 60
    W = NeighborGraph().fit(X).affinity_
    given = GraphTailor(2, metric="affinity", random_state=0).fit(W)
    with pytest.raises(ValueError, match="a graph of more than 60 have hardly any"):
        neighboring_settings(given, W)


@pytest.mark.parametrize("method", [GraphTailor, JointModel])
@pytest.mark.parametrize(
    ("X", "c"),
    [
        (np.arange(8.0).reshape(4, 2), 4),
        (np.c_[np.repeat([0.0, 1.0], 10), np.full(20, 3.0), np.zeros(20)], 2),
        (np.array([[1.0], [1.1], [5.0], [5.1]]), 2),
        (np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32), 3),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_hostile_data(X, c, method):
    found = neighboring_settings(method(c, random_state=0).fit(X), X)
    assert isinstance(found, SettingsAgreement)
    assert np.isfinite(found.agreement).all()
    assert (found.agreement <= 1).all()
    assert (found.neighbors >= 1).all()
    assert (found.neighbors < len(X)).all()


def test_reasons_against_refits(blobs):
    model = JointModel(4, n_init=1, random_state=0).fit(blobs)
    assert why_no_refits(model, blobs) == ""
    gaps = blobs.copy()
    gaps[3, 0] = np.nan
    single = GraphTailor(1, random_state=0).fit(blobs)
    slow = JointModel(4, solver="multiplicative", max_iter=2, random_state=0)
    with pytest.warns(UserWarning, match="did not converge"):
        slow.fit(blobs)
    for other, X, word in (
        (model, None, "needs the data"),
        (model, blobs[:9], "do not have the shape"),
        (model, gaps, "missing values"),
        (single, blobs, "a single cluster"),
        (slow, blobs, "too slow"),
        (KMeansClustering(2).fit(blobs), blobs, "has no alpha"),
    ):
        assert word in why_no_refits(other, X)
    with pytest.raises(ValueError, match="cannot be tried: a single cluster"):
        neighboring_settings(single, blobs.tolist())
