"""Spectral clustering of the given graph."""

import numpy as np
import pytest
from sklearn.cluster import SpectralClustering
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score

from graphtailor.baselines import SpectralClusteringNJW
from graphtailor.graphs import NeighborGraph
from graphtailor.metrics import clustering_scores


def test_wine_reproduces_the_study(wine):
    X, y = wine
    labels = SpectralClusteringNJW(3, random_state=0).fit_predict(X)
    scores = clustering_scores(y, labels)
    expected = {"ACC": 0.9494, "NMI": 0.8297, "PUR": 0.9494, "ARI": 0.8483}
    assert scores == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_wine_is_the_same_for_every_seed(wine, seed):
    X, _ = wine
    labels = SpectralClusteringNJW(3, random_state=seed).fit_predict(X)
    reference = SpectralClusteringNJW(3, random_state=99).fit_predict(X)
    assert adjusted_rand_score(labels, reference) == 1


def test_objective_is_the_distance_of_the_best_projector(wine, rng):
    X, _ = wine
    model = SpectralClusteringNJW(3, random_state=0).fit(X)
    W = model.affinity_matrix_.toarray()
    w, U = np.linalg.eigh(W)
    V = U[:, -3:]
    direct = np.linalg.norm(W - V @ V.T) ** 2
    assert model.objective_[0] == pytest.approx(direct, rel=1e-12)
    np.testing.assert_allclose(model.eigenvalues_, w[:-4:-1])
    for _ in range(20):
        other = np.linalg.qr(V + 0.1 * rng.standard_normal(V.shape))[0]
        assert np.linalg.norm(W - other @ other.T) ** 2 >= model.objective_[0]


def test_rows_of_the_embedding_have_unit_length(wine):
    X, _ = wine
    E = SpectralClusteringNJW(3, random_state=0).fit_transform(X)
    np.testing.assert_allclose(np.linalg.norm(E, axis=1), 1)


def test_moons_are_told_apart_as_scikit_learn_does():
    X, y = make_moons(300, noise=0.06, random_state=0)
    model = SpectralClusteringNJW(2, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    peer = SpectralClustering(2, affinity="precomputed", random_state=0)
    theirs = peer.fit_predict(model.graph_.weights_.toarray())
    assert adjusted_rand_score(theirs, model.labels_) == 1


def test_precomputed_graph_gives_the_same_labels(wine):
    X, _ = wine
    knn = SpectralClusteringNJW(3, random_state=0).fit(X)
    given = SpectralClusteringNJW(3, graph="precomputed", random_state=0)
    given.fit(knn.graph_.weights_)
    np.testing.assert_array_equal(given.labels_, knn.labels_)
    assert given.__sklearn_tags__().input_tags.pairwise


def test_a_builder_may_be_given(wine):
    X, _ = wine
    builder = NeighborGraph(n_neighbors=5, symmetrize="max")
    model = SpectralClusteringNJW(3, graph=builder, random_state=0).fit(X)
    assert model.graph_.n_neighbors_ == 5
    assert not hasattr(builder, "affinity_")


def test_scale_and_rotation_change_nothing(wine, rng):
    X, _ = wine
    labels = SpectralClusteringNJW(3, random_state=0).fit_predict(X)
    R = np.linalg.qr(rng.standard_normal((13, 13)))[0]
    for moved in (8 * X, X @ R):
        again = SpectralClusteringNJW(3, random_state=0).fit_predict(moved)
        assert adjusted_rand_score(labels, again) == 1


def test_more_components_than_clusters_are_told():
    X = (
        np.repeat(np.arange(3.0) * 100, 10)[:, None]
        + np.tile(np.arange(10.0), 3)[:, None]
    )
    with pytest.warns(UserWarning, match="3 connected components"):
        SpectralClusteringNJW(2, n_neighbors=2, random_state=0).fit(X)
