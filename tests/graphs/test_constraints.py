"""Known classes and pairs: how they are read, refused and met."""

import numpy as np
import pandas as pd
import pytest

from graphtailor import GraphTailor
from graphtailor.graphs.constraints import Constraints


def constraints(n=6, known=None, must=None, cannot=None):
    return Constraints.of(known, must, cannot, n)


@pytest.mark.parametrize(
    ("known", "classes", "codes"),
    [
        ([-1, 3, 7, 3, -1, -1], (3, 7), [-1, 0, 1, 0, -1, -1]),
        ([None, "b", "a", float("nan"), "b", None], ("a", "b"), [-1, 1, 0, -1, 1, -1]),
        ([np.nan, 1.0, 2.0, -1.0, 1.0, np.nan], (1, 2), [-1, 0, 1, -1, 0, -1]),
        (
            pd.Series([1, None, 2, 2, None, 1], dtype="Int64"),
            (1, 2),
            [0, -1, 1, 1, -1, 0],
        ),
        (
            pd.Categorical(["x", None, "y", "y", None, "x"]),
            ("x", "y"),
            [0, -1, 1, 1, -1, 0],
        ),
        (
            np.array(["-1", "a", -1, "a", None, None], dtype=object),
            ("-1", "a"),
            [0, 1, -1, 1, -1, -1],
        ),
        (["b", -1, "a", np.nan, "b", None], ("a", "b"), [1, -1, 0, -1, 1, -1]),
        (np.array(["b", -1, "a", -1, "b", -1]), ("a", "b"), [1, -1, 0, -1, 1, -1]),
        (np.array(["b", np.nan, "a", "b", "b", "b"]), ("a", "b"), [1, -1, 0, 1, 1, 1]),
    ],
)
def test_classes_are_read_with_gaps(known, classes, codes):
    found = constraints(known=known)
    assert found.classes == classes
    assert found.known.tolist() == codes


def test_nothing_known_is_nothing():
    assert constraints(known=[-1] * 6, must=[], cannot=np.empty((0, 2))) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"known": [1, 2]}, r"known has shape \(2,\), and X has 6 rows"),
        ({"known": [[1], [2, 3], 1, 1, 1, 1]}, "known has a list for one row"),
        ({"must": [[0, 1], [2]]}, r"must_link has shape \(2,\) and type object"),
        ({"must": [[0, 1, 2]]}, r"must_link has shape \(1, 3\)"),
        ({"cannot": [[0.5, 1.0]]}, "cannot_link has shape .* float64"),
        ({"must": [[0, 6]]}, "must_link names row 6, and X has the rows 0 to 5"),
        ({"cannot": [[2, 2]]}, "rows 2 and 2, which are the same row"),
        (
            {"must": [[0, 1], [1, 2]], "cannot": [[2, 0]]},
            "cannot_link parts the rows 2 and 0, which are joined by must_link",
        ),
        (
            {"known": ["a", -1, "b", -1, -1, -1], "must": [[0, 1], [1, 2]]},
            "must_link joins the rows 0 and 2, .* the classes 'a' and 'b'",
        ),
        (
            {"known": [5, -1, 5, -1, -1, -1], "must": [[0, 1]], "cannot": [[1, 2]]},
            "cannot_link parts the rows 1 and 2, but known gives both, .* class 5",
        ),
    ],
)
def test_contradictions_name_rows_and_classes(given, message):
    if "known" in given:
        given["known"] = np.array(given["known"], dtype=object)
    with pytest.raises(ValueError, match=message):
        constraints(**given)


def test_more_classes_than_clusters_are_named():
    found = constraints(known=["a", "b", "c", None, None, None])
    with pytest.raises(
        ValueError, match=r"n_clusters=2 .* 'a' \(row 0\), 'b' \(row 1\)"
    ):
        found.check_number(2)
    found.check_number(3)
    found.check_number("auto")


def test_more_classes_than_different_rows_or_anchors_are_refused():
    rows = np.repeat(np.eye(3), 4, axis=0)
    known = np.where(np.arange(12) % 3 > 0, np.arange(12), -1)
    with pytest.raises(ValueError, match=r"8 classes, and there .* 3 different"):
        GraphTailor().fit(rows, known=known)
    rows = np.random.RandomState(0).normal(size=(50, 2))
    with pytest.raises(ValueError, match=r"50 classes, .* 20 representatives"):
        GraphTailor(representatives=20).fit(rows, known=np.arange(50))


def test_enforced_labels_meet_everything():
    rng = np.random.RandomState(0)
    V = rng.dirichlet(np.ones(4), size=60)
    known = np.where(np.arange(60) < 6, np.arange(60) % 3, -1)
    must = [[6, 7], [7, 8], [9, 0]]
    cannot = [[10, 11], [11, 12], [12, 10], [10, 0], [20, 21], [6, 1]]
    clusters = np.array([2, 0, 3])
    found = constraints(60, known, must, cannot)
    W, broken = found.enforce(V, clusters)
    labels = W.argmax(axis=1)
    assert broken == []
    np.testing.assert_array_equal(labels[:6], clusters[known[:6]])
    assert all(labels[i] == labels[j] for i, j in must)
    assert all(labels[i] != labels[j] for i, j in cannot)
    np.testing.assert_allclose(W.sum(axis=1), 1)
    free = np.setdiff1d(np.arange(60), found.rows)
    np.testing.assert_array_equal(W[free], V[free])


def test_cannot_links_that_no_clusters_meet_are_counted():
    found = constraints(3, cannot=[[0, 1], [1, 2], [0, 2]])
    _, broken = found.enforce(np.full((3, 2), 0.5), np.empty(0, int))
    assert len(broken) == 1
    assert found.least == 3


def test_a_dead_end_is_taken_back():
    # Best clusters first would leave nothing for the last row of the cycle.
    V = np.array([[0.9, 0.1], [0.6, 0.4], [0.55, 0.45], [0.2, 0.8], [0.3, 0.7]])
    even = constraints(5, cannot=[[0, 1], [1, 2], [2, 3], [3, 4]])
    W, broken = even.enforce(V, np.empty(0, int))
    assert not broken
    assert len(set(W.argmax(axis=1)[[0, 2, 4]])) == 1


@pytest.mark.parametrize(("others", "exception"), [(3, False), (9, True)])
def test_one_row_apart_from_many_doubtful_ones_is_the_exception(others, exception):
    V = np.tile([0.6, 0.4], (others + 1, 1))
    V[0] = [0.9, 0.1]
    links = [[0, row] for row in range(1, others + 1)]
    W, broken = constraints(others + 1, cannot=links).enforce(V, np.empty(0, int))
    assert not broken
    assert (W[0].argmax() == 1) == exception


def test_known_rows_are_no_exception():
    V = np.tile([0.6, 0.4], (10, 1))
    V[0] = [0.9, 0.1]
    known = np.where(np.arange(10) == 0, 5, -1)
    found = constraints(10, known, cannot=[[0, row] for row in range(1, 10)])
    W, _ = found.enforce(V, np.array([0]))
    assert W.argmax(axis=1).tolist() == [0] + [1] * 9


def test_equal_rows_take_the_class_of_most_of_their_equals():
    known = np.array([0, 0, 1, -1, -1, -1])
    group = np.array([0, 0, 0, 0, 1, 1])
    found = constraints(known=known).with_equal_rows(group)
    assert found.known.tolist() == [0, 0, 1, 0, -1, -1]
