"""Learn the graph your clusters need."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphtailor.columns.blocks import TableBlocks
    from graphtailor.graphs import DiffusedGraph, EnsembleGraph, NeighborGraph
    from graphtailor.io.models import load_model, save_model
    from graphtailor.kernel_map import KernelMap
    from graphtailor.metrics import clustering_scores
    from graphtailor.models import GraphTailor, JointModel, LearnedGraph
    from graphtailor.models.ask_next import ask_next
    from graphtailor.tables import cluster_table

    __version__: str

# Loaded when first asked for: the command line starts without waiting for numba.
_HOMES = {
    "DiffusedGraph": "graphtailor.graphs",
    "EnsembleGraph": "graphtailor.graphs",
    "GraphTailor": "graphtailor.models",
    "JointModel": "graphtailor.models",
    "KernelMap": "graphtailor.kernel_map",
    "LearnedGraph": "graphtailor.models",
    "NeighborGraph": "graphtailor.graphs",
    "TableBlocks": "graphtailor.columns.blocks",
    "ask_next": "graphtailor.models.ask_next",
    "cluster_table": "graphtailor.tables",
    "clustering_scores": "graphtailor.metrics",
    "load_model": "graphtailor.io.models",
    "save_model": "graphtailor.io.models",
}

__all__ = [
    "DiffusedGraph",
    "EnsembleGraph",
    "GraphTailor",
    "JointModel",
    "KernelMap",
    "LearnedGraph",
    "NeighborGraph",
    "TableBlocks",
    "__version__",
    "ask_next",
    "cluster_table",
    "clustering_scores",
    "load_model",
    "save_model",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("graphtailor")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
