"""Coloured cells with their values: the one way to draw a table of numbers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from graphtailor.plot.style import INK

SHARES = Normalize(0, 1)
ALPHA_NAME = "alpha, the weight of self-expression"


def color_cells(
    ax: Axes,
    values: np.ndarray,
    texts: Sequence[Sequence[str]],
    norm: Normalize | None = SHARES,
    colors: str = "cividis",
    top: float = 0.0,
) -> None:
    """Draw cells around whole numbers, the first row at `top`; nan stays empty."""
    rows, columns = (np.arange(k + 1) - 0.5 for k in values.shape)
    mesh = ax.pcolormesh(
        columns,
        rows + top,
        np.ma.masked_invalid(values),
        norm=norm,
        cmap=colors,
        edgecolors="none",
        linewidth=0,
    )
    # Up to this many columns the text of a cell has its usual size.
    size = "small" if values.shape[1] <= 8 else 6.5
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            red, green, blue, _ = mesh.to_rgba(value)
            is_light = 0.3 * red + 0.59 * green + 0.11 * blue > 0.45
            color = "#000000" if is_light else "#ffffff"
            place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size}
            ax.text(j, i + top, texts[i][j], color=color, **place)


def frame_cell(ax: Axes, row: float, column: float) -> None:
    """Draw a frame around the cell of the values that were kept."""
    corner = (column - 0.46, row - 0.46)
    ax.add_patch(Rectangle(corner, 0.92, 0.92, fill=False, ec=INK, lw=2.5))


def name_cells(
    ax: Axes, rows: Sequence[str], columns: Sequence[str], column_name: str
) -> None:
    """Name the rows, one for each alpha, and the columns; remove the outer frame."""
    ax.invert_yaxis()
    ax.set_yticks(range(len(rows)), rows)
    ax.set_xticks(range(len(columns)), columns)
    ax.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    ax.xaxis.set_label_position("top")
    ax.set_xlabel(column_name)
    ax.set_ylabel(ALPHA_NAME)
    ax.spines[:].set_visible(False)
