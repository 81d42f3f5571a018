"""Figures as SVG inside a page, in the page's own colours."""

from __future__ import annotations

import hashlib
import re
from io import StringIO

import matplotlib
from markupsafe import Markup
from matplotlib.figure import Figure

from graphtailor.plot.bench_figures import ACCENT, INK, LINE, SOFT

_PAGE_COLORS = {
    INK: "var(--ink)",
    SOFT: "var(--soft)",
    LINE: "var(--line)",
    ACCENT: "var(--accent)",
}
# As a share of the figure's own width.
_LEAST_WIDTH = 0.6


def inline_svg(figure: Figure, description: str) -> Markup:
    """A figure as SVG that follows the page into the dark.

    Parameters
    ----------
    figure : Figure
        Drawn with the colours of :mod:`graphtailor.plot.bench_figures`.
    description : str
        For those who cannot see it.

    Returns
    -------
    Markup
        An svg element.
    """
    content = StringIO()
    # Names inside the picture must differ from those of the others on the page.
    salt = hashlib.sha256(description.encode()).hexdigest()[:12]
    with matplotlib.rc_context({"svg.hashsalt": salt}):
        figure.savefig(content, format="svg", metadata={"Date": None})
    text = content.getvalue()
    text = text[text.index("<svg") :]
    for stand_in, color in _PAGE_COLORS.items():
        text = text.replace(stand_in, color)
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    # Such as "patch_1": nothing refers to them, and every picture has them.
    text = re.sub(r' id="[A-Za-z0-9.]+_\d+"', "", text)
    text = text.replace("DejaVuSans-", f"glyph-{salt}-")
    # On a narrow page it is moved rather than shrunk until nothing can be read.
    width = f"min-width: {72 * _LEAST_WIDTH * figure.get_figwidth():.0f}pt"
    label = Markup('<svg role="img" style="{}" aria-label="{}"').format(
        width, description
    )
    return Markup(text.replace("<svg", str(label), 1))
