"""Damaged sparse matrices and masked entries are refused, never read."""

import numpy as np
import pytest
from scipy import sparse

from graphtailor import (
    GraphTailor,
    JointModel,
    KernelMap,
    LearnedGraph,
    TableBlocks,
    baselines,
)
from graphtailor.diagnostics.effects import feature_effects
from graphtailor.diagnostics.model_access import scaled_features, view_of
from graphtailor.diagnostics.sensitivity import neighboring_settings
from graphtailor.graphs import (
    EnsembleGraph,
    NeighborGraph,
    PrecomputedGraph,
    normalize_affinity,
    symmetrize,
)
from graphtailor.neighbors import NeighborSearch

X = sparse.random_array((40, 12), density=0.5, rng=np.random.default_rng(0)).tocsr()


def too_large(A):
    A.indices[3] = 10**6


def negative(A):
    A.indices[3] = -5


def falling(A):
    A.indptr[2] = A.indptr[-1] + 10


def too_long(A):
    A.indptr[-1] += 1000


DAMAGE = [too_large, negative, falling, too_long]


def damaged(damage, form="csr"):
    A = X.asformat(form, copy=True)
    damage(A)
    return A


ESTIMATORS = [
    GraphTailor(3),
    JointModel(3),
    KernelMap(),
    NeighborGraph(),
    EnsembleGraph(),
    *(getattr(baselines, name)() for name in baselines.__all__),
]


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
def test_every_estimator_refuses_damaged_rows(estimator, damage):
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        estimator.fit(damaged(damage))


@pytest.mark.parametrize(
    "estimator",
    [*ESTIMATORS, TableBlocks(), LearnedGraph(JointModel(3))],
    ids=lambda e: type(e).__name__,
)
def test_every_estimator_refuses_masked_entries(estimator):
    rows = np.ma.masked_greater(X.toarray(), 0.9)
    with pytest.raises(ValueError, match="X has masked entries"):
        estimator.fit(rows)


def test_a_mask_of_what_is_known_is_not_lost():
    rows, hidden = X.toarray(), np.arange(40) > 5
    one_hidden = np.ma.masked_array([[0, 1], [2, 3]], mask=[[0, 0], [1, 1]])
    for given in (
        {"known": np.ma.masked_array(hidden.astype(int), mask=hidden)},
        {"must_link": one_hidden},
        {"cannot_link": one_hidden},
        {"sample_weight": np.ma.masked_array(np.ones(40), mask=hidden)},
    ):
        with pytest.raises(ValueError, match=f"{next(iter(given))} has masked entries"):
            GraphTailor(3).fit(rows, **given)


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.parametrize("model", [GraphTailor(3, random_state=0), JointModel(3)])
def test_predictions_refuse_damaged_rows(model, damage):
    model.fit(X)
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        model.predict(damaged(damage))


@pytest.mark.parametrize("damage", DAMAGE)
def test_graphs_and_searches_refuse_damaged_matrices(damage):
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        NeighborSearch().fit(damaged(damage))
    square = sparse.csr_array(X @ X.T)
    damage(square)
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        PrecomputedGraph().fit(square)
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        GraphTailor(3, metric="affinity").fit(square)


@pytest.mark.parametrize("damage", DAMAGE)
def test_functions_of_graphs_refuse_damaged_matrices(damage):
    square = sparse.csr_array(X @ X.T)
    damage(square)
    for how in ("average", "max", "mutual"):
        with pytest.raises(ValueError, match="G is a damaged sparse matrix"):
            symmetrize(square, how)
    with pytest.raises(ValueError, match="G is a damaged sparse matrix"):
        normalize_affinity(square)


@pytest.mark.parametrize("damage", DAMAGE)
def test_diagnostics_refuse_damaged_rows(damage, joint_model):
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        feature_effects(damaged(damage), joint_model.labels_)
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        scaled_features(view_of(joint_model), damaged(damage))
    with pytest.raises(ValueError, match="damaged sparse matrix"):
        neighboring_settings(joint_model, damaged(damage))


@pytest.fixture(scope="module")
def joint_model():
    return JointModel(3, random_state=0).fit(X)


def test_other_formats_are_looked_at_as_well():
    by_column = damaged(too_large, "csc")
    by_place = X.tocoo(copy=True)
    by_place.row[0] = 10**6
    for A in (by_column, by_place):
        with pytest.raises(ValueError, match="damaged sparse matrix"):
            JointModel(3).fit(A)
