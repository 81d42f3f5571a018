"""A map of rows as SVG, with the data that its script shows at a point."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from graphtailor.diagnostics.formatting import cluster_style, is_square
from graphtailor.diagnostics.graph_map import VertexMap

_WIDTH = 1000
_EDGE = 30
_MOST_NUMBERS = 60
# Width of the page in rem; maps of fewer points than this are narrower.
_PAGE_WIDTH, _FEW = 68, 60


def map_places(places: np.ndarray) -> tuple[np.ndarray, int]:
    """Places in whole units of the picture, and its height."""
    on_page = np.round(_EDGE + (_WIDTH - 2 * _EDGE) * places).astype(int)
    return on_page, int(on_page[:, 1].max(initial=0)) + _EDGE


def map_svg(
    places: np.ndarray,
    height: int,
    labels: np.ndarray,
    *,
    panel: int,
    description: str,
    lines: np.ndarray | None = None,
    doubtful: np.ndarray | None = None,
    is_small: bool = False,
) -> Markup:
    """A map that is complete without a script.

    Parameters
    ----------
    places : ndarray of shape (m, 2), int
        From :func:`map_places`.
    height : int
        Height of the picture.
    labels : ndarray of shape (m,)
        Clusters.
    panel : int
        Number of the map among the maps of the page with the same points.
    description : str
        What the map shows, for readers who cannot see it.
    lines : ndarray of shape (k, 2) or None, default=None
        Pairs of points to join.
    doubtful : ndarray of shape (m,), bool, or None, default=None
        Points to draw hollow.
    is_small : bool, default=False
        Whether the map is shown small and needs larger points.

    Returns
    -------
    Markup
        An svg element: a path of dots for each cluster, and their numbers.
    """
    # A few points would be lost on a map as wide as the page.
    share = 1.0 if is_small else float(np.clip(np.sqrt(len(places) / _FEW), 0.45, 1))
    dot = (1.6 if is_small else 1.0 / share) * float(
        np.clip(260 / np.sqrt(max(len(places), 1)), 7, 17)
    )
    parts = [
        Markup(
            '<svg class="map{}" role="img" viewBox="0 0 {} {}" data-panel="{}" '
            'style="{}" aria-label="{}">'
        ).format(
            *(" small" if is_small else "", _WIDTH, height, panel),
            *(f"--dot: {dot:.1f}px{_narrow(share)}", description),
        )
    ]
    if lines is not None and len(lines):
        ends = places[lines]
        path = "".join(f"M{a} {b}L{c} {d}" for (a, b), (c, d) in ends.tolist())
        parts.append(Markup('<path class="ties" d="{}"/>').format(path))
    clusters = np.unique(labels)
    for k in clusters:
        mine = labels == k
        shape = "dots square" if is_square(k) else "dots"
        parts.append(
            Markup('<g class="{}" data-cluster="{}" style="{}"><path d="{}"/>').format(
                shape, int(k), cluster_style(k), _dots(places[mine])
            )
        )
        if doubtful is not None and (mine & doubtful).any():
            hollow = _dots(places[mine & doubtful])
            parts.append(Markup('<path class="hollow" d="{}"/>').format(hollow))
        parts.append(Markup("</g>"))
    if len(clusters) <= _MOST_NUMBERS:
        # On a map of few points the numbers must not cover any.
        lift = 0.0 if share == 1 else 1.6 * dot
        parts += [_number(places[labels == k], int(k), lift) for k in clusters]
    parts.append(Markup('<circle class="here" r="{:.0f}"/></svg>').format(dot))
    return Markup("").join(parts)


def map_data(
    places: np.ndarray, names: list[str], panels: list[dict[str, Any]]
) -> dict[str, Any]:
    """Data for the script of maps with the same points.

    Parameters
    ----------
    places : ndarray of shape (m, 2), int
        Places of the points.
    names : list of str
        Names of the points.
    panels : list of dict
        For each map "labels" and optionally "notes", a text for each point.

    Returns
    -------
    dict
        Plain values for JSON.
    """
    return {
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "names": names,
        "panels": panels,
    }


def _narrow(share: float) -> str:
    """CSS of a map that is narrower than the page; its numbers keep their size."""
    if share == 1:
        return ""
    return f"; --big: {1 / share:.2f}; max-width: {share * _PAGE_WIDTH:.0f}rem"


def _dots(places: np.ndarray) -> str:
    return "".join(f"M{x} {y}h0" for x, y in places.tolist())


def _number(places: np.ndarray, k: int, lift: float) -> Markup:
    """The cluster's number at one of its points, for readers without colour."""
    middle = np.median(places, axis=0)
    x, y = places[np.linalg.norm(places - middle, axis=1).argmin()]
    y = max(y - lift, min(y, _EDGE))
    return Markup('<text x="{}" y="{}">{}</text>').format(int(x), int(y), k)


def map_view(
    found: VertexMap,
    names: list[str],
    notes: list[str],
    doubtful: np.ndarray | None = None,
) -> dict[str, Any]:
    """The map of a fit with its title, data and explanation.

    Parameters
    ----------
    found : VertexMap
        Places, clusters and edges of the points.
    names, notes : list of str
        Name of each point, and a text to show beside it; `notes` may be empty.
    doubtful : ndarray of shape (m,), bool, or None, default=None
        Points to draw hollow.

    Returns
    -------
    dict
        What the template of the page shows.
    """
    places, height = map_places(found.places)
    title = f"Map of {found.source}, coloured by cluster"
    svg = map_svg(
        places,
        height,
        found.labels,
        panel=0,
        description=title,
        lines=found.lines,
        doubtful=doubtful,
    )
    panel = {"labels": found.labels.tolist(), "notes": notes}
    return {
        "title": title,
        "svg": svg,
        "data": map_data(places, names, [panel]),
        "clusters": np.unique(found.labels).tolist(),
        "reading": _reading(found, doubtful),
    }


def _reading(found: VertexMap, doubtful: np.ndarray | None) -> str:
    text = (
        f"Points are {found.noun}, lines are the strongest edges. Points with an edge "
        "are close to each other; the distance between islands has little meaning."
    )
    if doubtful is not None and doubtful.any():
        text += " Hollow points are doubtful."
    if len(found.vertices) < found.n_vertices:
        text += (
            f" Shown is a sample of {len(found.vertices):,} of the "
            f"{found.n_vertices:,} {found.noun}; the edges of each point include those "
            f"of the {found.noun} around it."
        )
    return f"{text} Point at one to see its name."
