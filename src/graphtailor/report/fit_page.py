"""The report of a fit."""

from __future__ import annotations

from datetime import date
from typing import Any

import numpy as np
from scipy import sparse

from graphtailor.diagnostics.class_view import SCORE_MEANINGS, confusion_view
from graphtailor.diagnostics.curves import objective_curve
from graphtailor.diagnostics.model_access import (
    Which,
    full_weight,
    graph_of,
    ordered_image,
    scaled_features,
    share_inside,
    vertex_labels,
    vertex_noun,
)
from graphtailor.diagnostics.quality import quality_indices, sample_sentence
from graphtailor.diagnostics.selection import selection_view
from graphtailor.diagnostics.sensitivity import SettingsAgreement
from graphtailor.diagnostics.sensitivity_words import settings_view
from graphtailor.diagnostics.stability import stability_sentence, start_stability
from graphtailor.diagnostics.summary import FitSummary, summarize_fit
from graphtailor.graphs import NeighborGraph
from graphtailor.metrics import clustering_scores
from graphtailor.models.samples import is_named
from graphtailor.report.charts import line_chart
from graphtailor.report.cluster_views import (
    all_features_view,
    described_clusters,
    glance_view,
    profiles_of,
)
from graphtailor.report.fit_data import Subject, subject_of
from graphtailor.report.html import render_page
from graphtailor.report.map_view import map_view
from graphtailor.report.matrix_svg import MATRIX_PIXELS, matrix_svg


def fit_report(
    model: Any,
    X: Any = None,
    *,
    summary: FitSummary | None = None,
    command: str | None = None,
    today: date | None = None,
    table: Any = None,
    settings: SettingsAgreement | None = None,
) -> str:
    """A page about a fit: clusters, map, what they are, how far to trust them.

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
    table : object or None, default=None
        The table that X comes from: `frame` has the columns in the units of the user,
        `ids` the names of the rows, `columns` how each column was read (each with
        `name`, `kind`, `treatment`), `y` known classes and `label` their column. What
        it has not is taken from X.
    settings : SettingsAgreement or None, default=None
        From :func:`~graphtailor.diagnostics.sensitivity.neighboring_settings`; made
        if None, which takes eleven refits.

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
    subject = subject_of(model, X, table)
    summary = summary or summarize_fit(model, y_true=subject.y)
    profiles, effects = profiles_of(subject)
    described = described_clusters(subject, profiles)
    return render_page(
        "fit.html.j2",
        summary=summary,
        headline=_headline(summary),
        glance=glance_view(subject, profiles),
        map=map_view(subject),
        described=described,
        n_not_described=len(profiles) - len(described),
        all_features=effects and all_features_view(subject, profiles, effects),
        graphs=_graphs(model),
        classes=_classes(subject, summary),
        quality=_quality(subject),
        stability=_stability(model),
        selection=selection_view(model),
        settings=settings_view(model, subject.given, settings),
        objective=_objective(model, summary),
        path=_path(model),
        columns=subject.columns,
        command=command,
        today=(today or date.today()).isoformat(),
    )


def _graphs(model: Any) -> dict[str, Any] | None:
    """Given beside learned graph, in one scale of colours."""
    both: tuple[Which, ...] = ("given", "learned")
    graphs = {which: graph_of(model, which) for which in both}
    graphs = {which: graph for which, graph in graphs.items() if graph is not None}
    if not graphs:
        return None
    labels = vertex_labels(model)
    images = {w: ordered_image(g, labels, MATRIX_PIXELS) for w, g in graphs.items()}
    top = full_weight([image for image, _ in images.values()])
    panels = []
    for which, (image, sizes) in images.items():
        inside = share_inside(graphs[which], labels)
        title = (
            f"{which.capitalize()} graph: {inside:.0%} of its weight inside clusters"
        )
        svg = matrix_svg(image, sizes, top, title)
        panels.append({"title": title, "svg": svg})
    return {"panels": panels, "noun": vertex_noun(model)}


def _classes(subject: Subject, summary: FitSummary) -> dict[str, Any] | None:
    scores = summary.scores
    if scores is None and subject.y is not None:
        scores = clustering_scores(subject.y, subject.labels)
    if scores is None:
        return None
    confusion = None
    if subject.y is not None:
        confusion = confusion_view(subject.y, subject.labels)
    return {"scores": scores, "meanings": SCORE_MEANINGS, "confusion": confusion}


def _quality(subject: Subject) -> dict[str, Any]:
    model = subject.model
    graph, which = graph_of(model, "given"), "the given graph"
    if is_named(getattr(model, "graph_", None), "ensemble"):
        # The given one has the clusters in it, whatever the data are.
        graph, which = _near_neighbors(subject), "a graph of near neighbours"
    indices = quality_indices(
        subject.labels,
        features=subject.features,
        graph=graph,
        graph_labels=vertex_labels(model),
    )
    where = []
    if subject.features is not None:
        by = f", scaled by {subject.scaling!r}" if subject.scaling else ""
        where.append(f"Distances are between the features as the model sees them{by}.")
        where.append(sample_sentence(len(subject.labels)))
    if graph is not None:
        where.append(f"Modularity and normalised cut are on {which}.")
    return {"indices": indices, "where": " ".join(filter(None, where))}


def _near_neighbors(subject: Subject) -> sparse.csr_array | None:
    """Neighbours among the rows, or among the anchors that stand for them."""
    features, model = subject.features, subject.model
    if vertex_noun(model) == "anchors":
        features = scaled_features(model, model.anchors_)
    return None if features is None else NeighborGraph().fit(features).affinity_


def _stability(model: Any) -> dict[str, Any] | None:
    found = start_stability(model)
    if found is None:
        return None
    return {
        "sentence": stability_sentence(found),
        "starts": list(
            zip(found.kinds, found.objectives, found.with_kept, strict=True)
        ),
        "agreement": found.agreement.tolist(),
        "anchors": getattr(model, "anchor_stability_", None),
    }


def _objective(model: Any, summary: FitSummary) -> dict[str, Any]:
    iterations, values = objective_curve(model)
    state = "converged" if summary.converged else "not converged"
    title = f"Objective: {state} after {summary.n_iter} iterations"
    if len(values) == 1:
        return {"title": f"Objective: {values[0]:.6g}", "svg": None}
    svg = line_chart(
        iterations,
        values,
        x_name="iteration",
        y_name="objective",
        description=title,
    )
    return {"title": title, "svg": svg}


def _path(model: Any) -> Any:
    """The curve of scores over numbers of clusters, if the model chose the number."""
    path = getattr(model, "n_clusters_path_", None)
    if path is None:
        return None
    chosen = len(np.unique(vertex_labels(model)))
    return line_chart(
        path["n_clusters"],
        path["score"],
        x_name="number of clusters",
        y_name="score",
        description="Score of each number of clusters",
        chosen=chosen,
    )


def _headline(summary: FitSummary) -> str:
    found = sum(size > 0 for size in summary.sizes)
    clusters = "1 cluster" if found == 1 else f"{found} clusters"
    return f"{summary.n_samples:,} rows of {summary.data} in {clusters}"
