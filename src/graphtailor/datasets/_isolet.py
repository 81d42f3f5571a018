"""ISOLET from OpenML: fetched once, checked, and kept as an npz file."""

import os
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import get_data_home

from graphtailor.datasets._download import download
from graphtailor.datasets._registry import DatasetInfo
from graphtailor.io.atomic import atomic_open
from graphtailor.io.limits import clear_errors

# OpenML data set 300; it sends 36 MB.
ADDRESS = "https://www.openml.org/data/v1/download/52405/isolet.arff"
HOSTS = ("www.openml.org", "openml.org", "api.openml.org", "data.openml.org")
MOST_BYTES = 100_000_000
_DATA = b"@data"


def kept_isolet(data_home: str | os.PathLike[str] | None) -> Path:
    """Where the data set is kept once it was fetched."""
    if data_home is None:
        return Path(get_data_home(), "graphtailor", "isolet.npz")
    return Path(data_home).expanduser() / "isolet.npz"


def fetch_isolet(info: DatasetInfo) -> tuple[np.ndarray, np.ndarray]:
    """Fetch all parts of ISOLET from OpenML and take the first."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "isolet.arff")
        download(ADDRESS, path, hosts=HOSTS, most_bytes=MOST_BYTES)
        with clear_errors(lambda why: f"{ADDRESS} is not ISOLET: {why}."):
            return _first_part(info, _rows(path, info.n_samples))


def keep_isolet(path: Path, X: np.ndarray, y: np.ndarray, letters: list[str]) -> None:
    """Keep what was fetched and found right."""
    with atomic_open(path) as file:
        np.savez_compressed(file, X=X, y=y, class_names=np.array(letters))


def _rows(path: Path, n_rows: int) -> pd.DataFrame:
    """The first rows of an ARFF file of numbers, the last of them in quotes."""
    with open(path, "rb") as file:
        while (line := file.readline(100_000)) and line.strip().lower() != _DATA:
            pass
        return pd.read_csv(
            file, header=None, nrows=n_rows, quotechar="'", skipinitialspace=True
        )


def _first_part(info: DatasetInfo, rows: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Check the size of the first speakers' rows, and order them by class."""
    per_class = info.n_samples // info.n_classes
    expected = np.repeat(np.arange(1, info.n_classes + 1), per_class)
    numbers = rows.iloc[:, -1].to_numpy(dtype=np.float64)
    shape = (info.n_samples, info.n_features + 1)
    if rows.shape != shape or not np.array_equal(np.sort(numbers), expected):
        raise ValueError(
            f"its first {info.n_samples} rows have {rows.shape[1] - 1} features and "
            f"{len(set(numbers))} classes, and should have {info.n_features} features "
            f"and {per_class} samples in each of {info.n_classes} classes"
        )
    order = np.argsort(numbers, kind="stable")
    X = rows.iloc[:, :-1].to_numpy(dtype=np.float64)
    return X[order], numbers[order].astype(np.int64) - 1
