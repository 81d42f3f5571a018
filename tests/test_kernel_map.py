"""Kernels as feature maps: exact on few samples, the same model on top."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import cross_validate
from sklearn.preprocessing import MaxAbsScaler, normalize
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphtailor import GraphTailor, NeighborGraph
from graphtailor.kernel_map import KernelMap
from graphtailor.models import kernel_map

NAMED = ("rbf", "poly", "cosine", "laplacian")
POINTS = np.random.default_rng(0).normal(size=(60, 3)) + 1


def histogram(x, y):
    """A kernel of the user's own, for nonnegative rows."""
    return np.minimum(x, y).sum()


@parametrize_with_checks([GraphTailor(n_clusters=2, kernel="rbf", n_init=3)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def direct_objective(K, S, V, W, alpha, beta):
    """The objective by kernel values alone, without features."""
    K = K / np.trace(K) * len(K)
    left = np.trace(K) - 2 * np.trace(K @ S) + np.trace(S.T @ K @ S)
    return alpha * left + np.sum((S - V @ V.T) ** 2) + beta * np.sum((S - W) ** 2)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kernel", [*NAMED, pytest.param(histogram, id="histogram")])
@pytest.mark.parametrize("beta", [1.0, 100.0])
def test_the_objective_is_that_of_the_kernel(kernel, beta):
    X = MaxAbsScaler().fit_transform(np.abs(POINTS))
    # Every row differs from the others: V is then the solver's own.
    model = GraphTailor(3, kernel=kernel, alpha=2.0, beta=beta, random_state=0)
    model.set_params(max_iter=20, tol=0).fit(X)
    params = {"gamma": model.gamma_} if model.gamma_ else {}
    if kernel == "poly":
        params |= {"degree": 3, "coef0": 1}
    expected = direct_objective(
        pairwise_kernels(X, metric=kernel, **params),
        model.representation_.toarray(),
        model.indicator_,
        model.given_graph_.toarray(),
        *(2.0, beta),
    )
    assert model.objective_[-1] == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("kernel", NAMED)
def test_features_have_the_kernel_as_inner_products(kernel, container, dtype):
    X = container(POINTS.astype(dtype))
    fitted = KernelMap(kernel, gamma=0.7, degree=2, coef0=0.5).fit(X)
    features = fitted.transform(X)
    params = {} if kernel == "cosine" else {"gamma": 0.7}
    if kernel == "poly":
        params |= {"degree": 2, "coef0": 0.5}
    K = pairwise_kernels(X.astype(np.float64), metric=kernel, **params)
    assert features.dtype == dtype
    products = features @ features.T
    products = products.toarray() if sparse.issparse(products) else products
    np.testing.assert_allclose(products, K, atol=1e-9 if dtype == np.float64 else 1e-4)
    new = container(POINTS[:4].astype(dtype) + dtype(0.01))
    across = fitted.transform(new) @ features.T
    across = across.toarray() if sparse.issparse(across) else across
    expected = pairwise_kernels(
        new.astype(np.float64), X.astype(np.float64), metric=kernel, **params
    )
    # To the fitted samples the values of new ones are exact too.
    np.testing.assert_allclose(
        across, expected, atol=1e-5 if dtype(0).nbytes > 4 else 1e-3
    )


def test_landmarks_beyond_their_number_are_drawn(monkeypatch):
    monkeypatch.setattr(kernel_map, "LANDMARKS", 40)
    one, two, other = (KernelMap("rbf", random_state=s).fit(POINTS) for s in (0, 0, 1))
    assert one.landmarks.shape == (40, 3)
    np.testing.assert_array_equal(one.whitening, two.whitening)
    assert not np.array_equal(one.landmarks, other.landmarks)
    # A kernel of low rank loses nothing.
    poly = KernelMap("poly", gamma=1.0, degree=2, random_state=0).fit(POINTS)
    features = poly.transform(POINTS)
    assert features.shape[1] == 10
    np.testing.assert_allclose(features @ features.T, (POINTS @ POINTS.T + 1) ** 2)


def test_the_linear_kernel_is_no_kernel():
    """The same bits as without one, whatever the kernels' parameters."""
    X = make_blobs(120, n_features=5, cluster_std=3.0, random_state=0)[0]
    plain = GraphTailor(3, random_state=0).fit(X)
    linear = GraphTailor(3, random_state=0, kernel="linear", gamma=7.0, degree=2).fit(X)
    assert plain.objective_.tobytes() == linear.objective_.tobytes()
    assert plain.indicator_.tobytes() == linear.indicator_.tobytes()
    assert plain.representation_.data.tobytes() == linear.representation_.data.tobytes()
    assert linear._tier.space.samples is linear._tier.space.rows
    assert not hasattr(linear, "gamma_")


def test_a_linear_kernel_matrix_leads_where_samples_lead():
    X = make_blobs(80, n_features=4, cluster_std=2.5, random_state=1)[0]
    params = {"scaling": None, "init": "spectral", "random_state": 0}
    samples = GraphTailor(3, **params).fit(X)
    kernel = GraphTailor(3, kernel="precomputed", **params).fit(X @ X.T)
    np.testing.assert_array_equal(kernel.labels_, samples.labels_)
    np.testing.assert_allclose(kernel.objective_, samples.objective_, rtol=1e-6)
    new = X[:20] + 0.05
    np.testing.assert_allclose(
        kernel.predict_proba(new @ X.T), samples.predict_proba(new), atol=1e-6
    )
    assert kernel.__sklearn_tags__().input_tags.pairwise


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_a_kernel_matrix_leads_where_its_kernel_leads(kernel):
    X = MaxAbsScaler().fit_transform(make_moons(90, noise=0.1, random_state=0)[0])
    named = GraphTailor(2, kernel=kernel, random_state=0).fit(X)
    K = pairwise_kernels(X, metric=kernel, gamma=named.gamma_)
    given = GraphTailor(2, kernel="precomputed", random_state=0).fit(K)
    assert adjusted_rand_score(named.labels_, given.labels_) == 1
    np.testing.assert_allclose(named.objective_[-1], given.objective_[-1], rtol=1e-6)


def test_the_cosine_kernel_sees_directions():
    X = POINTS * np.random.default_rng(1).uniform(0.1, 10, size=(60, 1))
    params = {"scaling": None, "random_state": 0}
    cosine = GraphTailor(3, kernel="cosine", **params).fit(X)
    units = GraphTailor(3, **params).fit(normalize(X))
    np.testing.assert_array_equal(cosine.labels_, units.labels_)


@pytest.mark.parametrize(("n", "seed"), [(200, 0), (200, 1), (200, 2), (600, 0)])
def test_rings_and_moons_are_found(n, seed):
    """By the kernel alone, without diffusion; 600 are more than the landmarks."""
    rings = make_circles(n, factor=0.4, noise=0.05, random_state=seed)
    moons = make_moons(n, noise=0.07, random_state=seed)
    for X, y in (rings, moons):
        model = GraphTailor(2, kernel="rbf", alpha=100, random_state=0).fit(X)
        assert adjusted_rand_score(y, model.labels_) > 0.9
        np.testing.assert_array_equal(model.predict(X[:7]), model.labels_[:7])
        new = model.predict(X + 1e-3)
        assert adjusted_rand_score(new, model.labels_) > 0.95


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
def test_gamma_follows_the_unit(kernel, factor):
    one = KernelMap(kernel).fit(POINTS)
    two = KernelMap(kernel).fit(factor * POINTS)
    power = 1 if kernel == "laplacian" else 2
    assert two.gamma_ * factor**power == pytest.approx(one.gamma_)


def test_gamma_is_the_users_if_given():
    model = GraphTailor(3, kernel="rbf", gamma=0.25, random_state=0).fit(POINTS)
    assert model.gamma_ == 0.25


HARD = {
    "equal": np.full((12, 2), 3.0),
    "zeros": np.zeros((12, 2)),
    "two samples": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "duplicates": np.repeat(POINTS[:6], 5, axis=0),
    "huge outlier": np.vstack([POINTS, [[1e100, 0, 0]]]),
    "one feature": POINTS[:, :1],
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("kernel", [*NAMED, pytest.param(np.dot, id="dot")])
@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_hard_inputs(case, kernel, dtype):
    if dtype == np.float32 and case == "huge outlier":
        pytest.skip("is infinite in float32")
    X = HARD[case].astype(dtype)
    model = GraphTailor(2, kernel=kernel, random_state=0, n_init=3).fit(X)
    assert np.isfinite(model.indicator_).all()
    assert np.isfinite(model.objective_).all()
    assert model.indicator_.dtype == dtype
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert np.isfinite(model.predict_proba(X + dtype(0.1))).all()


def test_sparse_samples_lead_where_dense_ones_lead():
    X = np.where(POINTS > 0.5, POINTS, 0.0)
    for kernel in NAMED:
        dense = GraphTailor(3, kernel=kernel, random_state=0).fit(X)
        thin = GraphTailor(3, kernel=kernel, random_state=0).fit(sparse.csr_array(X))
        assert adjusted_rand_score(dense.labels_, thin.labels_) == 1
        np.testing.assert_array_equal(thin.predict(X[:5]), thin.labels_[:5])


def test_threads_do_not_change_a_byte(monkeypatch):
    monkeypatch.setattr(kernel_map, "LANDMARKS", 50)
    fits = [
        GraphTailor(3, kernel="rbf", n_jobs=n_jobs, random_state=5).fit(POINTS)
        for n_jobs in (1, 2)
    ]
    assert fits[0].indicator_.tobytes() == fits[1].indicator_.tobytes()


def test_a_builder_gets_the_features():
    X, y = make_circles(150, factor=0.4, noise=0.04, random_state=0)
    builder = NeighborGraph(bandwidth="local")
    model = GraphTailor(2, kernel="rbf", graph=builder, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    expected = NeighborGraph(bandwidth="local").fit(model._tier.space.samples)
    np.testing.assert_array_equal(
        model.given_graph_.toarray(), expected.affinity_.toarray()
    )


def test_kernel_matrices_are_cut_for_cross_validation():
    X, y = make_blobs(60, cluster_std=0.3, random_state=0)
    model = GraphTailor(3, kernel="precomputed", random_state=0, n_init=2)
    found = cross_validate(model, X @ X.T, y, cv=3, scoring="adjusted_rand_score")
    assert (found["test_score"] > 0.9).all()


@pytest.mark.parametrize(
    ("K", "problem"),
    [
        (np.ones((4, 3)), r"kernel='precomputed'.*square.*\(4, 3\)"),
        (np.triu(np.ones((4, 4))), r"symmetric.*\(X \+ X.T\) / 2"),
        (1 - 2 * np.eye(4), r"positive semidefinite.*graph='precomputed'"),
        (-np.eye(4), "positive semidefinite"),
    ],
)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_bad_kernel_matrices(K, problem, container):
    with pytest.raises(ValueError, match=problem):
        GraphTailor(2, kernel="precomputed").fit(container(K))


def test_a_function_that_is_no_kernel_is_refused():
    with pytest.raises(ValueError, match="positive semidefinite"):
        GraphTailor(2, kernel=lambda x, y: np.abs(x - y).sum()).fit(POINTS)
    with pytest.raises(ValueError, match="not finite"):
        GraphTailor(2, kernel=lambda x, y: np.inf).fit(POINTS)


@pytest.mark.parametrize(
    "params",
    [
        {"graph": "precomputed"},
        {"metric": "precomputed"},
        {"metric": "manhattan"},
        {"graph": NeighborGraph(metric="precomputed")},
    ],
    ids=str,
)
def test_a_kernel_has_its_own_distance(params):
    with pytest.raises(ValueError, match=r"kernel='rbf'.*kernel='linear'"):
        GraphTailor(2, kernel="rbf", **params).fit(np.eye(6))


def test_anchors_take_no_kernel():
    with pytest.raises(ValueError, match=r"tier='anchors'.*kernel is 'rbf'.*'sparse'"):
        GraphTailor(2, kernel="rbf", tier="anchors").fit(POINTS)


@pytest.mark.parametrize(
    "params",
    [{"kernel": "sigmoid"}, {"gamma": 0}, {"gamma": "scale"}, {"degree": 0.5}],
    ids=str,
)
def test_bad_parameters_are_named(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        GraphTailor(2, **{"kernel": "rbf"} | params).fit(POINTS)


def test_the_study_s_solver_takes_kernels_too():
    X, y = make_blobs(60, random_state=1)
    with pytest.warns(ConvergenceWarning):
        model = GraphTailor(
            3, kernel="rbf", solver="multiplicative", random_state=0, max_iter=50
        ).fit(X)
    assert (np.diff(model.objective_) <= 1e-9 * model.objective_[0]).all()
    assert model.n_clusters_ == len(set(y))
