import numpy as np
import pytest
import scipy.sparse as sp
from scipy.linalg import eigh

from graphtailor.metrics import clustering_accuracy
from scale.data import block, rings
from scale.peers import AnchorSpectralClustering, _affinity, _embedding


@pytest.fixture
def tied():
    """Samples tied to anchors, all connected."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3)).astype(np.float32)
    return _affinity(X, X[:12], 5)


def test_weights_are_those_of_the_nearest_anchors():
    rng = np.random.default_rng(1)
    X, anchors = rng.normal(size=(30, 3)), rng.normal(size=(8, 3))
    B = _affinity(X, anchors, 3).toarray()
    distances = np.linalg.norm(X[:, None] - anchors, axis=2)
    nearest = np.argsort(distances, axis=1)[:, :3]
    width = np.take_along_axis(distances, nearest, axis=1).mean()
    expected = np.zeros_like(B)
    for row, columns in enumerate(nearest):
        expected[row, columns] = np.exp(-(distances[row, columns] ** 2) / 2 / width**2)
    np.testing.assert_allclose(B, expected, rtol=1e-5)


def test_the_embedding_is_that_of_the_whole_bipartite_graph(tied):
    """The normalized cut of samples and anchors together has the same eigenvectors."""
    n, m = tied.shape
    W = sp.block_array([[None, tied], [tied.T, None]]).toarray().astype(np.float64)
    _, vectors = eigh(W, np.diag(W.sum(axis=1)), subset_by_index=(n + m - 4, n + m - 1))
    # The lift leaves out the eigenvalue, so that only directions can be compared.
    Z = tied.toarray() / tied.sum(axis=1)[:, None]
    anchors = vectors[n:]
    E = tied.T @ Z
    scaled = anchors / np.sqrt(np.einsum("ij,i,ij->j", anchors, E.sum(axis=1), anchors))
    expected = Z @ scaled
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    found = _embedding(tied, 4, np.random.RandomState(0))
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-4)


def test_rings_need_many_anchors():
    X, y = block(rings(4), 0)
    X, y = X[:20_000], y[:20_000]
    few, many = (
        AnchorSpectralClustering(4, n_anchors=m, random_state=0).fit(X).labels_
        for m in (40, 600)
    )
    assert clustering_accuracy(y, many) > 0.99
    assert clustering_accuracy(y, few) < 0.8


def test_the_same_seed_gives_the_same_labels():
    X, _ = block(rings(3), 0)
    first, second = (
        AnchorSpectralClustering(3, n_anchors=100, random_state=5).fit(X[:3000]).labels_
        for _ in range(2)
    )
    np.testing.assert_array_equal(first, second)
