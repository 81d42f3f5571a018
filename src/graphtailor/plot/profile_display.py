"""Differences between each cluster and all other rows, feature by feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes

from graphtailor.diagnostics.effects import feature_effects
from graphtailor.diagnostics.model_access import FittedModel, view_of
from graphtailor.plot.style import INK, PictureDisplay, write_caption

# Orange and purple stay distinct with any common colour blindness; white is 0.
_COLORS = "PuOr_r"
_STRONGEST = 2.0
_LONGEST_NAME = 28


@dataclass(eq=False, repr=False)
class ProfileDisplay(PictureDisplay):
    """Picture of the largest differences between clusters and all other rows.

    Parameters
    ----------
    effect : ndarray of shape (t, c)
        Differences in standard deviations.
    features : list of str
        Names of the t features.
    clusters : ndarray of shape (c,)
        Numbers of the clusters.
    n_features : int
        Number of all features.
    """

    effect: np.ndarray
    features: list[str]
    clusters: np.ndarray
    n_features: int

    @classmethod
    def from_estimator(
        cls, model: FittedModel, X: Any, *, n_features: int = 12, ax: Axes | None = None
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
        ax.imshow(
            self.effect,
            cmap=_COLORS,
            aspect="auto",
            vmin=-_STRONGEST,
            vmax=_STRONGEST,
        )
        for i, j in np.ndindex(t, c):
            value = self.effect[i, j]
            color = "white" if abs(value) > 0.7 * _STRONGEST else INK
            ax.text(j, i, f"{value:+.1f}", ha="center", va="center", color=color)
        ax.set_yticks(range(t), [_cut(name) for name in self.features])
        ax.set_xticks(range(c), [str(k) for k in self.clusters])
        ax.tick_params(length=0)
        ax.set_xlabel("cluster")
        left = self.n_features - t
        ax.set_title("How the clusters differ")
        more = f" {left} features that differ less are left out." if left else ""
        write_caption(
            ax,
            "Mean of the cluster minus mean of all other rows, in standard deviations: "
            f"orange is above, purple below.{more}",
            below=0.65 / (0.36 * max(t, 2)),
            width=42,
        )
        return self


def profile(
    model: FittedModel, X: Any, ax: Axes | None = None, n_features: int = 12
) -> Axes:
    """Draw how each cluster differs from all other rows, feature by feature.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : {DataFrame, array-like, sparse array} of shape (n, d)
        Features in any units; columns of a DataFrame may hold categories.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a new pyplot figure, which notebooks show.
    n_features : int, default=12
        How many features to draw; those with the largest differences are taken.

    Returns
    -------
    Axes
        A row for each feature, a column for each cluster.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> X = load_iris(as_frame=True).data
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(X)
    >>> plot.profile(model, X).images[0].get_array().shape
    (4, 3)
    """
    return ProfileDisplay.from_estimator(model, X, n_features=n_features, ax=ax).ax_


def _cut(name: str) -> str:
    # A dollar sign in a name of the user's would begin a formula.
    name = name.replace("$", r"\$")
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
