"""Clusters against the rest, feature by feature."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes

from graphtailor.diagnostics.effects import feature_effects
from graphtailor.diagnostics.model_access import takes_pairs
from graphtailor.plot.style import INK, PictureDisplay, write_caption

# Orange and purple, which no common colour blindness confuses; white is no difference.
_COLORS = "PuOr_r"
_STRONGEST = 2.0
_LONGEST_NAME = 28


class ProfileDisplay(PictureDisplay):
    """Picture of how far clusters are from the rest in their leading features.

    Parameters
    ----------
    effect : ndarray of shape (t, c)
        Differences in standard deviations.
    features : list of str
        Names of the t features.
    clusters : ndarray of shape (c,)
        Numbers of the clusters.
    n_features : int
        How many features there are in all.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.plot import ProfileDisplay
    >>> X = load_iris(as_frame=True).data
    >>> model = GraphTailor(n_clusters=3, n_init=1, random_state=0).fit(X)
    >>> ProfileDisplay.from_estimator(model, X).features[0]
    'petal length (cm)'
    """

    def __init__(
        self,
        effect: np.ndarray,
        features: list[str],
        clusters: np.ndarray,
        n_features: int,
    ) -> None:
        self.effect = effect
        self.features = features
        self.clusters = clusters
        self.n_features = n_features

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, *, n_features: int = 12, ax: Axes | None = None
    ) -> Self:
        """Draw what sets the clusters of a fitted model apart.

        Parameters
        ----------
        model : estimator
            Fitted.
        X : {DataFrame, array-like, sparse array} of shape (n, d)
            Features in any units; columns of a frame may hold categories.
        n_features : int, default=12
            How many to draw: those with the largest difference in any cluster.
        ax : matplotlib Axes or None, default=None
            Where to draw; None makes a figure of its own.

        Returns
        -------
        ProfileDisplay
            Drawn.
        """
        if takes_pairs(model):
            raise ValueError(
                f"{type(model).__name__} was given a graph in the place of features, "
                "which tell clusters apart. There is nothing to draw."
            )
        X = X if hasattr(X, "shape") else np.asarray(X)
        effects = feature_effects(X, model.labels_)
        largest = np.abs(effects.effect).max(axis=0, initial=0)
        leading = np.argsort(-largest, kind="stable")[:n_features]
        clusters = np.unique(model.labels_)
        effect = effects.effect[np.ix_(clusters, leading)].T
        names = [effects.names[j] for j in leading]
        return cls(effect, names, clusters, len(effects.names)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it; on a figure of its own if `ax` is None."""
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
        ax.set_title("What sets the clusters apart")
        more = f" Left out, as they differ less: {left} more." if left else ""
        write_caption(
            ax,
            "Mean of the cluster minus that of the rest, in standard deviations: "
            f"orange is above the rest, purple below.{more}",
            below=0.65 / (0.36 * max(t, 2)),
            width=42,
        )
        return self


def profile(model: Any, X: Any, ax: Axes | None = None, n_features: int = 12) -> Axes:
    """Draw how far each cluster is from the rest, feature by feature.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : {DataFrame, array-like, sparse array} of shape (n, d)
        Features in any units; columns of a frame may hold categories.
    ax : matplotlib Axes or None, default=None
        Where to draw; None makes a figure of its own.
    n_features : int, default=12
        How many to draw: those with the largest difference in any cluster.

    Returns
    -------
    Axes
        A row for each feature, a column for each cluster.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> X = load_iris(as_frame=True).data
    >>> model = GraphTailor(n_clusters=3, n_init=1, random_state=0).fit(X)
    >>> plot.profile(model, X).images[0].get_array().shape
    (4, 3)
    """
    return ProfileDisplay.from_estimator(model, X, n_features=n_features, ax=ax).ax_


def _cut(name: str) -> str:
    # Names come from the user: a dollar would begin a formula.
    name = name.replace("$", r"\$")
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"
