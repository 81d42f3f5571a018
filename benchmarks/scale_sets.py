"""The data sets of `scale.py` by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import scale_real
from scale_data import Shape, rings, spirals, two_bananas, warped_blobs, write_samples


@dataclass(frozen=True)
class DataSet:
    """A set of samples that can be written as X.npy and y.npy.

    Parameters
    ----------
    n_samples, n_features, n_clusters : int
    source : Shape or callable
        A distribution to draw from, or a loader of real samples.
    n_anchors : int, default=1000
        What the U-SPEC-like peer is given.
    """

    n_samples: int
    n_features: int
    n_clusters: int
    source: Shape | Callable[[], tuple[np.ndarray, np.ndarray]]
    n_anchors: int = 1000

    def write(self, folder: Path, n_samples: int) -> None:
        """Write the first samples."""
        folder.mkdir(parents=True, exist_ok=True)
        if isinstance(self.source, Shape):
            write_samples(self.source, n_samples, folder)
            return
        X, y = self.source()
        # Some peers refuse rows that are not stored one after the other.
        np.save(folder / "X.npy", np.ascontiguousarray(X[:n_samples]))
        np.save(folder / "y.npy", y[:n_samples])


def _drawn(shape: Shape, n_samples: int, n_anchors: int = 1000) -> DataSet:
    return DataSet(n_samples, shape.n_features, shape.n_clusters, shape, n_anchors)


DATA = {
    "digits": DataSet(1_797, 64, 10, scale_real.digits),
    "satellite": DataSet(6_435, 36, 6, scale_real.satellite),
    "fashion": DataSet(10_000, 784, 10, scale_real.fashion),
    "letters": DataSet(20_000, 16, 26, scale_real.letters),
    "blobs-1e5": _drawn(warped_blobs(32), 10**5),
    "blobs-1e6": _drawn(warped_blobs(32), 10**6),
    "bananas": _drawn(two_bananas(), 10**6),
    "rings": _drawn(rings(), 10**6, n_anchors=3000),
    "spirals": _drawn(spirals(), 10**6),
    "blobs-1e7": _drawn(warped_blobs(16), 10**7),
}
REAL = [name for name, data in DATA.items() if not isinstance(data.source, Shape)]
MILLION = ["blobs-1e6", "bananas", "rings", "spirals"]
