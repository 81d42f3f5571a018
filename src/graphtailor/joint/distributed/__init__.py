"""Dask arrays and frames: the joint model by anchors, for more than one machine."""

from graphtailor.joint.distributed.fit import fit_collection
from graphtailor.joint.distributed.labels import (
    labelled_frame,
    memberships_of_collection,
)

__all__ = ["fit_collection", "labelled_frame", "memberships_of_collection"]
