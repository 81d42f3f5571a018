"""The data sets of the scale benchmark by name: drawn ones, and real ones.

Real sets are scikit-learn's digits and what Debian packages carry; `debian_files.py`
says where these are looked for.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from debian_files import R_LIBRARY, NotInstalled, debian_file, r_table
from scale.data import Shape, rings, spirals, two_bananas, warped_blobs, write_samples

Samples = tuple[np.ndarray, np.ndarray]

MLBENCH = f"{R_LIBRARY}/mlbench/data"
FASHION = "usr/share/datasets/fashion-mnist"


def digits() -> Samples:
    """Handwritten digits, 1,797 x 64, 10 classes."""
    X, y = load_digits(return_X_y=True)
    return X.astype(np.float32), y.astype(np.int32)


def satellite() -> Samples:
    """Pixels of a Landsat image with their neighbours, 6,435 x 36, 6 kinds of soil."""
    return _mlbench("Satellite", "classes")


def letters() -> Samples:
    """Features of printed capital letters, 20,000 x 16, 26 classes."""
    return _mlbench("LetterRecognition", "lettr")


def fashion() -> Samples:
    """Grey pictures of clothing, 70,000 x 784, 10 classes."""
    folder = debian_file(FASHION, "dataset-fashion-mnist")
    # Files start with their sizes, four bytes each, after a magic number.
    parts = ("train", "t10k")
    pixels = [_unzip(folder / f"{x}-images-idx3-ubyte.gz")[16:] for x in parts]
    classes = [_unzip(folder / f"{x}-labels-idx1-ubyte.gz")[8:] for x in parts]
    y = np.concatenate(classes).astype(np.int32)
    X = np.concatenate(pixels).reshape(len(y), -1)
    return X.astype(np.float32) / 255, y


def pendigits() -> Samples:
    """Points on the path of a pen that writes a digit, 10,992 x 16, 10 classes."""
    folder = os.environ.get("GRAPHTAILOR_DATA")
    if not folder or not Path(folder, "pendigits.npz").exists():
        raise NotInstalled(
            "pendigits.npz, with arrays X and y, is looked for in GRAPHTAILOR_DATA"
        )
    with np.load(Path(folder, "pendigits.npz"), allow_pickle=False) as file:
        return file["X"].astype(np.float32), file["y"].astype(np.int32)


def _mlbench(name: str, label: str) -> Samples:
    """A table of the R package mlbench."""
    table = r_table(f"{MLBENCH}/{name}.rda", "r-cran-mlbench")
    y = table[label].cat.codes.to_numpy(np.int32)
    return table.drop(columns=label).to_numpy(np.float32), y


def _unzip(path: Path) -> np.ndarray:
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), np.uint8)


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
    source: Shape | Callable[[], Samples]
    n_anchors: int = 1000

    def write(self, folder: Path, n_samples: int, seed: int = 0) -> None:
        """Write some samples: real ones as the seed shuffles them.

        Drawn samples are in a random order already, which does not depend on the seed.
        """
        folder.mkdir(parents=True, exist_ok=True)
        if isinstance(self.source, Shape):
            write_samples(self.source, n_samples, folder)
            return
        X, y = self.source()
        rows = np.random.default_rng(seed).permutation(len(X))[:n_samples]
        np.save(folder / "X.npy", np.ascontiguousarray(X[rows]))
        np.save(folder / "y.npy", y[rows])


def _drawn(shape: Shape, n_samples: int, n_anchors: int = 1000) -> DataSet:
    return DataSet(n_samples, shape.n_features, shape.n_clusters, shape, n_anchors)


DATA = {
    "digits": DataSet(1_797, 64, 10, digits),
    "satellite": DataSet(6_435, 36, 6, satellite),
    "pendigits": DataSet(10_992, 16, 10, pendigits),
    "letters": DataSet(20_000, 16, 26, letters),
    "fashion": DataSet(70_000, 784, 10, fashion),
    "blobs-1e5": _drawn(warped_blobs(32), 10**5),
    "blobs-1e6": _drawn(warped_blobs(32), 10**6),
    "bananas": _drawn(two_bananas(), 10**6),
    "rings": _drawn(rings(), 10**6, n_anchors=3000),
    "spirals": _drawn(spirals(), 10**6),
    "blobs-1e7": _drawn(warped_blobs(16), 10**7),
}
REAL = [name for name, data in DATA.items() if not isinstance(data.source, Shape)]
