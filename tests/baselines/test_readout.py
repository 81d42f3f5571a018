"""Labels from embeddings and affinities."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import block_diag
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from graphtailor.baselines._readout import (
    kmeans_labels,
    spectral_embedding,
    spectral_labels,
    spectral_vectors,
    unit_rows,
)
from graphtailor.graphs import normalize_affinity


def components(rng, sizes):
    """A dense affinity with one connected component for each size."""
    blocks = [rng.uniform(0.1, 1, size=(m, m)) for m in sizes]
    A = block_diag(*[(b + b.T) / 2 for b in blocks])
    return A, np.repeat(np.arange(len(sizes)), sizes)


@pytest.mark.parametrize("sizes", [(5, 7, 12), (300, 250, 150)])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_embedding_of_c_components_is_their_indicator(rng, sizes, kind):
    # 24 nodes go through LAPACK, 700 through Lanczos.
    A, y = components(rng, sizes)
    E = spectral_embedding(kind(A), 3, random_state=0)
    np.testing.assert_allclose(E @ E.T, y[:, None] == y, atol=1e-9)


def test_embedding_looks_past_the_diagonal(rng):
    A, _ = components(rng, (6, 8))
    E = spectral_embedding(A, 2)
    F = spectral_embedding(A + 5 * np.eye(14), 2)
    np.testing.assert_allclose(E @ E.T, F @ F.T, atol=1e-12)


def test_largest_eigenvalue_is_one(rng):
    A, _ = components(rng, (20,))
    np.fill_diagonal(A, 0)
    values, _ = spectral_vectors(normalize_affinity(A), 3)
    assert values[0] == pytest.approx(1, abs=1e-12)
    assert values[1] < 1


def test_isolated_samples_stay_at_the_origin(rng):
    A, _ = components(rng, (6, 8))
    A = block_diag(A, [[0.0]])
    with pytest.warns(UserWarning, match="3 connected components"):
        E = spectral_embedding(A, 2)
    np.testing.assert_array_equal(E[-1], 0)


def test_spectral_labels_find_components(rng):
    A, y = components(rng, (9, 4, 6))
    labels, E = spectral_labels(A, 3, random_state=0)
    assert E.shape == (19, 3)
    assert len(set(zip(labels, y, strict=True))) == 3


def test_more_components_than_clusters_are_told(rng):
    A, _ = components(rng, (5, 5, 5))
    with pytest.warns(UserWarning, match="n_clusters >= 3"):
        spectral_labels(A, 2, random_state=0)


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_clusters", [2, 3, 6])
def test_few_distinct_rows_give_one_cluster_each(kind, n_clusters):
    rows = np.array([[1.0, 0.0], [-0.0, 2.0], [1.0, 0.0], [0.0, 2.0], [1.0, 1e-14]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = kmeans_labels(kind(rows), n_clusters, random_state=0)
    np.testing.assert_array_equal(labels, [0, 1, 0, 1, 0])


def test_all_zero_rows_are_one_cluster():
    np.testing.assert_array_equal(kmeans_labels(np.zeros((4, 2)), 3), 0)


def test_more_starts_never_raise_the_inertia(rng):
    E = rng.standard_normal((60, 2))

    def inertia(labels):
        return sum(
            ((E[labels == k] - E[labels == k].mean(axis=0)) ** 2).sum()
            for k in np.unique(labels)
        )

    one = inertia(kmeans_labels(E, 5, n_init=1, random_state=3))
    many = inertia(kmeans_labels(E, 5, n_init=20, random_state=3))
    assert many <= one + 1e-12


def test_labels_do_not_depend_on_threads():
    E, _ = make_blobs(3000, centers=8, cluster_std=4.0, random_state=0)
    results = []
    for threads in (1, 2):
        with threadpool_limits(threads):
            results.append(kmeans_labels(E, 8, random_state=1))
    np.testing.assert_array_equal(*results)


def test_unit_rows():
    E = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0], [1e-14, 0.0]]))
    np.testing.assert_allclose(E, [[0.6, 0.8], [0, 0], [0, 0]])
