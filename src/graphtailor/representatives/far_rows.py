"""How far rows are from the fitted ones, and what to say of those that are far."""

from typing import Any

import numpy as np
from sklearn.neighbors import NearestNeighbors

from graphtailor.representatives.lift import Lifter
from graphtailor.representatives.representatives import Representatives

# Rows farther away than this times what 19 of 20 fitted rows have are reported.
_FAR = 3.0


def distances_to(lifter: Lifter, X: Any) -> np.ndarray | None:
    """How far rows are from the fitted ones; 19 of 20 fitted rows are below 1.

    It is the mean distance to the five nearest representatives, divided by what 95 % of
    the representatives have at most among themselves. A representative that equals the
    row does not count. None where the model was given distances or a graph.
    """
    representatives = lifter.representatives
    if not isinstance(representatives, Representatives) or len(representatives) < 3:
        return None
    points = representatives.points
    # A row is compared with this many of its nearest fitted ones.
    k = min(5, len(representatives) - 1)
    search = NearestNeighbors(n_neighbors=k, n_jobs=lifter.n_jobs).fit(points)
    usual = float(np.quantile(search.kneighbors()[0].mean(axis=1), 0.95)) or 1.0

    def means(rows: Any) -> np.ndarray:
        found = search.kneighbors(rows, k + 1)[0]
        is_equal = found[:, 0] == 0
        return np.where(is_equal, found[:, 1:].mean(axis=1), found[:, :-1].mean(axis=1))

    values = X.to_numpy() if hasattr(X, "to_numpy") else X
    distances = np.empty(values.shape[0])
    for part, found in lifter.scaling.like(values).each_block(means, None):
        distances[part] = found
    return distances / usual


def notes_on_distance(distance: np.ndarray | None) -> list[str]:
    """A note on rows that are far from all fitted ones."""
    n_far = 0 if distance is None else int((distance > _FAR).sum())
    if distance is None or not n_far:
        return []
    return [
        f"{n_far:,} of {len(distance):,} rows are more than {_FAR:g} times as far from "
        "the fitted rows as those are from each other: their clusters mean little."
    ]
