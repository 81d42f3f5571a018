"""Low-rank representation: thresholds, closed forms, subspaces, golden values."""

import warnings

import cvxpy as cp
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics import normalized_mutual_info_score

from graphtailor.baselines import LRR, KMeansClustering
from graphtailor.baselines.lrr import (
    angular_affinity,
    low_rank_representation,
    lrr_range,
    solve_reduced,
)
from graphtailor.metrics import clustering_accuracy

EXACT = {"tol": 1e-9, "max_iter": 20_000}


def factors(X):
    P, s, _ = np.linalg.svd(X, full_matrices=False)
    kept = s > 1e-12 * s[0]
    return P[:, kept], s[kept]


def value(X, C, lam):
    return np.linalg.norm(C, "nuc") + lam * np.linalg.norm(X - C @ X, axis=1).sum()


def subspaces(rng, n_each=20, d=12, rank=2, parts=3):
    """Independent subspaces, all in general position."""
    bases = np.linalg.qr(rng.normal(size=(d, parts * rank)))[0].T
    X = [rng.normal(size=(n_each, rank)) @ B for B in np.split(bases, parts)]
    return np.vstack(X) @ rng.normal(size=(d, d)), np.repeat(np.arange(parts), n_each)


@pytest.mark.parametrize("shape", [(12, 5), (10, 15)])
@pytest.mark.parametrize("share", [0.3, 0.6, 0.9])
def test_generic_solver_on_the_full_problem_agrees(rng, shape, share):
    X = rng.normal(size=shape)
    low, high = lrr_range(*factors(X))
    lam = low ** (1 - share) * high**share
    C = cp.Variable((len(X), len(X)))
    loss = cp.normNuc(C) + lam * cp.sum(cp.norm(X - C @ X, axis=1))
    problem = cp.Problem(cp.Minimize(loss))
    problem.solve(solver=cp.SCS, eps=1e-9, max_iters=200_000)
    result = low_rank_representation(X, lam, **EXACT)
    assert result.converged
    ours = result.coefficients @ result.basis.T
    assert_allclose(value(X, ours, lam), problem.value, rtol=3e-6)
    assert_allclose(result.objective[-1], value(X, ours, lam), rtol=1e-9)


def test_both_thresholds_are_sharp(rng):
    X = rng.normal(size=(25, 6))
    P, s = factors(X)
    low, high = lrr_range(P, s)
    K = X @ X.T
    assert_allclose(low, 1 / np.linalg.norm(K / np.linalg.norm(X, axis=1), 2))

    # The iterations themselves, without the closed forms.
    def solved(lam):
        return solve_reduced(P, s, lam, 1e-7, 2000).coefficients

    assert_allclose(solved(1.02 * high), P, atol=1e-4)
    assert np.abs(solved(0.95 * high) - P).max() > 1e-3
    assert_allclose(solved(0.98 * low), 0, atol=1e-4)
    assert np.abs(solved(1.05 * low)).max() > 1e-3


def test_useless_weights_are_told(rng):
    X = rng.normal(size=(20, 5))
    low, high = lrr_range(*factors(X))
    said = f"between {low:.3g} and {high:.3g}"
    with pytest.warns(UserWarning, match=said):
        large = low_rank_representation(X, 2 * high)
    assert_array_equal(large.coefficients, large.basis)
    assert_allclose(large.objective, [5.0])
    with pytest.warns(UserWarning, match=said):
        small = low_rank_representation(X, low / 2)
    assert_array_equal(small.coefficients, 0)
    assert_allclose(small.objective, [low / 2 * np.linalg.norm(X, axis=1).sum()])


def test_default_weight_is_useful(wine):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = LRR(3, random_state=0).fit(wine[0])
    assert model.converged_
    assert np.linalg.norm(model.error_) > 0.01
    assert clustering_accuracy(wine[1], model.labels_) > 0.9


def test_noise_free_form_is_block_diagonal_on_independent_subspaces(rng):
    X, y = subspaces(rng)
    with pytest.warns(UserWarning, match="projector on the column space"):
        model = LRR(3, lam=1e6, random_state=0).fit(X)
    P, _ = factors(X)
    assert_allclose(model.representation_, P @ P.T, atol=1e-10)
    assert_allclose(model.error_, 0, atol=1e-9)
    assert_allclose(model.affinity_matrix_[y[:, None] != y], 0, atol=1e-10)
    assert clustering_accuracy(y, model.labels_) == 1


def test_outlying_samples_carry_the_error(rng):
    X, y = subspaces(rng, n_each=30)
    outliers = [3, 40, 77]
    X[outliers] = 3 * rng.normal(size=(3, 12))
    model = LRR(3, lam=0.15, random_state=0).fit(X)
    lengths = np.linalg.norm(model.error_, axis=1)
    assert lengths[outliers].min() > 3 * np.delete(lengths, outliers).max()
    inside = np.delete(np.arange(90), outliers)
    assert clustering_accuracy(y[inside], model.labels_[inside]) == 1


def test_scale_of_the_samples_and_of_the_weight(rng):
    X = rng.normal(size=(30, 8))
    lam = np.prod(np.sqrt(lrr_range(*factors(X))))
    one = LRR(2, lam=lam, tol=1e-9).fit(X)
    other = LRR(2, lam=lam / 5, tol=1e-9).fit(5 * X)
    assert_allclose(other.representation_, one.representation_, atol=1e-6)
    assert_allclose(other.error_, 5 * one.error_, atol=1e-5)
    assert_allclose(
        LRR(2).fit(5 * X).representation_, LRR(2).fit(X).representation_, atol=1e-9
    )


def test_rotated_features_and_permuted_samples(rng):
    X = rng.normal(size=(25, 6))
    rotation = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    order = rng.permutation(25)
    C = LRR(2, tol=1e-9).fit(X).representation_
    rotated = LRR(2, tol=1e-9).fit(X @ rotation).representation_
    permuted = LRR(2, tol=1e-9).fit(X[order]).representation_
    assert_allclose(rotated, C, atol=1e-6)
    assert_allclose(permuted, C[order][:, order], atol=1e-6)


def test_recovered_rows_above_the_threshold_are_the_samples(wine):
    X, _ = wine
    with pytest.warns(UserWarning, match="projector on the column space"):
        model = LRR(3, lam=10, readout="recovered", n_init=1, random_state=0).fit(X)
    assert_allclose(model.embedding_, X, atol=1e-12)
    plain = KMeansClustering(3, random_state=0).fit_predict(X)
    assert clustering_accuracy(plain, model.labels_) == 1


def test_angular_affinity_of_orthogonal_subspaces(rng):
    X, y = subspaces(rng)
    P, _ = factors(X)
    A = angular_affinity(P)
    assert_allclose(A, A.T)
    assert_allclose(A[y[:, None] != y], 0, atol=1e-10)
    assert A.max() <= 1 + 1e-12
    with pytest.warns(UserWarning, match="projector on the column space"):
        model = LRR(3, lam=1e6, readout="angular", random_state=0).fit(X)
    assert clustering_accuracy(y, model.labels_) == 1


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_golden_values_on_wine(wine):
    X, y = wine
    model = LRR(3, lam=1.0, random_state=0).fit(X)
    # The value on record kept the diagonal of |C|, which the read-out leaves out.
    A = np.abs(model.representation_)
    scale = np.sqrt(A.sum(axis=1))
    V = np.linalg.eigh(A / np.outer(scale, scale))[1][:, -3:]
    V /= np.linalg.norm(V, axis=1, keepdims=True)
    labels = KMeansClustering(3, n_init=20, random_state=0).fit_predict(V)
    assert_allclose(clustering_accuracy(y, labels), 0.815, atol=1e-3)
    nmi = normalized_mutual_info_score(y, labels, average_method="max")
    assert_allclose(nmi, 0.533, atol=1e-3)
    assert_allclose(clustering_accuracy(y, model.labels_), 0.803, atol=1e-3)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_golden_values_of_the_recovered_samples_on_wine(wine):
    X, y = wine
    recovered = LRR(3, lam=1.0, readout="recovered").fit(X).embedding_
    # Means of 50 single starts. Those of k-means++ give the value on record; starts
    # from random samples fail more often, and their mean is lower.
    scores = []
    for seed in range(50):
        kmeans = KMeansClustering(3, init="k-means++", random_state=seed)
        labels = kmeans.fit_predict(recovered)
        nmi = normalized_mutual_info_score(y, labels, average_method="max")
        scores.append([clustering_accuracy(y, labels), nmi])
    assert_allclose(np.mean(scores, axis=0), [0.922, 0.765], atol=3e-3)
