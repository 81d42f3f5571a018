"""Checks of a fit for statisticians: graphs, indices, starts, settings, decisions."""

from typing import Any

import numpy as np

from graphtailor.decide.n_clusters import PRICE
from graphtailor.diagnostics import graph_map, stability
from graphtailor.diagnostics.certainty import DOUBTFUL_RULE, certainty_sentence
from graphtailor.diagnostics.effects import Effects, feature_names
from graphtailor.diagnostics.formatting import readable_number, shown_value
from graphtailor.diagnostics.model_access import FittedModel, FittedView, Matrix
from graphtailor.diagnostics.quality import (
    SCORE_MEANINGS,
    confusion_view,
    quality_indices,
    sample_sentence,
)
from graphtailor.diagnostics.sensitivity import (
    SettingsAgreement,
    settings_view,
    why_no_refits,
)
from graphtailor.diagnostics.summary import FitSummary
from graphtailor.linalg.types import MatrixLike
from graphtailor.metrics import clustering_scores
from graphtailor.models import GraphTailor, JointModel
from graphtailor.plot.affinity_display import matrix_figure
from graphtailor.plot.curves import curve_figure
from graphtailor.plot.inline_svg import inline_svg
from graphtailor.report.fit_data import FitData
from graphtailor.report.page_data import PageData

# Sizes at which lists and pictures end.
_MOST_FEATURES, _MOST_COLUMNS = 250, 12
_SCORE = (
    "The score is a third of the agreement with the quick clusterings and two thirds "
    "of how far apart they keep the clusters, minus {} times the "
    "logarithm of the number, or more where columns are categories, because finer cuts "
    "agree a little better where there are no clusters too."
)


def fit_checks(
    model: FittedModel,
    X: MatrixLike,
    data: FitData,
    found: PageData,
    summary: FitSummary,
    settings: SettingsAgreement | None,
) -> dict[str, Any]:
    """Everything that the template of the checks shows."""
    view = data.view
    return {
        "all_features": found.effects and _all_features(data, found, found.effects),
        "graphs": _graphs(view),
        "classes": _classes(data, summary),
        "quality": _quality(data),
        "stability": _stability(view),
        "decision": _decision(view),
        "certain": _certain(data),
        "settings": _settings(model, X, settings),
        "objective": _objective(view),
        "last_parameters": view.last_parameters,
    }


def _certain(data: FitData) -> str:
    found = data.certainty
    if found is None:
        return ""
    said = f"{certainty_sentence(found)} {found.meaning} {DOUBTFUL_RULE}"
    verdict = data.view.verdict
    if verdict is None or verdict.level == "clear":
        return said
    return f"{said} It says how steady the cut is, not that there are clusters."


def _all_features(data: FitData, found: PageData, effects: Effects) -> dict[str, Any]:
    """The features with the largest differences, in every cluster."""
    groups = found.groups.of_level[found.levels.chosen]
    clusters = [k for k, g in enumerate(groups) if g >= 0]
    strongest = np.abs(effects.effect[groups[clusters]]).max(axis=0, initial=0)
    order = np.argsort(-strongest, kind="stable")[:_MOST_FEATURES]
    rows = []
    for j in order:
        kind, cells = effects.kinds[j], []
        for g in groups[clusters[:_MOST_COLUMNS]]:
            text = shown_value(effects.inside[g, j], kind)
            cells.append({"text": text, "effect": float(effects.effect[g, j])})
        rows.append({"name": effects.names[j], "cells": cells})
    return {
        "clusters": clusters[:_MOST_COLUMNS],
        "rows": rows,
        "n_columns": len(feature_names(data.frame)),
        "n_left": len(effects.names) - len(order),
        "n_clusters_left": max(len(clusters) - _MOST_COLUMNS, 0),
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
    images = {
        which: graph_map.ordered_image(g, labels, 200) for which, g in graphs.items()
    }
    top = graph_map.full_weight([image for image, _ in images.values()])
    panels = []
    for which, (image, sizes) in images.items():
        inside = graph_map.share_inside(graphs[which], labels)
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
    return None if points is None else graph_map.neighbor_graph(points)


def _stability(view: FittedView) -> dict[str, Any] | None:
    found = stability.start_stability(view)
    if found is None:
        return None
    starts = zip(found.kinds, found.objectives, found.with_kept, strict=True)
    return {
        "sentence": stability.stability_sentence(found),
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
    if len(view.layers.scores) > 1:
        names = ("number of clusters", "score")
        numbers, scores = zip(*view.layers.scores, strict=True)
        figure = curve_figure(numbers, scores, names, decision.n_clusters)
        curve = inline_svg(figure, "Score of each number of clusters")
    return {
        "sentences": decision.sentences(),
        "tried": tried,
        "kept": 0,
        "curve": curve,
        "is_guided": bool(
            decision.known_rows or decision.must_links or decision.cannot_links
        ),
        "score": _SCORE.format(PRICE),
    }


def _settings(
    model: FittedModel, X: MatrixLike, found: SettingsAgreement | None
) -> dict[str, Any] | None:
    """Agreement with similar settings, or why it is not known."""
    if not isinstance(model, GraphTailor | JointModel):
        return None
    if found is None:
        reason = why_no_refits(model, X) or (
            "the page was made without them; graphtailor fit --report tries them"
        )
        return {"reason": reason}
    return {"reason": "", **settings_view(found)}


def _objective(view: FittedView) -> dict[str, Any]:
    iterations, values = stability.objective_curve(view)
    if len(values) == 1:
        return {"title": f"Objective: {values[0]:.6g}", "svg": None}
    state = "converged" if view.converged else "not converged"
    title = f"Objective: {state} after {view.n_iter} iterations"
    figure = curve_figure(iterations, values, ("iteration", "objective"))
    return {"title": title, "svg": inline_svg(figure, title)}
