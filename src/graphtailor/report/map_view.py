"""The map of a fit, with its words."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtailor.diagnostics.certainty import DOUBTFUL
from graphtailor.diagnostics.graph_map import VertexMap, map_of
from graphtailor.report.fit_data import Subject
from graphtailor.report.map_svg import map_data, map_places, map_svg


def map_view(subject: Subject) -> dict[str, Any] | None:
    """The map of the learned graph, or of the nearest thing that the model has.

    Parameters
    ----------
    subject : Subject
        The fit.

    Returns
    -------
    dict or None
        Picture, data of its points, title, how to read it; None if there is nothing
        to draw.
    """
    found = map_of(subject.model, subject.features)
    if found is None:
        return None
    places, height = map_places(found.places)
    title = f"Map of {found.source}, coloured by cluster"
    share = _certainty(subject, found)
    doubtful = None if share is None else share < DOUBTFUL
    clusters = np.unique(found.labels)
    panel = {"labels": found.labels.tolist(), "notes": _notes(subject, found, share)}
    return {
        "title": title,
        "svg": map_svg(
            places,
            height,
            found.labels,
            panel=0,
            description=title,
            lines=found.lines,
            doubtful=doubtful,
        ),
        "data": map_data(places, _names(subject, found), [panel]),
        "clusters": clusters.tolist(),
        "reading": _reading(found, doubtful),
    }


def _reading(found: VertexMap, doubtful: np.ndarray | None) -> str:
    told = (
        f"A point is one of the {found.noun}, a line one of the strongest ties. Tied "
        "points lie near each other, so a cluster that holds together is one island; "
        "distances between islands say little."
    )
    if doubtful is not None and doubtful.any():
        told += " Hollow points are doubtful."
    if len(found.vertices) < found.n_vertices:
        told += (
            f" Shown is a sample of {len(found.vertices):,} of the "
            f"{found.n_vertices:,} {found.noun}; the others count with the one they "
            "are tied to."
        )
    return f"{told} Point at one to see its name."


def _certainty(subject: Subject, found: VertexMap) -> np.ndarray | None:
    if subject.certainty is None or found.noun == "anchors":
        return None
    return subject.certainty.share[found.vertices]


def _names(subject: Subject, found: VertexMap) -> list[str]:
    if found.noun == "anchors":
        return [f"anchor {i}" for i in found.vertices]
    return [subject.names[i] for i in found.vertices]


def _notes(subject: Subject, found: VertexMap, share: np.ndarray | None) -> list[str]:
    """What to say of each point beside its name and cluster."""
    if found.noun == "anchors":
        masses = np.asarray(subject.model.anchor_masses_)[found.vertices]
        return [f"stands for {mass:,.0f} rows" for mass in masses]
    notes = [""] * len(found.vertices)
    if share is not None:
        notes = [f"certainty {s:.0%}" for s in share]
    if subject.y is not None:
        classes = subject.y[found.vertices]
        notes = [
            f"{note}, class {c}" if note else f"class {c}"
            for note, c in zip(notes, classes, strict=True)
        ]
    return notes
