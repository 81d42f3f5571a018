"""The four rules of the interface, over every parameter of both classes."""

from inspect import signature

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine, make_blobs

from graphtailor import DiffusedGraph, GraphTailor, JointModel, NeighborGraph
from graphtailor.graphs import PrecomputedGraph
from graphtailor.graphs.ensemble.members import (
    KMeansMembers,
    LayoutMembers,
    MixtureMembers,
    SpectralMembers,
)
from graphtailor.graphs.ensemble.views import VIEWS
from graphtailor.metrics import clustering_accuracy
from graphtailor.models.joint_members import JointMembers
from graphtailor.neighbors import default_n_neighbors
from graphtailor.solvers import Descent, Multiplicative

X = load_iris().data[::2]
P = default_n_neighbors(len(X))

# Rule 1: what each parameter would have had, in every form it can be written in.
JOINT = {
    "n_clusters": [8],
    "alpha": [100.0, 100],
    "beta": [100.0],
    "graph": [
        "knn",
        NeighborGraph(),
        NeighborGraph(P),
        NeighborGraph(metric="l2"),
        NeighborGraph(engine="exact"),
        NeighborGraph(n_jobs=2),
    ],
    "scaling": ["maxabs"],
    "solver": ["descent", Descent(), Descent(support=3)],
    "init": ["mixed"],
    "n_init": [12],
    "max_iter": [None, 500],
    "tol": [None, 1e-5],
    "random_state": [0],
    "n_jobs": [None, 1, 2, -1],
}
KINDS = [
    SpectralMembers(),
    MixtureMembers(),
    KMeansMembers(),
    JointMembers(),
    LayoutMembers(),
]
TAILOR = {
    "n_clusters": ["auto"],
    "metric": ["euclidean"],
    "scaling": ["maxabs"],
    "views": ["auto", tuple(VIEWS), list(VIEWS)],
    "members": ["auto", KINDS, tuple(KINDS)],
    "representatives": [4000],
    "random_state": [0],
    "n_jobs": [None, 1, 2, -1],
}


def each(table):
    return [(name, value) for name, values in table.items() for value in values]


def named(value):
    """An id that has no address in it, as workers must find the same tests."""
    return str(value) if isinstance(value, str | int | None) else type(value).__name__


@pytest.fixture(scope="module")
def plain():
    return {
        JointModel: JointModel(random_state=0).fit(X),
        GraphTailor: GraphTailor(random_state=0).fit(X),
    }


@pytest.mark.parametrize(("cls", "table"), [(JointModel, JOINT), (GraphTailor, TAILOR)])
def test_every_parameter_is_in_the_table(cls, table):
    assert list(table) == list(signature(cls).parameters)


@pytest.mark.parametrize(("name", "value"), each(JOINT), ids=named)
def test_a_default_that_is_written_out_changes_nothing_in_joint_model(
    plain, name, value
):
    model = JointModel(**{"random_state": 0, name: value}).fit(X)
    assert model.indicator_.tobytes() == plain[JointModel].indicator_.tobytes()


@pytest.mark.parametrize(("name", "value"), each(TAILOR), ids=named)
def test_a_default_that_is_written_out_changes_nothing_in_graph_tailor(
    plain, name, value
):
    model = GraphTailor(**{"random_state": 0, name: value}).fit(X)
    assert model.indicator_.tobytes() == plain[GraphTailor].indicator_.tobytes()
    assert model.decision_ == plain[GraphTailor].decision_


@pytest.mark.parametrize("data", [load_iris().data, load_wine().data], ids=len)
def test_the_number_that_auto_takes_gives_the_same_clusters(data):
    chosen = GraphTailor(random_state=0).fit(data)
    asked = GraphTailor(chosen.n_clusters_, random_state=0).fit(data)
    assert chosen.labels_.tobytes() == asked.labels_.tobytes()


# Rule 2: an alias is its object.
D = np.sqrt(np.square(X[:, None] - X[None]).sum(axis=-1))


@pytest.mark.parametrize(
    ("alias", "value", "data"),
    [
        ({"graph": "knn"}, {"graph": NeighborGraph()}, X),
        ({"graph": "precomputed"}, {"graph": PrecomputedGraph()}, np.exp(-D)),
        (
            {"graph": DiffusedGraph("knn")},
            {"graph": DiffusedGraph(NeighborGraph(), steps=8)},
            X,
        ),
        ({"solver": "descent"}, {"solver": Descent()}, X),
        (
            {"solver": "multiplicative", "max_iter": 50},
            {"solver": Multiplicative(), "max_iter": 50},
            X,
        ),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_an_alias_is_its_object(alias, value, data):
    one = JointModel(3, random_state=0, **alias).fit(data)
    two = JointModel(3, random_state=0, **value).fit(data)
    assert one.indicator_.tobytes() == two.indicator_.tobytes()
    assert one.objective_.tobytes() == two.objective_.tobytes()


# Rule 3: "auto" looks at X alone.
@pytest.mark.parametrize(
    "others",
    [
        {"n_clusters": 4},
        {"scaling": "standard"},
        {"scaling": None},
        {"metric": "cosine"},
        {"representatives": 50},
        {"random_state": 7},
        {"n_jobs": 2},
    ],
    ids=str,
)
def test_auto_does_not_look_at_other_parameters(plain, others):
    model = GraphTailor(**{"random_state": 0, **others}).fit(X)
    usual = plain[GraphTailor].decision_
    assert model.decision_.views == usual.views
    assert model.decision_.members == usual.members


def test_auto_neighbors_depend_on_the_rows_alone():
    for graph in (NeighborGraph(), NeighborGraph(weights="binary", engine="exact")):
        model = JointModel(3, alpha=1.0, graph=graph, scaling=None, n_init=1).fit(X)
        assert model.graph_.n_neighbors_ == P


# Rule 4: no cliffs.
def test_two_rows_more_than_the_representatives_do_not_change_the_result():
    centers = np.random.default_rng(0).normal(size=(6, 8)) * 4
    data, y = make_blobs(802, centers=centers, cluster_std=2.0, random_state=0)
    scores, decisions = [], []
    for n in (798, 802):
        model = GraphTailor(6, representatives=800, random_state=0).fit(data[:n])
        scores.append(clustering_accuracy(y[:n], model.labels_))
        decisions.append(model.decision_)
    assert decisions[0].every_row
    assert not decisions[1].every_row
    assert decisions[0].members == decisions[1].members
    assert decisions[0].views == decisions[1].views
    assert abs(scores[0] - scores[1]) < 0.02


def test_the_signatures_stay_small():
    assert len(signature(JointModel).parameters) <= 13
    assert len(signature(GraphTailor).parameters) <= 8
    defaults = [p.default for p in signature(JointModel).parameters.values()]
    assert "auto" not in [value for value in defaults if isinstance(value, str)]
