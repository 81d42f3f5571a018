"""The number of clusters without labels: GraphTailor("auto") beside three peers.

    GRAPHTAILOR_DATA=FOLDER python benchmarks/n_clusters.py [--seeds 3] [--judging]
        [--output FILE]

The peers see the same candidates and the same scaling of the features: the largest
eigengap of the given graph, and the silhouette and the Calinski-Harabasz index of
k-means. Synthetic families are drawn with seeds 100, 101, ... Real sets are those of
the study and, of `quality/data.py`, the tuning ones, or with ``--judging`` the others
as well; those that are not at hand are named and left out. Prints for every family
how often the number was right, how often it was on GraphTailor's short list, and its
mean distance to the right one, the number for every real set, and CPU seconds. Rows are
shuffled and no method sees a label, but GraphTailor's score was chosen on the tuning
sets and on other draws of the families.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import calinski_harabasz_score, silhouette_score
from sklearn.preprocessing import MaxAbsScaler

from graphtailor import GraphTailor, NeighborGraph
from graphtailor.datasets import list_datasets, load_dataset
from graphtailor.decide.n_clusters import numbers_to_try
from graphtailor.linalg.eigen import leading_eigenvectors
from process import timed
from quality.data import JUDGING, TUNING, load_quality_set

Samples = tuple[np.ndarray, np.ndarray]
# Clusters, features, and the distance of centres in standard deviations.
NUMBERS, WIDTHS, DISTANCE = (2, 3, 5, 8, 12), (2, 10, 50), 6.0
MOST_ROWS = 2_000


def centres(c: int, d: int, distance: float, rng: np.random.Generator) -> np.ndarray:
    """Random points of which no two are nearer to each other than `distance`."""
    box = distance * c ** (1 / d)
    while True:
        for _ in range(100):
            points = rng.uniform(-box, box, size=(c, d)) / np.sqrt(max(d / 4, 1))
            pairs = np.linalg.norm(points[:, None] - points, axis=2)
            if pairs[~np.eye(c, dtype=bool)].min() >= distance:
                return points
        box *= 1.1


def blobs(
    c: int, d: int, rng: np.random.Generator, *, distance: float, ratio: float = 1.0
) -> Samples:
    """Gaussian clusters, the largest `ratio` times as large as the smallest."""
    sizes = np.geomspace(1, ratio, c)
    counts = np.maximum(60 * c * sizes / sizes.sum(), 12).astype(int)
    y = np.repeat(np.arange(c), counts)
    return centres(c, d, distance, rng)[y] + rng.normal(size=(len(y), d)), y


def spread(c: int, d: int, rng: np.random.Generator) -> Samples:
    """Gaussian clusters, the widest with three times the deviation of the densest."""
    X, y = blobs(c, d, rng, distance=DISTANCE + 2)
    centre = np.array([X[y == k].mean(axis=0) for k in range(c)])[y]
    return centre + (X - centre) * rng.permutation(np.geomspace(0.5, 1.5, c))[
        y, None
    ], y


def families(seeds: int) -> Iterator[tuple[str, str, Samples]]:
    """Family, name and samples of every synthetic set."""
    for seed in range(100, 100 + seeds):
        rng = np.random.default_rng(seed)
        for c in NUMBERS:
            for d in WIDTHS:
                name = f"c={c} d={d} seed={seed}"
                yield "blobs", name, blobs(c, d, rng, distance=DISTANCE)
                unequal = blobs(c, d, rng, distance=DISTANCE, ratio=10)
                yield "blobs, sizes 10:1", name, unequal
                yield "blobs, widths 3:1", name, spread(c, d, rng)
                if d < max(WIDTHS):
                    yield "blobs, near", name, blobs(c, d, rng, distance=4.5)
        for n in (200, 500):
            moons = make_moons(n, noise=0.07, random_state=seed)
            rings = make_circles(n, factor=0.4, noise=0.05, random_state=seed)
            yield "moons", f"n={n} seed={seed}", moons
            yield "rings", f"n={n} seed={seed}", rings


def real_sets(judging: bool) -> Iterator[tuple[str, str, Samples]]:
    """Use, name and samples of the real sets that can be loaded here."""
    groups = {"study": [info.name for info in list_datasets()], "tuning": TUNING}
    for use, names in (groups | ({"judging": JUDGING} if judging else {})).items():
        for name in names:
            try:
                if use == "study":
                    data = load_dataset(name)
                    yield use, name, (data.data, data.target)
                else:
                    yield use, name, load_quality_set(name)
            except (OSError, ValueError) as error:
                print(f"left out: {name} ({str(error).splitlines()[0]})")


def by_eigengap(X: np.ndarray, numbers: np.ndarray) -> int:
    W = NeighborGraph().fit(X).affinity_
    values, _ = leading_eigenvectors(W, numbers[-1] + 1, 0)
    return int(numbers[(values[1:-1] - values[2:]).argmax()])


def by_kmeans(score: Callable[..., float], X: np.ndarray, numbers: np.ndarray) -> int:
    labels = [KMeans(c, n_init=3, random_state=0).fit(X).labels_ for c in numbers]
    return int(numbers[np.argmax([score(X, each) for each in labels])])


def row_of(X: np.ndarray) -> dict[str, Any]:
    """The number that every method chooses, and the CPU seconds it took."""
    scaled = MaxAbsScaler().fit_transform(X)
    numbers = np.array(numbers_to_try("auto", len(np.unique(X, axis=0))))
    model = GraphTailor("auto", random_state=0)
    methods: dict[str, Callable[[], int]] = {
        "GraphTailor": lambda: model.fit(X).n_clusters_,
        "eigengap": lambda: by_eigengap(scaled, numbers),
        "silhouette": lambda: by_kmeans(silhouette_score, scaled, numbers),
        "Calinski-H.": lambda: by_kmeans(calinski_harabasz_score, scaled, numbers),
    }
    row: dict[str, Any] = {}
    for name, choose in methods.items():
        row[name], took = timed(choose)
        row[f"{name} s"] = took.cpu
    row["listed"] = ",".join(map(str, model.decision_.suggestions))
    return row


def show(table: pd.DataFrame) -> None:
    methods = [name[:-2] for name in table.columns if name.endswith(" s")]
    error = table[methods].sub(table["c"], axis=0).abs().assign(family=table["family"])
    right = (error[methods] == 0).assign(family=table["family"])
    right["on the short list"] = [
        str(c) in listed.split(",")
        for c, listed in zip(table["c"], table["listed"], strict=True)
    ]
    for what, values in (("right", right), ("mean |c - right c|", error)):
        print(f"\n{what}")
        columns = values.columns.drop("family")
        shown = values.groupby("family", sort=False)[list(columns)].mean()
        shown.insert(0, "sets", values.groupby("family", sort=False).size())
        print(shown.round(2).to_string())
    print("\nreal sets")
    real = table[table["family"].isin(["study", "tuning", "judging"])]
    print(real[["family", "name", "n", "c", *methods, "listed"]].to_string(index=False))
    print("\nmean CPU seconds of a choice")
    print(table[[f"{name} s" for name in methods]].mean().round(2).to_string())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--judging", action="store_true")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    rows = []
    for group in (families(arguments.seeds), real_sets(arguments.judging)):
        for family, name, (X, y) in group:
            order = np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]
            X, y = X[order], y[order]
            about = {"family": family, "name": name, "n": len(X), "c": len(set(y))}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                rows.append(about | row_of(np.asarray(X, dtype=np.float64)))
    table = pd.DataFrame(rows)
    if arguments.output:
        table.round(3).to_csv(arguments.output, index=False)
    show(table)


if __name__ == "__main__":
    main()
