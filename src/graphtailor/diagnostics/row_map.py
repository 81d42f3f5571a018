"""A place in the plane for every row."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

from graphtailor.diagnostics import effects
from graphtailor.diagnostics.graph_map import VertexMap, map_of
from graphtailor.diagnostics.layout import in_unit_square
from graphtailor.diagnostics.model_access import FittedView
from graphtailor.linalg.types import Matrix

# A row lies between those of its representatives that are neighbours on the map: not
# further from the nearest one than this many typical distances.
_NEAR, _JITTER = 4.0, 0.45
# The typical distance is that to this neighbour on the map.
_NEIGHBOR = 5
_LONGITUDE, _LATITUDE = ("longitude", "long", "lon", "lng"), ("latitude", "lat")


@dataclass(frozen=True)
class Axis:
    """What a direction of the map means, where it is a column of numbers."""

    name: str  # the column
    kind: str  # "number", "year" or "date"
    start: float  # the value at place 0
    slope: float  # how the value changes from place 0 to place 1


@dataclass(frozen=True)
class RowMap:
    """Places of rows."""

    rows: np.ndarray  # (m,): numbers of the rows that have a place
    places: np.ndarray  # (m, 2): between 0 and 1; the second counts downwards
    reading: str  # what the map shows and how to read it, in sentences
    axes: tuple[Axis, ...] = ()  # to the right and downwards; empty where none


def map_rows(
    view: FittedView, features: Matrix | None, frame: pd.DataFrame | Matrix | None
) -> RowMap | None:
    """Place all rows in the plane.

    Two columns are the two axes. Otherwise the representatives, or a sample of the
    rows, are laid out by the learned graph, and each other row is placed between those
    that are nearest to it, a little off them so that rows do not cover each other.

    None if rows cannot be placed: a method without a graph needs the scaled features.
    """
    plane = _two_columns(frame)
    if plane is not None:
        return plane
    found = map_of(view, features, 4000)
    if found is None:
        return None
    vertices, rows = view.vertices, np.arange(len(view.labels))
    if vertices is not None:
        if vertices.links is None:
            return None
        places = _all_places(found, vertices.representatives.points)
        places = _between(places, vertices.links.nearest, vertices.links.shares)
    elif features is None:
        rows, places = found.vertices, found.places
    else:
        places = _all_places(found, features)
    return RowMap(rows, in_unit_square(places), _reading(found, view))


def _all_places(found: VertexMap, points: Matrix) -> np.ndarray:
    """Places of all vertices; one that was not laid out is beside the nearest."""
    if len(found.vertices) == found.n_vertices:
        return found.places
    index = NearestNeighbors(n_neighbors=1).fit(points[found.vertices])
    nearest = index.kneighbors(points, return_distance=False)[:, 0]
    places = found.places[nearest] + _offsets(found.places, len(nearest))
    places[found.vertices] = found.places
    return places


def _between(places: np.ndarray, nearest: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Weighted means of the places of near vertices, each row a little off."""
    near = places[nearest]
    off = _offsets(places, len(nearest))
    reach = _NEAR * _typical_gap(places)
    is_far = np.linalg.norm(near - near[:, :1], axis=2) > reach
    # The nearest vertex keeps a weight where it has no share.
    weights = np.where(is_far, 0.0, np.maximum(shares, np.finfo(np.float32).tiny))
    weights /= weights.sum(axis=1, keepdims=True)
    # The first row of each vertex is exactly there.
    off[np.unique(nearest[:, 0], return_index=True)[1]] = 0.0
    return np.einsum("nk,nkj->nj", weights, near) + off


def _offsets(places: np.ndarray, n: int) -> np.ndarray:
    return np.random.default_rng(0).normal(0, _JITTER * _typical_gap(places), (n, 2))


def _typical_gap(places: np.ndarray) -> float:
    if len(places) < 2:
        return 0.0
    k = min(_NEIGHBOR, len(places) - 1)
    return float(
        np.median(NearestNeighbors(n_neighbors=k).fit(places).kneighbors()[0][:, -1])
    )


def _two_columns(frame: pd.DataFrame | Matrix | None) -> RowMap | None:
    """The rows as they are, if there are two columns of numbers."""
    if frame is None or sparse.issparse(frame) or frame.shape[1] != 2:
        return None
    names, kinds = effects.feature_names(frame), _kinds(frame)
    if "category" in kinds:
        return None
    values = _numbers(frame)
    known = np.isfinite(values).all(axis=1)
    rows, points = np.flatnonzero(known), values[known]
    if not len(rows):
        return None
    years = [effects.are_years(numbers) for numbers in points.T]
    kinds = ["year" if y else kind for y, kind in zip(years, kinds, strict=True)]
    words = [name.strip().lower() for name in names]
    if words[0] in _LATITUDE and words[1] in _LONGITUDE:
        points, names, words = points[:, ::-1], names[::-1], words[::-1]
    reading = f"{names[0]} grows from left to right, and {names[1]} from bottom to top."
    low, high = points.min(axis=0), points.max(axis=0)
    width = np.where(high > low, high - low, 1.0)
    # Height of a picture of two columns, as a share of its width.
    slopes = (width[0], -width[1] / 0.75)
    if words[0] in _LONGITUDE and words[1] in _LATITUDE:
        # A degree of longitude is shorter than one of latitude, but on the equator.
        flat = np.cos(np.radians(np.clip(points[:, 1].mean(), -80, 80)))
        slope = float((width * (flat, 1.0)).max())
        slopes, kinds = (slope / flat, -slope), ["number", "number"]
        reading = "The map shows longitude and latitude."
    starts = (low[0], high[1])
    axes = tuple(map(Axis, names, kinds, map(float, starts), map(float, slopes)))
    return RowMap(rows, (points - starts) / slopes, reading, axes)


def _kinds(frame: pd.DataFrame | Matrix) -> list[str]:
    if not isinstance(frame, pd.DataFrame):
        return ["number", "number"]
    return [effects.column_kind(frame.iloc[:, j]) for j in (0, 1)]


def _numbers(frame: pd.DataFrame | Matrix) -> np.ndarray:
    if not isinstance(frame, pd.DataFrame):
        return np.asarray(frame, dtype=np.float64)
    return np.column_stack([effects.numbers_of(frame.iloc[:, j]) for j in (0, 1)])


def _reading(found: VertexMap, view: FittedView) -> str:
    text = (
        "Rows that are alike are close together. The distance between islands has "
        "little meaning, and there are no axes."
    )
    if view.vertices is not None and view.vertices.noun == "anchors":
        text += (
            f" {found.n_vertices:,} typical rows were laid out, and all other rows are "
            "placed beside those that they resemble most."
        )
    elif len(found.vertices) < len(view.labels):
        text += f" {len(found.vertices):,} rows were laid out, the others beside them."
    return text
