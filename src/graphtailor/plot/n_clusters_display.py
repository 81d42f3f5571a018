"""The score of each number of clusters."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from matplotlib.axes import Axes

from graphtailor.diagnostics.model_access import FittedModel, view_of
from graphtailor.plot.curves import draw_curve
from graphtailor.plot.style import INK, PictureDisplay, write_caption


@dataclass(eq=False, repr=False)
class NClustersDisplay(PictureDisplay):
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
                    color=INK,
                )
        ax.margins(y=0.15)
        ax.set_title(f"Score of each number of clusters: {self.taken} taken")
        write_caption(
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
