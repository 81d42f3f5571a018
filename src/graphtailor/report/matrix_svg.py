"""Graphs as matrices ordered by cluster, for a page: pixels inside an SVG."""

from __future__ import annotations

from base64 import b64encode
from io import BytesIO

import numpy as np
from markupsafe import Markup
from matplotlib.image import imsave

from graphtailor.diagnostics.palette import cluster_style

MATRIX_PIXELS = 420
_SIDE = 400
_STRIP = 12
# Between white and black: strong ties stand out on a light and on a dark page.
_COLOR = (207, 78, 16)
# Weak ties differ in more than the eye sees on a straight scale.
_POWER = 0.6


def matrix_svg(
    image: np.ndarray, sizes: np.ndarray, top: float, description: str
) -> Markup:
    """A matrix of weights with strips that say which cluster is where.

    Parameters
    ----------
    image : ndarray of shape (p, p)
        Weights.
    sizes : ndarray of shape (c,)
        Vertices in each cluster, in the order of the rows.
    top : float
        Weight of the full colour.
    description : str
        For those who cannot see it.

    Returns
    -------
    Markup
        An svg element with the pixels inside.
    """
    total = _SIDE + _STRIP + 4
    sharp = "pixelated" if len(image) < _SIDE else "auto"
    parts = [
        Markup(
            '<svg class="matrix" role="img" viewBox="0 0 {0} {0}" aria-label="{1}">'
            '<image x="{2}" y="{2}" width="{3}" height="{3}" href="{4}" '
            'preserveAspectRatio="none" style="image-rendering: {5}"/>'
            '<rect class="frame" x="{2}" y="{2}" width="{3}" height="{3}"/>'
        ).format(total, description, _STRIP + 4, _SIDE, pixels_uri(image, top), sharp)
    ]
    ends = np.cumsum(sizes) / max(int(sizes.sum()), 1) * _SIDE + _STRIP + 4
    begins = np.concatenate([[_STRIP + 4.0], ends[:-1]])
    for k in np.flatnonzero(sizes).tolist():
        length = ends[k] - begins[k]
        parts.append(
            Markup(
                '<g style="{0}"><rect x="{1:.1f}" y="0" width="{2:.1f}" height="{3}"/>'
                '<rect y="{1:.1f}" x="0" height="{2:.1f}" width="{3}"/></g>'
            ).format(cluster_style(k), begins[k], max(length - 1, 0.5), _STRIP)
        )
        if length >= 14:
            middle = begins[k] + length / 2
            parts.append(
                Markup(
                    '<text x="{0:.1f}" y="9.5">{1}</text>'
                    '<text x="{2}" y="{3:.1f}">{1}</text>'
                ).format(middle, k, _STRIP / 2, middle + 3.5)
            )
    return Markup("").join([*parts, Markup("</svg>")])


def pixels_uri(image: np.ndarray, top: float) -> str:
    """Weights as a PNG of one colour, more or less opaque."""
    opacity = np.clip(image / max(top, np.finfo(float).tiny), 0, 1) ** _POWER
    pixels = np.empty((*image.shape, 4), dtype=np.uint8)
    pixels[..., :3] = _COLOR
    pixels[..., 3] = np.round(255 * opacity)
    content = BytesIO()
    imsave(content, pixels, format="png")
    return "data:image/png;base64," + b64encode(content.getvalue()).decode("ascii")
