"""Learn the graph your clusters need."""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphtailor.graphs import NeighborGraph
    from graphtailor.metrics import clustering_scores
    from graphtailor.models import GraphTailor

__version__ = version("graphtailor")

__all__ = ["GraphTailor", "NeighborGraph", "__version__", "clustering_scores"]

# Loaded when first asked for: the command line starts without waiting for numba.
_HOMES = {
    "GraphTailor": "graphtailor.models",
    "NeighborGraph": "graphtailor.graphs",
    "clustering_scores": "graphtailor.metrics",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
