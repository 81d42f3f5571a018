"""Representatives: distinct rows, or weighted anchors that stand for many rows."""

from graphtailor.representatives.representatives import Representatives

__all__ = ["Representatives"]
