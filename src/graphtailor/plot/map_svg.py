"""A small map of rows as SVG, with the data that its script shows at a point."""

from typing import Any

import numpy as np
from markupsafe import Markup

from graphtailor.diagnostics.formatting import cluster_style, is_square

_WIDTH = 1000
_EDGE = 30
_MOST_NUMBERS = 60


def map_places(places: np.ndarray) -> tuple[np.ndarray, int]:
    """Places in whole units of the picture, and its height."""
    on_page = np.round(_EDGE + (_WIDTH - 2 * _EDGE) * places).astype(int)
    return on_page, int(on_page[:, 1].max(initial=0)) + _EDGE


def map_svg(
    places: np.ndarray,
    height: int,
    labels: np.ndarray,
    panel: int,
    description: str,
    *,
    numbered: bool = True,
) -> Markup:
    """A map that is complete without a script: a path of dots for each cluster.

    The places come from :func:`map_places`. `panel` is the number of the map among the
    maps of the page with the same points; the description is for readers who cannot see
    the map.
    """
    dot = 1.6 * float(np.clip(260 / np.sqrt(max(len(places), 1)), 7, 17))
    opening = Markup(
        '<svg class="map" role="img" viewBox="0 0 {} {}" data-panel="{}" '
        'style="--dot: {:.1f}px" aria-label="{}">'
    )
    parts = [opening.format(_WIDTH, height, panel, dot, description)]
    clusters = np.unique(labels)
    for k in clusters:
        shape = "dots square" if is_square(k) else "dots"
        # Printers drop the square end of a line without length.
        path = "".join(f"M{x} {y}h.1" for x, y in places[labels == k].tolist())
        group = Markup('<g class="{}" style="{}"><path d="{}"/></g>')
        parts.append(group.format(shape, cluster_style(k), path))
    if numbered and len(clusters) <= _MOST_NUMBERS:
        parts += [_number(places[labels == k], int(k)) for k in clusters if k >= 0]
    parts.append(Markup('<circle class="here" r="{:.0f}"/></svg>').format(dot))
    return Markup("").join(parts)


def map_data(
    places: np.ndarray, names: list[str], panels: list[dict[str, Any]]
) -> dict[str, Any]:
    """Data for the script of maps with the same points, as plain values for JSON.

    Each panel is one map: "labels" and optionally "notes", a text for each point.
    """
    return {
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "names": names,
        "panels": panels,
    }


def _number(places: np.ndarray, k: int) -> Markup:
    """The cluster's number at one of its points, for readers without colour."""
    middle = np.median(places, axis=0)
    x, y = places[np.linalg.norm(places - middle, axis=1).argmin()]
    return Markup('<text x="{}" y="{}">{}</text>').format(int(x), int(y), k)
