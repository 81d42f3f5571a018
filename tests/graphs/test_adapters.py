"""A graph as a kernel and as distances."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from sklearn.datasets import load_wine, make_moons
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.semi_supervised import LabelSpreading

from graphtailor.graphs import NeighborGraph, graph_distances, precomputed_kernel


def test_label_spreading_on_a_graph_is_the_closed_form():
    X, y = load_wine(return_X_y=True)
    X = MaxAbsScaler().fit_transform(X)
    W = NeighborGraph().fit(X).affinity_
    given = np.where(np.arange(len(y)) % 10, -1, y)
    # W is normalised already; scikit-learn normalises by the degrees once more.
    scale = 1 / np.sqrt(W.sum(axis=1))
    S = W.toarray() * np.outer(scale, scale)
    known = np.eye(3)[y] * (given >= 0)[:, None]
    expected = np.linalg.solve(np.eye(len(y)) - 0.9 * S, known).argmax(axis=1)
    model = LabelSpreading(precomputed_kernel, alpha=0.9, max_iter=5000, tol=1e-12)
    assert_array_equal(model.fit(W, given).transduction_, expected)


def test_new_samples_are_labelled_through_a_pipeline():
    X, y = make_moons(300, noise=0.05, random_state=0)
    given = np.where(np.arange(200) < 20, y[:200], -1)
    spread = LabelSpreading(precomputed_kernel, alpha=0.9, max_iter=1000)
    model = make_pipeline(NeighborGraph(), spread).fit(X[:200], given)
    assert np.mean(model.predict(X[200:]) == y[200:]) > 0.97


def test_distances_are_symmetric_and_longer_without_an_edge():
    A = sparse.csr_array(np.array([[0, 4.0, 1.0], [4.0, 0, 0], [1.0, 0, 0]]))
    D = graph_distances(A)
    assert_allclose(D, D.T)
    assert_array_equal(D.diagonal(), 0)
    assert D[0, 1] == 0 < D[0, 2] < D[1, 2]
    assert_allclose(D[0, 2], np.log(4))
    # Weights of new samples to fitted ones have no diagonal.
    assert graph_distances(A[:1])[0, 0] == D[1, 2]
    assert np.isfinite(graph_distances(sparse.csr_array((3, 3)))).all()
