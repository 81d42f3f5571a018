"""The common look of all pictures."""

from collections.abc import Sequence
from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graphtailor.diagnostics.formatting import PALETTE

# A page replaces these colours by its own: see graphtailor.plot.inline_svg.
INK, SOFT, LINE, ACCENT = "#101112", "#606162", "#c0c1c2", "#3b6ea5"
_CAPTION_WIDTH = 58


def new_figure(width: float, height: float) -> Figure:
    """An empty figure for a page: size in inches, no background, not in pyplot."""
    return Figure((width, height), layout="constrained", facecolor="none")


def plain_axes(ax: Axes, keep: Sequence[str] = ("bottom",)) -> None:
    """Axes without background, with thin lines on the kept sides and no tick marks."""
    ax.patch.set_alpha(0)
    for side, spine in ax.spines.items():
        spine.set_visible(side in keep)
        spine.set_color(LINE)
    ax.tick_params(colors=INK, labelsize=9, length=0)


def cluster_marker(cluster: int) -> str:
    """Shape of a cluster's points: a new shape each time the colours repeat."""
    return "os^Dv"[cluster // len(PALETTE) % 5]


def write_caption(
    ax: Axes, text: str, below: float = 40, width: int = _CAPTION_WIDTH
) -> None:
    """A sentence on how to read the picture, this many points below the axes."""
    ax.annotate(
        fill(text, width),
        (0, 0),
        xytext=(0, -below),
        xycoords="axes fraction",
        textcoords="offset points",
        va="top",
        fontsize="small",
        color=SOFT,
    )


class PictureDisplay:
    """Base of all displays: the axes of a picture.

    Attributes
    ----------
    ax_ : Axes
        The axes that were drawn on.
    figure_ : Figure
        The figure around them.
    """

    ax_: Axes
    figure_: Figure

    def _take_axes(self, ax: Axes | None, size: tuple[float, float]) -> Axes:
        if ax is None:
            # Imported here: pages and files are drawn without pyplot, which would
            # choose a backend for windows.
            from matplotlib import pyplot

            ax = pyplot.figure(figsize=size, layout="constrained").subplots()
        figure = ax.get_figure(root=True)
        assert figure is not None
        self.ax_, self.figure_ = ax, figure
        return ax
