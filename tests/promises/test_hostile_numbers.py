"""Numbers that once broke a method, and the scales that must not matter."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor, JointModel, KernelMap, LearnedGraph, TableBlocks
from graphtailor.baselines import (
    CAN,
    CGL,
    GMF,
    LRR,
    RSSA,
    KMeansClustering,
    L2Graph,
    NMFClustering,
    PCAClustering,
    l2graph,
)
from graphtailor.graphs import NeighborGraph
from graphtailor.linalg.kmeans import kmeans_labels
from graphtailor.linalg.scaling import feature_scaler, root_mean_square_norm
from graphtailor.linalg.sparse import stored
from graphtailor.registry import METHODS
from graphtailor.solvers import Descent

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

# Their weights are measured in squares of X, so that another unit is another problem.
WITH_UNITS = {"GLPCA", "GNMF", "L2-Graph", "L2-SymNMF"}
WITHOUT_UNITS = [name for name in METHODS if name not in WITH_UNITS]
POWERS = {np.float64: (-470, -60, 60, 470), np.float32: (-110, -60, 60, 110)}


def blobs(dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], 8)
    return (5 * np.eye(3, 5)[y] + 1 + rng.uniform(size=(24, 5))).astype(dtype), y


def labels_of(name, X):
    return METHODS[name].estimator(3, random_state=0).fit(X).labels_


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", WITHOUT_UNITS)
def test_the_unit_of_the_data_does_not_matter(name, dtype):
    X, _ = blobs(dtype)
    expected = labels_of(name, X)
    for power in POWERS[dtype]:
        found = labels_of(name, np.ldexp(X, power))
        np.testing.assert_array_equal(found, expected, err_msg=f"times 2^{power}")


@pytest.mark.parametrize("scaling", ["maxabs", "minmax", "standard"])
@pytest.mark.parametrize(
    "model",
    [
        JointModel(3, random_state=0),
        JointModel(3, solver=Descent(support=None), random_state=0),
        GraphTailor(3, random_state=0),
        GraphTailor(3, representatives=30, random_state=0),
    ],
    ids=["joint", "all pairs", "tailor", "anchors"],
)
def test_the_units_of_the_features_do_not_matter(model, scaling):
    X, y = blobs()
    # Powers of two, so that scaling undoes them exactly.
    units = np.ldexp(1.0, np.array([-480, 0, 480, -60, 11]))
    model = clone(model).set_params(scaling=scaling)
    assert adjusted_rand_score(y, model.fit(X).labels_) == 1
    labels = model.fit(X * units).labels_
    assert adjusted_rand_score(y, labels) == 1
    np.testing.assert_array_equal(model.predict(X * units), labels)


@pytest.mark.parametrize("scaling", ["maxabs", "minmax"])
def test_tiny_features_are_scaled(scaling):
    X = np.array([[0.0, 1.0], [1.0, 3.0], [0.5, 2.0]], dtype=np.float32)
    X[:, 0] *= 1e-8
    scaled = feature_scaler(scaling, False).fit_transform(X)
    np.testing.assert_allclose(scaled[:, 0], [0, 1, 0.5], rtol=1e-6)


def test_rounding_errors_are_not_stretched():
    X = np.array([[1.0], [1.0 + 2e-16], [1.0]])
    scaled = feature_scaler("minmax", False).fit_transform(X)
    assert np.abs(scaled).max() < 1e-12


def test_subnormal_sparse_features_are_scaled():
    X = sparse.csr_array(np.array([[1e-42], [5e-43], [0]], dtype=np.float32))
    scaled = feature_scaler("maxabs", True).fit_transform(X)
    assert np.isfinite(scaled.data).all()


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("power", [-110, 60, 110])
def test_neighbours_of_huge_and_tiny_float32_samples(power, container):
    X, _ = blobs(np.float32)
    one = NeighborGraph().fit(container(X))
    two = NeighborGraph().fit(container(np.ldexp(X, power)))
    np.testing.assert_array_equal(one.affinity_.toarray(), two.affinity_.toarray())
    np.testing.assert_allclose(two.bandwidth_, np.ldexp(one.bandwidth_, power))
    new = np.ldexp(X[:5] + np.float32(0.25), power)
    found = two.to_new(container(new))
    expected = one.to_new(container(X[:5] + np.float32(0.25)))
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


def test_radius_is_in_the_unit_of_the_data():
    X = np.ldexp(np.array([[0.0], [1.0], [3.0]]), 200)
    graph = NeighborGraph(radius=1.5 * 2.0**200, weights="binary").fit(X)
    np.testing.assert_array_equal(
        graph.weights_.toarray() > 0, [[0, 1, 0], [1, 0, 0], [0, 0, 0]]
    )


@pytest.mark.parametrize("power", [-110, 110])
def test_kmeans_of_huge_and_tiny_float32_rows(power):
    X, _ = blobs(np.float32)
    one = KMeansClustering(3, random_state=0).fit(X)
    scaled = np.ldexp(X, power)
    two = KMeansClustering(3, random_state=0).fit(scaled)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_allclose(
        two.cluster_centers_, np.ldexp(one.cluster_centers_, power)
    )
    np.testing.assert_allclose(two.objective_, np.ldexp(one.objective_, 2 * power))
    np.testing.assert_array_equal(two.predict(scaled), one.predict(X))


def test_an_outlier_does_not_make_the_other_samples_one():
    X = np.r_[np.zeros(5), np.full(5, 10.0), 1e13][:, None]
    X[:10] += np.random.default_rng(0).uniform(size=(10, 1))
    model = KMeansClustering(3, n_init=20, random_state=0).fit(X)
    assert len(set(model.labels_)) == 3
    assert model.objective_[0] > 0


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_as_many_distinct_rows_as_clusters_give_all_of_them():
    E = np.repeat(np.eye(4), 5, axis=0)
    labels = kmeans_labels(E, 4, random_state=0)
    np.testing.assert_array_equal(labels, np.repeat(np.arange(4), 5))
    labels = kmeans_labels(E + 1e-14 * np.arange(20)[:, None], 4, random_state=0)
    np.testing.assert_array_equal(labels, np.repeat(np.arange(4), 5))


@pytest.mark.parametrize("estimator", [KMeansClustering, PCAClustering])
def test_empty_clusters_are_told(estimator):
    with pytest.warns(ConvergenceWarning, match=r"found . clusters and not n_clust"):
        estimator(3, random_state=0).fit(np.ones((6, 2)))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_nmf_of_nothing_but_zeros(container):
    X = container(np.zeros((4, 3)))
    model = NMFClustering(2, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, 0)
    np.testing.assert_array_equal(model.embedding_, 0)
    np.testing.assert_array_equal(model.transform(X), 0)
    np.testing.assert_array_equal(model.objective_, 0)


def test_nmf_that_is_all_but_exact():
    X = sparse.csr_array(np.array([[1.0, 2.0, 0.0], [1e-12, 2e-12, 0.0]]))
    assert NMFClustering(1, random_state=0).fit(X).objective_[-1] < 1e-10


def test_lrr_of_tiny_samples():
    X, _ = blobs()
    one, two = LRR(3, random_state=0).fit(X), LRR(3, random_state=0).fit(1e-30 * X)
    np.testing.assert_allclose(two.representation_, one.representation_, atol=1e-6)


def test_tiny_samples_are_normalised():
    X, _ = blobs()
    expected = RSSA(3, random_state=0).fit(X).representation_
    found = RSSA(3, random_state=0).fit(np.ldexp(X, -100)).representation_
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("shape", [(6, 3), (4, 7)])
def test_a_ridge_that_rounding_swallows(shape):
    rng = np.random.default_rng(0)
    X = 1e9 * rng.normal(size=(shape[0], 1)) * rng.normal(size=(1, shape[1]))
    model = L2Graph(2, n_neighbors=None, random_state=0).fit(X)
    # Rank one: with almost no ridge, each sample is a multiple of the others.
    assert np.isfinite(model.affinity_matrix_).all()
    assert (model.affinity_matrix_ > 0).sum() == shape[0] * (shape[0] - 1)


def test_the_svd_and_the_cholesky_factor_give_the_same_ridge():
    rng = np.random.default_rng(0)
    for shape in [(9, 4), (4, 9)]:
        X = rng.normal(size=shape)
        usual = l2graph.RidgeOnOthers(X, 0.3)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(l2graph, "_ridge_factor", _no_factor)
            other = l2graph.RidgeOnOthers(X, 0.3)
        n = shape[0]
        np.testing.assert_allclose(
            other.coefficients(0, n), usual.coefficients(0, n), atol=1e-12
        )
        np.testing.assert_allclose(other.objective, usual.objective)


def _no_factor(X, lam):
    raise np.linalg.LinAlgError


def test_can_of_huge_samples_keeps_its_units():
    X, _ = blobs()
    one, two = CAN(3).fit(X), CAN(3).fit(np.ldexp(X, 470))
    np.testing.assert_array_equal(two.labels_, one.labels_)
    for name in ("gamma_", "lam_", "objective_"):
        np.testing.assert_allclose(getattr(two, name), getattr(one, name) * 2.0**940)


@pytest.mark.parametrize("power", [-300, 300])
def test_cgl_of_huge_and_tiny_samples_keeps_its_units(power):
    X, _ = blobs()
    one, two = (
        CGL(3, random_state=0).fit(X),
        CGL(3, random_state=0).fit(np.ldexp(X, power)),
    )
    np.testing.assert_allclose(
        two.laplacian_ * 2.0 ** (2 * power), one.laplacian_, rtol=1e-9, atol=1e-12
    )
    shift = 2 * power * np.log(2) * (len(X) - 1)
    np.testing.assert_allclose(two.objective_ - shift, one.objective_, rtol=1e-6)


@pytest.mark.parametrize("size", [1e150, 1e-150])
@pytest.mark.parametrize("estimator", [PCAClustering, GMF, KMeansClustering])
def test_samples_without_squares_are_refused(estimator, size):
    X, _ = blobs()
    with pytest.raises(ValueError, match=r"largest value of X.*Scale X first"):
        estimator(3).fit(size * X)


def test_standard_scaling_of_huge_sparse_float32_features():
    X = sparse.csr_array(np.array([[1e25], [0], [3e25]], dtype=np.float32))
    scaled = feature_scaler("standard", True).fit_transform(X)
    expected = X.toarray() / X.toarray().std(dtype=np.float64)
    np.testing.assert_allclose(scaled.toarray(), expected, rtol=1e-5)


FAR_MODELS = {
    "default": GraphTailor(3, random_state=0),
    "anchors": GraphTailor(3, representatives=30, random_state=0),
    "joint": JointModel(3, n_init=1, random_state=0),
    "sparse rows": JointModel(3, n_init=1, scaling=None, random_state=0),
    "standard": JointModel(3, n_init=1, scaling="standard", random_state=0),
    "minmax": JointModel(3, n_init=1, scaling="minmax", random_state=0),
    "not scaled": JointModel(3, n_init=1, scaling=None, random_state=0),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FAR_MODELS)
def test_new_rows_far_beyond_the_fitted_ones(name, dtype):
    """They get a cluster, without a warning, though no square of them exists."""
    X, _ = blobs()
    X = X.astype(dtype)
    if name == "sparse rows":
        X = sparse.csr_array(X)
    model = clone(FAR_MODELS[name]).fit(X)
    largest = np.finfo(dtype).max / np.abs(X).max() / 4
    for factor in (dtype(1e6), np.sqrt(largest), largest):
        memberships = model.predict_proba(X * factor.astype(dtype))
        np.testing.assert_allclose(memberships.sum(axis=1), 1, rtol=1e-5)


def test_rows_far_from_a_single_point():
    """All fitted rows are 0 after scaling, and have no size to compare with."""
    X = np.full((2, 1), 1e150)
    with pytest.warns(ConvergenceWarning, match="different from each other"):
        model = GraphTailor(2, scaling="minmax", random_state=0).fit(X)
    assert np.isfinite(model.predict_proba(16384 * X)).all()


def test_a_far_row_belongs_to_the_cluster_in_its_direction():
    X = np.r_[np.eye(2)[[0] * 9] * [[3.0]], np.eye(2)[[1] * 9] * [[3.0]]]
    X += np.random.default_rng(0).normal(size=X.shape) / 10
    model = GraphTailor(2, random_state=0).fit(X)
    far = np.array([[1e5, 1.0], [1.0, 1e5], [1e250, 1.0], [1.0, 1e250]])
    assert model.predict(far).tolist() == [*model.labels_[[0, 9]]] * 2


FLOAT32_MAX, FLOAT64_MAX = np.finfo(np.float32).max, np.finfo(np.float64).max
# Shares of the largest number there is, and samples made of them.
EXTREMES = {
    "float32 near its maximum": lambda X: X.astype(np.float32) * FLOAT32_MAX,
    "float32 outlier": lambda X: np.r_[X[:-1], X[-1:] * FLOAT32_MAX].astype(np.float32),
    "equal float32": lambda X: np.full_like(X, FLOAT32_MAX, dtype=np.float32),
    "sparse float32": lambda X: sparse.csr_array(
        np.where(X > 0.5, X * FLOAT32_MAX, 0).astype(np.float32)
    ),
    "both signs": lambda X: (2 * X - 1) * FLOAT64_MAX,
    "sparse, both signs": lambda X: sparse.csr_array(
        np.where(X > 0.3, 2 * X - 1, 0) * FLOAT64_MAX
    ),
    "1e307": lambda X: X * 1e307,
    "1e144": lambda X: X * 1e144,
    "subnormal": lambda X: X * 1e-310,
}


@pytest.mark.parametrize("make", EXTREMES.values(), ids=EXTREMES.keys())
@pytest.mark.parametrize("name", METHODS)
def test_extreme_numbers_give_finite_results_or_a_clear_error(name, make):
    """The table is wide, and sums of its entries overflow with both signs."""
    X = make(np.hstack([blobs(seed=seed)[0] for seed in range(6)]) / 8)
    model = METHODS[name].estimator(3, random_state=0)
    try:
        model.fit(X)
    except ValueError as error:
        refusal = str(error)
    else:
        refusal = ""
    if refusal:
        assert "Scale X first" in refusal or "nonnegative X only" in refusal
        return
    for value in vars(model).values():
        values = value.data if sparse.issparse(value) else value
        if isinstance(values, np.ndarray):
            assert np.isfinite(values).all()


@pytest.mark.parametrize(
    "make", [NeighborGraph, lambda: JointModel(3), GraphTailor, TableBlocks]
)
@pytest.mark.parametrize("where", [np.s_[0, 2], np.s_[:, 2], np.s_[:]])
def test_a_few_extreme_numbers_beside_others(make, where):
    X, _ = blobs()
    X[where] *= FLOAT64_MAX / X.max()
    refusal = ""
    try:
        model = make().fit(X)
    except ValueError as error:
        refusal = str(error)
    if refusal:
        assert "Scale X first" in refusal
        return
    found = model.affinity_.data if hasattr(model, "affinity_") else model.transform(X)
    assert np.isfinite(found).all()


@pytest.mark.parametrize(
    ("model", "what"),
    [
        (GraphTailor(3, metric="affinity"), "affinities"),
        (GraphTailor(3, metric="precomputed"), "distances"),
        (JointModel(3, graph="precomputed"), "affinities"),
        (NeighborGraph(metric="precomputed"), "distances"),
    ],
)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_pairs_whose_sums_overflow_are_refused(model, what, container):
    pairs = container((1 - np.eye(20)) * 1e308)
    if what == "distances" and sparse.issparse(pairs):
        pairs = pairs.toarray()
    with pytest.raises(ValueError, match=f"The largest of the {what} is 1e\\+308"):
        model.fit(pairs)


@pytest.mark.parametrize("gamma", ["auto", 1.0])
@pytest.mark.parametrize("kernel", ["rbf", "poly", "cosine", "laplacian"])
@pytest.mark.parametrize("make", EXTREMES.values(), ids=EXTREMES.keys())
def test_kernels_of_extreme_numbers_are_finite_or_refused(make, kernel, gamma):
    X, _ = blobs()
    for fitted in (make(X / 8), X):  # far new rows too
        kernel_map = KernelMap(kernel, gamma=gamma)
        try:
            features, refusal = kernel_map.fit(fitted).transform(make(X / 8)), ""
        except ValueError as error:
            features, refusal = np.zeros(0), str(error)
        assert not refusal or "Scale the features first" in refusal
        assert np.isfinite(stored(features)).all()


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("size", [FLOAT64_MAX, 1e155, 1e-310])
def test_kernel_matrices_of_extreme_numbers(size, container):
    X, _ = blobs()
    K = X @ X.T
    K = size * (K / K.max())
    features = KernelMap("precomputed").fit(container(K)).transform(container(K))
    # Squares of the features are the kernel, so that the features are well in range.
    np.testing.assert_allclose(
        features / np.sqrt(size) @ features.T / np.sqrt(size), K / size, atol=1e-6
    )


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("estimator", [NeighborGraph(), JointModel(scaling="length")])
def test_distances_beyond_all_numbers_end_in_a_clear_error(estimator, container):
    X = np.random.default_rng(0).uniform(size=(12, 60))
    with pytest.raises(ValueError, match=r"Distances between rows.*Scale X first"):
        clone(estimator).fit(container(EXTREMES["both signs"](X)))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("size", [1e155, 1e170, 1e307])
def test_standard_scaling_refuses_numbers_without_squares(size, container):
    X, _ = blobs()
    scaler = feature_scaler("standard", container is sparse.csr_array)
    with pytest.raises(ValueError, match=r"scaling='standard'.*maxabs"):
        scaler.fit(container(X * size))


def test_the_norm_of_the_largest_numbers_is_finite():
    assert root_mean_square_norm(np.full((3, 9), FLOAT64_MAX)) == FLOAT64_MAX
    assert root_mean_square_norm(np.full((3, 9), FLOAT32_MAX)) == FLOAT32_MAX


@pytest.mark.skipif(np.finfo(np.longdouble).max <= np.finfo(float).max, reason="none")
@pytest.mark.parametrize(
    "estimator", [GraphTailor(2), LearnedGraph(L2Graph(2)), L2Graph(2), TableBlocks()]
)
def test_long_doubles_beyond_float64_are_refused(estimator):
    X = np.eye(6, dtype=np.longdouble) * np.longdouble(10) ** 400
    with pytest.raises(ValueError, match="infinit"):
        estimator.fit(X)
