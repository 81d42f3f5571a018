"""Coloured cells with their values: the one way to draw a table of numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Normalize
from matplotlib.patches import Rectangle

from graphtailor.diagnostics import sensitivity
from graphtailor.diagnostics.effects import feature_effects
from graphtailor.diagnostics.formatting import readable_number
from graphtailor.diagnostics.model_access import FittedModel, view_of
from graphtailor.diagnostics.stability import SAME, Stability, start_stability
from graphtailor.linalg.types import MatrixLike
from graphtailor.plot.style import INK, PictureDisplay, write_caption

SHARES = Normalize(0, 1)
# Orange and purple stay distinct with any common colour blindness; white is 0.
_COLORS = "PuOr_r"
_STRONGEST = 2.0
_LONGEST_NAME = 28


def color_cells(
    ax: Axes,
    values: np.ndarray,
    texts: Sequence[Sequence[str]],
    norm: Normalize | None = SHARES,
    colors: str = "cividis",
    top: float = 0.0,
) -> None:
    """Draw cells around whole numbers, the first row at `top`; nan stays empty."""
    rows, columns = (np.arange(k + 1) - 0.5 for k in values.shape)
    mesh = ax.pcolormesh(
        columns,
        rows + top,
        np.ma.masked_invalid(values),
        norm=norm,
        cmap=colors,
        edgecolors="none",
        linewidth=0,
    )
    # Up to this many columns the text of a cell has its usual size.
    size = "small" if values.shape[1] <= 8 else 6.5
    for (i, j), value in np.ndenumerate(values):
        if np.isfinite(value):
            red, green, blue, _ = mesh.to_rgba(value)
            is_light = 0.3 * red + 0.59 * green + 0.11 * blue > 0.45
            color = "#000000" if is_light else "#ffffff"
            place: dict[str, Any] = {"ha": "center", "va": "center", "fontsize": size}
            ax.text(j, i + top, texts[i][j], color=color, **place)


def frame_cell(ax: Axes, row: float, column: float) -> None:
    """Draw a frame around the cell of the values that were kept."""
    corner = (column - 0.46, row - 0.46)
    ax.add_patch(Rectangle(corner, 0.92, 0.92, fill=False, ec=INK, lw=2.5))


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
        # More numbers would not be readable.
        shown = "{:.2f}" if n <= 14 else ""
        texts = [[shown.format(value) for value in row] for row in agreement]
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


@dataclass(eq=False, repr=False)
class SettingsDisplay(PictureDisplay):
    """Picture of the agreement between the clusters of a fit and of other settings."""

    settings: sensitivity.SettingsAgreement

    @classmethod
    def from_estimator(
        cls, model: FittedModel, X: MatrixLike, *, ax: Axes | None = None
    ) -> Self:
        """Draw a model; parameters as for :func:`~graphtailor.plot.settings`."""
        return cls(sensitivity.neighboring_settings(model, X)).plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw it, on a new pyplot figure if `ax` is None."""
        ax = self._take_axes(ax, (5.6, 5.6))
        found, steps = self.settings, sensitivity.neighbor_steps(self.settings)
        texts = [[f"{value:.2f}" for value in row] for row in found.agreement]
        color_cells(ax, found.agreement, texts)
        frame_cell(ax, *found.kept)
        if steps:
            values = np.array([[value for _, value, _ in steps]])
            kept = [is_kept for _, _, is_kept in steps].index(True)
            names = [f"{value:.2f}\n{k:,} neighbours" for k, value, _ in steps]
            # Gap between the map and the row of neighbours, in heights of a cell.
            below = len(found.alphas) + 0.35
            color_cells(ax, values, [names], top=below)
            frame_cell(ax, below, kept)
        ax.invert_yaxis()
        ax.set_yticks(range(len(found.alphas)), map(readable_number, found.alphas))
        ax.set_xticks(range(len(found.betas)), map(readable_number, found.betas))
        ax.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
        ax.xaxis.set_label_position("top")
        ax.set_xlabel("beta, the weight of the given graph")
        ax.set_ylabel("alpha, the weight of self-expression")
        ax.spines[:].set_visible(False)
        ax.set_title(sensitivity.settings_finding(found), wrap=True)
        write_caption(ax, sensitivity.reading_sentence(found), below=10, width=66)
        return self


def settings(model: FittedModel, X: MatrixLike, ax: Axes | None = None) -> Axes:
    """Draw whether the clusters depend on the settings of a fit.

    A joint model is fitted again with other weights and numbers of neighbours, by
    :func:`~graphtailor.diagnostics.sensitivity.neighboring_settings`.

    The model is a GraphTailor or JointModel, and X is what it was fitted to.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from graphtailor import GraphTailor, plot
    >>> X, _ = make_blobs(90, centers=3, cluster_std=0.3, random_state=0)
    >>> plot.settings(GraphTailor(3, random_state=0).fit(X), X).get_title()
    'The clusters stay the same over all 11 neighbouring settings'
    """
    return SettingsDisplay.from_estimator(model, X, ax=ax).ax_


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
