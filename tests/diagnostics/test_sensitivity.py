"""Refits at other settings: easy clusters stay, noise does not, seeds repeat it."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score, pairwise_distances

from graphtailor import GraphTailor, NeighborGraph
from graphtailor.baselines import KMeansClustering
from graphtailor.diagnostics.sensitivity import (
    SettingsAgreement,
    hindrance_to_refits,
    neighboring_settings,
)
from graphtailor.models import neighboring_settings as tried
from graphtailor.representatives.rows import sample_rows


@pytest.fixture(scope="module")
def blobs() -> np.ndarray:
    return make_blobs(80, centers=4, cluster_std=0.3, random_state=1)[0]


def test_easy_clusters_stay_at_all_settings(blobs):
    found = neighboring_settings(GraphTailor(4, random_state=0).fit(blobs), blobs)
    assert found.alphas.tolist() == found.betas.tolist() == [10, 100, 1000]
    np.testing.assert_array_equal(found.agreement, np.ones((3, 3)))
    assert found.kept == (1, 1)
    assert (found.size_name, found.size, found.sizes.tolist()) == (
        *("n_neighbors", 7),
        [3, 14],
    )
    assert found.size_agreement.tolist() == [1, 1]
    assert (found.n_rows, found.n_samples) == (80, 80)


def test_noise_does_not_stay():
    X = np.random.default_rng(0).normal(size=(150, 10))
    model = GraphTailor(4, graph="knn", random_state=0).fit(X)
    found = neighboring_settings(model, X)
    assert found.agreement.min() < 0.6
    assert found.size_agreement.max() < 0.9


def test_each_cell_is_a_fit_at_its_settings():
    X = np.random.default_rng(1).normal(size=(60, 3))
    model = GraphTailor(3, alpha=20.0, beta=50.0, random_state=4).fit(X)
    found = neighboring_settings(model, X)
    for (i, j), value in np.ndenumerate(found.agreement):
        other = GraphTailor(
            3,
            alpha=found.alphas[i],
            beta=found.betas[j],
            n_init=3,
            tol=1e-4,
            random_state=5,
        ).fit(X)
        assert value == adjusted_rand_score(model.labels_, other.labels_)
    for k, value in zip(found.sizes, found.size_agreement, strict=True):
        other = GraphTailor(
            3,
            alpha=20.0,
            beta=50.0,
            n_neighbors=int(k),
            n_init=3,
            tol=1e-4,
            random_state=5,
        ).fit(X)
        assert value == adjusted_rand_score(model.labels_, other.labels_)


def test_the_same_every_time_and_told_step_by_step():
    X = np.random.default_rng(0).normal(size=(70, 4))
    model = GraphTailor("auto", graph="knn", random_state=3, n_jobs=1).fit(X)
    before = model.get_params(), model.labels_.copy()
    told = []
    first = neighboring_settings(model, X, lambda *step: told.append(step))
    assert told == [(k, 11) for k in range(1, 12)]
    second = neighboring_settings(model.set_params(n_jobs=2), pd.DataFrame(X))
    np.testing.assert_array_equal(first.agreement, second.agreement)
    np.testing.assert_array_equal(first.size_agreement, second.size_agreement)
    assert model.get_params() == {**before[0], "n_jobs": 2}
    np.testing.assert_array_equal(model.labels_, before[1])


@pytest.mark.parametrize(
    ("weight", "expected"),
    [(100.0, [10, 100, 1000]), (0.5, [0.5, 5]), (2.0, [1, 2, 20]), (0.0, [0, 10, 100])],
)
def test_beta_has_a_floor(weight, expected, blobs):
    model = GraphTailor(4, beta=weight, n_init=1, random_state=0).fit(blobs)
    found = neighboring_settings(model, blobs)
    assert found.betas.tolist() == expected
    assert found.betas[found.kept[1]] == weight
    assert found.agreement.shape == (3, len(expected))


def test_weights_of_zero_have_neighbours(blobs):
    model = GraphTailor(4, alpha=0.0, n_init=1, random_state=0).fit(blobs)
    assert neighboring_settings(model, blobs).alphas.tolist() == [0, 10, 100]


def test_pairs_in_the_place_of_features(blobs):
    """Without features alpha means nothing; a given graph has no neighbours to set."""
    D = pairwise_distances(blobs)
    distances = GraphTailor(4, metric="precomputed", random_state=0).fit(D)
    found = neighboring_settings(distances, D)
    assert found.agreement.shape == (1, 3)
    assert found.sizes.tolist() == [3, 14]
    assert found.agreement.min() == found.size_agreement.min() == 1
    W = NeighborGraph().fit(blobs).affinity_
    given = GraphTailor(4, graph="precomputed", random_state=0).fit(W)
    found = neighboring_settings(given, W)
    assert (found.size_name, found.sizes.tolist()) == ("", [])
    assert found.agreement.min() == 1
    K = np.exp(-(D**2))
    kernel = GraphTailor(4, kernel="precomputed", random_state=0).fit(K)
    assert neighboring_settings(kernel, K).agreement.shape == (3, 3)


def test_builders_and_kernels(blobs):
    graph = NeighborGraph(n_neighbors=5, weights="binary")
    model = GraphTailor(4, graph=graph, kernel="rbf", random_state=0).fit(blobs)
    found = neighboring_settings(model, sparse.csr_array(blobs))
    assert (found.size, found.sizes.tolist()) == (5, [2, 10])
    within = GraphTailor(4, graph=NeighborGraph(radius=0.2), random_state=0).fit(blobs)
    assert neighboring_settings(within, blobs).size_name == ""


def test_anchors_have_a_number(blobs):
    model = GraphTailor(4, tier="anchors", anchors=40, random_state=0).fit(blobs)
    found = neighboring_settings(model, blobs)
    assert (found.size_name, found.size) == ("anchors", 40)
    assert found.sizes.tolist() == [20, 80]
    assert found.alphas.tolist() == [0, 10, 100]
    own = GraphTailor(4, tier="anchors", anchors=blobs[::2], random_state=0).fit(blobs)
    assert neighboring_settings(own, blobs).size_name == ""


def test_of_many_rows_a_sample_is_fitted(monkeypatch):
    monkeypatch.setitem(tried._MOST_ROWS, "sparse", 60)
    X, _ = make_blobs(300, centers=[[0, 0], [19, 0]], random_state=0)
    model = GraphTailor(2, random_state=0).fit(X)
    found = neighboring_settings(model, X)
    assert (found.n_rows, found.n_samples) == (60, 300)
    assert found.size == 6
    assert found.agreement.min() == 1
    # A cluster that the sample hardly shows is not looked for.
    model.n_clusters_, model.labels_[0] = 3, 2
    kept = model.labels_[sample_rows(300, 60, 1)]
    assert (kept == 2).sum() <= 1
    assert neighboring_settings(model, X).agreement.min() > 0.95
    D = pairwise_distances(X)
    pairs = GraphTailor(2, metric="precomputed", random_state=0).fit(D)
    assert neighboring_settings(pairs, D).n_rows == 60
    W = NeighborGraph().fit(X).affinity_
    given = GraphTailor(2, graph="precomputed", random_state=0).fit(W)
    with pytest.raises(ValueError, match="more than 60 rows cannot be thinned out"):
        neighboring_settings(given, W)


@pytest.mark.parametrize(
    ("X", "c"),
    [
        (np.arange(8.0).reshape(4, 2), 4),
        (np.c_[np.repeat([0.0, 1.0], 10), np.full(20, 3.0), np.zeros(20)], 2),
        (np.ones((12, 3)), 2),
        (np.array([[0.0], [1.0], [5.0]]), 2),
        (np.random.default_rng(0).normal(size=(40, 2)).astype(np.float32), 3),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_hostile_data(X, c):
    found = neighboring_settings(GraphTailor(c, random_state=0).fit(X), X)
    assert isinstance(found, SettingsAgreement)
    assert np.isfinite(found.agreement).all()
    assert (found.agreement <= 1).all()
    assert (found.sizes >= 1).all()
    assert (found.sizes < len(X)).all()


def test_what_cannot_be_tried_is_told(blobs):
    model = GraphTailor(4, n_init=1, random_state=0).fit(blobs)
    assert hindrance_to_refits(model, blobs) == ""
    gaps = blobs.copy()
    gaps[3, 0] = np.nan
    single = GraphTailor(1, random_state=0).fit(blobs)
    slow = GraphTailor(4, solver="multiplicative", max_iter=2, random_state=0)
    with pytest.warns(UserWarning, match="did not converge"):
        slow.fit(blobs)
    for other, X, word in (
        (model, None, "needs the data"),
        (model, blobs[:9], "another shape"),
        (model, gaps, "have gaps"),
        (single, blobs, "a single cluster"),
        (slow, blobs, "too slow"),
        (KMeansClustering(2).fit(blobs), blobs, "has no alpha"),
    ):
        assert word in hindrance_to_refits(other, X)
    with pytest.raises(ValueError, match="cannot be tried: a single cluster"):
        neighboring_settings(single, blobs.tolist())
