"""More real data sets for choosing defaults, added when an ensemble had become one.

The views of an ensemble, and that fits of the model are among the members in each of
them, were chosen on these sets and on those of `TUNING`; "maxabs", which does nothing
for them, stayed among the views after a look at the study's ten. No set was left out
after a look. They are classic tables, most of them with features of different kinds;
some come out of Debian's packages of R (see `debian_files.py`)::

    pip install rdata
    apt-get download r-cran-mlbench r-cran-rrcov r-cran-kernlab r-cran-ddalpha

Of larger sets every second row is taken, or third, and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import pandas as pd

from debian_files import R_LIBRARY, debian_file, r_table
from quality.readers import Samples, uci


def _r(package: str, item: str, label: str, every: int = 1) -> Samples:
    """Numeric columns of a data frame of R."""
    path = f"{R_LIBRARY}/{package}/data/{item}.rda"
    table = r_table(path, f"r-cran-{package}").iloc[::every]
    return table.drop(columns=label).to_numpy(float), table[label].to_numpy()


def _votes() -> Samples:
    """Yes is 1 and no is 0; who did not vote stands between."""
    path = f"{R_LIBRARY}/mlbench/data/HouseVotes84.rda"
    table = r_table(path, "r-cran-mlbench").astype(object)
    votes = table.drop(columns="Class").map(lambda vote: {"y": 1.0, "n": 0.0}.get(vote))
    return votes.fillna(0.5).to_numpy(float), table["Class"].to_numpy()


def _two_classes(item: str) -> Samples:
    """Tables of ddalpha, the class in the last column."""
    path = f"{R_LIBRARY}/ddalpha/data/{item}.txt.gz"
    table = pd.read_csv(debian_file(path, "r-cran-ddalpha"), sep=r"\s+")
    return table.iloc[:, :-1].to_numpy(float), table.iloc[:, -1].to_numpy()


def _automobile() -> Samples:
    """Its columns of numbers."""
    X, y = uci("automobile/automobile.dat")
    return X[:, np.isfinite(X).any(axis=0)], y


TUNED_LATER: dict[str, Callable[[], Samples]] = {
    "sonar": partial(_r, "mlbench", "Sonar", "Class"),
    "shuttle": partial(_r, "mlbench", "Shuttle", "Class", 29),
    "letters": partial(_r, "mlbench", "LetterRecognition", "lettr", 10),
    "votes": _votes,
    "fish": partial(_r, "rrcov", "fish", "Species"),
    "olitos": partial(_r, "rrcov", "olitos", "grp"),
    "fruit": partial(_r, "rrcov", "fruit", "cultivar"),
    "spam": partial(_r, "kernlab", "spam", "type", 3),
    "musk": partial(_r, "kernlab", "musk", "Class"),
    "banknotes": partial(_two_classes, "banknoten"),
    "biomed": partial(_two_classes, "biomed"),
    "vertebral": partial(_two_classes, "vertebral_column"),
    "liver": partial(_two_classes, "indian_liver_patient_1vs2"),
    "cleveland": partial(uci, "cleveland/cleveland.dat"),
    "led7digit": partial(uci, "led7digit/led7digit.dat"),
    "mammographic": partial(uci, "mammographic/mammographic.dat"),
    "appendicitis": partial(uci, "appendicitis/appendicitis.dat"),
    "automobile": _automobile,
    "balance": partial(uci, "balance/balance.dat"),
    "australian": partial(uci, "australian/australian.dat"),
    "spectfheart": partial(uci, "spectfheart/spectfheart.dat"),
    "tae": partial(uci, "tae/tae.dat"),
}
