"""SVG inside a page, in the colours and the font of the page: figures, small maps."""

import hashlib
import re
from io import StringIO
from typing import Any

import matplotlib
import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from graphtailor.diagnostics.formatting import PALETTE, cluster_style, is_square
from graphtailor.plot.style import ACCENT, INK, LINE, SOFT

# The second part is for a place without the colours of our pages, like a notebook.
_PAGE_COLORS = {
    INK: "var(--ink, currentColor)",
    SOFT: "var(--soft, currentColor)",
    LINE: "var(--line, #88888888)",
    ACCENT: f"var(--accent, {ACCENT})",
    **{color: f"var(--k{k}, {color})" for k, color in enumerate(PALETTE)},
}
# Parts of a file of its own that a page does not need, or that would change the page.
_NOT_IN_A_PAGE = (
    r"<metadata>.*?</metadata>",
    r"<style .*?</style>",
    r' xmlns(:xlink)?="[^"]*"',
    # Such as "patch_1": nothing refers to these names, and all pictures share them.
    r' id="[A-Za-z0-9.]+_\d+"',
    r" font-family: [^;]*;",
    r"\n *",
)
# Places on the paper, of which the hundredth of a point is not visible.
_LONG_PLACES = re.compile(r' (?:d|x|y|transform)="[^"]*"')
_DIGITS = re.compile(r"(\.\d\d)\d+")
# The stylesheet that was left out, for this picture alone.
_STROKES = "stroke-linejoin: round; stroke-linecap: butt"
_WIDTH = 1000
_EDGE = 30
_MOST_NUMBERS = 60


def inline_svg(figure: Figure, description: str) -> Markup:
    """A figure as SVG that follows the colours of the page, light or dark.

    The description is for readers who cannot see the figure.
    """
    content = StringIO()
    # Names inside the picture must differ from those of other pictures on the page.
    salt = hashlib.sha256(description.encode()).hexdigest()[:12]
    with matplotlib.rc_context({"svg.hashsalt": salt, "svg.fonttype": "none"}):
        figure.savefig(content, format="svg", metadata={"Date": None})
    text = content.getvalue()
    text = text[text.index("<svg") :].replace("xlink:href", "href")
    for part in _NOT_IN_A_PAGE:
        text = re.sub(part, "", text, flags=re.DOTALL)
    text = _LONG_PLACES.sub(lambda found: _DIGITS.sub(r"\1", found[0]), text)
    for stand_in, color in _PAGE_COLORS.items():
        text = text.replace(stand_in, color)
    # A page that is narrower than this share of the figure's own width scrolls.
    width = f"min-width: {72 * 0.6 * figure.get_figwidth():.0f}pt"
    label = Markup('<svg class="figure" role="img" style="{}; {}" aria-label="{}"')
    opening = label.format(width, _STROKES, description)
    return Markup(text.replace("<svg", str(opening), 1))


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
