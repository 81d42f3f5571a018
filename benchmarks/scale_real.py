"""Real data for `scale.py`: scikit-learn's digits, and what Debian packages carry.

`debian_files.py` says where they are looked for.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from debian_files import R_LIBRARY, debian_file, r_table

MLBENCH = f"{R_LIBRARY}/mlbench/data"
FASHION = "usr/share/datasets/fashion-mnist"

Samples = tuple[np.ndarray, np.ndarray]


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
    folder = debian_file(FASHION, "dataset-fashion-mnist")
    # Both files start with their sizes, four bytes each, after a magic number.
    pixels = _unzip(folder / "t10k-images-idx3-ubyte.gz")[16:]
    classes = _unzip(folder / "t10k-labels-idx1-ubyte.gz")[8:]
    X = pixels.reshape(len(classes), -1).astype(np.float32) / 255
    return X, classes.astype(np.int32)


def _mlbench(name: str, label: str) -> Samples:
    """A table of the R package mlbench."""
    table = r_table(f"{MLBENCH}/{name}.rda", "r-cran-mlbench")
    y = table[label].cat.codes.to_numpy(np.int32)
    return table.drop(columns=label).to_numpy(np.float32), y


def _unzip(path: Path) -> np.ndarray:
    with gzip.open(path) as file:
        return np.frombuffer(file.read(), np.uint8)
