"""Dask arrays and frames: the joint model by anchors, for more than one machine."""

# The models import this package too, and must come first in a worker.
import graphtailor.models  # noqa: F401
from graphtailor.dask.fit import fit_collection
from graphtailor.dask.labels import (
    indicator_of_collection,
    labelled_frame,
)

__all__ = ["fit_collection", "indicator_of_collection", "labelled_frame"]
