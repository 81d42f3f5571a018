"""Short functions of the diagnostics, by one example each."""

import numpy as np
from sklearn.datasets import load_iris, make_blobs

from graphtailor import GraphTailor, JointModel
from graphtailor.diagnostics.comparison_words import _listed
from graphtailor.diagnostics.formatting import (
    RowNames,
    cluster_style,
    plain_value,
    shown_cell,
)
from graphtailor.diagnostics.graph_map import map_of
from graphtailor.diagnostics.group_names import class_names, cluster_names
from graphtailor.diagnostics.levels import Levels, majority
from graphtailor.diagnostics.model_access import view_of
from graphtailor.diagnostics.peers import find_peer
from graphtailor.diagnostics.sensitivity import (
    SettingsAgreement,
    neighboring_settings,
    settings_finding,
)
from graphtailor.diagnostics.stability import rand_matrix


def test_names():
    assert _listed(["a", "b", "c"]) == "a, b and c"
    assert _listed(["a"]) == "a"
    assert cluster_style(8) == "--k: var(--k1)"
    assert class_names(["ash", None], ["high crown", "low"]) == ["ash", "low"]
    assert find_peer("gaussian-mixture") == "Gaussian mixture"
    assert find_peer("SC") is None


def test_a_cluster_without_rows_has_no_name():
    X = np.array([[0.0, 5.0], [0.0, 6.0], [9.0, 5.0], [9.0, 6.0]])
    names = cluster_names(X, np.array([0, 0, 2, 2]))
    assert names == ["very low f1", "", "very high f1"]


def test_levels():
    taken, fine = np.array([0, 0, 1, 1]), np.array([0, 1, 2, 2])
    found = Levels.of(taken, 2, {3: fine})
    assert (found.numbers, found.chosen) == ((2, 3), 0)
    finer, coarser = np.array([0, 1, 1, 2]), np.array([1, 0, 0, 0])
    assert majority(finer, coarser).tolist() == [1, 0, 0]


def test_equal_partitions_agree_under_other_names():
    found = rand_matrix([np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])])
    assert found.tolist() == [[1, 1], [1, 1]]


def test_the_map_is_that_of_the_learned_graph():
    model = GraphTailor(n_clusters=3, random_state=0).fit(load_iris().data)
    found = map_of(view_of(model))
    assert found.places.shape == (149, 2)
    assert (found.noun, found.source) == ("distinct rows", "the learned graph")


def test_settings():
    X, _ = make_blobs(90, centers=3, cluster_std=0.3, random_state=0)
    found = neighboring_settings(JointModel(3, random_state=0).fit(X), X)
    assert found.agreement.min() == 1.0
    assert found.neighbors.tolist() == [3, 14]
    weights, none = np.array([10.0, 100.0, 1000.0]), np.array([])
    agreement = np.array([[1.0, 1.0, 1.0], [0.4, 1.0, 1.0], [0.3, 1.0, 1.0]])
    changed = (agreement, (1, 1), 0, none, none, 9, 9)
    finding = settings_finding(SettingsAgreement(weights, weights, *changed))
    assert finding == "The clusters change with beta"


def test_cells_values_and_names_of_rows():
    cells = [shown_cell(v) for v in (3.14159265, None, True, "ash")]
    assert cells == ["3.142", "–", "True", "ash"]
    values = [plain_value(v) for v in (np.int64(3), None, np.zeros((2, 1)), [0])]
    assert values == [3, None, "array of shape (2, 1)", "[0]"]
    assert RowNames(["ash", "oak"])[1] == "oak"
    assert RowNames(None)[1] == "row 1"
    assert RowNames([2, 3])[1] == "row 3"
