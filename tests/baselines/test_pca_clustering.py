"""Principal components, then K-means."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.decomposition import PCA, TruncatedSVD

from graphtailor.baselines import PCAClustering
from graphtailor.baselines.pca import truncated_svd
from graphtailor.metrics import clustering_scores


def test_wine_reproduces_the_study(wine):
    # Single starts end in one of two optima; the study prints their mean.
    X, y = wine
    runs = np.array(
        [
            list(
                clustering_scores(
                    y,
                    PCAClustering(3, init="k-means++", random_state=s).fit_predict(X),
                ).values()
            )
            for s in range(50)
        ]
    )
    np.testing.assert_allclose(
        runs.mean(axis=0), [0.929, 0.764, 0.929, 0.789], atol=5e-4
    )
    np.testing.assert_allclose(np.unique(runs[:, 0]), [0.9270, 0.9326], atol=1e-4)


@pytest.mark.parametrize("shape", [(40, 6), (6, 40), (20, 20)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_truncated_svd_equals_the_full_one(rng, shape, kind):
    X = rng.standard_normal(shape)
    P, s, Qt = truncated_svd(kind(X), 4)
    full = np.linalg.svd(X, full_matrices=False)
    np.testing.assert_allclose(s, full[1][:4], rtol=1e-12)
    best = (full[0][:, :4] * full[1][:4]) @ full[2][:4]
    np.testing.assert_allclose((P * s) @ Qt, best, atol=1e-10)


def test_small_singular_values_keep_their_digits(rng):
    # Squared, 1e-6 would be 1e-12 beside 1.
    U = np.linalg.qr(rng.standard_normal((50, 3)))[0]
    V = np.linalg.qr(rng.standard_normal((5, 3)))[0]
    s = np.array([1.0, 1e-3, 1e-6])
    found = truncated_svd((U * s) @ V.T, 3)[1]
    np.testing.assert_allclose(found, s, rtol=1e-8)


def test_directions_without_data_are_left_out(rng):
    X = np.outer(rng.standard_normal(30), rng.standard_normal(5))
    assert PCAClustering(3, random_state=0).fit(X).embedding_.shape == (30, 1)
    zero = PCAClustering(3, random_state=0).fit(np.zeros((6, 4)))
    np.testing.assert_array_equal(zero.labels_, 0)


@pytest.mark.parametrize("center", [False, True])
def test_objective_is_the_discarded_energy(wine, center):
    X, _ = wine
    model = PCAClustering(3, center=center, random_state=0).fit(X)
    s = np.linalg.svd(X - center * X.mean(axis=0), compute_uv=False)
    assert model.objective_[0] == pytest.approx(np.sum(s[3:] ** 2))
    V = model.embedding_
    np.testing.assert_allclose(V.T @ V, np.eye(3), atol=1e-10)


def test_agrees_with_scikit_learn(wine):
    X, _ = wine
    ours = PCAClustering(3, center=True, whiten=False, random_state=0).fit(X)
    theirs = PCA(3, svd_solver="full").fit_transform(X)
    np.testing.assert_allclose(np.abs(ours.embedding_), np.abs(theirs), atol=1e-9)
    ours = PCAClustering(3, whiten=False, random_state=0).fit(X)
    theirs = TruncatedSVD(3, algorithm="arpack").fit_transform(X)
    np.testing.assert_allclose(np.abs(ours.embedding_), np.abs(theirs), atol=1e-9)


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("whiten", [False, True])
def test_transform_of_the_samples_is_the_embedding(wine, center, whiten):
    X, _ = wine
    model = PCAClustering(3, center=center, whiten=whiten, random_state=0).fit(X)
    np.testing.assert_allclose(model.transform(X), model.embedding_, atol=1e-9)


def test_rotation_of_the_features_changes_nothing(wine, rng):
    X, _ = wine
    R = np.linalg.qr(rng.standard_normal((13, 13)))[0]
    V = PCAClustering(3, random_state=0).fit_transform(X)
    V_rotated = PCAClustering(3, random_state=0).fit_transform(X @ R)
    np.testing.assert_allclose(V @ V.T, V_rotated @ V_rotated.T, atol=1e-9)


def test_scale_changes_nothing(wine):
    X, _ = wine
    V = PCAClustering(3, random_state=0).fit_transform(X)
    V_scaled = PCAClustering(3, random_state=0).fit_transform(8 * X)
    np.testing.assert_allclose(V @ V.T, V_scaled @ V_scaled.T, atol=1e-9)
