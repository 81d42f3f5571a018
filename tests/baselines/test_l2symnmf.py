"""SymNMF of the L2-Graph."""

import numpy as np
import pytest

from graphtailor.baselines import L2Graph, L2SymNMF, SymNMF, l2symnmf
from graphtailor.graphs import NeighborGraph


@pytest.mark.parametrize("n_neighbors", ["auto", 4, None])
def test_is_symnmf_on_the_l2_graph(wine, n_neighbors):
    X, _ = wine
    ours = L2SymNMF(3, lam=0.5, n_neighbors=n_neighbors, random_state=0).fit(X)
    graph = L2Graph(3, lam=0.5, n_neighbors=n_neighbors, random_state=0).fit(X)
    A = graph.affinity_matrix_
    two_steps = SymNMF(3, graph="precomputed", random_state=0).fit(A)
    np.testing.assert_allclose(ours.indicator_, two_steps.indicator_, atol=1e-9)
    np.testing.assert_array_equal(ours.labels_, two_steps.labels_)


def test_with_the_neighbour_graph_it_is_symnmf(wine, monkeypatch):
    X, _ = wine
    G = NeighborGraph().fit(X).weights_
    monkeypatch.setattr(l2symnmf, "l2_affinity", lambda *args: (G, 0.0))
    ours = L2SymNMF(3, random_state=5).fit(X)
    plain = SymNMF(3, random_state=5).fit(X)
    np.testing.assert_array_equal(ours.indicator_, plain.indicator_)


@pytest.mark.parametrize("solver", ["cd", "mu"])
def test_objective_never_rises(wine, solver):
    X, _ = wine
    model = L2SymNMF(3, solver=solver, max_iter=1000, random_state=0).fit(X)
    assert (np.diff(model.objective_) <= 1e-12 * model.objective_[0]).all()
    assert model.indicator_.min() >= 0


def test_scale_changes_nothing(wine):
    X, _ = wine
    one = L2SymNMF(3, lam=0.5, random_state=0).fit(X)
    many = L2SymNMF(3, lam=0.5 * 64, random_state=0).fit(8 * X)
    np.testing.assert_allclose(one.indicator_, many.indicator_, atol=1e-7)
