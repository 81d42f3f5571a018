"""Dask arrays and frames: the joint model by anchors, for more than one machine."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# The models import this package too, and must come first in a worker.
import graphtailor.models  # noqa: F401

if TYPE_CHECKING:
    from graphtailor.dask.fit import fit_collection
    from graphtailor.dask.labels import indicator_of_collection, labelled_frame

__all__ = ["fit_collection", "indicator_of_collection", "labelled_frame"]

# Imported when first used: Dask is optional.
_HOMES = {
    "fit_collection": "graphtailor.dask.fit",
    "indicator_of_collection": "graphtailor.dask.labels",
    "labelled_frame": "graphtailor.dask.labels",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
