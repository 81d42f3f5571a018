"""New samples: the convex problem, known rows, and good sense on blobs."""

import warnings

import numpy as np
import pytest
from scipy import optimize, sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import rbf_kernel

from graphtailor import DiffusedGraph, JointModel, NeighborGraph
from graphtailor.graphs import graph_builder
from graphtailor.models.prediction import fill_empty_rows, indicator_of_new
from graphtailor.solvers import Descent
from graphtailor.solvers.s_step import ColumnSweeper


def small_problem(seed=0, n=12, m=4, d=3, c=2):
    rng = np.random.default_rng(seed)
    X, new = rng.normal(size=(n, d)), rng.normal(size=(m, d))
    V = rng.uniform(size=(n, c)) * (rng.uniform(size=(n, c)) < 0.8)
    W_new = rng.uniform(size=(m, n)) * (rng.uniform(size=(m, n)) < 0.4)
    pairs = (rng.uniform(size=(m, n)) < 0.5).astype(float)
    return X, new, V, sparse.csr_array(W_new), sparse.csr_array(pairs)


def solve_exactly(X, x, V, w, on, alpha, beta):
    """The problem in s and v together, as nonnegative least squares."""
    X, V_on, m = X[on], V[on], on.sum()
    stacked = np.block(
        [
            [np.sqrt(alpha) * X.T, np.zeros((X.shape[1], V.shape[1]))],
            [np.eye(m), -V_on],
            [np.zeros((len(V) - m, m)), -V[~on]],
            [np.sqrt(beta) * np.eye(m), np.zeros((m, V.shape[1]))],
        ]
    )
    wanted = np.r_[np.sqrt(alpha) * x, np.zeros(len(V)), np.sqrt(beta) * w[on]]
    return optimize.nnls(stacked, wanted)[0][m:]


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize(("alpha", "beta"), [(1, 1), (100, 100), (0, 1), (5, 0.2)])
def test_the_stated_problem_is_solved(alpha, beta, container):
    X, new, V, W_new, pairs = small_problem()
    columns = ColumnSweeper(container(X), alpha, beta, 1)
    rows = indicator_of_new(columns, container(new), W_new, pairs, V)
    on = (W_new.toarray() > 0) | (pairs.toarray() > 0)
    for i in range(len(new)):
        expected = solve_exactly(X, new[i], V, W_new.toarray()[i], on[i], alpha, beta)
        np.testing.assert_allclose(rows[i], expected, atol=2e-4)


def test_a_sample_without_edges_is_still_represented():
    """The given graph says nothing of it, self-expression does."""
    X = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    V = np.array([[1.0, 0], [1, 0], [0, 1], [0, 1]]) / np.sqrt(2)
    columns = ColumnSweeper(X, 100.0, 1.0, 1)
    everywhere = sparse.csr_array(np.ones((1, 4)))
    rows = indicator_of_new(
        columns, np.array([[0.0, 1.0]]), sparse.csr_array((1, 4)), everywhere, V
    )
    expected = solve_exactly(
        X, np.array([0.0, 1.0]), V, np.zeros(4), np.ones(4, dtype=bool), 100.0, 1.0
    )
    np.testing.assert_allclose(rows[0], expected, atol=2e-4)


@pytest.fixture(scope="module")
def blobs():
    X, y = make_blobs(240, n_features=4, centers=4, random_state=3, cluster_std=0.7)
    model = JointModel(4, random_state=0).fit(X[:160])
    return X, y, model


def test_new_samples_join_their_blob(blobs):
    X, y, model = blobs
    fitted = {c: set(model.labels_[y[:160] == c]) for c in range(4)}
    assert all(len(labels) == 1 for labels in fitted.values())
    expected = [next(iter(fitted[c])) for c in y[160:]]
    np.testing.assert_array_equal(model.predict(X[160:]), expected)


def test_memberships_of_new_samples(blobs):
    X, _, model = blobs
    P = model.predict_proba(X[160:])
    assert P.shape == (80, 4)
    assert P.min() >= 0
    np.testing.assert_allclose(P.sum(axis=1), 1)
    np.testing.assert_array_equal(P.argmax(axis=1), model.predict(X[160:]))


def test_a_sample_is_predicted_alike_alone_and_in_company():
    """On overlapping groups, where many iterations are needed."""
    rng = np.random.default_rng(0)
    X, new = rng.normal(size=(150, 5)), rng.normal(size=(40, 5))
    model = JointModel(5, random_state=0).fit(X)
    together = model.predict_proba(new)
    alone = np.vstack([model.predict_proba(row[None]) for row in new])
    np.testing.assert_allclose(alone, together, atol=1e-6)
    back = model.predict_proba(new[::-1])[::-1]
    np.testing.assert_allclose(back, together, atol=1e-6)


def test_fitted_and_new_samples_may_be_mixed(blobs):
    X, _, model = blobs
    mixed = np.vstack([X[160:165], X[:5]])
    np.testing.assert_array_equal(model.predict(mixed)[5:], model.labels_[:5])
    np.testing.assert_array_equal(model.predict(mixed)[:5], model.predict(X[160:165]))


def test_a_slightly_moved_sample_keeps_its_label(blobs):
    X, _, model = blobs
    np.testing.assert_array_equal(model.predict(X[:160] + 1e-7), model.labels_)


@pytest.mark.parametrize("far", [1e3, 1e8, 1e100])
def test_a_far_sample_gets_a_finite_answer(blobs, far):
    _, _, model = blobs
    P = model.predict_proba(np.full((1, 4), far))
    assert np.isfinite(P).all()
    assert P.sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_multiplicative_solver_predicts():
    """Whatever clusters it found, a new sample joins those round it."""
    X, _ = make_blobs(90, centers=3, random_state=1, cluster_std=0.5)
    model = JointModel(3, solver="multiplicative", max_iter=500, random_state=0)
    model.fit(X[:60])
    np.testing.assert_array_equal(model.predict(X[:60]), model.labels_)
    around = np.argsort(cdist(X[60:], X[:60]), axis=1)[:, :5]
    agree = model.labels_[around] == model.predict(X[60:])[:, None]
    assert agree.mean() > 0.9


@pytest.mark.parametrize(
    "params",
    [
        {"solver": Descent(support=1)},
        {"solver": Descent(support=None)},
        {"graph": DiffusedGraph(steps=4)},
        {"graph": NeighborGraph(weights="binary", symmetrize="max")},
        {"graph": NeighborGraph(bandwidth="local")},
        {"graph": NeighborGraph(radius=0.5)},
        {"graph": NeighborGraph(metric="manhattan")},
        {"graph": NeighborGraph(metric="precomputed")},
        {"graph": DiffusedGraph(NeighborGraph(metric="precomputed"))},
        {"graph": "precomputed"},
        {"graph": DiffusedGraph("precomputed")},
    ],
    ids=str,
)
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_every_graph_and_support_predicts(params, container):
    X, y = make_blobs(90, centers=3, random_state=1, cluster_std=0.5)
    model = JointModel(3, random_state=0, **params)
    given = {
        "samples": X,
        "distances": cdist(X, X[:60]),
        "affinities": rbf_kernel(X, X[:60]),
    }[graph_builder(model.graph).input]
    if container is sparse.csr_array and "metric" in str(params):
        pytest.skip("zeros of sparse distances are not stored")
    fitted, new = container(given[:60]), container(given[60:])
    np.testing.assert_array_equal(model.fit(fitted).predict(fitted), model.labels_)
    pairs = set(zip(y[:60], model.labels_, strict=True))
    pairs |= set(zip(y[60:], model.predict(new), strict=True))
    assert len(pairs) == 3


@pytest.mark.parametrize("scaling", ["maxabs", "standard", "minmax", None])
def test_dense_and_sparse_may_be_mixed(scaling):
    X, _ = make_blobs(80, centers=3, random_state=1)
    dense = JointModel(3, scaling=scaling, random_state=0).fit(X[:60])
    for rows in (X[:60], X[60:]):
        np.testing.assert_array_equal(
            dense.predict(sparse.csr_array(rows)), dense.predict(rows)
        )
    if scaling == "minmax":
        return
    thin = JointModel(3, scaling=scaling, random_state=0).fit(sparse.csr_array(X[:60]))
    np.testing.assert_array_equal(thin.predict(X[:60]), thin.labels_)
    np.testing.assert_array_equal(
        thin.predict(X[60:]), thin.predict(sparse.csr_array(X[60:]))
    )


def test_empty_rows_are_filled():
    V = np.array([[2.0, 0], [0, 1], [0, 3], [0, 0]])
    nearby = sparse.csr_array(np.array([[0, 1.0, 1, 0], [0, 0, 0, 0]]))
    filled = fill_empty_rows(np.zeros((2, 2)), nearby, V)
    np.testing.assert_array_equal(filled, [[0, 2], [0, 1]])
    full = np.ones((2, 2))
    np.testing.assert_array_equal(fill_empty_rows(full, nearby, V), full)


def test_the_largest_numbers_of_float32_are_not_warned_of():
    X = np.sign(np.random.default_rng(0).normal(size=(20, 50))).astype(np.float32)
    model = JointModel(2, alpha=100.0, random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert set(model.predict(X * np.float32(1.1e38))) <= {0, 1}
    with pytest.raises(ValueError, match="infinity"):
        model.predict(X * np.float32(np.inf))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_fitted_rows_of_float32_have_their_labels(container):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(26, 5)) + 6 * rng.integers(0, 3, (26, 1))
    X[rng.uniform(size=X.shape) < 0.5] = 0
    rows = container(X.astype(np.float32))
    model = JointModel(3, n_init=3, random_state=0).fit(rows)
    assert model.indicator_.dtype == np.float32
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
