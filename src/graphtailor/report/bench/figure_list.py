"""All figures of a report, with their titles and how to read them."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup
from matplotlib.figure import Figure

from graphtailor.bench.plan.plan import Choice
from graphtailor.bench.results.results import Results
from graphtailor.bench.results.scores import short_name
from graphtailor.bench.results.tables import complete_means
from graphtailor.bench.run.illustrations import Illustration
from graphtailor.plot import heat_maps
from graphtailor.plot.bench_figures import critical_difference_figure, mean_figure
from graphtailor.plot.illustration_figures import graph_figure, objective_figure
from graphtailor.plot.inline_svg import inline_svg
from graphtailor.report.bench.views import CHOSEN
from graphtailor.statistics import friedman_test


@dataclass(frozen=True)
class Picture:
    """A figure, its title, and a sentence or two on how to read it."""

    key: str
    title: str
    caption: str
    figure: Figure

    @property
    def svg(self) -> Markup:
        """The figure for a page."""
        return inline_svg(self.figure, f"{self.title} ({self.key})")


def choice_pictures(results: Results, choice: Choice) -> dict[str, Picture]:
    """The figures of one way of choosing; none before there is a result."""
    if not results.cells[choice]["mean"].notna().any():
        return {}
    metric, chosen = short_name(results.plan.metrics[0]), CHOSEN[choice]
    found = {
        "mean": Picture(
            f"means-{choice}",
            f"Mean {metric}",
            f"Each method's mean {metric} over the data sets, ours and the study's on "
            f"the same sets; {chosen}.",
            mean_figure(results, choice),
        ),
        "time": Picture(
            f"time-{choice}",
            "Running time",
            f"Mean time of one run, one thread, {chosen}; colours on a logarithmic "
            "scale, the slowest methods at the bottom.",
            heat_maps.time_figure(results, choice),
        ),
        "difference": Picture(
            f"differences-{choice}",
            "Difference from the study",
            f"Our {metric} minus the study's, {chosen}; red where ours is lower, blue "
            "where it is higher, white where they agree, empty where either has none.",
            heat_maps.difference_figure(results, choice),
        ),
    }
    ranks = _rank_picture(results, choice)
    return found if ranks is None else {**found, "ranks": ranks}


def _rank_picture(results: Results, choice: Choice) -> Picture | None:
    means = complete_means(results, choice)
    if means.shape[0] < 3 or means.shape[1] < 2:
        return None
    test = friedman_test(means)
    left_out = [m.name for m in results.plan.methods if m.name not in means.index]
    caption = (
        f"Mean ranks by {short_name(results.plan.metrics[0])} over {test.n_blocks} "
        f"data sets, {CHOSEN[choice]} (Friedman p = {test.p_value:.2g}). A bar joins "
        "methods whose ranks are no farther apart than Nemenyi's critical difference "
        "at 0.05."
    )
    if left_out:
        names = ", ".join(left_out)
        caption += f" Left out, for want of a result on every set: {names}."
    return Picture(
        f"ranks-{choice}",
        "Critical differences",
        caption,
        critical_difference_figure(test),
    )


def search_pictures(results: Results) -> list[Picture]:
    """A map of the scores for each method with two weights."""
    found = []
    metric = short_name(results.plan.metrics[0])
    for method in results.plan.methods:
        figure = heat_maps.search_figure(results, method.name)
        if figure is not None:
            caption = (
                f"Mean {metric} on the search seeds, by the true labels, over the two "
                "weights; the colours of each map run from its worst to its best."
            )
            caption += f" {heat_maps.extremes_sentence(results, method.name)}"
            key = f"search-{method.name}"
            title = f"{method.name}: {metric} over its weights"
            found.append(Picture(key, title, caption.strip(), figure))
    return found


def illustration_pictures(
    results: Results, illustrations: Sequence[Illustration]
) -> list[Picture]:
    """The graphs and the objectives, if they were fitted."""
    names = list(results.datasets.index)
    figures = {
        "graphs": graph_figure(illustrations),
        "objective": objective_figure(illustrations, names),
    }
    texts = {
        "graphs": (
            "Graphs and indicators on iris",
            "Rows and columns are samples, ordered by class: three graphs, the truth, "
            "and the products of the indicators found. Darker is a "
            "stronger tie, on one scale from none to the strongest of each matrix: the "
            "closer to the three squares of the truth, the better.",
        ),
        "objective": (
            "Objective by iteration",
            "The objective of JointModel by both solvers from one random start each, "
            "at alpha = beta = 1 on X as it is, as in the study's Fig. 3, until each "
            "solver's own rule is met; both axes are logarithmic, and lower is better. "
            "The study says that Algorithm 1 converges in about 100 iterations: its "
            "rule is met where the dashed line ends. The descent keeps its graph on a "
            "sparse support, so that the dense multiplicative updates may end lower.",
        ),
    }
    return [
        Picture(key, *texts[key], figure)
        for key, figure in figures.items()
        if figure is not None
    ]
