"""Kernels as feature maps: exact on few samples, the same model on top."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphtailor import JointModel, KernelMap

NAMED = ("rbf", "poly", "cosine", "laplacian")
POINTS = np.random.default_rng(0).normal(size=(60, 3)) + 1
ignore_convergence = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)


def histogram(x, y):
    """A kernel of the user's own, for nonnegative rows."""
    return np.minimum(x, y).sum()


def behind(kernel, n_clusters=3, **params):
    """The joint model on the features of a kernel."""
    model = JointModel(n_clusters, random_state=0, **{"scaling": None} | params)
    return make_pipeline(KernelMap(kernel), model)


@parametrize_with_checks([KernelMap(), KernelMap("cosine"), KernelMap("poly")])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def direct_objective(K, S, V, W, alpha, beta):
    """The objective by kernel values alone, without features."""
    left = np.trace(K) - 2 * np.trace(K @ S) + np.trace(S.T @ K @ S)
    return alpha * left + np.sum((S - V @ V.T) ** 2) + beta * np.sum((S - W) ** 2)


@ignore_convergence
@pytest.mark.parametrize("solver", ["descent", "multiplicative"])
@pytest.mark.parametrize("kernel", [*NAMED, pytest.param(histogram, id="histogram")])
@pytest.mark.parametrize("beta", [1.0, 100.0])
def test_the_objective_is_that_of_the_kernel(kernel, beta, solver):
    # Every row differs from the others: V is then the solver's own.
    X = MaxAbsScaler().fit_transform(np.abs(POINTS))
    how = {"alpha": 2.0, "beta": beta, "solver": solver, "max_iter": 20}
    features, model = behind(kernel, tol=0, **how).fit(X)
    params = {"gamma": features.gamma_} if features.gamma_ else {}
    if kernel == "poly":
        params |= {"degree": 3, "coef0": 1}
    expected = direct_objective(
        pairwise_kernels(X, metric=kernel, **params),
        model.representation_.toarray(),
        model.indicator_,
        model.graph_.affinity_.toarray(),
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


def test_landmarks_beyond_their_number_are_drawn():
    def fitted(seed):
        return KernelMap("rbf", n_landmarks=40, random_state=seed).fit(POINTS)

    one, two, other = fitted(0), fitted(0), fitted(1)
    assert one.landmarks_.shape == (40, 3)
    np.testing.assert_array_equal(one.whitening_, two.whitening_)
    assert not np.array_equal(one.landmarks_, other.landmarks_)
    # A kernel of low rank loses nothing.
    poly = KernelMap("poly", gamma=1.0, degree=2, n_landmarks=40, random_state=0)
    features = poly.fit_transform(POINTS)
    assert features.shape[1] == 10
    np.testing.assert_allclose(features @ features.T, (POINTS @ POINTS.T + 1) ** 2)


def test_a_linear_kernel_matrix_leads_where_samples_lead():
    X = make_blobs(80, n_features=4, cluster_std=2.5, random_state=1)[0]
    how = {"init": "spectral", "alpha": 1.0}
    samples = JointModel(3, scaling=None, random_state=0, **how).fit(X)
    kernel = behind("precomputed", **how).fit(X @ X.T)
    np.testing.assert_array_equal(kernel[-1].labels_, samples.labels_)
    np.testing.assert_allclose(kernel[-1].objective_, samples.objective_, rtol=1e-6)
    new = X[:20] + 0.05
    np.testing.assert_allclose(
        kernel.predict_proba(new @ X.T), samples.predict_proba(new), atol=1e-6
    )


@pytest.mark.parametrize("kernel", ["rbf", "laplacian"])
def test_a_kernel_matrix_leads_where_its_kernel_leads(kernel):
    X = make_moons(90, noise=0.1, random_state=0)[0]
    named = behind(kernel, 2).fit(X)
    K = pairwise_kernels(X, metric=kernel, gamma=named[0].gamma_)
    given = behind("precomputed", 2).fit(K)
    assert adjusted_rand_score(named[-1].labels_, given[-1].labels_) == 1
    np.testing.assert_allclose(
        named[-1].objective_[-1], given[-1].objective_[-1], rtol=1e-6
    )


@pytest.mark.parametrize(("n", "seed"), [(200, 0), (200, 1), (600, 0)])
def test_rings_and_moons_are_found(n, seed):
    """By the kernel alone, without diffusion; 600 are more than the landmarks."""
    rings = make_circles(n, factor=0.4, noise=0.05, random_state=seed)
    moons = make_moons(n, noise=0.07, random_state=seed)
    for X, y in (rings, moons):
        X = MaxAbsScaler().fit_transform(X)
        model = behind("rbf", 2, scaling="length").set_params(kernelmap__random_state=0)
        labels = model.fit_predict(X)
        assert adjusted_rand_score(y, labels) > 0.9
        np.testing.assert_array_equal(model.predict(X[:7]), labels[:7])
        assert adjusted_rand_score(model.predict(X + 1e-3), labels) > 0.95


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e6])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "poly"])
def test_gamma_follows_the_unit_unless_it_is_given(kernel, factor):
    one = KernelMap(kernel).fit(POINTS)
    two = KernelMap(kernel).fit(factor * POINTS)
    power = 1 if kernel == "laplacian" else 2
    assert two.gamma_ * factor**power == pytest.approx(one.gamma_)
    assert KernelMap(kernel, gamma=0.25).fit(factor * POINTS).gamma_ == 0.25


HARD = {
    "equal": np.full((12, 2), 3.0),
    "zeros": np.zeros((12, 2)),
    "two samples": np.array([[0.0, 1.0], [1.0, 0.0]]),
    "one sample": np.array([[0.0, 1.0]]),
    "duplicates": np.repeat(POINTS[:6], 5, axis=0),
    "huge outlier": np.vstack([POINTS, [[1e30, 0, 0]]]),
    "one feature": POINTS[:, :1],
}


@pytest.mark.parametrize("kernel", [*NAMED, pytest.param(np.dot, id="dot")])
@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_hard_inputs(case, kernel, dtype):
    X = HARD[case].astype(dtype)
    features = KernelMap(kernel).fit_transform(X)
    assert np.isfinite(features).all()
    assert features.dtype == dtype
    assert features.shape[0] == len(X)
    assert features.shape[1] >= 1
    if "outlier" not in case:
        _, first = np.unique(X, axis=0, return_inverse=True)
        for number in range(first.max() + 1):
            assert len(np.unique(features[first == number], axis=0)) == 1


def test_threads_do_not_change_a_byte():
    fits = [
        make_pipeline(
            KernelMap(n_landmarks=50, random_state=5),
            JointModel(3, scaling=None, n_jobs=n_jobs, random_state=5),
        ).fit(POINTS)[-1]
        for n_jobs in (1, 2)
    ]
    assert fits[0].indicator_.tobytes() == fits[1].indicator_.tobytes()


def test_kernel_matrices_are_cut_for_cross_validation():
    X, y = make_blobs(60, cluster_std=0.3, random_state=0)
    model = behind("precomputed", n_init=2)
    assert KernelMap("precomputed").__sklearn_tags__().input_tags.pairwise
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
        KernelMap("precomputed").fit(container(K))


def test_a_function_that_is_no_kernel_is_refused():
    with pytest.raises(ValueError, match="positive semidefinite"):
        KernelMap(lambda x, y: np.abs(x - y).sum()).fit(POINTS)
    with pytest.raises(ValueError, match=r"not finite.*Scale"):
        KernelMap(lambda x, y: np.inf).fit(POINTS)
    with pytest.raises(ValueError, match=r"kernel='poly'.*not finite.*Scale"):
        KernelMap("poly", gamma=1.0).fit(1e150 * POINTS)


@pytest.mark.parametrize(
    "params",
    [
        {"kernel": "sigmoid"},
        {"gamma": 0},
        {"gamma": "scale"},
        {"degree": 0.5},
        {"n_landmarks": 0},
    ],
    ids=str,
)
def test_bad_parameters_are_named(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        KernelMap(**params).fit(POINTS)
