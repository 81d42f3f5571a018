"""Differences between clusters: numbers, dates, categories, gaps; their rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from graphtailor.diagnostics.certainty import certainty_of
from graphtailor.diagnostics.effects import described_frame, feature_effects
from graphtailor.diagnostics.model_access import FittedView
from graphtailor.report import cluster_profiles
from graphtailor.report.fit_data import fit_data
from graphtailor.tables import Column, Table


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "size": [1.0, 2.0, np.nan, 8.0, 9.0, 10.0],
            "tint": ["red", "red", "blue", "blue", "blue", None],
            "when": pd.to_datetime(["2020-01-01"] * 3 + ["2021-01-01"] * 3),
            "new": [True, True, True, False, False, True],
            "name": list("abcdef"),
            "same": [3] * 6,
        }
    )


LABELS = np.array([0, 0, 0, 1, 1, 1])


def test_effects_by_hand(frame):
    found = feature_effects(frame, LABELS)
    at = {name: j for j, name in enumerate(found.names)}
    # Names of the rows, one for each, are no categories.
    assert set(at) == {
        "size",
        "size missing",
        "tint = red",
        "tint = blue",
        "tint = missing",
        "when",
        "new = True",
        "new = False",
        "same",
    }
    size = np.array([1.0, 2.0, 8.0, 9.0, 10.0])
    assert found.inside[0, at["size"]] == pytest.approx(1.5)
    assert found.outside[0, at["size"]] == pytest.approx(9.0)
    assert found.effect[0, at["size"]] == pytest.approx(-7.5 / size.std())
    assert found.effect[1, at["size"]] == pytest.approx(7.5 / size.std())
    assert found.inside[0, at["tint = red"]] == pytest.approx(2 / 3)
    assert found.effect[0, at["tint = red"]] == pytest.approx(
        (2 / 3) / np.array([1, 1, 0, 0, 0, 0]).std()
    )
    assert found.inside[0, at["size missing"]] == pytest.approx(1 / 3)
    assert found.effect[:, at["same"]].tolist() == [0, 0]
    assert found.kinds[at["when"]] == "date"


@pytest.mark.parametrize(
    ("n", "gaps", "told"), [(63, 1, False), (63, 4, True), (500, 5, True)]
)
def test_a_gap_or_two_are_no_difference(n, gaps, told):
    values = np.arange(float(n))
    values[:gaps] = np.nan
    found = feature_effects(pd.DataFrame({"age": values}), np.arange(n) % 2)
    assert ("age missing" in found.names) == told


def test_sparse_dense_and_frame_agree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 7)) * (rng.random((80, 7)) < 0.5)
    X[:, 2] *= 1e150
    X[:, 3] *= 1e-150
    X[:, 4] = 5.0
    labels = rng.integers(0, 4, 80)
    dense = feature_effects(X, labels)
    for other in (sparse.csr_array(X), pd.DataFrame(X)):
        found = feature_effects(other, labels)
        np.testing.assert_allclose(found.effect, dense.effect, atol=1e-6)
        np.testing.assert_allclose(found.inside, dense.inside)
    assert np.isfinite(dense.effect).all()
    assert (dense.effect[:, 4] == 0).all()
    assert np.abs(dense.effect[:, 2:4]).min() > 0


def test_one_cluster_differs_from_nothing():
    found = cluster_profiles(np.arange(6.0).reshape(3, 2), np.zeros(3, dtype=int))
    assert [len(profile.traits) for profile in found] == [0]


def test_profiles_name_each_column_once_and_place_its_values(frame):
    first = cluster_profiles(frame, LABELS)[0]
    assert len({trait.column for trait in first.traits}) == len(first.traits)
    by_name = {trait.column: trait for trait in first.traits}
    when = by_name["when"]
    assert (when.shown(when.inside), when.shown(when.outside)) == (
        "2020-01-01",
        "2021-01-01",
    )
    assert when.spread.inside == (0, 0, 0)
    assert when.spread.outside == (1, 1, 1)
    tint = by_name["tint"]
    assert tint.spread is None
    assert tint.shown(0.25).replace("\N{NO-BREAK SPACE}", " ") == "25 %"
    effects = [abs(trait.effect) for trait in first.traits]
    assert effects == sorted(effects, reverse=True)


def test_the_category_that_is_there_is_named():
    frame = pd.DataFrame({"sex": ["female"] * 3 + ["male"] * 3, "paid": [1, 1, 0] * 2})
    for profile, there in zip(
        cluster_profiles(frame, LABELS), ("female", "male"), strict=True
    ):
        assert profile.traits[0].level == there
        assert profile.traits[0].inside == 1
        assert all(trait.effect > 0 for trait in profile.traits)


def test_two_numbers_are_categories_and_years_have_no_commas():
    frame = pd.DataFrame({"paid": [0, 0, 1, 1], "founded": [1901, 1905, 2001, 2004]})
    found = feature_effects(frame, np.array([0, 0, 1, 1]))
    assert found.names == ["paid = 0", "paid = 1", "founded"]
    assert found.kinds == ["share", "share", "year"]
    assert found.levels == ["0", "1", None]


def test_groups_of_several_levels_are_compared_at_once(frame):
    member = sparse.csr_array(
        np.vstack([LABELS == 0, LABELS == 1, np.arange(len(LABELS)) < 2]).astype(float)
    )
    both, alone = feature_effects(frame, member), feature_effects(frame, LABELS)
    np.testing.assert_allclose(both.effect[:2], alone.effect)
    assert both.effect.shape[0] == 3


def test_certainty_of_every_source():
    labels = np.array([0, 0, 1, 1])
    V = np.array([[3.0, 1], [0, 0], [1, 3], [0, 2]])
    by_indicator = certainty_of(FittedView(labels, indicator=V))
    assert by_indicator.share.tolist() == [0.75, 0.5, 0.75, 1.0]
    assert by_indicator.second.tolist() == [1, -1, 0, -1]
    points = np.array([[0.0], [1.0], [10.0], [11.0]])
    by_points = certainty_of(FittedView(labels), points)
    assert by_points.share[0] == pytest.approx(10.5 / 11)
    assert by_points.second.tolist() == [1, 1, 0, 0]
    graph = np.array([[0, 2, 1, 0], [2, 0, 0, 0], [1, 0, 0, 3], [0, 0, 3, 0.0]])
    assert certainty_of(FittedView(labels, learned=graph)).share.tolist() == [
        2 / 3,
        1,
        0.75,
        1,
    ]
    assert certainty_of(FittedView(labels)) is None


def test_columns_are_described_as_they_were_read():
    frame = pd.DataFrame(
        {
            "key": ["a", "b"],
            "zip": [100, 200],
            "when": ["2020-01-01", "2020-01-03"],
            "cost": ["1", "2"],
            "class": ["x", "y"],
            "left": [1, 2],
        }
    )
    columns = [
        Column("key", "id", "left out"),
        Column("zip", "category", "", "levels"),
        Column("when", "date", "", "date"),
        Column("cost", "numeric", "", "number"),
        Column("left", "numeric", "left out"),
    ]
    found = described_frame(frame, columns, "class")
    assert list(found.columns) == ["zip", "when", "cost"]
    assert found["zip"].tolist() == ["100", "200"]
    assert found["when"].dt.day.tolist() == [1, 3]
    assert found["cost"].tolist() == [1, 2]


def test_data_of_a_fit_without_and_with_a_table():
    view = FittedView(np.array([0, 1, 1]), scales=True)
    X = pd.DataFrame({"a": [1.0, 2, 3]}, index=["p", "q", "r"])
    bare = fit_data(view, X)
    assert bare.names[1] == "q"
    assert bare.frame is X
    assert (bare.y, bare.columns) == (None, ())
    assert fit_data(view, X.to_numpy()).names[1] == "row 1"
    ids, y = np.array(["u", "v", "w"]), np.array([1, 2, 2])
    known = fit_data(view, X, Table("t", X, ids, y=y))
    assert known.names[2] == "w"
    assert known.y.tolist() == ["1", "2", "2"]
    with pytest.raises(ValueError, match="X has 2 rows"):
        fit_data(view, X.iloc[:2])


@pytest.mark.parametrize(("scaling", "largest"), [("maxabs", 1.0), ("none", 4.0)])
def test_features_are_scaled_as_the_table_says(scaling, largest):
    X = np.array([[1.0], [4.0]])
    table = Table("t", X, np.arange(2), scaling=scaling)
    found = fit_data(FittedView(np.array([0, 1])), X, table)
    assert found.features.max() == largest
    assert found.scaling == (None if scaling == "none" else scaling)
