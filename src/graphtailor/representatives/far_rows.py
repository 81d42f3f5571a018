"""What to say of rows that are far from the fitted ones."""

from __future__ import annotations

import numpy as np

# Rows farther away than this times what 19 of 20 fitted rows have are reported.
_FAR = 3.0


def notes_on_distance(distance: np.ndarray | None) -> list[str]:
    """A note on rows that are far from all fitted ones."""
    n_far = 0 if distance is None else int((distance > _FAR).sum())
    if distance is None or not n_far:
        return []
    return [
        f"{n_far:,} of {len(distance):,} rows are more than {_FAR:g} times as far from "
        "the fitted rows as those are from each other: their clusters mean little."
    ]
