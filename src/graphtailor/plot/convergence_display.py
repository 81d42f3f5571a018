"""The objective against the iterations."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from graphtailor.diagnostics.curves import objective_curve
from graphtailor.plot.style import LINE, PictureDisplay, write_caption


class ConvergenceDisplay(PictureDisplay):
    """Picture of the objective against the iterations.

    Parameters
    ----------
    iterations : ndarray of shape (k,)
        Numbers of the iterations.
    objective : ndarray of shape (k,)
        The objective after each of them.
    converged : bool
        Whether the method came to rest.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.plot import ConvergenceDisplay
    >>> model = GraphTailor(n_clusters=3, n_init=1, random_state=0)
    >>> display = ConvergenceDisplay.from_estimator(model.fit(load_iris().data))
    >>> bool(display.iterations[-1] == model.n_iter_)
    True
    """

    def __init__(
        self, iterations: np.ndarray, objective: np.ndarray, converged: bool
    ) -> None:
        self.iterations = iterations
        self.objective = objective
        self.converged = converged

    @classmethod
    def from_estimator(cls, model: Any, *, ax: Axes | None = None) -> Self:
        """Draw the objective of a fitted model.

        Parameters
        ----------
        model : estimator
            Fitted; with `objective_`.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure of its own.

        Returns
        -------
        ConvergenceDisplay
            Drawn.
        """
        iterations, objective = objective_curve(model)
        return cls(iterations, objective, bool(model.converged_)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; on a figure of its own if `ax` is None."""
        ax = self._take_axes(ax, (5.2, 5.2))
        values = self.objective
        marker = "o" if len(values) <= 40 else ""
        ax.plot(
            self.iterations, values, color=LINE, marker=marker, markersize=4, lw=1.8
        )
        if values.min() > 0 and values.max() > 100 * values.min():
            ax.set_yscale("log")
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        ax.set_xlabel("iteration")
        ax.set_ylabel("objective")
        ax.grid(alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
        if len(values) == 1:
            ax.set_xticks(self.iterations)
            ax.set_title(f"Objective: {values[0]:.6g}")
            write_caption(ax, "The method gives one value, not one for each iteration.")
            return self
        state = "converged" if self.converged else "not converged"
        ax.set_title(f"Objective: {state} after {self.iterations[-1]} iterations")
        write_caption(
            ax,
            "Lower is better. A curve that ends flat has settled; one that still falls "
            "wants a larger max_iter.",
        )
        return self


def convergence(model: Any, ax: Axes | None = None) -> Axes:
    """Draw the objective against the iterations.

    Parameters
    ----------
    model : estimator
        Fitted; with `objective_`.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure of its own.

    Returns
    -------
    Axes
        With one line; the axis is logarithmic if the objective falls a hundredfold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, n_init=1, random_state=0)
    >>> axes = plot.convergence(model.fit(load_iris().data))
    >>> len(axes.lines[0].get_ydata()) == model.n_iter_ + 1
    True
    """
    return ConvergenceDisplay.from_estimator(model, ax=ax).ax_
