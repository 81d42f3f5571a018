"""The common look of the pictures."""

from __future__ import annotations

from textwrap import fill

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from graphtailor.diagnostics.palette import PALETTE

INK = "#222222"
SOFT = "#555555"
LINE = "#3b6ea5"
_CAPTION_WIDTH = 58


def cluster_marker(cluster: int) -> str:
    """Shape of a cluster's points: another one each time the colours come again."""
    return "os^Dv"[cluster // len(PALETTE) % 5]


def write_caption(
    ax: Axes, text: str, below: float = 0.15, width: int = _CAPTION_WIDTH
) -> None:
    """A sentence below the axes on how to read the picture."""
    ax.annotate(
        fill(text, width),
        (0, -below),
        xycoords="axes fraction",
        va="top",
        fontsize="small",
        color=SOFT,
    )


class PictureDisplay:
    """What all pictures share: where they are drawn.

    A picture without axes of its own is drawn on a figure that pyplot knows nothing of,
    so that nobody has to close it.

    Attributes
    ----------
    ax_ : Axes
        Where it was drawn.
    figure_ : Figure
        The figure around it.
    """

    ax_: Axes
    figure_: Figure

    def _take_axes(self, ax: Axes | None, size: tuple[float, float]) -> Axes:
        if ax is None:
            ax = Figure(figsize=size, layout="constrained").subplots()
        figure = ax.get_figure(root=True)
        assert figure is not None
        self.ax_, self.figure_ = ax, figure
        return ax
