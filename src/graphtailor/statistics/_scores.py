"""Scores of repeated runs, as they are given."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def check_scores(argument: str, scores: ArrayLike) -> np.ndarray:
    """Return the scores of repeated runs as a finite, non-empty vector."""
    vector = np.asarray(scores, dtype=float)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(
            f"{argument} must be a vector with the score of each run, "
            f"got shape {vector.shape}"
        )
    if not np.isfinite(vector).all():
        raise ValueError(
            f"{argument} has scores that are not finite; leave failed runs out"
        )
    return vector
