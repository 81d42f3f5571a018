"""L1 graph: sparse regression of every sample on the others."""

import cvxpy as cp
import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from graphtailor.baselines import L1Graph
from graphtailor.baselines.l1graph import lasso_on_others


def weights_of(X, lam):
    """The weight of each sample's coefficients."""
    products = np.abs(X @ X.T)
    np.fill_diagonal(products, 0)
    return lam * products.max(axis=1)


@pytest.mark.parametrize("shape", [(9, 4), (8, 15)])
@pytest.mark.parametrize("lam", [0.02, 0.4])
def test_equals_a_general_solver(rng, shape, lam):
    X = rng.standard_normal(shape)
    found = lasso_on_others(X, lam, 1e-12, 20_000)
    C = cp.Variable((len(X), len(X)))
    weights = weights_of(X, lam)
    loss = cp.sum_squares(X - C @ X) / 2 + weights @ cp.sum(cp.abs(C), axis=1)
    problem = cp.Problem(cp.Minimize(loss), [cp.diag(C) == 0])
    assert found.objective == pytest.approx(problem.solve(cp.CLARABEL), abs=1e-7)
    assert found.converged
    np.testing.assert_array_equal(found.coefficients.diagonal(), 0)


def test_conditions_of_the_minimum_hold(rng):
    X = rng.standard_normal((25, 6))
    C = lasso_on_others(X, 0.1, 1e-12, 20_000).coefficients
    slopes = (X - C @ X) @ X.T / weights_of(X, 0.1)[:, None]
    np.fill_diagonal(slopes, 0)
    assert np.abs(slopes).max() <= 1 + 1e-5
    np.testing.assert_allclose(slopes[C != 0], np.sign(C[C != 0]), atol=1e-5)


def test_samples_of_a_subspace_are_joined_to_each_other_alone(rng):
    bases = np.linalg.qr(rng.standard_normal((12, 6)))[0].T
    X = np.vstack([rng.standard_normal((15, 2)) @ bases[i : i + 2] for i in (0, 2, 4)])
    y = np.repeat([0, 1, 2], 15)
    model = L1Graph(3, random_state=0).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    A = model.affinity_matrix_.toarray()
    assert A[y[:, None] != y].max() < 1e-8
    assert np.count_nonzero(A) < 45 * 8


def test_the_graph_divides_coefficients_by_the_largest_of_a_sample(wine):
    model = L1Graph(3, random_state=0).fit(wine[0])
    C = np.abs(model.representation_.toarray())
    C /= C.max(axis=1, keepdims=True)
    assert isinstance(model.affinity_matrix_, sparse.csr_array)
    np.testing.assert_allclose(model.affinity_matrix_.toarray(), C + C.T, atol=1e-12)


def test_neither_unit_nor_length_of_samples_matters(rng):
    X = rng.standard_normal((20, 5))
    A = L1Graph(2, random_state=0).fit(X).affinity_matrix_
    stretched = X * rng.uniform(1, 9, size=(20, 1))
    B = L1Graph(2, random_state=0).fit(stretched).affinity_matrix_
    np.testing.assert_allclose(A.toarray(), B.toarray(), atol=1e-9)
    raw = L1Graph(2, normalize_samples=False, random_state=0)
    one = raw.fit(X)
    value = one.objective_
    two = raw.fit(1024 * X)
    np.testing.assert_allclose(two.objective_, 1024**2 * value)


def test_a_zero_sample_has_no_edges(rng):
    X = rng.standard_normal((12, 4))
    X[3] = 0
    with pytest.warns(UserWarning, match="connected components"):
        model = L1Graph(1, random_state=0).fit(X)
    assert model.affinity_matrix_[[3]].nnz == 0


def test_too_few_sweeps_are_reported(wine):
    with pytest.warns(ConvergenceWarning, match="max_iter=1 "):
        model = L1Graph(3, max_iter=1, tol=1e-9, random_state=0).fit(wine[0])
    assert not model.converged_
