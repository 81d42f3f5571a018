"""Weighted anchors: the joint model for more rows than a graph can hold."""

from graphtailor.representatives.fit import (
    AnchorSettings,
    AnchorSolution,
    Sample,
    anchors_for,
    link_rows,
    mean_of_rows,
    sample_size,
    solve_anchors,
)
from graphtailor.representatives.links import AnchorLinks
from graphtailor.representatives.rows import Rows, sample_rows

__all__ = [
    "AnchorLinks",
    "AnchorSettings",
    "AnchorSolution",
    "Rows",
    "Sample",
    "anchors_for",
    "link_rows",
    "mean_of_rows",
    "sample_rows",
    "sample_size",
    "solve_anchors",
]
