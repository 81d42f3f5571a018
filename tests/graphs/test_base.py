"""What all graph builders have in common, and the names that stand for some."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import rbf_kernel

from graphtailor.graphs import (
    DiffusedGraph,
    EnsembleGraph,
    GraphBuilder,
    NeighborGraph,
    PrecomputedGraph,
    graph_builder,
)
from graphtailor.neighbors import default_n_neighbors

X = np.random.default_rng(0).normal(size=(50, 3))
GIVEN = {"samples": X, "distances": cdist(X, X), "affinities": rbf_kernel(X)}
every_builder = pytest.mark.parametrize(
    "builder",
    [
        NeighborGraph(),
        NeighborGraph(metric="precomputed"),
        PrecomputedGraph(),
        DiffusedGraph(steps=4),
        DiffusedGraph(NeighborGraph(metric="precomputed"), steps=4),
        DiffusedGraph("precomputed", steps=4),
        EnsembleGraph(random_state=0),
    ],
    ids=str,
)


@every_builder
def test_what_every_builder_promises(builder):
    given = GIVEN[builder.input]
    fitted = clone(builder).fit(given)
    assert isinstance(fitted, GraphBuilder)
    for graph in (fitted.weights_, fitted.affinity_):
        assert isinstance(graph, sparse.csr_array)
        assert graph.shape == (50, 50)
        assert graph.data.min() >= 0
        assert abs(graph - graph.T).max() < 1e-15
        np.testing.assert_array_equal(graph.diagonal(), 0)
    assert np.linalg.eigvalsh(fitted.affinity_.toarray())[-1] == pytest.approx(1)
    np.testing.assert_allclose(fitted.degrees_, fitted.weights_.sum(axis=1))
    assert fitted.n_neighbors_ == default_n_neighbors(50)
    new = fitted.to_new(given[:7] * 1.01)
    assert isinstance(new, sparse.csr_array)
    assert new.shape == (7, 50)
    assert new.data.min() >= 0
    assert abs(fitted.transform(given[:7] * 1.01) - new).max() == 0
    whole = clone(builder).fit_transform(given)
    assert abs(whole - fitted.affinity_).max() == 0
    # scikit-learn's SpectralClustering takes no longer ones.
    assert whole.indices.dtype == whole.indptr.dtype == np.int32
    edges = fitted.nearest(4)
    if edges is not None:
        np.testing.assert_array_equal(np.bincount(edges.rows), 4)
        assert (edges.rows != edges.cols).all()
    assert (edges is None) == (builder.input == "affinities")


@every_builder
def test_a_builder_that_is_not_fitted_says_so(builder):
    with pytest.raises(NotFittedError):
        clone(builder).to_new(GIVEN[builder.input])


def test_names_stand_for_builders_and_builders_are_copied():
    assert isinstance(graph_builder("precomputed"), PrecomputedGraph)
    assert graph_builder("knn").get_params() == NeighborGraph().get_params()
    own = NeighborGraph(weights="binary").fit(X)
    copied = graph_builder(own)
    assert copied.get_params() == own.get_params()
    assert not hasattr(copied, "affinity_")


def test_a_builder_needs_fit_and_to_new():
    class Half(GraphBuilder):
        """Lacks to_new."""

        def fit(self, X, y=None):
            """Build nothing."""
            return self

    with pytest.raises(TypeError, match="to_new"):
        Half()
