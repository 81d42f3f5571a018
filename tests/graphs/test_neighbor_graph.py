"""The given graph, against an independent dense implementation."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.neighbors import kneighbors_graph

from graphtailor.datasets import load_dataset
from graphtailor.graphs import NeighborGraph, PrecomputedGraph


def dense_graph(
    X, p=None, symmetrize="average", bandwidth="global", binary=False, radius=None
):
    """The graph of the study, step by step on full matrices: G0, G and W."""
    n = len(X)
    p = int(np.floor(np.log2(n) + 1)) if p is None else p
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    neighbor = np.zeros((n, n), dtype=bool)
    if radius is None:
        nearest = np.argsort(D, axis=1, kind="stable")[:, : min(p, n - 1)]
        np.put_along_axis(neighbor, nearest, True, axis=1)
    else:
        neighbor = np.less_equal(D, radius)
    if bandwidth == "local":
        own = np.array([D[i, neighbor[i]].mean() for i in range(n)])
        squared_scale = np.multiply.outer(own, own)
    else:
        sigma = D[neighbor].mean() if bandwidth == "global" else bandwidth
        squared_scale = np.full((n, n), sigma**2)
    G0 = np.zeros((n, n))
    G0[neighbor] = np.exp(-(D[neighbor] ** 2) / squared_scale[neighbor])
    if binary:
        G0[neighbor] = 1
    combine = {"average": lambda a, b: (a + b) / 2, "max": np.maximum}
    G = combine.get(symmetrize, np.minimum)(G0, G0.T)
    degrees = G.sum(axis=1)
    scale = np.where(degrees > 0, 1 / np.sqrt(np.where(degrees > 0, degrees, 1)), 0)
    return G0, G, scale[:, None] * G * scale


@pytest.fixture(params=["random", "iris", "wine", "ionosphere"])
def X(request):
    if request.param == "random":
        return np.random.default_rng(0).normal(size=(80, 5))
    return load_dataset(request.param).data


def test_given_graph_of_the_study(X):
    builder = NeighborGraph().fit(X)
    _, G, W = dense_graph(X)
    np.testing.assert_allclose(builder.weights_.toarray(), G, atol=1e-12)
    np.testing.assert_allclose(builder.affinity_.toarray(), W, atol=1e-12)
    assert isinstance(builder.affinity_, sparse.csr_array)
    assert builder.affinity_.nnz <= 2 * builder.n_neighbors_ * len(X)


@pytest.mark.parametrize(
    ("params", "dense"),
    [
        ({"n_neighbors": 3}, {"p": 3}),
        ({"weights": "binary"}, {"binary": True}),
        ({"symmetrize": "max"}, {"symmetrize": "max"}),
        ({"symmetrize": "mutual"}, {"symmetrize": "mutual"}),
        ({"bandwidth": "local"}, {"bandwidth": "local"}),
        ({"bandwidth": 0.8}, {"bandwidth": 0.8}),
        ({"radius": 2.5}, {"radius": 2.5}),
        ({"radius": 2.5, "weights": "binary"}, {"radius": 2.5, "binary": True}),
        (
            {"bandwidth": "local", "symmetrize": "max", "n_neighbors": 9},
            {"bandwidth": "local", "symmetrize": "max", "p": 9},
        ),
    ],
    ids=str,
)
def test_options(params, dense):
    X = np.random.default_rng(0).normal(size=(60, 4))
    builder = NeighborGraph(**params).fit(X)
    _, G, W = dense_graph(X, **dense)
    np.testing.assert_allclose(builder.weights_.toarray(), G, atol=1e-12)
    np.testing.assert_allclose(builder.affinity_.toarray(), W, atol=1e-12)


def test_every_sample_has_p_neighbors(X):
    """The max of a 0/1 graph and its mirror would hide it, so edges are counted."""
    builder = NeighborGraph().fit(X)
    edges = builder.nearest(builder.n_neighbors_)
    np.testing.assert_array_equal(np.bincount(edges.rows), builder.n_neighbors_)
    pairs = edges.rows * len(X) + edges.cols
    assert len(np.unique(pairs)) == len(pairs)


def test_symmetric_with_zero_diagonal_and_fixed_root_degrees(X):
    builder = NeighborGraph().fit(X)
    W = builder.affinity_.toarray()
    np.testing.assert_array_equal(W, W.T)
    np.testing.assert_array_equal(np.diag(W), 0)
    assert W.min() >= 0
    assert W.max() <= 1
    root = np.sqrt(builder.degrees_)
    np.testing.assert_allclose(W @ root, root, rtol=1e-12)


def test_eigenvalue_one_once_for_every_component(X):
    W = NeighborGraph().fit(X).affinity_
    values = np.linalg.eigvalsh(W.toarray())
    pattern = W.copy()
    pattern.eliminate_zeros()
    n_components, component = connected_components(pattern)
    isolated = (np.bincount(component) == 1).sum()
    assert values[-1] == pytest.approx(1, abs=1e-12)
    assert (values > 1 - 1e-10).sum() == n_components - isolated


def test_raw_iris_has_two_components():
    W = NeighborGraph().fit(load_iris().data).affinity_
    assert connected_components(W)[0] == 2


@pytest.mark.parametrize("scale", [2.0**-400, 1e-150, 1e-3, 2.0, 1e9, 1e150])
@pytest.mark.parametrize("bandwidth", ["global", "local"])
def test_scale_free(scale, bandwidth):
    X = np.random.default_rng(0).normal(size=(40, 3))
    W = NeighborGraph(bandwidth=bandwidth).fit(X).affinity_
    scaled = NeighborGraph(bandwidth=bandwidth).fit(scale * X).affinity_
    np.testing.assert_array_equal(W.indices, scaled.indices)
    np.testing.assert_allclose(W.data, scaled.data, rtol=1e-9)


@settings(max_examples=15)
@given(st.integers(0, 10**6), st.integers(2, 60))
def test_permutation_of_the_samples_permutes_the_graph(seed, n):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    order = rng.permutation(n)
    W = NeighborGraph().fit(X).affinity_.toarray()
    permuted = NeighborGraph().fit(X[order]).affinity_.toarray()
    np.testing.assert_allclose(permuted, W[np.ix_(order, order)], atol=1e-12)


def test_rotation_of_the_features_changes_nothing():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 6))
    Q, _ = np.linalg.qr(rng.normal(size=(6, 6)))
    np.testing.assert_allclose(
        NeighborGraph().fit(X @ Q).affinity_.toarray(),
        NeighborGraph().fit(X).affinity_.toarray(),
        atol=1e-10,
    )


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_all_samples_equal(container):
    X = container(np.full((20, 3), 0.1))
    builder = NeighborGraph().fit(X)
    assert builder.bandwidth_ == 0
    G = builder.weights_.toarray()
    np.testing.assert_array_equal(np.unique(G), [0, 0.5, 1])
    assert np.isfinite(builder.affinity_.toarray()).all()


@pytest.mark.parametrize("bandwidth", ["global", "local"])
def test_half_the_samples_equal(bandwidth):
    rng = np.random.default_rng(0)
    X = np.vstack([np.ones((20, 3)), rng.normal(size=(20, 3))])
    builder = NeighborGraph(bandwidth=bandwidth).fit(X)
    assert np.isfinite(builder.affinity_.data).all()
    if bandwidth == "global":
        _, G, W = dense_graph(X)
        np.testing.assert_allclose(builder.affinity_.toarray(), W, atol=1e-12)
        np.testing.assert_allclose(builder.weights_.toarray(), G, atol=1e-12)


def test_soybean_has_ties_and_duplicates():
    X = load_dataset("soybean").data
    _, _, W = dense_graph(X)
    np.testing.assert_allclose(
        NeighborGraph().fit(X).affinity_.toarray(), W, atol=1e-12
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_fewer_samples_than_neighbors(n):
    X = np.random.default_rng(0).normal(size=(n, 2))
    builder = NeighborGraph(n_neighbors=30).fit(X)
    assert builder.n_neighbors_ == n - 1
    assert builder.affinity_.nnz == n * (n - 1)
    if n > 1:
        np.testing.assert_allclose(
            builder.affinity_.toarray(), dense_graph(X, p=30)[2], atol=1e-12
        )


def test_isolated_samples():
    X = np.array([[0.0], [0.1], [0.2], [50.0]])
    builder = NeighborGraph(radius=1.0).fit(X)
    W = builder.affinity_.toarray()
    np.testing.assert_array_equal(W[3], 0)
    assert builder.degrees_[3] == 0
    assert np.isfinite(W).all()
    np.testing.assert_array_equal(builder.to_new([[50.0]]).toarray()[0, :3], 0)
    nobody = NeighborGraph(radius=1e-3).fit(X)
    assert nobody.affinity_.nnz == 0
    assert nobody.to_new([[7.0]]).nnz == 0


def test_mutual_neighbors_leave_an_outlier_alone():
    X = np.r_[np.linspace(0, 1, 20), 100.0][:, None]
    builder = NeighborGraph(symmetrize="mutual").fit(X)
    assert builder.degrees_[-1] == 0
    assert np.isfinite(builder.affinity_.data).all()


@pytest.mark.parametrize("outlier", [1e3, 1e20, 1e150])
def test_one_huge_outlier(outlier):
    X = np.random.default_rng(0).normal(size=(50, 3))
    X[7] = outlier
    for bandwidth in ("global", "local"):
        builder = NeighborGraph(bandwidth=bandwidth).fit(X)
        assert np.isfinite(builder.affinity_.data).all()
        assert builder.affinity_.max() <= 1


@pytest.mark.parametrize("metric", ["manhattan", "cosine"])
def test_metrics(metric):
    X = np.random.default_rng(0).uniform(size=(40, 4))
    D = cdist(X, X, {"manhattan": "cityblock"}.get(metric, metric))
    given_distances = NeighborGraph(metric="precomputed").fit(D)
    np.testing.assert_allclose(
        NeighborGraph(metric=metric).fit(X).affinity_.toarray(),
        given_distances.affinity_.toarray(),
        atol=1e-6,
    )


def test_precomputed_distances_give_the_same_graph():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(40, 3)), rng.normal(size=(5, 3))
    samples = NeighborGraph().fit(X)
    distances = NeighborGraph(metric="precomputed").fit(cdist(X, X))
    np.testing.assert_allclose(
        distances.affinity_.toarray(), samples.affinity_.toarray(), atol=1e-12
    )
    np.testing.assert_allclose(
        distances.to_new(cdist(new, X)).toarray(),
        samples.to_new(new).toarray(),
        atol=1e-12,
    )


@pytest.mark.parametrize("diagonal", [True, False])
def test_sparse_distances_give_the_same_graph(diagonal):
    X = np.random.default_rng(0).normal(size=(40, 3))
    D = kneighbors_graph(X, 12, mode="distance", include_self=diagonal)
    np.testing.assert_allclose(
        NeighborGraph(metric="precomputed").fit(D).affinity_.toarray(),
        NeighborGraph().fit(X).affinity_.toarray(),
        atol=1e-12,
    )


def test_sparse_distances_that_hold_just_the_neighbors_needed():
    X = np.random.default_rng(0).normal(size=(40, 3))
    D = kneighbors_graph(X, 6, mode="distance")
    builder = NeighborGraph(metric="precomputed").fit(D)
    np.testing.assert_allclose(
        builder.affinity_.toarray(), dense_graph(X, p=6)[2], atol=1e-12
    )


def test_sparse_samples_give_the_same_graph():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 8)) * (rng.uniform(size=(50, 8)) < 0.5)
    dense, thin = NeighborGraph().fit(X), NeighborGraph().fit(sparse.csr_array(X))
    np.testing.assert_allclose(
        dense.affinity_.toarray(), thin.affinity_.toarray(), atol=1e-7
    )
    np.testing.assert_allclose(
        dense.to_new(X[:4] + 0.1).toarray(),
        thin.to_new(sparse.csr_array(X[:4] + 0.1)).toarray(),
        atol=1e-7,
    )


def test_dense_and_sparse_may_be_mixed():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(30, 4)), rng.normal(size=(5, 4))
    expected = NeighborGraph().fit(X).to_new(new).toarray()
    from_sparse = NeighborGraph().fit(X).to_new(sparse.csr_array(new))
    from_dense = NeighborGraph().fit(sparse.csr_array(X)).to_new(new)
    np.testing.assert_allclose(from_sparse.toarray(), expected, atol=1e-7)
    np.testing.assert_allclose(from_dense.toarray(), expected, atol=1e-7)


def test_new_samples_against_a_dense_computation():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(40, 3)), rng.normal(size=(6, 3))
    builder = NeighborGraph().fit(X)
    _, G, _ = dense_graph(X)
    D, p = cdist(new, X), builder.n_neighbors_
    expected = np.zeros_like(D)
    for i, row in enumerate(D):
        nearest = np.argsort(row, kind="stable")[:p]
        expected[i, nearest] = np.exp(-(row[nearest] ** 2) / builder.bandwidth_**2)
    expected /= np.sqrt(np.multiply.outer(expected.sum(axis=1), G.sum(axis=1)))
    W_new = builder.to_new(new)
    assert W_new.shape == (6, 40)
    np.testing.assert_allclose(W_new.toarray(), expected, atol=1e-12)


def test_local_bandwidth_for_new_samples():
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(40, 3)), rng.normal(size=(6, 3))
    builder = NeighborGraph(bandwidth="local").fit(X)
    W_new = builder.to_new(new).toarray()
    assert ((W_new > 0).sum(axis=1) == builder.n_neighbors_).all()
    assert np.isfinite(W_new).all()
    assert builder.bandwidth_.shape == (40,)


def test_precomputed_affinity():
    rng = np.random.default_rng(0)
    A = rng.uniform(size=(15, 15))
    G = (A + A.T) / 2
    np.fill_diagonal(G, 0)
    degrees = G.sum(axis=1)
    expected = G / np.sqrt(np.multiply.outer(degrees, degrees))
    before = A.copy()
    for affinity in (A, sparse.csr_array(A), sparse.csr_matrix(A), sparse.coo_array(A)):
        builder = PrecomputedGraph().fit(affinity)
        np.testing.assert_allclose(builder.affinity_.toarray(), expected, atol=1e-14)
    np.testing.assert_array_equal(A, before)
    new = rng.uniform(size=(3, 15))
    expected = new / np.sqrt(np.multiply.outer(new.sum(axis=1), degrees))
    np.testing.assert_allclose(builder.to_new(new).toarray(), expected, atol=1e-14)


@pytest.mark.filterwarnings("error")
def test_precomputed_affinity_without_a_stored_diagonal():
    A = sparse.csr_array(([1.0, 1.0], ([0, 1], [1, 0])), shape=(3, 3))
    with pytest.warns(UserWarning, match="without an edge: 1 of 3"):
        W = PrecomputedGraph().fit(A).affinity_.toarray()
    np.testing.assert_array_equal(W, [[0, 1, 0], [1, 0, 0], [0, 0, 0]])


def test_precomputed_affinity_is_not_changed_in_place():
    A = sparse.csr_array(np.ones((3, 3)))
    PrecomputedGraph().fit(A)
    np.testing.assert_array_equal(A.toarray(), 1)


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_bad_affinities_are_refused(container):
    bad = np.ones((3, 3))
    bad[0, 1] = -0.5
    with pytest.raises(ValueError, match=r"affinity must not be negative.*-0\.5"):
        PrecomputedGraph().fit(container(bad))
    with pytest.raises(ValueError, match=r"affinity must be square.*\(2, 3\)"):
        PrecomputedGraph().fit(container(np.ones((2, 3))))
    bad[0, 1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        PrecomputedGraph().fit(container(bad))


def test_affinities_of_new_samples_must_have_a_column_for_every_fitted_one():
    builder = PrecomputedGraph().fit(np.ones((4, 4)))
    with pytest.raises(ValueError, match="4"):
        builder.to_new(np.ones((2, 3)))


def test_bad_distances_are_refused():
    with pytest.raises(ValueError, match="distances must be square"):
        NeighborGraph(metric="precomputed").fit(np.ones((2, 3)))
    with pytest.raises(ValueError, match=r"distances must not be negative.*-1"):
        NeighborGraph(metric="precomputed").fit(np.array([[0.0, -1], [-1, 0]]))


@pytest.mark.parametrize(
    "params",
    [
        {"n_neighbors": 0},
        {"n_neighbors": "many"},
        {"radius": 0},
        {"weights": "cosine"},
        {"bandwidth": 0.0},
        {"bandwidth": "per-sample"},
        {"symmetrize": "min"},
    ],
    ids=str,
)
def test_bad_parameters_are_named(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        NeighborGraph(**params).fit(np.eye(4))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_bad_samples_are_refused(bad):
    X = np.ones((5, 2))
    X[0, 0] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        NeighborGraph().fit(X)


def test_new_samples_with_other_features_are_refused():
    builder = NeighborGraph().fit(np.random.default_rng(0).normal(size=(20, 3)))
    with pytest.raises(ValueError, match="features"):
        builder.to_new(np.ones((2, 4)))


def test_builders_are_cloned_and_pickled():
    X = np.random.default_rng(0).normal(size=(30, 3))
    builder = NeighborGraph(n_neighbors=4, weights="binary")
    assert clone(builder).get_params() == builder.get_params()
    builder.fit(X)
    again = pickle.loads(pickle.dumps(builder))
    np.testing.assert_array_equal(
        again.to_new(X + 0.1).toarray(), builder.to_new(X + 0.1).toarray()
    )
