"""Whether the clusters depend on the settings of a fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes

from graphtailor.diagnostics.formatting import readable_number
from graphtailor.diagnostics.model_access import FittedModel
from graphtailor.diagnostics.sensitivity import (
    SettingsAgreement,
    neighboring_settings,
)
from graphtailor.diagnostics.sensitivity_words import (
    neighbor_steps,
    reading_sentence,
    settings_finding,
)
from graphtailor.plot.cell_map import draw_cells, name_cells
from graphtailor.plot.style import PictureDisplay, write_caption

# Gap between the map and the row of neighbours, in heights of a cell.
_GAP = 0.35


@dataclass(eq=False, repr=False)
class SettingsDisplay(PictureDisplay):
    """Picture of the agreement between the clusters of a fit and of other settings.

    Parameters
    ----------
    settings : SettingsAgreement
        Settings that were tried, and the agreement at each.
    """

    settings: SettingsAgreement

    @classmethod
    def from_estimator(
        cls, model: FittedModel, X: Any, *, ax: Axes | None = None
    ) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.settings`."""
        return cls(neighboring_settings(model, X)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on a new pyplot figure if `ax` is None."""
        ax = self._take_axes(ax, (5.6, 5.6))
        found, steps = self.settings, neighbor_steps(self.settings)
        draw_cells(ax, found.agreement, found.kept)
        if steps:
            values = np.array([[value for _, value, _ in steps]])
            kept = [is_kept for _, _, is_kept in steps].index(True)
            names = [f"\n{k:,} neighbours" for k, _, _ in steps]
            below = len(found.alphas) + _GAP
            draw_cells(ax, values, (0, kept), top=below, names=names)
        alphas, betas = (map(readable_number, w) for w in (found.alphas, found.betas))
        name_cells(ax, list(alphas), list(betas), "beta, the weight of the given graph")
        ax.set_title(settings_finding(found), wrap=True)
        write_caption(ax, reading_sentence(found), below=0.04, width=66)
        return self


def settings(model: FittedModel, X: Any, ax: Axes | None = None) -> Axes:
    """Draw whether the clusters depend on the settings of a fit.

    A joint model is fitted again with other weights and numbers of neighbours, by
    :func:`~graphtailor.diagnostics.sensitivity.neighboring_settings`.

    Parameters
    ----------
    model : GraphTailor or JointModel
        Fitted.
    X : {array-like, sparse matrix} of shape (n, d) or (n, n)
        What it was fitted to.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new pyplot figure, which notebooks show.

    Returns
    -------
    Axes
        A row for each alpha, a column for each beta, and a last row for neighbours.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from graphtailor import GraphTailor, plot
    >>> X, _ = make_blobs(90, centers=3, cluster_std=0.3, random_state=0)
    >>> plot.settings(GraphTailor(3, random_state=0).fit(X), X).get_title()
    'The clusters stay the same over all 11 neighbouring settings'
    """
    return SettingsDisplay.from_estimator(model, X, ax=ax).ax_
