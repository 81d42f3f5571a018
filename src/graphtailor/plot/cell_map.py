"""A map of settings: coloured cells with their values, one of them in a frame."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from graphtailor.plot.style import INK

CELL_COLORS = "cividis"
ALPHA_NAME = "alpha, the weight of self-expression"


def draw_cells(
    ax: Axes,
    values: np.ndarray,
    kept: tuple[int, int],
    *,
    top: float = 0.0,
    names: Sequence[str] | None = None,
) -> None:
    """Draw cells with their values, between 0 and 1, and a frame around the kept one.

    Cells of nan stay empty. The first row stands at `top`; `names` stand below the
    values of the columns.
    """
    rows, columns = np.arange(values.shape[0] + 1), np.arange(values.shape[1] + 1)
    ax.pcolormesh(
        columns - 0.5,
        rows - 0.5 + top,
        values,
        cmap=CELL_COLORS,
        vmin=0,
        vmax=1,
        edgecolors="white",
        linewidth=2,
    )
    for i, j in zip(*np.nonzero(np.isfinite(values)), strict=True):
        color = INK if values[i, j] > 0.6 else "white"
        text = f"{values[i, j]:.2f}{names[j] if names else ''}"
        ax.text(j, i + top, text, ha="center", va="center", color=color)
    corner = (kept[1] - 0.46, kept[0] - 0.46 + top)
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
    for spine in ax.spines.values():
        spine.set_visible(False)
