"""Which settings a fit tried, and which one it took."""

from __future__ import annotations

from typing import Any, Self

from matplotlib.axes import Axes

from graphtailor.diagnostics.formatting import readable_number
from graphtailor.diagnostics.selection import (
    Selection,
    selection_finding,
    selection_map,
    selection_reading,
)
from graphtailor.plot.cell_map import draw_cells, name_cells
from graphtailor.plot.style import PictureDisplay, write_caption


class SelectionDisplay(PictureDisplay):
    """Picture of the settings among which a fit chose without labels.

    Parameters
    ----------
    selection : Selection
        Settings that were tried, and how far each one's clusters agree with all.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.plot import SelectionDisplay
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> SelectionDisplay.from_estimator(model).selection.agreement.shape
    (3, 1)
    """

    def __init__(self, selection: Selection) -> None:
        self.selection = selection

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Axes | None = None) -> Self:
        """Draw the settings that a fitted model tried.

        Parameters
        ----------
        model : GraphTailor
            Fitted, with `selection_`.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure of its own.

        Returns
        -------
        SelectionDisplay
            Drawn.
        """
        found = selection_map(model)
        if found is None:
            raise ValueError(
                f"{type(model).__name__} has no selection_: it tried one setting. Fit "
                "GraphTailor with alpha='auto' to features of at most 5,000 samples."
            )
        return cls(found).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; on a figure of its own if `ax` is None."""
        ax = self._take_axes(ax, (5.6, 5.6))
        found = self.selection
        draw_cells(ax, found.agreement, found.kept)
        alphas = [readable_number(alpha) for alpha in found.alphas]
        steps = [str(number) for number in found.diffusions]
        name_cells(ax, alphas, steps, "diffusion, the steps that spread the graph")
        ax.set_title(selection_finding(found), wrap=True)
        write_caption(ax, selection_reading(found), below=0.04, width=66)
        return self


def selection(model: Any, ax: Axes | None = None) -> Axes:
    """Draw the settings that a fit tried, and frame the one it took.

    That is how `alpha` and `diffusion` were chosen; whether the clusters would stay at
    settings nearby is another question, for :func:`~graphtailor.plot.settings`.

    Parameters
    ----------
    model : GraphTailor
        Fitted, with `selection_`.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure of its own.

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
    'alpha = ... was taken: ...'
    """
    return SelectionDisplay.from_estimator(model, ax=ax).ax_
