"""Figures as SVG inside a page, in the colours and the font of the page."""

import hashlib
import re
from io import StringIO

import matplotlib
from markupsafe import Markup
from matplotlib.figure import Figure

from graphtailor.diagnostics.formatting import PALETTE
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
# A page that is narrower than this share of the figure's own width scrolls.
_LEAST_WIDTH = 0.6
# The stylesheet that was left out, for this picture alone.
_STROKES = "stroke-linejoin: round; stroke-linecap: butt"


def _short_places(found: re.Match[str]) -> str:
    return _DIGITS.sub(r"\1", found[0])


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
    text = _LONG_PLACES.sub(_short_places, text)
    for stand_in, color in _PAGE_COLORS.items():
        text = text.replace(stand_in, color)
    width = f"min-width: {72 * _LEAST_WIDTH * figure.get_figwidth():.0f}pt"
    label = Markup('<svg class="figure" role="img" style="{}; {}" aria-label="{}"')
    opening = label.format(width, _STROKES, description)
    return Markup(text.replace("<svg", str(opening), 1))
