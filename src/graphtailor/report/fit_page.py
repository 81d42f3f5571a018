"""The report of a fit."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

import numpy as np

from graphtailor.diagnostics.certainty import (
    DOUBTFUL_RULE,
    by_memberships,
    certainty_sentence,
)
from graphtailor.diagnostics.effects import Effects, feature_effects, feature_names
from graphtailor.diagnostics.formatting import readable_number, shown_value
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
from graphtailor.diagnostics.sensitivity import (
    SettingsAgreement,
    neighboring_settings,
    why_no_refits,
)
from graphtailor.diagnostics.sensitivity_words import settings_view
from graphtailor.diagnostics.stability import (
    objective_curve,
    stability_sentence,
    start_stability,
)
from graphtailor.diagnostics.summary import FitSummary, summarize_fit
from graphtailor.metrics import clustering_scores
from graphtailor.models import GraphTailor, JointModel
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
        GraphTailor, JointModel or one of the compared methods, fitted.
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
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(X)
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
        decision=_decision(view),
        certain=data.certainty and certainty_sentence(data.certainty),
        settings=_settings(model, X, settings),
        objective=_objective(view),
        columns=data.columns,
        command=command,
        today=(today or date.today()).isoformat(),
    )


def _headline(summary: FitSummary) -> str:
    clusters = _counted(sum(size > 0 for size in summary.sizes), "cluster")
    return f"{summary.n_samples:,} rows of {summary.data} in {clusters}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


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
            mine = labels == profile.cluster
            line["certainty"] = float(data.certainty.share[mine].mean())
            line["doubtful"] = int(data.certainty.doubtful[mine].sum())
        lines.append(line)
    return {
        "lines": lines,
        "n_left": len(profiles) - len(listed),
        "meaning": None if data.certainty is None else data.certainty.meaning,
        "doubtful_rule": DOUBTFUL_RULE,
    }


def _map(data: FitData) -> dict[str, Any] | None:
    found = map_of(data.view, data.features)
    if found is None:
        return None
    shown, rows = found.vertices, _rows_of_vertices(data)
    certainty, vertices = data.certainty, data.view.vertices
    notes = []
    if vertices is not None:
        certainty = by_memberships(vertices.lifter.shares, vertices.labels)
        if vertices.noun != "rows":
            masses = vertices.representatives.masses[shown]
            notes.append([f"stands for {_counted(mass, 'row')}" for mass in masses])
    if certainty is not None:
        notes.append([f"certainty {share:.0%}" for share in certainty.share[shown]])
    if rows is None:
        kind = "anchor" if found.noun == "anchors" else "representative"
        names = [f"{kind} {i}" for i in shown]
    else:
        names = [data.names[i] for i in rows[shown]]
        if data.y is not None:
            notes.append([f"class {name}" for name in data.y[rows[shown]]])
    doubtful = None if certainty is None else certainty.doubtful[shown]
    texts = [", ".join(parts) for parts in zip(*notes, strict=True)]
    return map_view(found, names, texts, doubtful)


def _rows_of_vertices(data: FitData) -> np.ndarray | None:
    """A row that each vertex of the graphs is; None if that is unknown."""
    vertices = data.view.vertices
    if vertices is None:
        return np.arange(len(data.view.labels))
    return None if data.features is None else vertices.first_rows(data.features)


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
    return {"panels": panels, "noun": view.noun, "from_ensemble": view.from_ensemble}


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
    """Neighbour graph of the rows, or of what represents them."""
    points, vertices = data.features, data.view.vertices
    if vertices is not None:
        points = vertices.representatives.points
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
    }


def _decision(view: FittedView) -> dict[str, Any] | None:
    """What GraphTailor decided and tried, for the page."""
    decision = view.decision
    if decision is None:
        return None
    joint = f"joint model, alpha {readable_number(decision.alpha)}"
    tried = [
        (f"cut by {decision.cut}", decision.cut_agreement),
        (joint, decision.model_agreement),
    ]
    curve = None
    if len(decision.levels) > 1:
        numbers = [level.n_clusters for level in decision.levels]
        scores = [level.score for level in decision.levels]
        names = ("number of clusters", "score")
        figure = curve_figure(numbers, scores, names, decision.n_clusters)
        curve = inline_svg(figure, "Score of each number of clusters")
    return {
        "sentences": decision.sentences(),
        "tried": tried,
        "kept": 0,
        "curve": curve,
    }


def _settings(
    model: FittedModel, X: Any, found: SettingsAgreement | None
) -> dict[str, Any] | None:
    """Agreement with similar settings, or why it is not known."""
    if not isinstance(model, GraphTailor | JointModel):
        return None
    if found is None:
        reason = why_no_refits(model, X)
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
