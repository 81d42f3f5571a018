"""The objective over the iterations."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from matplotlib.axes import Axes

from graphtailor.diagnostics.model_access import FittedModel, view_of
from graphtailor.diagnostics.stability import objective_curve
from graphtailor.plot.curves import draw_curve
from graphtailor.plot.style import PictureDisplay, write_caption


@dataclass(eq=False, repr=False)
class ConvergenceDisplay(PictureDisplay):
    """Picture of the objective over the iterations."""

    iterations: np.ndarray  # (k,): numbers of the iterations
    objective: np.ndarray  # (k,): the objective after each of them
    converged: bool  # whether the tolerance was reached

    @classmethod
    def from_estimator(cls, model: FittedModel, *, ax: Axes | None = None) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.convergence`."""
        view = view_of(model)
        return cls(*objective_curve(view), view.converged).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on a new pyplot figure if `ax` is None."""
        ax = self._take_axes(ax, (5.2, 5.2))
        draw_curve(ax, self.iterations, self.objective, ("iteration", "objective"))
        if len(self.objective) == 1:
            ax.set_title(f"Objective: {self.objective[0]:.6g}")
            write_caption(ax, "The method keeps one value, not one per iteration.")
            return self
        state = "converged" if self.converged else "not converged"
        ax.set_title(f"Objective: {state} after {self.iterations[-1]} iterations")
        write_caption(
            ax,
            "Lower is better. A curve that ends flat has settled; one that still falls "
            "needs a larger max_iter.",
        )
        return self


def convergence(model: FittedModel, ax: Axes | None = None) -> Axes:
    """Draw the objective over the iterations.

    The axis is logarithmic if the objective falls a hundredfold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, random_state=0)
    >>> axes = plot.convergence(model.fit(load_iris().data))
    >>> len(axes.lines[0].get_ydata()) == model.n_iter_ + 1
    True
    """
    return ConvergenceDisplay.from_estimator(model, ax=ax).ax_
