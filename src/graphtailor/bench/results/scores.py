"""The metrics of a benchmark. Another one is another entry."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from graphtailor.bench.plan.checks import imported
from graphtailor.metrics import (
    adjusted_rand_score,
    clustering_accuracy,
    normalized_mutual_info,
    purity,
)

# Larger is better for all of them.
METRICS: Mapping[str, Callable[[Any, Any], float]] = MappingProxyType(
    {
        "ACC": clustering_accuracy,
        "NMI": normalized_mutual_info,
        "PUR": purity,
        "ARI": adjusted_rand_score,
    }
)


def score_labels(
    y_true: np.ndarray, labels: np.ndarray, metrics: Iterable[str]
) -> dict[str, float]:
    """The scores of one run.

    Examples
    --------
    >>> score_labels([0, 0, 1], [1, 1, 0], ["ACC", "sklearn.metrics:v_measure_score"])
    {'ACC': 1.0, 'sklearn.metrics:v_measure_score': 1.0}
    """
    return {
        name: float((METRICS.get(name) or imported(name))(y_true, labels))
        for name in metrics
    }


def short_name(metric: str) -> str:
    """A metric's name for a table's head."""
    return metric.partition(":")[2] or metric
