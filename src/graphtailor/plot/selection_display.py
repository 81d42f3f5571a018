"""The settings that a fit tried, and the one it chose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from matplotlib.axes import Axes

from graphtailor.diagnostics.formatting import readable_number
from graphtailor.diagnostics.model_access import FittedModel, view_of
from graphtailor.diagnostics.selection import (
    Selection,
    selection_finding,
    selection_map,
    selection_reading,
)
from graphtailor.plot.cell_map import draw_cells, name_cells
from graphtailor.plot.style import PictureDisplay, write_caption


@dataclass(eq=False, repr=False)
class SelectionDisplay(PictureDisplay):
    """Picture of the settings among which a fit chose without labels.

    Parameters
    ----------
    selection : Selection
        Settings that were tried, and how well the clusters of each agree with all.
    """

    selection: Selection

    @classmethod
    def from_estimator(cls, model: FittedModel, *, ax: Axes | None = None) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.selection`."""
        view = view_of(model)
        found = selection_map(view)
        if found is None:
            raise ValueError(
                f"{view.name} has no selection_: it tried one setting. Fit "
                "GraphTailor with alpha='auto' to features of at most 5,000 samples."
            )
        return cls(found).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on a new pyplot figure if `ax` is None."""
        ax = self._take_axes(ax, (5.6, 5.6))
        found = self.selection
        draw_cells(ax, found.agreement, found.kept)
        alphas = [readable_number(alpha) for alpha in found.alphas]
        steps = [str(number) for number in found.diffusions]
        name_cells(ax, alphas, steps, "diffusion, the steps that spread the graph")
        ax.set_title(selection_finding(found), wrap=True)
        write_caption(ax, selection_reading(found), below=0.04, width=66)
        return self


def selection(model: FittedModel, ax: Axes | None = None) -> Axes:
    """Draw the settings that a fit tried, with a frame around the chosen one.

    The picture shows how `alpha` and `diffusion` were chosen. Whether the clusters
    would stay the same at similar settings is shown by
    :func:`~graphtailor.plot.settings`.

    Parameters
    ----------
    model : GraphTailor
        Fitted, with `selection_`.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new pyplot figure, which notebooks show.

    Returns
    -------
    Axes
        A row for each alpha, a column for each diffusion.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(load_wine().data)
    >>> plot.selection(model).get_title()
    'alpha = ... was chosen: ...'
    """
    return SelectionDisplay.from_estimator(model, ax=ax).ax_
