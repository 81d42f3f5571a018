"""How far the clusters hang on the settings of a fit."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from graphtailor.joint.neighboring_settings import (
    SettingsAgreement,
    neighboring_settings,
)
from graphtailor.plot.style import INK, PictureDisplay, write_caption
from graphtailor.report.settings import (
    SIZE_NAMES,
    reading_sentence,
    settings_finding,
    size_steps,
)
from graphtailor.report.values import readable_number

_COLORS = "cividis"
# Between the map and the row of sizes, in heights of a cell.
_GAP = 0.35


class SettingsDisplay(PictureDisplay):
    """Picture of the agreement between the kept clusters and other settings'.

    Parameters
    ----------
    settings : SettingsAgreement
        Settings that were tried, and the agreement at each.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.plot import SettingsDisplay
    >>> X = load_iris().data
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(X)
    >>> SettingsDisplay.from_estimator(model, X).settings.agreement.shape
    (3, 3)
    """

    def __init__(self, settings: SettingsAgreement) -> None:
        self.settings = settings

    @classmethod
    def from_estimator(cls, model: Any, X: Any, *, ax: Axes | None = None) -> Self:
        """Fit a model again at neighbouring settings, and draw the agreement.

        Parameters
        ----------
        model : GraphTailor
            Fitted.
        X : {array-like, sparse matrix} of shape (n, d) or (n, n)
            What it was fitted to.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure of its own.

        Returns
        -------
        SettingsDisplay
            Drawn.
        """
        return cls(neighboring_settings(model, X)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; on a figure of its own if `ax` is None."""
        ax = self._take_axes(ax, (5.6, 5.6))
        found, steps = self.settings, size_steps(self.settings)
        _draw_cells(ax, found.agreement, 0.0, found.kept)
        if steps:
            noun = SIZE_NAMES[found.size_name]
            values = np.array([[value for _, value, _ in steps]])
            kept = [is_kept for _, _, is_kept in steps].index(True)
            names = [f"\n{size:,} {noun}" for size, _, _ in steps]
            _draw_cells(ax, values, len(found.alphas) + _GAP, (0, kept), names)
        ax.invert_yaxis()
        self._name_axes(ax)
        ax.set_title(settings_finding(found), wrap=True)
        write_caption(ax, reading_sentence(found), below=0.04, width=66)
        return self

    def _name_axes(self, ax: Axes) -> None:
        found = self.settings
        ax.set_yticks(
            range(len(found.alphas)), list(map(readable_number, found.alphas))
        )
        ax.set_xticks(range(len(found.betas)), list(map(readable_number, found.betas)))
        ax.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
        ax.xaxis.set_label_position("top")
        ax.set_xlabel("beta, the weight of the given graph")
        ax.set_ylabel("alpha, the weight of self-expression")
        for spine in ax.spines.values():
            spine.set_visible(False)


def _draw_cells(
    ax: Axes,
    values: np.ndarray,
    top: float,
    kept: tuple[int, int],
    names: list[str] | None = None,
) -> None:
    """Cells with their values, below each other from `top` on; the kept one framed."""
    rows, columns = np.arange(values.shape[0] + 1), np.arange(values.shape[1] + 1)
    ax.pcolormesh(
        columns - 0.5,
        rows - 0.5 + top,
        values,
        cmap=_COLORS,
        vmin=0,
        vmax=1,
        edgecolors="white",
        linewidth=2,
    )
    for i, j in np.ndindex(values.shape):
        color = INK if values[i, j] > 0.6 else "white"
        told = f"{values[i, j]:.2f}{names[j] if names else ''}"
        ax.text(j, i + top, told, ha="center", va="center", color=color)
    corner = (kept[1] - 0.46, kept[0] - 0.46 + top)
    ax.add_patch(Rectangle(corner, 0.92, 0.92, fill=False, ec=INK, lw=2.5))


def settings(model: Any, X: Any, ax: Axes | None = None) -> Axes:
    """Draw how far the clusters hang on the settings of a fit.

    The model is fitted again at other weights and with other neighbourhoods, as told in
    :func:`~graphtailor.joint.neighboring_settings.neighboring_settings`.

    Parameters
    ----------
    model : GraphTailor
        Fitted.
    X : {array-like, sparse matrix} of shape (n, d) or (n, n)
        What it was fitted to.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure of its own.

    Returns
    -------
    Axes
        A row for each alpha, a column for each beta, and below the size of the graph.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from graphtailor import GraphTailor, plot
    >>> X, _ = make_blobs(90, centers=3, cluster_std=0.3, random_state=0)
    >>> plot.settings(GraphTailor(3, random_state=0).fit(X), X).get_title()
    'The clusters stay the same over all 11 settings tried'
    """
    return SettingsDisplay.from_estimator(model, X, ax=ax).ax_
