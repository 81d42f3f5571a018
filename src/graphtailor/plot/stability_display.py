"""Whether the starts of a fit agree."""

from dataclasses import dataclass
from typing import Self

from matplotlib.axes import Axes

from graphtailor.diagnostics.model_access import FittedModel, view_of
from graphtailor.diagnostics.stability import SAME, Stability, start_stability
from graphtailor.plot.cell_map import color_cells
from graphtailor.plot.style import PictureDisplay, write_caption

_MOST_NUMBERS = 14


@dataclass(eq=False, repr=False)
class StabilityDisplay(PictureDisplay):
    """Picture of the agreement between the starts of a fit."""

    stability: Stability

    @classmethod
    def from_estimator(cls, model: FittedModel, *, ax: Axes | None = None) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.stability`."""
        view = view_of(model)
        found = start_stability(view)
        if found is None:
            raise ValueError(
                f"{view.name} has fewer than two starts to compare. Fit JointModel "
                "with n_init of 2 or more."
            )
        return cls(found).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on a new pyplot figure if `ax` is None."""
        ax = self._take_axes(ax, (5.6, 6.2))
        agreement = self.stability.agreement
        n = len(agreement)
        texts = [
            [f"{v:.2f}" if n <= _MOST_NUMBERS else "" for v in row] for row in agreement
        ]
        color_cells(ax, agreement, texts)
        ax.invert_yaxis()
        ax.set_aspect("equal")
        numbers = [str(i + 1) for i in range(n)]
        kinds = self.stability.kinds
        ax.set_xticks(range(n), numbers)
        ax.set_yticks(
            range(n), [f"{kind} {i}" for i, kind in zip(numbers, kinds, strict=True)]
        )
        ax.tick_params(length=0)
        ax.set_xlabel("start, the lowest objective first")
        same = int((self.stability.with_kept >= SAME).sum())
        ax.set_title(f"Starts: {same} of {n} found the kept clusters")
        write_caption(
            ax,
            "Adjusted Rand index between the clusters of two starts: 1 is the same, 0 "
            "is chance. If the first starts agree, the clusters do not depend on them.",
        )
        return self


def stability(model: FittedModel, ax: Axes | None = None) -> Axes:
    """Draw the agreement between the starts of a fit.

    The model has several starts, and the lowest objective comes first.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import JointModel, plot
    >>> model = JointModel(n_clusters=3, n_init=4, random_state=0)
    >>> plot.stability(model.fit(load_iris().data)).get_title()
    'Starts: ... of 4 found the kept clusters'
    """
    return StabilityDisplay.from_estimator(model, ax=ax).ax_
