"""Whether the clusters depend on the settings of a fit."""

from dataclasses import dataclass
from typing import Self

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
from graphtailor.linalg.types import MatrixLike
from graphtailor.plot.cell_map import color_cells, frame_cell, name_cells
from graphtailor.plot.style import PictureDisplay, write_caption


@dataclass(eq=False, repr=False)
class SettingsDisplay(PictureDisplay):
    """Picture of the agreement between the clusters of a fit and of other settings."""

    settings: SettingsAgreement

    @classmethod
    def from_estimator(
        cls, model: FittedModel, X: MatrixLike, *, ax: Axes | None = None
    ) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.settings`."""
        return cls(neighboring_settings(model, X)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on a new pyplot figure if `ax` is None."""
        ax = self._take_axes(ax, (5.6, 5.6))
        found, steps = self.settings, neighbor_steps(self.settings)
        texts = [[f"{value:.2f}" for value in row] for row in found.agreement]
        color_cells(ax, found.agreement, texts)
        frame_cell(ax, *found.kept)
        if steps:
            values = np.array([[value for _, value, _ in steps]])
            kept = [is_kept for _, _, is_kept in steps].index(True)
            names = [f"{value:.2f}\n{k:,} neighbours" for k, value, _ in steps]
            # Gap between the map and the row of neighbours, in heights of a cell.
            below = len(found.alphas) + 0.35
            color_cells(ax, values, [names], top=below)
            frame_cell(ax, below, kept)
        alphas, betas = (map(readable_number, w) for w in (found.alphas, found.betas))
        name_cells(ax, list(alphas), list(betas), "beta, the weight of the given graph")
        ax.set_title(settings_finding(found), wrap=True)
        write_caption(ax, reading_sentence(found), below=10, width=66)
        return self


def settings(model: FittedModel, X: MatrixLike, ax: Axes | None = None) -> Axes:
    """Draw whether the clusters depend on the settings of a fit.

    A joint model is fitted again with other weights and numbers of neighbours, by
    :func:`~graphtailor.diagnostics.sensitivity.neighboring_settings`.

    The model is a GraphTailor or JointModel, and X is what it was fitted to.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from graphtailor import GraphTailor, plot
    >>> X, _ = make_blobs(90, centers=3, cluster_std=0.3, random_state=0)
    >>> plot.settings(GraphTailor(3, random_state=0).fit(X), X).get_title()
    'The clusters stay the same over all 11 neighbouring settings'
    """
    return SettingsDisplay.from_estimator(model, X, ax=ax).ax_
