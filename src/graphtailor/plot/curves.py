"""A curve with its axes: the objective, or scores over numbers of clusters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, ScalarFormatter

from graphtailor.diagnostics.model_access import FittedModel, view_of
from graphtailor.diagnostics.stability import objective_curve
from graphtailor.plot import style

# More values are not visible in a picture of this size.
_MOST_VALUES = 400


def draw_curve(
    ax: Axes,
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    names: tuple[str, str],
    chosen: float | None = None,
) -> None:
    """Draw a curve over whole numbers, with a ring around the value at `chosen`.

    Values that are not finite are left out; `names` are those of the two axes.
    """
    xs, ys = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    known = np.flatnonzero(np.isfinite(xs) & np.isfinite(ys))
    if len(known) > _MOST_VALUES:
        known = known[np.linspace(0, len(known) - 1, _MOST_VALUES).astype(int)]
    xs, ys = xs[known], ys[known]
    # More marks than this would merge into one thick line.
    marker = "o" if len(ys) <= 40 else ""
    ax.plot(xs, ys, color=style.ACCENT, marker=marker, markersize=4, lw=1.8)
    ringed = xs == chosen
    ax.plot(xs[ringed], ys[ringed], "o", ms=12, mec=style.INK, mfc="none", mew=1.8)
    # On a linear axis a curve that falls a hundredfold looks like a corner.
    if len(ys) and ys.min() > 0 and ys.max() > 100 * ys.min():
        ax.set_yscale("log")
    else:
        ax.yaxis.set_major_formatter(ScalarFormatter(useOffset=False))
        ax.yaxis.set_major_locator(MaxNLocator(5))
    ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    if len(xs) == 1:
        ax.set_xticks(xs)
    ax.set_xlabel(names[0], color=style.INK)
    ax.set_ylabel(names[1], color=style.INK)
    ax.grid(axis="y", color=style.LINE, lw=0.6, alpha=0.6)
    ax.set_axisbelow(True)
    style.plain_axes(ax)


def curve_figure(
    x: Sequence[float] | np.ndarray,
    y: Sequence[float] | np.ndarray,
    names: tuple[str, str],
    chosen: float | None = None,
) -> Figure:
    """A figure with one curve, for a page; parameters as for :func:`draw_curve`."""
    figure = style.new_figure(5.4, 2.8)
    draw_curve(figure.subplots(), x, y, names, chosen)
    return figure


@dataclass(eq=False, repr=False)
class ConvergenceDisplay(style.PictureDisplay):
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
            style.write_caption(
                ax, "The method keeps one value, not one per iteration."
            )
            return self
        state = "converged" if self.converged else "not converged"
        ax.set_title(f"Objective: {state} after {self.iterations[-1]} iterations")
        style.write_caption(
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


@dataclass(eq=False, repr=False)
class NClustersDisplay(style.PictureDisplay):
    """Picture of the score of each number of clusters."""

    numbers: np.ndarray  # (k,): numbers of clusters
    scores: np.ndarray  # (k,): their scores
    taken: int  # the number that the model took
    suggested: tuple[int, ...]  # the numbers that it suggests

    @classmethod
    def from_estimator(cls, model: FittedModel, *, ax: Axes | None = None) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.n_clusters`."""
        view = view_of(model)
        if not view.layers.scores:
            raise ValueError(
                f"This {view.name} compared no numbers of clusters. Fit "
                "GraphTailor(n_clusters='auto')."
            )
        numbers, scores = map(np.array, zip(*view.layers.scores, strict=True))
        taken = len(np.unique(view.labels))
        return cls(numbers, scores, taken, view.layers.suggested).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on a new pyplot figure if `ax` is None."""
        ax = self._take_axes(ax, (6.4, 4.2))
        names = ("number of clusters", "score")
        draw_curve(ax, self.numbers, self.scores, names, self.taken)
        for number in self.suggested:
            for score in self.scores[self.numbers == number]:
                ax.annotate(
                    str(number),
                    (number, score),
                    xytext=(0, 10),
                    textcoords="offset points",
                    ha="center",
                    color=style.INK,
                )
        ax.margins(y=0.15)
        ax.set_title(f"Score of each number of clusters: {self.taken} taken")
        style.write_caption(
            ax,
            "Higher is better. The ring marks the number that was taken, and numbers "
            "above the curve are suggested. On a flat top the neighbours are as good.",
        )
        return self


def n_clusters(model: FittedModel, ax: Axes | None = None) -> Axes:
    """Draw the score of each number of clusters, with the suggested ones.

    The model is a GraphTailor that was fitted with ``n_clusters="auto"``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(random_state=0).fit(load_iris().data)
    >>> plot.n_clusters(model).get_xlabel()
    'number of clusters'
    """
    return NClustersDisplay.from_estimator(model, ax=ax).ax_
