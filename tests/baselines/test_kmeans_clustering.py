"""K-means with the common face."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, pairwise_distances_argmin

from graphtailor.baselines import KMeansClustering
from graphtailor.metrics import clustering_scores


def test_wine_agrees_with_the_golden_range(wine):
    X, y = wine
    runs = [
        clustering_scores(y, KMeansClustering(3, random_state=s).fit_predict(X))
        for s in range(50)
    ]
    # A few random starts end in a poor optimum, as they do in the study.
    best = [r for r in runs if r["ACC"] > 0.8]
    assert len(best) >= 40
    assert np.mean([r["ACC"] for r in best]) == pytest.approx(0.922, abs=0.01)
    assert np.mean([r["ARI"] for r in best]) == pytest.approx(0.771, abs=0.02)


def test_inertia_never_rises_with_iterations(wine):
    X, _ = wine
    values = []
    for max_iter in range(1, 9):
        model = KMeansClustering(6, max_iter=max_iter, tol=0, random_state=2)
        with pytest.warns(ConvergenceWarning, match=f"max_iter={max_iter}"):
            model.fit(X)
        assert not model.converged_
        values.append(model.objective_[0])
    assert (np.diff(values) <= 1e-12).all()


def test_objective_and_assignment(wine):
    X, _ = wine
    model = KMeansClustering(4, random_state=0).fit(X)
    assert model.converged_
    nearest = pairwise_distances_argmin(X, model.cluster_centers_)
    np.testing.assert_array_equal(model.labels_, nearest)
    inertia = ((X - model.cluster_centers_[model.labels_]) ** 2).sum()
    assert model.objective_[0] == pytest.approx(inertia)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_is_scikit_learns_k_means(wine):
    X, _ = wine
    ours = KMeansClustering(3, n_init=4, random_state=5).fit(X)
    theirs = KMeans(3, init="random", n_init=4, random_state=5).fit(X)
    np.testing.assert_array_equal(ours.labels_, theirs.labels_)


def test_rotation_translation_and_scale_change_nothing(wine, rng):
    X, _ = wine
    labels = KMeansClustering(3, random_state=0).fit_predict(X)
    R = np.linalg.qr(rng.standard_normal((13, 13)))[0]
    for moved in (X @ R, X + 3.0, 8 * X):
        again = KMeansClustering(3, random_state=0).fit_predict(moved)
        assert adjusted_rand_score(labels, again) == 1


def test_fewer_distinct_samples_than_clusters():
    X = np.array([[0.0], [1.0], [0.0], [1.0]])
    model = KMeansClustering(3, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, [0, 1, 0, 1])
    np.testing.assert_array_equal(model.predict([[0.9], [0.1]]), [1, 0])
    assert model.objective_[0] == 0


def test_tiny_problem_against_all_partitions(rng):
    X = rng.standard_normal((8, 2))
    best = np.inf
    for code in range(1, 2**7):
        mask = np.array([(code >> i) & 1 for i in range(8)], dtype=bool)
        value = sum(
            ((part - part.mean(axis=0)) ** 2).sum() for part in (X[mask], X[~mask])
        )
        best = min(best, value)
    model = KMeansClustering(2, n_init=50, random_state=0).fit(X)
    assert model.objective_[0] == pytest.approx(best)
