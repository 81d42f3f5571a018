"""GraphTailor: conventions, hard inputs, promises about labels."""

import pickle
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_circles
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.neighbors import kneighbors_graph
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphtailor import GraphTailor, NeighborGraph
from graphtailor.models.solve import number_of_starts

SOLVERS = ["descent", "multiplicative"]


@parametrize_with_checks(
    [
        GraphTailor(n_clusters=2),
        GraphTailor(n_clusters=2, solver="multiplicative"),
        GraphTailor(n_clusters=2, diffusion=4),
    ]
)
def test_scikit_learn_checks(estimator, check):
    with warnings.catch_warnings():
        # The study's solver is slow to converge, and says so.
        warnings.simplefilter("ignore", ConvergenceWarning)
        check(estimator)


def blobs(n=90, seed=1, std=0.5):
    return make_blobs(n, centers=3, n_features=3, random_state=seed, cluster_std=std)


def check_sound(model, X, n_clusters):
    """What holds for every fit, however odd the input."""
    n = X.shape[0]
    assert model.labels_.shape == (n,)
    assert model.labels_.min() >= 0
    assert model.labels_.max() < n_clusters
    assert model.indicator_.shape == (n, n_clusters)
    assert np.isfinite(model.indicator_).all()
    assert model.indicator_.min() >= 0
    np.testing.assert_array_equal(model.indicator_.argmax(axis=1), model.labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    P = model.predict_proba(X)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(P.argmax(axis=1), model.labels_)
    for S in (model.affinity_matrix_, model.representation_):
        assert isinstance(S, sparse.csr_array)
        assert S.shape == (n, n)
        assert np.isfinite(S.data).all()
        assert S.data.min(initial=0) >= 0
        np.testing.assert_array_equal(S.diagonal(), 0)
    assert abs(model.affinity_matrix_ - model.affinity_matrix_.T).max() == 0
    assert np.isfinite(model.objective_).all()
    assert len(model.objective_) == model.n_iter_ + 1
    tolerance = 1e-10 if model.indicator_.dtype == np.float64 else 1e-6
    rise = np.diff(model.objective_)
    assert (rise <= tolerance * model.objective_[:-1]).all()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "pairs", [{"support": 1}, {"support": 3}, {"tier": "full"}], ids=str
)
@pytest.mark.parametrize("beta", [0.5, 100.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_blobs(pairs, beta, dtype):
    X, y = blobs()
    model = GraphTailor(3, beta=beta, random_state=0, max_iter=100, **pairs)
    model.fit(X.astype(dtype))
    check_sound(model, X.astype(dtype), 3)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.converged_ or beta < 1
    for name in ("indicator_", "affinity_matrix_", "representation_", "given_graph_"):
        assert getattr(model, name).dtype == dtype
    assert model.predict_proba(X.astype(dtype) + 0.01).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_multiplicative_solver(dtype):
    X = blobs(60)[0].astype(dtype)
    model = GraphTailor(3, solver="multiplicative", random_state=0).fit(X)
    check_sound(model, X, 3)
    assert model.indicator_.dtype == model.representation_.dtype == dtype


def test_clone_and_pickle():
    X, _ = blobs()
    model = GraphTailor(3, alpha=7.0, graph=NeighborGraph(weights="binary"))
    again = clone(model)
    assert again.get_params()["graph__weights"] == "binary"
    assert again.alpha == 7.0
    model.set_params(random_state=0).fit(X)
    stored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(stored.labels_, model.labels_)
    np.testing.assert_array_equal(
        stored.predict_proba(X + 0.1), model.predict_proba(X + 0.1)
    )


def test_data_frame():
    X, _ = blobs()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = GraphTailor(3, random_state=0).fit(frame)
    np.testing.assert_array_equal(model.feature_names_in_, ["a", "b", "c"])
    np.testing.assert_array_equal(model.predict(frame), model.labels_)
    plain = GraphTailor(3, random_state=0).fit(X)
    np.testing.assert_array_equal(plain.labels_, model.labels_)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("scaling", ["maxabs", "standard", None])
def test_sparse_samples(container, scaling):
    X, y = blobs()
    X[np.abs(X) < 1] = 0
    model = GraphTailor(3, scaling=scaling, random_state=0).fit(container(X))
    check_sound(model, container(X), 3)
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_sparse_samples_are_not_shifted():
    with pytest.raises(ValueError, match=r"scaling='minmax'.*maxabs"):
        GraphTailor(2, scaling="minmax").fit(sparse.csr_array(np.eye(5)))


@pytest.mark.parametrize("scaling", ["maxabs", "standard", "minmax", None])
def test_scalings(scaling):
    X, y = blobs()
    model = GraphTailor(3, scaling=scaling, random_state=0).fit(X)
    check_sound(model, X, 3)
    assert adjusted_rand_score(y, model.labels_) == 1


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("beta", [1.0, 100.0])
@pytest.mark.parametrize("thin", [False, True])
def test_threads_and_runs_do_not_change_a_byte(beta, thin):
    X = np.random.default_rng(0).normal(size=(600, 6))
    X = sparse.csr_array(X * (X > 0)) if thin else X
    fits = [
        GraphTailor(
            5, beta=beta, n_init=4, max_iter=12, random_state=3, n_jobs=n_jobs
        ).fit(X)
        for n_jobs in (1, 2, 2)
    ]
    for other in fits[1:]:
        assert fits[0].indicator_.tobytes() == other.indicator_.tobytes()
        assert fits[0].objective_.tobytes() == other.objective_.tobytes()
        assert (
            fits[0].representation_.data.tobytes()
            == other.representation_.data.tobytes()
        )
    new = X[:40] * 1.01
    first, second = (model.predict_proba(new) for model in fits[:2])
    assert first.tobytes() == second.tobytes()


def test_the_global_random_state_is_left_alone():
    X, _ = blobs(40)
    _, words, *place = np.random.get_state()  # noqa: NPY002 (it must not move)
    words = words.copy()
    GraphTailor(3, random_state=0).fit(X)
    _, words_after, *place_after = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(words_after, words)
    assert place_after == place


def test_samples_and_parameters_are_left_alone():
    X, _ = blobs(40)
    before = X.copy()
    builder = NeighborGraph(n_neighbors=4)
    model = GraphTailor(3, graph=builder, random_state=0)
    params = model.get_params()
    model.fit(X)
    np.testing.assert_array_equal(X, before)
    assert model.get_params() == params
    assert not hasattr(builder, "affinity_")


@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e20, 1e150])
@pytest.mark.parametrize("scaling", ["maxabs", "standard", "minmax", None])
def test_extreme_units(scale, scaling):
    X, y = blobs(60)
    model = GraphTailor(3, scaling=scaling, random_state=0).fit(scale * X)
    check_sound(model, scale * X, 3)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert np.isfinite(model.predict_proba(scale * (X + 0.1))).all()


def test_the_unit_of_the_samples_changes_nothing():
    X, _ = blobs(60, std=2.0)
    for scaling in ("maxabs", None):
        one = GraphTailor(3, scaling=scaling, random_state=0).fit(X)
        two = GraphTailor(3, scaling=scaling, random_state=0).fit(1024 * X)
        np.testing.assert_allclose(one.indicator_, two.indicator_, rtol=1e-12)


HARD = {
    "two samples": (np.array([[0.0], [1.0]]), 2),
    "two samples, one cluster": (np.array([[0.0], [1.0]]), 1),
    "one sample": (np.array([[3.0, 4.0]]), 1),
    "as many clusters as samples": (np.random.default_rng(0).normal(size=(9, 2)), 9),
    "one cluster": (np.random.default_rng(0).normal(size=(30, 2)), 1),
    "zero rows": (
        np.vstack([np.zeros((10, 3)), np.random.default_rng(0).normal(size=(20, 3))]),
        3,
    ),
    "half the rows equal": (
        np.vstack([np.ones((20, 3)), np.random.default_rng(0).normal(size=(20, 3))]),
        3,
    ),
    "few different rows": (
        np.repeat(np.random.default_rng(0).normal(size=(4, 3)), 15, 0),
        3,
    ),
    "huge outlier": (
        np.r_[np.random.default_rng(0).normal(size=40), 1e150][:, None],
        2,
    ),
    "constant feature": (
        np.c_[np.random.default_rng(0).normal(size=(40, 2)), np.full(40, 7.0)],
        2,
    ),
    "zero feature": (
        np.c_[np.random.default_rng(0).normal(size=(40, 2)), np.zeros(40)],
        2,
    ),
    "disconnected": (
        np.r_[np.linspace(0, 1, 30), np.linspace(1e3, 1e3 + 1, 30)][:, None],
        2,
    ),
    "more components than clusters": (
        (np.arange(80) % 8 * 1e4 + np.linspace(0, 1, 80))[:, None],
        3,
    ),
    "wide": (np.random.default_rng(0).normal(size=(15, 200)), 3),
    "orthogonal": (np.eye(25), 4),
    "opposite pairs": (np.kron(np.eye(10), [[1.0], [-1.0]]), 3),
    "whole numbers": (np.random.default_rng(0).integers(0, 2, (40, 3)), 3),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"beta": 0.0},
        {"alpha": 0.0, "beta": 0.0},
        {"diffusion": 8},
        {"solver": "multiplicative"},
        {"tier": "full", "beta": 1.0},
        {"graph": NeighborGraph(radius=0.05)},
        {"scaling": "standard", "graph": NeighborGraph(bandwidth="local")},
    ],
    ids=str,
)
@pytest.mark.parametrize("case", HARD)
def test_hard_inputs(case, params):
    X, n_clusters = HARD[case]
    model = GraphTailor(n_clusters, random_state=0, n_init=3, max_iter=40, **params)
    check_sound(model.fit(X), X, n_clusters)
    new = model.predict_proba(np.asarray(X, dtype=float) * 1.1 + 0.01)
    assert np.isfinite(new).all()
    np.testing.assert_allclose(new.sum(axis=1), 1, rtol=1e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("beta", [0.0, 1.0, 100.0])
@pytest.mark.parametrize("n_clusters", [2, 5, 30])
def test_a_graph_without_edges(n_clusters, beta):
    X = np.random.default_rng(0).normal(size=(60, 2))
    model = GraphTailor(
        n_clusters, beta=beta, graph=NeighborGraph(radius=1e-9), random_state=0
    ).fit(X)
    check_sound(model, X, n_clusters)


def test_separate_components_are_found():
    X, _ = HARD["disconnected"]
    labels = GraphTailor(2, random_state=0).fit(X).labels_
    assert adjusted_rand_score(np.arange(60) // 30, labels) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_all_rows_equal(solver):
    X = np.full((25, 3), 0.1)
    with pytest.warns(ConvergenceWarning, match="Only 1 samples are different"):
        model = GraphTailor(2, solver=solver, random_state=0).fit(X)
    check_sound(model, X, 2)
    assert len(set(model.labels_)) == 1


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_equal_rows_have_equal_labels(solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 2))[rng.integers(0, 15, size=80)]
    model = GraphTailor(4, solver=solver, random_state=0, max_iter=50).fit(X)
    _, group = np.unique(X, axis=0, return_inverse=True)
    for number in range(group.max() + 1):
        assert len(set(model.labels_[group == number])) == 1
    check_sound(model, X, 4)


def test_more_clusters_than_samples():
    with pytest.raises(ValueError, match=r"n_samples=3.*n_clusters=4"):
        GraphTailor(4).fit(np.eye(3))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_values_that_are_no_numbers(bad):
    X, _ = blobs(20)
    X[3, 1] = bad
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        GraphTailor(3).fit(X)


@pytest.mark.parametrize("X", [np.ones(5), np.ones((2, 2, 2)), np.empty((0, 3))])
def test_wrong_shapes(X):
    with pytest.raises(ValueError, match=r"Expected 2D|dim 3|minimum of 1"):
        GraphTailor(1).fit(X)


def test_new_samples_of_another_width():
    model = GraphTailor(3, random_state=0).fit(blobs()[0])
    with pytest.raises(ValueError, match="expecting 3 features"):
        model.predict(np.ones((2, 4)))


def test_not_fitted():
    with pytest.raises(NotFittedError):
        GraphTailor().predict(np.ones((2, 2)))


def test_precomputed_affinity():
    X, y = blobs(60)
    A = rbf_kernel(X)
    dense = GraphTailor(3, graph="precomputed", random_state=0).fit(A)
    thin = GraphTailor(3, graph="precomputed", random_state=0).fit(sparse.csr_array(A))
    for model in (dense, thin):
        check_sound(model, A, 3)
        assert adjusted_rand_score(y, model.labels_) == 1


def test_bad_precomputed_affinities():
    A = np.ones((4, 4))
    A[0, 1] = A[1, 0] = -1
    with pytest.raises(ValueError, match="must not be negative"):
        GraphTailor(2, graph="precomputed").fit(A)
    with pytest.raises(ValueError, match="must be square"):
        GraphTailor(2, graph="precomputed").fit(np.ones((4, 3)))


def test_bad_precomputed_distances():
    with pytest.raises(ValueError, match="must be square"):
        GraphTailor(2, metric="precomputed").fit(np.ones((4, 3)))
    with pytest.raises(ValueError, match="must not be negative"):
        GraphTailor(2, metric="precomputed").fit(-np.ones((4, 4)))


def test_precomputed_distances_lead_where_samples_lead():
    """Without self-expression, which distances cannot serve."""
    X, _ = blobs(60, std=2.0)
    samples = GraphTailor(3, alpha=0.0, scaling=None, init="spectral", random_state=0)
    distances = GraphTailor(3, metric="precomputed", init="spectral", random_state=0)
    np.testing.assert_array_equal(
        samples.fit(X).labels_, distances.fit(cdist(X, X)).labels_
    )


@pytest.mark.parametrize("n_stored", [4, 30])
def test_sparse_distances(n_stored):
    X, y = blobs(60)
    D = kneighbors_graph(X, n_stored, mode="distance")
    model = GraphTailor(3, metric="precomputed", random_state=0).fit(D)
    check_sound(model, D, 3)
    if n_stored == 30:
        assert adjusted_rand_score(y, model.labels_) == 1


@pytest.mark.parametrize("metric", ["manhattan", "cosine", "chebyshev"])
def test_metrics(metric):
    X, _ = blobs(60)
    model = GraphTailor(3, metric=metric, random_state=0).fit(X)
    check_sound(model, X, 3)


def test_rings_need_diffusion():
    X, y = make_circles(300, factor=0.4, noise=0.04, random_state=0)
    model = GraphTailor(2, diffusion=8, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_descent_cut_short_is_told(solver):
    X, _ = blobs(std=3.0)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=2.*Raise max_iter or tol"):
        model = GraphTailor(3, solver=solver, max_iter=2, tol=0, random_state=0).fit(X)
    assert not model.converged_
    assert model.n_iter_ <= 2


def test_a_descent_that_converged_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert GraphTailor(3, random_state=0).fit(blobs()[0]).converged_


@pytest.mark.parametrize("beta", [1.0, 100.0])
def test_warm_start_goes_on_from_the_last_solution(beta):
    X, _ = blobs(std=3.0)
    model = GraphTailor(3, beta=beta, alpha=1.0, warm_start=True, random_state=0)
    model.fit(X)
    first, labels = model.objective_, model.labels_
    model.fit(X)
    assert [start.kind for start in model.starts_] == ["warm"]
    assert model.objective_[-1] <= first[-1] * (1 + 1e-6)
    assert model.n_iter_ <= len(first)
    assert adjusted_rand_score(labels, model.labels_) > 0.95


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_warm_start_continues_the_objective(solver):
    """Both V and S of the last fit are taken up, so that nothing is lost."""
    X, _ = blobs(std=3.0)
    model = GraphTailor(
        3, solver=solver, beta=1.0, warm_start=True, random_state=0, max_iter=20
    ).fit(X)
    last = model.objective_[-1]
    model.fit(X)
    assert model.objective_[0] == pytest.approx(last, rel=1e-6)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_warm_start_on_other_samples_is_refused_clearly(solver):
    X, _ = blobs()
    model = GraphTailor(
        3, solver=solver, warm_start=True, random_state=0, max_iter=5
    ).fit(X)
    with pytest.raises(ValueError, match=r"warm_start|shape"):
        model.fit(X[:50])
    with pytest.raises(ValueError, match=r"warm_start|shape"):
        model.set_params(n_clusters=4).fit(X)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_start_of_the_users_own(solver):
    X, y = blobs()
    for init in (y, y.tolist(), np.eye(3)[y] + 0.01):
        model = GraphTailor(3, solver=solver, init=init, max_iter=30).fit(X)
        np.testing.assert_array_equal(model.labels_, y)
        assert [start.kind for start in model.starts_] == ["given"]


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("init", [np.zeros(90), np.ones((90, 2)), -np.ones((90, 3))])
def test_bad_starts_are_refused(solver, init):
    with pytest.raises(ValueError, match="init"):
        GraphTailor(3, solver=solver, init=init, max_iter=3).fit(blobs()[0])


@pytest.mark.parametrize(
    ("n", "beta", "starts"),
    [(100, 10, 36), (2000, 10, 36), (100, 1, 12), (3000, 10, 8), (13000, 10, 1)],
)
def test_number_of_starts(n, beta, starts):
    model = GraphTailor(alpha=1, beta=beta)
    model.beta_, model.graph_ = beta, "knn"
    assert number_of_starts(model, n) == starts
    assert number_of_starts(model.set_params(n_init=5), n) == 5


@pytest.mark.parametrize("init", ["mixed", "random", "spectral", "k-means"])
def test_kinds_of_starts(init):
    X, y = blobs()
    model = GraphTailor(3, init=init, n_init=4, random_state=0).fit(X)
    assert len(model.starts_) == 4
    assert adjusted_rand_score(y, model.labels_) == 1
    best = min(start.objective for start in model.starts_)
    assert model.objective_[-1] <= best * (1 + 1e-9)


@pytest.mark.parametrize(
    "params",
    [
        {"n_clusters": 0},
        {"alpha": -1},
        {"beta": -0.1},
        {"solver": "newton"},
        {"graph": "delaunay"},
        {"n_neighbors": 0},
        {"diffusion": -1},
        {"support": 0},
        {"support": "full"},
        {"tier": "dense"},
        {"anchors": 0},
        {"alpha": "all"},
        {"diffusion": "some"},
        {"n_init": "many"},
        {"scaling": "unit"},
        {"init": "ward"},
        {"n_init": 0},
        {"max_iter": 0},
        {"tol": -1},
    ],
    ids=str,
)
def test_bad_parameters_are_named(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        GraphTailor(**{"n_clusters": 2, **params}).fit(np.eye(5))


def test_no_array_of_all_pairs():
    n = 6000
    X, _ = make_blobs(n, centers=5, n_features=5, random_state=0)
    tracemalloc.start()
    try:
        model = GraphTailor(5, n_init=2, max_iter=5, random_state=0, tol=1e-2).fit(X)
        model.predict(X[:1000] + 0.01)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < n * n * 8 / 4
