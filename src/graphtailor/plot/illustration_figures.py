"""The study's pictures of graphs (its Fig. 1) and of objectives (its Fig. 3)."""

from collections.abc import Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from graphtailor.bench.run.illustrations import Illustration
from graphtailor.plot.bench_figures import STUDY
from graphtailor.plot.style import ACCENT, INK, LINE, new_figure, plain_axes

# Reversed: large weights are dark on a white page.
_COLORS = "magma_r"
# Percentile from which weights have the darkest colour; the rest would be pale else.
_SATURATION = 99.0
# Every entry stays a sharp square at any size.
_SHARP = {"interpolation": "none"}
_PANELS = (
    ("graph given", "given pNN graph W"),
    ("graph L2-Graph", "L2-Graph"),
    ("graph learned", "Algorithm 1: S"),
    ("indicator truth", "truth"),
    ("indicator SC", "SC on W: VVᵀ"),
    ("indicator SymNMF", "SymNMF on W: VVᵀ"),
    ("indicator L2-Graph", "SC on L2-Graph: VVᵀ"),
    ("indicator L2-SymNMF", "L2-SymNMF: VVᵀ"),
    ("indicator Proposed", "Algorithm 1: VVᵀ"),
)


def graph_figure(illustrations: Sequence[Illustration]) -> Figure | None:
    """The study's nine panels: three graphs, then products of indicators.

    The first illustration that has graphs is drawn, if there is one.
    """
    found = [item for item in illustrations if "graph given" in item.arrays]
    if not found:
        return None
    arrays = found[0].arrays
    sizes = arrays["indicator truth"].sum(axis=0)
    figure = new_figure(8.4, 8.0)
    axes = figure.subplots(3, 3).ravel()
    colors = colormaps[_COLORS].with_extremes(under="#ffffff")
    for ax, (key, title) in zip(axes, _PANELS, strict=True):
        matrix = arrays[key] @ arrays[key].T if key.startswith("ind") else arrays[key]
        image = ax.imshow(_shares(matrix), cmap=colors, vmin=1e-6, vmax=1, **_SHARP)
        ax.set_title(title, color=INK, fontsize=10)
        ends = np.cumsum(sizes)[:-1] - 0.5
        ax.set_xticks(ends, [""] * len(ends))
        ax.set_yticks(ends, [""] * len(ends))
        plain_axes(ax, keep=("bottom", "left", "top", "right"))
        ax.tick_params(length=3, color=LINE)
    bar = figure.colorbar(image, ax=axes, shrink=0.5, aspect=24, pad=0.02)
    bar.set_ticks([1e-6, 1], labels=["none", "strong"])
    bar.ax.tick_params(colors=INK, labelsize=9, length=0)
    bar.outline.set_visible(False)
    return figure


def _shares(matrix: np.ndarray) -> np.ndarray:
    """Entries as shares of a large weight; negative entries count as 0."""
    matrix = np.maximum(matrix, 0.0)
    strong = matrix[(matrix > 0) & ~np.eye(len(matrix), dtype=bool)]
    top = float(np.percentile(strong, _SATURATION)) if strong.size else 1.0
    return np.minimum(matrix / top, 1.0)


def objective_figure(
    illustrations: Sequence[Illustration], order: Sequence[str]
) -> Figure | None:
    """Objective against iteration, both solvers on one axis for each data set.

    Every illustration with an objective is drawn, in the order of the data sets.
    """
    curves = {
        (item.about["dataset"], item.about["settings"]["solver"]): item
        for item in illustrations
        if "objective" in item.arrays
    }
    names = [name for name in order if (name, "descent") in curves]
    if not names:
        return None
    n_columns = min(len(names), 5)
    n_rows = -(-len(names) // n_columns)
    figure = new_figure(max(2.15 * n_columns, 4.5), 0.5 + 2.0 * n_rows)
    axes = figure.subplots(n_rows, n_columns, squeeze=False)
    for ax in axes.ravel()[len(names) :]:
        ax.set_axis_off()
    styles = {"descent": (ACCENT, "-"), "multiplicative": (STUDY, "--")}
    for ax, name in zip(axes.ravel(), names, strict=False):
        for solver, (color, line) in styles.items():
            item = curves.get((name, solver))
            if item is not None:
                values = item.arrays["objective"]
                steps = np.arange(1, len(values) + 1)
                label = f"{solver} solver" if name == names[0] else None
                ax.plot(steps, values, color=color, ls=line, lw=1.8, label=label)
        settings = curves[name, "descent"].about["settings"]
        weights = [settings.get(key) for key in ("alpha", "beta")]
        text = "" if None in weights else "\nα = {:g}, β = {:g}".format(*weights)
        ax.set_title(f"{name}{text}", color=INK, fontsize=9)
        ax.set_xscale("log")
        ax.set_yscale("log")
        ax.xaxis.set_major_locator(LogLocator(numticks=4))
        ax.yaxis.set_major_locator(LogLocator(numticks=5))
        ax.minorticks_off()
        plain_axes(ax, keep=("bottom", "left"))
        ax.tick_params(labelsize=8)
        ax.grid(color=LINE, lw=0.5, alpha=0.6)
    figure.supxlabel("iteration (the start is 1)", color=INK, fontsize=9)
    figure.supylabel("objective", color=INK, fontsize=9)
    figure.legend(
        loc="outside upper left", ncols=2, frameon=False, labelcolor=INK, fontsize=9
    )
    return figure
