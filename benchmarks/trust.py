"""How often is the method that the compare page trusts near the known classes?

    python benchmarks/trust.py [--folder FOLDER] [--sets NAME ...]

Six methods cluster each set into the number of its classes, as ``graphtailor compare``
does, and none sees the classes. The adjusted Rand index (ARI) of the trusted method
with the classes is compared with those of all methods: their median, their best, and
what always trusting one method would have given. Sets are those that scikit-learn
brings and ``FOLDER/NAME.npz``. Nothing was chosen on these figures.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from graphtailor import GraphTailor
from graphtailor.diagnostics.comparison import Run, compare_runs
from graphtailor.diagnostics.comparison_words import trusted_method
from graphtailor.diagnostics.model_access import view_of
from graphtailor.diagnostics.peers import PeerClusters
from graphtailor.linalg.scaling import feature_scaler
from graphtailor.registry import get_method

BUNDLED = {
    "iris": load_iris,
    "wine": load_wine,
    "breast_cancer": load_breast_cancer,
    "digits": load_digits,
}
PEERS = ("Ward", "Gaussian mixture", "HDBSCAN")


def labelled_sets(
    folder: Path, names: list[str]
) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, features and classes; those of scikit-learn first."""
    for name, load in BUNDLED.items():
        if not names or name in names:
            yield name, *load(return_X_y=True)
    for path in sorted(folder.glob("*.npz")):
        # Some sets are in both places.
        wanted = not names or path.stem in names
        if wanted and path.stem not in BUNDLED and "__" not in path.stem:
            with np.load(path) as arrays:
                yield path.stem, arrays["X"].astype(float), arrays["y"]


def compared(X: np.ndarray, y: np.ndarray) -> dict[str, object]:
    """The reason and the name of the trusted method, and the ARI of all."""
    c = len(np.unique(y))
    ours = GraphTailor(c, random_state=0).fit(X)
    scaled = feature_scaler("maxabs", False).fit_transform(X)
    runs = [Run("GraphTailor", ours.labels_)]
    for name in ("SC", "K-means"):
        method = get_method(name)
        model = method.estimator(n_clusters=c, random_state=0, **method.fixed)
        runs.append(Run(name, model.fit(scaled).labels_))
    runs += [Run(name, PeerClusters(name, c, 0).fit(scaled).labels_) for name in PEERS]
    view = view_of(ours)
    found = compare_runs(runs, scaled, y, view)
    reason, first = trusted_method(found)
    scores = {each.method: each.scores["ARI"] for each in found.entries}
    return {"reason": reason, "trusted": first, **scores}


def summary(table: pd.DataFrame, methods: list[str]) -> Iterator[str]:
    """What the table says, in lines."""
    chosen = table[table.trusted != ""]
    scores = chosen[methods]
    own = np.array([row[row.trusted] for _, row in chosen.iterrows()], dtype=float)
    median, best = scores.median(axis=1), scores.max(axis=1)
    yield f"a method was trusted on {len(chosen)} of {len(table)} sets"
    yield f"at least the median of the methods: {int((own >= median).sum())}"
    yield f"the best, or within 0.02 of it: {int((own >= best - 0.02).sum())}"
    yield f"mean ARI of the trusted method: {own.mean():.3f}"
    for name in methods:
        yield f"mean ARI of {name}: {scores[name].mean():.3f}"


def main() -> None:
    """Print a line for each set, and a summary."""
    parser = argparse.ArgumentParser(description=__doc__)
    place = os.environ.get("GRAPHTAILOR_DATA", ".")
    parser.add_argument("--folder", type=Path, default=Path(place))
    parser.add_argument("--sets", nargs="*", default=[])
    asked = parser.parse_args()
    rows = {}
    for name, X, y in labelled_sets(asked.folder, asked.sets):
        begin = time.process_time()
        rows[name] = compared(X, y)
        shown = [f"{v:.3f}" if isinstance(v, float) else v for v in rows[name].values()]
        print(name, *shown, f"({time.process_time() - begin:.0f} CPU-s)", flush=True)
    table = pd.DataFrame.from_dict(rows, orient="index")
    methods = [name for name in table.columns if name not in ("reason", "trusted")]
    print(*summary(table, methods), sep="\n")


if __name__ == "__main__":
    main()
