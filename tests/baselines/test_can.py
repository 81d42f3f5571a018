"""Clustering with adaptive neighbours: golden values, identities, components."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.linalg import block_diag
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris, make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score

from graphtailor.baselines import CAN
from graphtailor.baselines._operators import adaptive_neighbor_weights
from graphtailor.baselines.can import (
    adaptive_neighbors,
    laplacian_eigenvectors,
    neighbor_distances,
)
from graphtailor.graphs import symmetrize
from graphtailor.metrics import clustering_accuracy, purity


def dense_laplacian(S):
    A = (S + S.T).toarray() / 2
    return np.diag(A.sum(axis=1)) - A


def scores(y, labels):
    nmi = normalized_mutual_info_score(y, labels, average_method="max")
    ari = adjusted_rand_score(y, labels)
    return [clustering_accuracy(y, labels), nmi, purity(y, labels), ari]


def test_golden_values_on_wine(wine):
    X, y = wine
    model = CAN(3).fit(X)
    assert sorted(np.bincount(model.labels_)) == [7, 56, 115]
    assert_allclose(
        scores(y, model.labels_), [0.6685, 0.5213, 0.7079, 0.4901], atol=1e-4
    )


def test_golden_values_on_iris():
    X, y = load_iris(return_X_y=True)
    model = CAN(3).fit(X)
    assert sorted(np.bincount(model.labels_)) == [4, 50, 96]
    assert_allclose(
        scores(y, model.labels_), [0.6933, 0.5967, 0.6933, 0.5609], atol=1e-4
    )


@pytest.mark.parametrize("local", [True, False])
def test_first_weights_are_those_of_the_neighbour_rule(rng, local):
    X = rng.normal(size=(40, 3))
    start = neighbor_distances(X, 6, local)
    expected, xi = adaptive_neighbor_weights(cdist(X, X, "sqeuclidean"), 6)
    S = start.to_matrix(start.weights)
    assert_allclose(S.toarray(), expected.toarray(), atol=1e-12)
    assert_allclose(start.gamma, xi.mean())
    assert start.indices.shape == (40, 6 if local else 39)


@pytest.mark.parametrize("local", [True, False])
def test_rows_lie_on_the_simplex(rng, local):
    X = rng.normal(size=(50, 3))
    S = adaptive_neighbors(neighbor_distances(X, 7, local), 4).weights
    assert S.data.min() >= 0
    assert_allclose(S.sum(axis=1), 1)
    assert_array_equal(S.diagonal(), 0)


@pytest.mark.parametrize("lam", [0.01, 0.3, 10.0])
@pytest.mark.parametrize("local", [True, False])
def test_with_fixed_weights_the_objective_never_rises(rng, lam, local):
    X = rng.normal(size=(60, 4))
    start = neighbor_distances(X, 8, local)
    graph = adaptive_neighbors(start, 3, 15, lam=lam * start.gamma)
    assert len(graph.objective) == 15
    assert np.diff(graph.objective).max() <= 1e-10 * graph.objective[0]


def test_objective_and_its_trace_identity(rng):
    X = rng.normal(size=(30, 3))
    start = neighbor_distances(X, 6)
    lam = 0.7
    S, F, _, objective = adaptive_neighbors(start, 3, 4, lam=lam)
    dense = S.toarray()
    gaps = cdist(F, F, "sqeuclidean")
    cut = 2 * np.trace(F.T @ dense_laplacian(S) @ F)
    assert_allclose(cut, np.sum(gaps * dense))
    fit = np.sum(cdist(X, X, "sqeuclidean") * dense + start.gamma * dense**2)
    assert_allclose(objective[-1], fit + lam * cut)


def test_blobs_fall_into_exactly_as_many_components():
    X, y = make_blobs(200, centers=5, cluster_std=0.5, random_state=3)
    model = CAN(5).fit(X)
    assert model.converged_
    assert model.n_components_ == 5
    assert connected_components(model.affinity_matrix_)[0] == 5
    assert clustering_accuracy(y, model.labels_) == 1
    eigenvalues = np.linalg.eigvalsh(dense_laplacian(model.affinity_matrix_))
    assert eigenvalues[4] < 1e-12 < eigenvalues[5]


def test_moons_of_many_samples():
    X, y = make_moons(900, noise=0.05, random_state=0)
    model = CAN(2).fit(X)
    assert model.converged_
    assert clustering_accuracy(y, model.labels_) == 1


@pytest.mark.parametrize("t", [1e-3, 50.0])
def test_scale_does_not_matter(wine, t):
    X, _ = wine
    assert_array_equal(CAN(3).fit_predict(t * X), CAN(3).fit_predict(X))


def test_order_and_rotation_do_not_matter(wine, rng):
    X, _ = wine
    order = rng.permutation(len(X))
    rotation = np.linalg.qr(rng.normal(size=(13, 13)))[0]
    labels = CAN(3).fit_predict(X)
    again = CAN(3).fit_predict(X[order] @ rotation)
    assert clustering_accuracy(labels[order], again) == 1


def test_all_pairs_may_be_joined():
    X, y = make_blobs(90, centers=3, cluster_std=0.6, random_state=1)
    model = CAN(3, local=False).fit(X)
    assert model.n_components_ == 3
    assert clustering_accuracy(y, model.labels_) == 1


def test_other_numbers_of_components_are_told():
    X, y = make_blobs(80, centers=4, cluster_std=0.1, random_state=0)
    with pytest.warns(ConvergenceWarning, match="has 4 connected components"):
        model = CAN(2).fit(X)
    assert not model.converged_
    assert clustering_accuracy(y, model.labels_) == 1
    with pytest.warns(ConvergenceWarning, match="4 connected"):
        labels = CAN(2, fallback="kmeans", random_state=0).fit_predict(X)
    assert set(labels) == {0, 1}


def test_duplicates_are_legal_neighbours(rng):
    X = np.repeat(rng.normal(size=(8, 2)), 10, axis=0)
    with pytest.warns(ConvergenceWarning):
        model = CAN(3).fit(X)
    assert model.n_components_ == 8
    assert np.isfinite(model.affinity_matrix_.data).all()


@pytest.mark.parametrize("n", [90, 700])
@pytest.mark.parametrize("parts", [1, 3])
def test_eigenvectors_agree_with_a_full_decomposition(rng, n, parts):
    blocks = [rng.normal(size=(n // parts, 3)) + 100 * i for i in range(parts)]
    start = neighbor_distances(np.vstack(blocks), 7)
    A = symmetrize(start.to_matrix(start.weights), "average")
    count = connected_components(A, directed=False)[0]
    c = count + 2
    F, found = laplacian_eigenvectors(A, c)
    values, vectors = np.linalg.eigh(dense_laplacian(A))
    assert found == count
    assert_allclose(F.T @ F, np.eye(c), atol=1e-9)
    assert_allclose(F @ F.T, vectors[:, :c] @ vectors[:, :c].T, atol=1e-6)
    assert_allclose(
        np.diag(F.T @ dense_laplacian(A) @ F).sum(), values[:c].sum(), atol=1e-9
    )


def test_eigenvectors_of_more_parts_than_asked_for_are_the_largest():
    sizes = [2, 5, 3]
    A = sparse.csr_array(block_diag(*(np.ones((m, m)) for m in sizes)))
    F, count = laplacian_eigenvectors(A, 2)
    assert count == 3
    assert_allclose(np.abs(F.sum(axis=0)), np.sqrt([5, 3]))
