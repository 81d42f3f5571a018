"""JointModel: the paper's objective, conventions, hard inputs, sound labels."""

import inspect
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
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import kneighbors_graph
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphtailor import DiffusedGraph, JointModel, NeighborGraph
from graphtailor.graphs import GraphBuilder
from graphtailor.solvers import Descent
from graphtailor.solvers.terms import objective

SOLVERS = ["descent", "multiplicative"]
ignore_convergence = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning"
)


# Both solvers on the usual graph are among the registered methods, which
# tests/promises/test_all_estimators.py checks.
@parametrize_with_checks([JointModel(2, graph=DiffusedGraph(steps=4), n_init=1)])
@ignore_convergence
def test_scikit_learn_checks(estimator, check):
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


# --- The paper -----------------------------------------------------------------------


def test_few_parameters_and_nothing_automatic():
    parameters = inspect.signature(JointModel).parameters.values()
    assert len(parameters) <= 13
    assert "auto" not in [parameter.default for parameter in parameters]


@ignore_convergence
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("factor", [1.0, 30.0])
def test_without_scaling_the_objective_is_the_paper_s_on_x_itself(solver, factor):
    # Every row differs from the others: the indicator is then the solver's own V.
    X = factor * blobs(40, std=2.0)[0]
    how = {"scaling": None, "solver": solver, "max_iter": 20, "random_state": 0}
    model = JointModel(3, alpha=0.3, beta=0.7, **how).fit(X)
    S, V = model.representation_.toarray(), model.indicator_
    exact = objective(X, model.graph_.affinity_, S, V, alpha=0.3, beta=0.7)
    assert model.objective_[-1] == pytest.approx(exact, rel=1e-9)


@ignore_convergence
@pytest.mark.parametrize("solver", SOLVERS)
def test_without_scaling_alpha_goes_with_the_square_of_the_unit(solver):
    X, _ = blobs(40, std=2.0)
    how = {"scaling": None, "solver": solver, "max_iter": 20, "random_state": 0}
    one = JointModel(3, alpha=2.0, beta=1.0, **how).fit(X)
    same = JointModel(3, alpha=2.0 / 64, beta=1.0, **how).fit(8 * X)
    other = JointModel(3, alpha=2.0, beta=1.0, **how).fit(8 * X)
    np.testing.assert_allclose(same.objective_, one.objective_, rtol=1e-8)
    np.testing.assert_allclose(same.indicator_, one.indicator_, atol=1e-8)
    assert other.objective_[-1] > 2 * one.objective_[-1]


@pytest.mark.parametrize("scaling", ["maxabs", "minmax", "standard", "length"])
def test_with_scaling_the_unit_of_the_samples_changes_nothing(scaling):
    X, _ = blobs(60, std=2.0)
    one = JointModel(3, scaling=scaling, random_state=0).fit(X)
    two = JointModel(3, scaling=scaling, random_state=0).fit(1024 * X)
    np.testing.assert_allclose(one.indicator_, two.indicator_, rtol=1e-12)


def test_the_multiplicative_solver_stops_where_the_paper_does():
    X, _ = blobs(40)
    model = JointModel(3, alpha=10.0, beta=1.0, solver="multiplicative", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        model.fit(X)
    assert model.converged_
    assert model.n_iter_ > Descent.max_iter  # the limit is that of Algorithm 1
    limits = {"max_iter": 20_000, "tol": 1e-4}
    same = clone(model).set_params(**limits).fit(X)
    np.testing.assert_array_equal(same.objective_, model.objective_)


@pytest.mark.parametrize(
    ("solver", "name"), [("descent", "The descent"), ("multiplicative", "Algorithm 1")]
)
def test_a_solver_that_is_cut_short_warns_and_names_itself(solver, name):
    X, _ = blobs(std=3.0)
    model = JointModel(3, solver=solver, max_iter=2, tol=0, random_state=0)
    message = rf"{name} did not converge in max_iter=2.*Raise max_iter or tol"
    with pytest.warns(ConvergenceWarning, match=message):
        model.fit(X)
    assert not model.converged_
    assert model.n_iter_ == 2


def test_a_descent_that_converged_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert JointModel(3, random_state=0).fit(blobs()[0]).converged_


# --- scikit-learn --------------------------------------------------------------------


def test_a_grid_search_reaches_objects_behind_names():
    X, y = blobs(60)
    grid = {
        "alpha": [1.0, 100.0],
        "graph__n_neighbors": [4, 8],
        "solver__support": [1, None],
    }
    model = JointModel(3, n_init=2, random_state=0)
    search = GridSearchCV(model, grid, scoring="adjusted_rand_score", cv=2).fit(X, y)
    assert search.best_score_ > 0.9
    best = search.best_estimator_
    assert best.graph_.n_neighbors_ == search.best_params_["graph__n_neighbors"]
    assert model.graph == "knn"


def test_clone_and_pickle():
    X, _ = blobs()
    model = JointModel(3, alpha=7.0, graph=NeighborGraph(weights="binary"))
    again = clone(model)
    assert again.get_params()["graph__weights"] == "binary"
    assert again.alpha == 7.0
    model.set_params(random_state=0).fit(X)
    stored = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(
        stored.predict_proba(X + 0.1), model.predict_proba(X + 0.1)
    )


def test_data_frame():
    X, _ = blobs()
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = JointModel(3, random_state=0).fit(frame)
    np.testing.assert_array_equal(model.feature_names_in_, ["a", "b", "c"])
    plain = JointModel(3, random_state=0).fit(X)
    np.testing.assert_array_equal(plain.labels_, model.labels_)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"a": "z"}))


def test_the_global_random_state_is_left_alone():
    X, _ = blobs(40)
    _, words, *place = np.random.get_state()  # noqa: NPY002 (it must not move)
    words = words.copy()
    JointModel(3, random_state=0).fit(X)
    _, words_after, *place_after = np.random.get_state()  # noqa: NPY002
    np.testing.assert_array_equal(words_after, words)
    assert place_after == place


def test_samples_and_parameters_are_left_alone():
    X, _ = blobs(40)
    before = X.copy()
    builder = NeighborGraph(n_neighbors=4)
    model = JointModel(3, graph=builder, random_state=0)
    params = model.get_params()
    model.fit(X)
    np.testing.assert_array_equal(X, before)
    assert model.get_params() == params
    assert not hasattr(builder, "affinity_")


# --- Data ----------------------------------------------------------------------------


@ignore_convergence
@pytest.mark.parametrize("support", [1, 3, None])
@pytest.mark.parametrize("beta", [0.5, 100.0])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_blobs(support, beta, dtype):
    X, y = blobs()
    X = X.astype(dtype)
    solver = Descent(support=support)
    model = JointModel(3, beta=beta, solver=solver, random_state=0, max_iter=100).fit(X)
    check_sound(model, X, 3)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.converged_ or beta < 1
    for name in ("indicator_", "affinity_matrix_", "representation_"):
        assert getattr(model, name).dtype == dtype
    assert model.predict_proba(X + dtype(0.01)).dtype == dtype
    n_pairs = model.representation_.nnz
    assert n_pairs <= 90 * 89 if support is None else n_pairs < 90 * 60


@ignore_convergence
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_multiplicative_solver(dtype):
    X = blobs(60)[0].astype(dtype)
    model = JointModel(3, solver="multiplicative", random_state=0, max_iter=500).fit(X)
    check_sound(model, X, 3)
    assert model.indicator_.dtype == model.representation_.dtype == dtype


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("scaling", ["maxabs", "standard", None])
def test_sparse_samples(container, scaling):
    X, y = blobs()
    X[np.abs(X) < 1] = 0
    model = JointModel(3, scaling=scaling, random_state=0).fit(container(X))
    check_sound(model, container(X), 3)
    assert adjusted_rand_score(y, model.labels_) > 0.95


def test_sparse_samples_are_not_shifted():
    with pytest.raises(ValueError, match=r"scaling='minmax'.*maxabs"):
        JointModel(2, scaling="minmax").fit(sparse.csr_array(np.eye(5)))


@ignore_convergence
@pytest.mark.parametrize("beta", [1.0, 100.0])
@pytest.mark.parametrize("thin", [False, True])
def test_threads_and_runs_do_not_change_a_byte(beta, thin):
    X = np.random.default_rng(0).normal(size=(600, 6))
    X = sparse.csr_array(X * (X > 0)) if thin else X
    how = {"beta": beta, "n_init": 4, "max_iter": 12, "random_state": 3}
    fits = [JointModel(5, n_jobs=n_jobs, **how).fit(X) for n_jobs in (1, 2, 2)]
    for other in fits[1:]:
        assert fits[0].indicator_.tobytes() == other.indicator_.tobytes()
        assert fits[0].objective_.tobytes() == other.objective_.tobytes()
        S, T = fits[0].representation_, other.representation_
        assert S.data.tobytes() == T.data.tobytes()
    new = X[:40] * 1.01
    first, second = (model.predict_proba(new) for model in fits[:2])
    assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize("scale", [1e-150, 1e-20, 1e20, 1e150])
@pytest.mark.parametrize("scaling", ["maxabs", "standard", "minmax", "length"])
def test_extreme_units(scale, scaling):
    X, y = blobs(60)
    model = JointModel(3, scaling=scaling, random_state=0).fit(scale * X)
    check_sound(model, scale * X, 3)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert np.isfinite(model.predict_proba(scale * (X + 0.1))).all()


@pytest.mark.parametrize("thin", [False, True])
@pytest.mark.parametrize(("scale", "dtype"), [(1e20, np.float32), (1e150, np.float64)])
def test_as_given_too_large_squares_are_refused(scale, dtype, thin):
    X = (scale * blobs(60)[0]).astype(dtype)
    X = sparse.csr_array(X) if thin else X
    with pytest.raises(ValueError, match=r"largest value of X.*scaling='maxabs'"):
        JointModel(3, scaling=None).fit(X)


NOISE = np.random.default_rng(0).normal(size=(40, 3))
HARD = {
    "two samples": (np.array([[0.0], [1.0]]), 2),
    "two samples, one cluster": (np.array([[0.0], [1.0]]), 1),
    "one sample": (np.array([[3.0, 4.0]]), 1),
    "as many clusters as samples": (NOISE[:9, :2], 9),
    "one cluster": (NOISE[:, :2], 1),
    "zero rows": (np.vstack([np.zeros((10, 3)), NOISE]), 3),
    "half the rows equal": (np.vstack([np.ones((20, 3)), NOISE[:20]]), 3),
    "few different rows": (np.repeat(NOISE[:4], 15, 0), 3),
    "huge outlier": (np.r_[NOISE[:, 0], 1e150][:, None], 2),
    "constant features": (np.c_[NOISE, np.full(40, 7.0), np.zeros(40)], 2),
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


@ignore_convergence
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"beta": 0.0},
        {"alpha": 0.0, "beta": 0.0},
        {"graph": DiffusedGraph(steps=8)},
        {"solver": "multiplicative"},
        {"solver": Descent(support=None), "beta": 1.0},
        {"graph": NeighborGraph(radius=0.05)},
        {"scaling": "standard", "graph": NeighborGraph(bandwidth="local")},
    ],
    ids=str,
)
@pytest.mark.parametrize("case", HARD)
def test_hard_inputs(case, params):
    X, n_clusters = HARD[case]
    model = JointModel(n_clusters, random_state=0, n_init=3, max_iter=40, **params)
    check_sound(model.fit(X), X, n_clusters)
    new = model.predict_proba(np.asarray(X, dtype=float) * 1.1 + 0.01)
    assert np.isfinite(new).all()
    np.testing.assert_allclose(new.sum(axis=1), 1, rtol=1e-6)
    if case == "disconnected" and not params:
        assert adjusted_rand_score(np.arange(60) // 30, model.labels_) == 1


@ignore_convergence
@pytest.mark.parametrize("beta", [0.0, 1.0, 100.0])
@pytest.mark.parametrize("n_clusters", [2, 30])
def test_a_graph_without_edges(n_clusters, beta):
    graph = NeighborGraph(radius=1e-9)
    model = JointModel(n_clusters, beta=beta, graph=graph, random_state=0).fit(NOISE)
    check_sound(model, NOISE, n_clusters)


@pytest.mark.parametrize("solver", SOLVERS)
def test_all_rows_equal(solver):
    X = np.full((25, 3), 0.1)
    with pytest.warns(ConvergenceWarning, match="Only 1 samples are different"):
        model = JointModel(2, solver=solver, random_state=0).fit(X)
    check_sound(model, X, 2)
    assert len(set(model.labels_)) == 1


@pytest.mark.parametrize("solver", SOLVERS)
@ignore_convergence
def test_equal_rows_have_equal_labels(solver):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(15, 2))[rng.integers(0, 15, size=80)]
    model = JointModel(4, solver=solver, random_state=0, max_iter=50).fit(X)
    _, group = np.unique(X, axis=0, return_inverse=True)
    for number in range(group.max() + 1):
        assert len(set(model.labels_[group == number])) == 1
    check_sound(model, X, 4)


def test_a_label_is_that_of_the_largest_entry(monkeypatch):
    """Two entries that differ in the last bit are equal once divided by their sum."""
    model = JointModel(3, random_state=0, n_init=1).fit(blobs(30)[0])
    below = np.random.default_rng(0).uniform(1.9, 1.99, size=4000)
    rows = np.stack([below, np.nextafter(below, 2), 0.95 * below], axis=1)
    shares = rows / rows.sum(axis=1, keepdims=True)
    assert (shares[:, 0] == shares[:, 1]).any()
    monkeypatch.setattr(model, "_indicator_of", lambda X: rows)
    np.testing.assert_array_equal(model.predict(None), 1)


def test_no_array_of_all_pairs():
    n = 6000
    X, _ = make_blobs(n, centers=5, n_features=5, random_state=0)
    tracemalloc.start()
    try:
        model = JointModel(5, n_init=2, max_iter=5, random_state=0, tol=1e-2).fit(X)
        model.predict(X[:1000] + 0.01)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < n * n * 8 / 4


# --- Graphs --------------------------------------------------------------------------


def test_precomputed_affinity():
    X, y = blobs(60)
    A = rbf_kernel(X)
    for container in (np.asarray, sparse.csr_array):
        model = JointModel(3, graph="precomputed", random_state=0).fit(container(A))
        assert model.__sklearn_tags__().input_tags.pairwise
        check_sound(model, container(A), 3)
        assert adjusted_rand_score(y, model.labels_) == 1


def test_precomputed_distances_lead_where_samples_lead():
    """Without self-expression, which distances cannot serve."""
    X, _ = blobs(60, std=2.0)
    how = {"init": "spectral", "random_state": 0}
    samples = JointModel(3, alpha=0.0, scaling=None, **how)
    distances = JointModel(3, graph=NeighborGraph(metric="precomputed"), **how)
    np.testing.assert_array_equal(
        samples.fit(X).labels_, distances.fit(cdist(X, X)).labels_
    )


@pytest.mark.parametrize("n_stored", [4, 30])
def test_sparse_distances(n_stored):
    X, y = blobs(60)
    D = kneighbors_graph(X, n_stored, mode="distance")
    graph = NeighborGraph(metric="precomputed")
    model = JointModel(3, graph=graph, random_state=0).fit(D)
    check_sound(model, D, 3)
    if n_stored == 30:
        assert adjusted_rand_score(y, model.labels_) == 1


@pytest.mark.parametrize("graph", ["precomputed", NeighborGraph(metric="precomputed")])
def test_bad_matrices_of_pairs(graph):
    with pytest.raises(ValueError, match="must be square"):
        JointModel(2, graph=graph).fit(np.ones((4, 3)))
    with pytest.raises(ValueError, match="must not be negative"):
        JointModel(2, graph=graph).fit(-np.ones((4, 4)))


@pytest.mark.parametrize("metric", ["manhattan", "cosine", "chebyshev"])
def test_metrics(metric):
    X, _ = blobs(60)
    model = JointModel(3, graph=NeighborGraph(metric=metric), random_state=0).fit(X)
    check_sound(model, X, 3)


def test_rings_need_diffusion():
    X, y = make_circles(300, factor=0.4, noise=0.04, random_state=0)
    model = JointModel(2, graph=DiffusedGraph(steps=8), random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1


class Ring(GraphBuilder):
    """A builder of a user: each sample is joined to those before and after it."""

    def __init__(self, weight=1.0):
        self.weight = weight

    def fit(self, X, y=None):
        """Join the rows in their order."""
        n = X.shape[0]
        places = (np.arange(n), np.roll(np.arange(n), 1))
        ring = sparse.csr_array((np.full(n, self.weight), places), shape=(n, n))
        return self._take(sparse.csr_array(ring + ring.T))

    def to_new(self, X_new):
        """Join every new sample to the first fitted one."""
        W = sparse.lil_array((X_new.shape[0], len(self.degrees_)))
        W[:, 0] = 1.0
        return sparse.csr_array(W)


@pytest.mark.parametrize("solver", SOLVERS)
@ignore_convergence
def test_a_graph_builder_of_the_user(solver):
    X, _ = blobs(60)
    builder = Ring(2.0)
    model = JointModel(3, graph=builder, solver=solver, max_iter=50, random_state=0)
    model.set_params(graph__weight=3.0).fit(X)
    check_sound(model, X, 3)
    assert isinstance(model.graph_, Ring)
    assert model.graph_.weights_.max() == 3.0
    new = model.predict_proba(X + 0.1)
    np.testing.assert_allclose(new.sum(axis=1), 1, rtol=1e-6)


@pytest.mark.parametrize(
    ("name", "thing"),
    [
        pytest.param("graph", object(), id="graph-object"),
        ("graph", Ring),
        ("graph", None),
        ("solver", Descent),
    ],
    ids=str,
)
def test_what_is_no_builder_and_no_solver_is_refused(name, thing):
    with pytest.raises(ValueError, match=rf"The '{name}' parameter of JointModel"):
        JointModel(2, **{name: thing}).fit(np.eye(6))


# --- Starts --------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
@ignore_convergence
def test_a_start_of_the_user(solver):
    X, y = blobs()
    for init in (y, y.tolist(), np.eye(3)[y] + 0.01):
        model = JointModel(3, solver=solver, init=init, max_iter=30).fit(X)
        np.testing.assert_array_equal(model.labels_, y)
        assert [start.kind for start in model.starts_] == ["given"]


@pytest.mark.parametrize("beta", [1.0, 100.0])
def test_a_fit_from_the_last_indicator_ends_no_higher(beta):
    X, _ = blobs(std=3.0)
    first = JointModel(3, beta=beta, alpha=1.0, random_state=0).fit(X)
    again = clone(first).set_params(init=first.indicator_).fit(X)
    assert again.objective_[-1] <= first.objective_[-1] * (1 + 1e-4)
    assert again.n_iter_ <= first.n_iter_
    assert adjusted_rand_score(first.labels_, again.labels_) > 0.95


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("init", [np.zeros(90), np.ones((90, 2)), -np.ones((90, 3))])
def test_bad_starts_are_refused(solver, init):
    with pytest.raises(ValueError, match="init"):
        JointModel(3, solver=solver, init=init, max_iter=3).fit(blobs()[0])


@pytest.mark.parametrize("init", ["mixed", "random", "spectral", "k-means"])
def test_kinds_of_starts(init):
    X, y = blobs()
    model = JointModel(3, init=init, n_init=4, random_state=0).fit(X)
    assert len(model.starts_) == 4
    assert adjusted_rand_score(y, model.labels_) == 1
    best = min(start.objective for start in model.starts_)
    assert model.objective_[-1] <= best * (1 + 1e-9)


# --- Refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [
        {"n_clusters": 0},
        {"n_clusters": "auto"},
        {"alpha": -1},
        {"alpha": "auto"},
        {"beta": -0.1},
        {"solver": "newton"},
        {"graph": "delaunay"},
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
        JointModel(**{"n_clusters": 2, **params}).fit(np.eye(5))


@pytest.mark.parametrize(
    ("params", "name"),
    [
        ({"solver": Descent(support=0)}, "support"),
        ({"graph": NeighborGraph(n_neighbors=0)}, "n_neighbors"),
        ({"graph": DiffusedGraph(steps=0)}, "steps"),
    ],
)
def test_bad_parameters_of_parts_are_named(params, name):
    with pytest.raises(ValueError, match=f"'{name}' parameter"):
        JointModel(2, **params).fit(np.eye(5))


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.eye(3), r"n_samples=3.*n_clusters=4"),
        (np.full((5, 2), np.nan), "NaN"),
        (np.full((5, 2), np.inf), "infinity"),
        (np.ones(5), "Expected 2D"),
        (np.ones((2, 2, 2)), "dim 3"),
        (np.empty((0, 3)), "minimum of 1"),
    ],
)
def test_bad_samples_are_refused(X, message):
    with pytest.raises(ValueError, match=message):
        JointModel(4).fit(X)


def test_new_samples_of_another_width():
    with pytest.raises(NotFittedError):
        JointModel().predict(np.ones((2, 2)))
    model = JointModel(3, random_state=0).fit(blobs()[0])
    with pytest.raises(ValueError, match="expecting 3 features"):
        model.predict(np.ones((2, 4)))


def test_dask_collections_are_refused():
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match=r"Dask.*GraphTailor.*X\.compute\(\)"):
        JointModel(2).fit(da.ones((20, 2)))
