"""The report of a fit."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from graphtailor.diagnostics.certainty import DOUBTFUL
from graphtailor.diagnostics.effects import Effects, feature_effects, feature_names
from graphtailor.diagnostics.formatting import shown_value
from graphtailor.diagnostics.graph_map import (
    full_weight,
    map_of,
    neighbor_graph,
    ordered_image,
    share_inside,
)
from graphtailor.diagnostics.model_access import (
    FittedModel,
    FittedView,
    Matrix,
    scaled_features,
    view_of,
)
from graphtailor.diagnostics.profile import (
    ClusterProfile,
    cluster_profiles,
    example_rows,
)
from graphtailor.diagnostics.quality import (
    SCORE_MEANINGS,
    confusion_view,
    quality_indices,
    sample_sentence,
)
from graphtailor.diagnostics.selection import selection_view
from graphtailor.diagnostics.sensitivity import (
    SettingsAgreement,
    hindrance_to_refits,
    neighboring_settings,
)
from graphtailor.diagnostics.sensitivity_words import settings_view
from graphtailor.diagnostics.stability import (
    objective_curve,
    stability_sentence,
    start_stability,
)
from graphtailor.diagnostics.summary import FitSummary, summarize_fit
from graphtailor.metrics import clustering_scores
from graphtailor.plot.affinity_display import matrix_figure
from graphtailor.plot.curves import curve_figure
from graphtailor.plot.inline_svg import inline_svg
from graphtailor.report.fit_data import FitData, fit_data
from graphtailor.report.html import render_page
from graphtailor.report.map_svg import map_view

if TYPE_CHECKING:
    from graphtailor.tables import Table

# Sizes at which lists and pictures on the page end.
_MOST_LISTED, _MOST_DESCRIBED, _IN_BRIEF = 40, 24, 3
_MOST_FEATURES, _MOST_COLUMNS = 250, 12
_PIXELS = 420


def fit_report(
    model: FittedModel,
    X: Any = None,
    *,
    summary: FitSummary | None = None,
    command: str | None = None,
    today: date | None = None,
    table: Table | None = None,
    settings: SettingsAgreement | None = None,
) -> str:
    """A page about a fit: its clusters, a map, their differences, and checks.

    Parameters
    ----------
    model : estimator
        GraphTailor or one of the compared methods, fitted.
    X : {DataFrame, array-like, sparse array} of shape (n, d) or None, default=None
        What the model was fitted to; without it the page describes no differences.
    summary : FitSummary or None, default=None
        From :func:`~graphtailor.report.summarize_fit`; computed if None.
    command : str or None, default=None
        The command that repeats the fit.
    today : date or None, default=None
        Date on the page; None is today.
    table : Table or None, default=None
        The table that X comes from, from :func:`~graphtailor.tables.read_table`: the
        page then has its units, names of rows, columns and known classes.
    settings : SettingsAgreement or None, default=None
        From :func:`~graphtailor.diagnostics.sensitivity.neighboring_settings`; None
        computes it by eleven refits.

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
    X = X if X is None or hasattr(X, "shape") else np.asarray(X)
    view = view_of(model)
    data = fit_data(view, X, table)
    summary = summary or summarize_fit(model, y_true=data.y)
    profiles, effects = _profiles(data)
    described = _described_clusters(data, profiles)
    return render_page(
        "fit.html.j2",
        summary=summary,
        headline=_headline(summary),
        glance=_glance(data, profiles),
        map=_map(data),
        described=described,
        n_not_described=len(profiles) - len(described),
        all_features=effects and _all_features(data, profiles, effects),
        graphs=_graphs(view),
        classes=_classes(data, summary),
        quality=_quality(data),
        stability=_stability(view),
        selection=selection_view(view),
        settings=_settings(model, view, X, settings),
        objective=_objective(view),
        path=_path(view),
        columns=data.columns,
        command=command,
        today=(today or date.today()).isoformat(),
    )


def _headline(summary: FitSummary) -> str:
    found = sum(size > 0 for size in summary.sizes)
    clusters = "1 cluster" if found == 1 else f"{found} clusters"
    return f"{summary.n_samples:,} rows of {summary.data} in {clusters}"


def _profiles(data: FitData) -> tuple[list[ClusterProfile], Effects | None]:
    """The clusters with their differences, and all differences."""
    labels = data.view.labels
    if data.frame is None:
        sizes = np.bincount(labels)
        found = np.flatnonzero(sizes)
        return [ClusterProfile(int(k), int(sizes[k]), []) for k in found], None
    effects = feature_effects(data.frame, labels)
    return cluster_profiles(data.frame, labels, effects=effects), effects


def _glance(data: FitData, profiles: list[ClusterProfile]) -> dict[str, Any]:
    """A line for each of the largest clusters, in the order of their numbers."""
    labels = data.view.labels
    sizes = np.array([profile.size for profile in profiles])
    listed = np.sort(np.argsort(-sizes, kind="stable")[:_MOST_LISTED])
    lines = []
    for profile in (profiles[i] for i in listed):
        line: dict[str, Any] = {
            "cluster": profile.cluster,
            "size": profile.size,
            "share": profile.size / len(labels),
            "width": profile.size / sizes.max(),
            "brief": profile.traits[:_IN_BRIEF],
        }
        if data.certainty is not None:
            share = data.certainty.share[labels == profile.cluster]
            line["certainty"] = float(share.mean())
            line["doubtful"] = int((share < DOUBTFUL).sum())
        lines.append(line)
    return {
        "lines": lines,
        "n_left": len(profiles) - len(listed),
        "meaning": None if data.certainty is None else data.certainty.meaning,
        "doubtful": DOUBTFUL,
    }


def _map(data: FitData) -> dict[str, Any] | None:
    found = map_of(data.view, data.features)
    if found is None:
        return None
    shown = found.vertices
    if data.view.anchors is not None:
        return map_view(found, [f"anchor {i}" for i in shown], [])
    share = None if data.certainty is None else data.certainty.share[shown]
    parts = [] if share is None else [[f"certainty {s:.0%}" for s in share]]
    if data.y is not None:
        parts.append([f"class {name}" for name in data.y[shown]])
    notes = [", ".join(note) for note in zip(*parts, strict=True)]
    doubtful = None if share is None else share < DOUBTFUL
    return map_view(found, [data.names[i] for i in shown], notes, doubtful)


def _described_clusters(
    data: FitData, profiles: list[ClusterProfile]
) -> list[dict[str, Any]]:
    """The largest clusters with their differences and rows, in order of number."""
    largest = sorted(profiles, key=lambda profile: -profile.size)[:_MOST_DESCRIBED]
    described = []
    for profile in sorted(largest, key=lambda profile: profile.cluster):
        rows = None
        if data.certainty is not None:
            rows = example_rows(
                profile, data.view.labels, data.certainty, data.frame, data.names
            )
        described.append({"profile": profile, "rows": rows})
    return described


def _all_features(
    data: FitData, profiles: list[ClusterProfile], effects: Effects
) -> dict[str, Any]:
    """The features with the largest differences, in every cluster."""
    strongest = np.abs(effects.effect).max(axis=0, initial=0)
    order = np.argsort(-strongest, kind="stable")[:_MOST_FEATURES]
    clusters = [profile.cluster for profile in profiles[:_MOST_COLUMNS]]
    rows = []
    for j in order:
        kind = effects.kinds[j]
        cells = []
        for k in clusters:
            text = shown_value(effects.inside[k, j], kind)
            cells.append({"text": text, "effect": float(effects.effect[k, j])})
        rows.append({"name": effects.names[j], "cells": cells})
    return {
        "clusters": clusters,
        "rows": rows,
        "n_columns": len(feature_names(data.frame)),
        "n_left": len(effects.names) - len(order),
        "n_clusters_left": len(profiles) - len(clusters),
    }


def _classes(data: FitData, summary: FitSummary) -> dict[str, Any] | None:
    labels, scores = data.view.labels, summary.scores
    if scores is None and data.y is not None:
        scores = clustering_scores(data.y, labels)
    if scores is None:
        return None
    confusion = None if data.y is None else confusion_view(data.y, labels)
    return {"scores": scores, "meanings": SCORE_MEANINGS, "confusion": confusion}


def _graphs(view: FittedView) -> dict[str, Any] | None:
    """Given and learned graph side by side, on one scale of colours."""
    graphs, labels = view.graphs(), view.vertex_labels
    if not graphs:
        return None
    images = {which: ordered_image(g, labels, _PIXELS) for which, g in graphs.items()}
    top = full_weight([image for image, _ in images.values()])
    panels = []
    for which, (image, sizes) in images.items():
        inside = share_inside(graphs[which], labels)
        title = (
            f"{which.capitalize()} graph: {inside:.0%} of its weight inside clusters"
        )
        svg = inline_svg(matrix_figure(image, sizes, top), title)
        panels.append({"title": title, "svg": svg})
    return {"panels": panels, "noun": view.noun}


def _quality(data: FitData) -> dict[str, Any]:
    view = data.view
    graph, which = view.given, "the given graph"
    if view.from_ensemble:
        # The given graph was made from clusterings, so it always favours clusters.
        graph, which = _neighbors(data), "a neighbour graph"
    indices = quality_indices(
        view.labels,
        features=data.features,
        graph=graph,
        graph_labels=view.vertex_labels,
    )
    where = []
    if data.features is not None:
        by = f", scaled by {data.scaling!r}" if data.scaling else ""
        where.append(f"Distances are between the features that the model used{by}.")
        where.append(sample_sentence(len(view.labels)))
    if graph is not None:
        where.append(f"Modularity and normalised cut are measured on {which}.")
    return {"indices": indices, "where": " ".join(filter(None, where))}


def _neighbors(data: FitData) -> Matrix | None:
    """Neighbour graph of the rows, or of the anchors that represent them."""
    points, anchors = data.features, data.view.anchors
    if anchors is not None:
        points = scaled_features(data.view, anchors.points)
    return None if points is None else neighbor_graph(points)


def _stability(view: FittedView) -> dict[str, Any] | None:
    found = start_stability(view)
    if found is None:
        return None
    starts = zip(found.kinds, found.objectives, found.with_kept, strict=True)
    return {
        "sentence": stability_sentence(found),
        "starts": list(starts),
        "agreement": found.agreement.tolist(),
        "anchors": None if view.anchors is None else view.anchors.stability,
    }


def _settings(
    model: FittedModel, view: FittedView, X: Any, found: SettingsAgreement | None
) -> dict[str, Any] | None:
    """Agreement with similar settings, or why it is not known."""
    if not view.settings:
        return None
    if found is None:
        reason = hindrance_to_refits(model, X)
        if reason:
            return {"reason": reason}
        found = neighboring_settings(model, X)
    return {"reason": "", **settings_view(found)}


def _objective(view: FittedView) -> dict[str, Any]:
    iterations, values = objective_curve(view)
    if len(values) == 1:
        return {"title": f"Objective: {values[0]:.6g}", "svg": None}
    state = "converged" if view.converged else "not converged"
    title = f"Objective: {state} after {view.n_iter} iterations"
    figure = curve_figure(iterations, values, ("iteration", "objective"))
    return {"title": title, "svg": inline_svg(figure, title)}


def _path(view: FittedView) -> str | None:
    """The scores of numbers of clusters, if the model chose the number."""
    path = view.n_clusters_path
    if path is None:
        return None
    chosen = len(np.unique(view.vertex_labels))
    names = ("number of clusters", "score")
    figure = curve_figure(path["n_clusters"], path["score"], names, chosen)
    return inline_svg(figure, "Score of each number of clusters")
