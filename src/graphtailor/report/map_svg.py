"""A map of rows as SVG, and what a script needs to name the point under the pointer."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup

from graphtailor.diagnostics.palette import cluster_style, is_square

_WIDTH = 1000
_EDGE = 30
_MOST_NUMBERS = 60
# Of the page in its own units, which so many points fill.
_PAGE_WIDTH, _FEW = 68, 60


def map_places(places: np.ndarray) -> tuple[np.ndarray, int]:
    """Whole places on a page, and the height that they need."""
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
    """A map, complete without a script.

    Parameters
    ----------
    places : ndarray of shape (m, 2), int
        From :func:`map_places`.
    height : int
        Of the picture.
    labels : ndarray of shape (m,)
        Clusters.
    panel : int
        Number of the map among those of the page that share their points.
    description : str
        For those who cannot see it.
    lines : ndarray of shape (k, 2) or None, default=None
        Pairs of points to join.
    doubtful : ndarray of shape (m,), bool, or None, default=None
        Points to draw hollow.
    is_small : bool, default=False
        Whether it is shown small, and wants larger points.

    Returns
    -------
    Markup
        An svg element: a path of dots for each cluster, and their numbers.
    """
    # A few points over a whole page would look like nothing.
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
        # Of few points none may be hidden.
        lift = 0.0 if share == 1 else 1.6 * dot
        parts += [_number(places[labels == k], int(k), lift) for k in clusters]
    parts.append(Markup('<circle class="here" r="{:.0f}"/></svg>').format(dot))
    return Markup("").join(parts)


def map_data(
    places: np.ndarray, names: list[str], panels: list[dict[str, Any]]
) -> dict[str, Any]:
    """What the script of a page must know of the maps that share their points.

    Parameters
    ----------
    places : ndarray of shape (m, 2), int
        Of the points.
    names : list of str
        Of the points.
    panels : list of dict
        For each map "labels", and if it likes "notes": a text for each point.

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
    """CSS of a map that takes a share of the page; its numbers stay as large."""
    if share == 1:
        return ""
    return f"; --big: {1 / share:.2f}; max-width: {share * _PAGE_WIDTH:.0f}rem"


def _dots(places: np.ndarray) -> str:
    return "".join(f"M{x} {y}h0" for x, y in places.tolist())


def _number(places: np.ndarray, k: int, lift: float) -> Markup:
    """The cluster's number at one of its points, so that colour is not all."""
    middle = np.median(places, axis=0)
    x, y = places[np.linalg.norm(places - middle, axis=1).argmin()]
    y = max(y - lift, min(y, _EDGE))
    return Markup('<text x="{}" y="{}">{}</text>').format(int(x), int(y), k)
