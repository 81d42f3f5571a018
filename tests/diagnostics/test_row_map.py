"""A place for every row."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.neighbors import NearestNeighbors

from graphtailor import GraphTailor, JointModel
from graphtailor.baselines import KMeansClustering
from graphtailor.diagnostics.model_access import scaled_features, view_of
from graphtailor.diagnostics.row_map import map_rows


def places_of(model, X):
    view = view_of(model)
    found = map_rows(view, scaled_features(view, X), X)
    assert found.rows.tolist() == list(range(len(X)))
    assert np.isfinite(found.places).all()
    assert found.places.min() >= 0
    assert found.places.max() <= 1
    return found.places


def assert_axes_say_the_values(found, frame):
    start = np.array([axis.start for axis in found.axes])
    slope = np.array([axis.slope for axis in found.axes])
    np.testing.assert_allclose(start + slope * found.places, frame)
    assert [axis.name for axis in found.axes] == list(frame)


def test_rows_are_beside_rows_of_their_group():
    X, y = make_blobs(1500, centers=4, n_features=5, random_state=0)
    model = GraphTailor(4, representatives=100, random_state=0).fit(X)
    places = places_of(model, X)
    near = NearestNeighbors(n_neighbors=5).fit(places).kneighbors()[1]
    assert (y[near] == y[:, None]).mean() > 0.95
    assert len(np.unique(places, axis=0)) == len(X)
    np.testing.assert_array_equal(places, places_of(model, X))


def test_methods_without_representatives():
    X, _ = make_blobs(60, centers=3, n_features=4, random_state=0)
    for model in (JointModel(3, n_init=1, random_state=0), KMeansClustering(3)):
        assert places_of(model.fit(X), X).shape == (60, 2)


def test_two_columns_are_drawn_as_they_are():
    frame = pd.DataFrame({"cost": [0.0, 5.0, 10.0], "age": [1.0, 3.0, 2.0]})
    view = view_of(KMeansClustering(2, random_state=0).fit(frame))
    found = map_rows(view, None, frame)
    np.testing.assert_allclose(found.places, [[0, 0.75], [0.5, 0], [1, 0.375]])
    assert found.reading.startswith("cost grows from left to right, and age from")
    assert_axes_say_the_values(found, frame)


def test_longitude_and_latitude_are_a_map():
    frame = pd.DataFrame({"lat": [40.0, 80.0], "Longitude": [10.0, 70.0]})
    view = view_of(KMeansClustering(2, random_state=0).fit(frame))
    found = map_rows(view, None, frame)
    assert "longitude and latitude" in found.reading
    # North is above south, and east is right of west.
    assert found.places[1, 1] < found.places[0, 1]
    assert found.places[1, 0] > found.places[0, 0]
    assert_axes_say_the_values(found, frame[["Longitude", "lat"]])
    # At 60 degrees north a degree of longitude is half as long as one of latitude.
    width, height = np.ptp(found.places, axis=0)
    assert width / height == pytest.approx(0.5 * 60 / 40)


def test_years_and_dates_are_axes():
    days = pd.to_datetime(["2020-01-01", "2021-01-01", "2022-01-01"])
    frame = pd.DataFrame({"born": [1950, 1960, 1990], "seen": days})
    view = view_of(KMeansClustering(2, random_state=0).fit([[0.0], [1.0], [9.0]]))
    found = map_rows(view, None, frame)
    assert [axis.kind for axis in found.axes] == ["year", "date"]
    assert_axes_say_the_values(found, frame.assign(seen=days.as_unit("s").asi8))


def test_two_columns_that_are_no_axes():
    names = pd.DataFrame({"a": ["x", "y", "x"], "b": [1.0, 2.0, 3.0]})
    model = KMeansClustering(2, random_state=0).fit([[0.0], [1.0], [9.0]])
    view = view_of(model)
    assert map_rows(view, None, names) is None
    assert map_rows(view, None, sparse.csr_array(np.eye(3)[:, :2])) is None
