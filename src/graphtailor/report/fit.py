"""The report of a fit."""

from __future__ import annotations

from datetime import date
from typing import Any

from matplotlib.axes import Axes

from graphtailor import plot
from graphtailor.report.page import picture_uri, render_page
from graphtailor.report.profile import cluster_profiles
from graphtailor.report.summary import FitSummary, summarize_fit

_SCORE_MEANINGS = {
    "ACC": "share of samples in the right cluster under the best naming",
    "NMI": "information that clusters and classes share, 0 to 1",
    "PUR": "share of samples in the commonest class of their cluster",
    "ARI": "agreement on pairs of samples, 0 by chance, 1 at best",
}


def fit_report(
    model: Any,
    X: Any = None,
    *,
    summary: FitSummary | None = None,
    command: str | None = None,
    today: date | None = None,
) -> str:
    """A page about a fit: clusters, pictures, starts, settings.

    Parameters
    ----------
    model : estimator
        GraphTailor or one of the compared methods, fitted.
    X : {DataFrame, array-like, sparse array} of shape (n, d) or None, default=None
        The features, to say what sets each cluster apart.
    summary : FitSummary or None, default=None
        From :func:`~graphtailor.report.summarize_fit`; made if None.
    command : str or None, default=None
        The command that repeats the fit.
    today : date or None, default=None
        Date on the page; None is today.

    Returns
    -------
    str
        HTML with everything inside; names are escaped.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.report import fit_report
    >>> X = load_iris().data
    >>> model = GraphTailor(n_clusters=3, n_init=2, random_state=0).fit(X)
    >>> fit_report(model, X).startswith("<!doctype html>")
    True
    """
    summary = summary or summarize_fit(model)
    given = plot.graph_of(model, "given")
    learned = plot.graph_of(model, "learned")
    panels: list[dict[str, str]] = []
    if given is not None:
        panels.append(_panel(plot.affinity(model, which="given")))
    if learned is not None and learned is not given:
        panels.append(_panel(plot.affinity(model)))
    panels.append(_panel(plot.convergence(model)))
    return render_page(
        "fit.html.j2",
        summary=summary,
        headline=_headline(summary),
        largest=max(summary.sizes),
        score_meanings=_SCORE_MEANINGS,
        profiles=[] if X is None else cluster_profiles(X, model.labels_),
        panels=panels,
        command=command,
        today=(today or date.today()).isoformat(),
    )


def _panel(ax: Axes) -> dict[str, str]:
    """A picture whose title and caption are text of the page, readable on a phone."""
    title, caption = ax.get_title(), ax.texts[-1]
    ax.set_title("")
    caption.remove()
    figure = ax.get_figure(root=True)
    return {
        "title": title,
        "caption": " ".join(caption.get_text().split()),
        "uri": "" if figure is None else picture_uri(figure),
    }


def _headline(summary: FitSummary) -> str:
    found = sum(size > 0 for size in summary.sizes)
    clusters = "1 cluster" if found == 1 else f"{found} clusters"
    return f"{summary.n_samples:,} samples of {summary.data} in {clusters}"
