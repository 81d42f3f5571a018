"""The metrics of a benchmark. Another one is another entry."""

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np

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


def is_import_path(text: str) -> bool:
    """Whether the text has the form "module:name"."""
    module, colon, name = text.partition(":")
    return bool(module and colon and name.isidentifier())


@cache
def imported(path: str) -> Any:
    """The object at "module:name"."""
    module, _, name = path.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{path!r} cannot be imported: {error}.") from error


def score_labels(
    y_true: np.ndarray, labels: np.ndarray, metrics: Iterable[str]
) -> dict[str, float]:
    """The scores of one run."""
    return {
        name: float((METRICS.get(name) or imported(name))(y_true, labels))
        for name in metrics
    }


def short_name(metric: str) -> str:
    """A metric's name for a table's head."""
    return metric.partition(":")[2] or metric
