"""Differences between each cluster and all other rows, feature by feature."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize

from graphtailor.diagnostics.effects import feature_effects
from graphtailor.diagnostics.model_access import FittedModel, view_of
from graphtailor.linalg.types import MatrixLike
from graphtailor.plot.cell_map import color_cells
from graphtailor.plot.style import PictureDisplay, write_caption

# Orange and purple stay distinct with any common colour blindness; white is 0.
_COLORS = "PuOr_r"
_STRONGEST = 2.0
_LONGEST_NAME = 28


@dataclass(eq=False, repr=False)
class ProfileDisplay(PictureDisplay):
    """Picture of the largest differences between clusters and all other rows."""

    effect: np.ndarray  # (t, c): differences in standard deviations
    features: list[str]  # names of the t features
    clusters: np.ndarray  # (c,): numbers of the clusters
    n_features: int  # number of all features

    @classmethod
    def from_estimator(
        cls,
        model: FittedModel,
        X: MatrixLike,
        *,
        n_features: int = 12,
        ax: Axes | None = None,
    ) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.profile`."""
        view = view_of(model)
        if view.takes_pairs:
            raise ValueError(
                f"{view.name} was fitted to a graph, not to features, so there are no "
                "differences to draw. Use plot.graph(model) or plot.affinity(model)."
            )
        X = X if hasattr(X, "shape") else np.asarray(X)
        effects = feature_effects(X, view.labels)
        largest = np.abs(effects.effect).max(axis=0, initial=0)
        leading = np.argsort(-largest, kind="stable")[:n_features]
        clusters = np.unique(view.labels)
        effect = effects.effect[np.ix_(clusters, leading)].T
        names = [effects.names[j] for j in leading]
        return cls(effect, names, clusters, len(effects.names)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on a new pyplot figure if `ax` is None."""
        t, c = self.effect.shape
        ax = self._take_axes(ax, (3.6 + 0.75 * c, 2.0 + 0.36 * t))
        texts = [[f"{value:+.1f}" for value in row] for row in self.effect]
        color_cells(ax, self.effect, texts, Normalize(-_STRONGEST, _STRONGEST), _COLORS)
        ax.invert_yaxis()
        ax.set_yticks(range(t), [_cut(name) for name in self.features])
        ax.set_xticks(range(c), [str(k) for k in self.clusters])
        ax.tick_params(length=0)
        ax.set_xlabel("cluster")
        left = self.n_features - t
        ax.set_title("How the clusters differ")
        more = f" Left out, as they differ less: {left}." if left else ""
        write_caption(
            ax,
            "Mean of the cluster minus mean of all other rows, in standard deviations: "
            f"orange is above, purple below.{more}",
            width=42,
        )
        return self


def profile(
    model: FittedModel, X: MatrixLike, ax: Axes | None = None, n_features: int = 12
) -> Axes:
    """Draw how each cluster differs from all other rows, feature by feature.

    X may be in any units, and columns of a DataFrame may hold categories. Drawn are the
    `n_features` with the largest differences.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> X = load_iris(as_frame=True).data
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(X)
    >>> plot.profile(model, X).collections[0].get_array().shape
    (4, 3)
    """
    return ProfileDisplay.from_estimator(model, X, n_features=n_features, ax=ax).ax_


def _cut(name: str) -> str:
    # A dollar sign in a name of the user's would begin a formula.
    name = name.replace("$", r"\$")
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
