"""Real data for `scale.py`: scikit-learn's digits, and what Debian packages carry.

The packages need not be installed. Unpacked into a folder they are found by
``GRAPHTAILOR_DATA=FOLDER``, for instance::

    apt-get download r-cran-mlbench && dpkg-deb -x r-cran-mlbench_*.deb FOLDER
"""

from __future__ import annotations

import gzip
import os
import warnings
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

MLBENCH = "usr/lib/R/site-library/mlbench/data"
FASHION = "usr/share/datasets/fashion-mnist"

Samples = tuple[np.ndarray, np.ndarray]


class NotInstalled(Exception):
    """A package is missing; the message says how to install it."""


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
    """Grey pictures of clothing, 10,000 x 784 (the test part), 10 classes."""
    folder = _find(FASHION, "dataset-fashion-mnist")
    # Both files start with their sizes, four bytes each, after a magic number.
    pixels = _unzip(folder / "t10k-images-idx3-ubyte.gz")[16:]
    classes = _unzip(folder / "t10k-labels-idx1-ubyte.gz")[8:]
    X = pixels.reshape(len(classes), -1).astype(np.float32) / 255
    return X, classes.astype(np.int32)


def _mlbench(name: str, label: str) -> Samples:
    """A table of the R package mlbench."""
    path = _find(f"{MLBENCH}/{name}.rda", "r-cran-mlbench")
    try:
        import rdata
    except ImportError as error:
        raise NotInstalled("reading R's tables needs: pip install rdata") from error
    with warnings.catch_warnings():
        # The files do not say that their few names are plain ASCII.
        warnings.filterwarnings("ignore", message="Unknown encoding", module="rdata")
        table = rdata.read_rda(path)[name]
    y = table[label].cat.codes.to_numpy(np.int32)
    return table.drop(columns=label).to_numpy(np.float32), y


def _find(path: str, package: str) -> Path:
    """Where a Debian package, installed or unpacked, has a file or folder."""
    for root in ("/", os.environ.get("GRAPHTAILOR_DATA") or "/"):
        if Path(root, path).exists():
            return Path(root, path)
    raise NotInstalled(
        f"{path} is not here: apt-get install {package}, or apt-get download {package} "
        f"&& dpkg-deb -x {package}_*.deb FOLDER and set GRAPHTAILOR_DATA=FOLDER"
    )


def _unzip(path: Path) -> np.ndarray:
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), np.uint8)
