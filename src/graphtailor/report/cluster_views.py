"""The clusters of a fit as a page shows them: at a glance, and one by one."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtailor.diagnostics.certainty import DOUBTFUL
from graphtailor.diagnostics.effects import Effects, feature_effects, feature_names
from graphtailor.diagnostics.example_rows import example_rows
from graphtailor.diagnostics.formatting import shown_value
from graphtailor.diagnostics.profile import ClusterProfile, cluster_profiles
from graphtailor.report.fit_data import Subject

MOST_CLUSTERS = 40
_MOST_DESCRIBED = 24
_MOST_FEATURES = 250
_MOST_COLUMNS = 12
_IN_BRIEF = 3


def profiles_of(subject: Subject) -> tuple[list[ClusterProfile], Effects | None]:
    """What sets the clusters apart, and all that was compared."""
    if subject.frame is None:
        sizes = np.bincount(subject.labels)
        bare = [
            ClusterProfile(int(k), int(sizes[k]), []) for k in np.flatnonzero(sizes)
        ]
        return bare, None
    effects = feature_effects(subject.frame, subject.labels)
    profiles = cluster_profiles(subject.frame, subject.labels, effects=effects)
    return profiles, effects


def glance_view(subject: Subject, profiles: list[ClusterProfile]) -> dict[str, Any]:
    """A line for each cluster: how large, how certain, what it is.

    Parameters
    ----------
    subject : Subject
        The fit.
    profiles : list of ClusterProfile
        What sets its clusters apart.

    Returns
    -------
    dict
        Of the largest clusters, in the order of their numbers, where there are many.
    """
    sizes = np.array([profile.size for profile in profiles])
    shown = np.sort(np.argsort(-sizes, kind="stable")[:MOST_CLUSTERS])
    lines = []
    for profile in (profiles[i] for i in shown):
        line: dict[str, Any] = {
            "cluster": profile.cluster,
            "size": profile.size,
            "share": profile.size / len(subject.labels),
            "width": profile.size / sizes.max(),
            "brief": profile.traits[:_IN_BRIEF],
        }
        if subject.certainty is not None:
            share = subject.certainty.share[subject.labels == profile.cluster]
            line["certainty"] = float(share.mean())
            line["doubtful"] = int((share < DOUBTFUL).sum())
        lines.append(line)
    return {
        "lines": lines,
        "n_left": len(profiles) - len(shown),
        "meaning": getattr(subject.certainty, "meaning", None),
        "doubtful": DOUBTFUL,
    }


def described_clusters(
    subject: Subject, profiles: list[ClusterProfile]
) -> list[dict[str, Any]]:
    """The largest clusters with their traits and rows, in order of their numbers."""
    largest = sorted(profiles, key=lambda profile: -profile.size)[:_MOST_DESCRIBED]
    return [
        {
            "profile": profile,
            "rows": subject.certainty
            and example_rows(
                profile, subject.labels, subject.certainty, subject.frame, subject.names
            ),
        }
        for profile in sorted(largest, key=lambda profile: profile.cluster)
    ]


def all_features_view(
    subject: Subject, profiles: list[ClusterProfile], effects: Effects
) -> dict[str, Any]:
    """Every feature in every cluster, the strongest differences first, up to a few."""
    strongest = np.abs(effects.effect).max(axis=0, initial=0)
    order = np.argsort(-strongest, kind="stable")[:_MOST_FEATURES]
    clusters = [profile.cluster for profile in profiles[:_MOST_COLUMNS]]
    rows = []
    for j in order:
        kind = effects.kinds[j]
        cells = []
        for k in clusters:
            told = shown_value(effects.inside[k, j], kind)
            cells.append({"told": told, "effect": float(effects.effect[k, j])})
        rows.append({"name": effects.names[j], "cells": cells})
    return {
        "clusters": clusters,
        "rows": rows,
        "n_columns": len(feature_names(subject.frame)),
        "n_left": len(effects.names) - len(order),
        "n_clusters_left": len(profiles) - len(clusters),
    }
