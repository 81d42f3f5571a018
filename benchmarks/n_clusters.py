"""The number of clusters without labels: GraphTailor beside peers that choose it too.

    python benchmarks/n_clusters.py [--draws 40] [--sets tuning|judging]
        [--only FAMILY ...] [--peers NAME ...] [--output FILE]

Every method sees the same rows, shuffled and at most 2,000, each feature divided by its
largest value, and no label. Synthetic families are drawn `draws` times, through all
numbers of clusters and features in turn; real sets are the tuning ones of
`quality/data.py`, or the judging ones of it and of `quality/further.py`, which no
choice was made on, and their copies with permuted columns. Sets that are not at hand
are named and left out, as are peers that are not installed (igraph with leidenalg,
evoc). Prints for every family the mean adjusted Rand index with the classes, how often
the number was right, how often it was on GraphTailor's short list, how often
GraphTailor called the rows one cluster (its verdict is "none"), and CPU seconds. A file
that is there keeps its other rows, and the figures of other methods on the same rows.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import HDBSCAN
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import BayesianGaussianMixture, GaussianMixture
from sklearn.preprocessing import MaxAbsScaler

from graphtailor import GraphTailor, NeighborGraph
from process import timed
from quality.data import JUDGING, TUNING, load_quality_set
from quality.further import FURTHER
from quality.peers import EvocClusters, SilhouetteKMeans
from quality.tuning import TUNED_LATER

Samples = tuple[np.ndarray, np.ndarray]
# Clusters, features, and the distance of centres in standard deviations.
NUMBERS, WIDTHS, DISTANCE = (2, 3, 5, 8, 12), (2, 10, 50), 6.0
MOST_ROWS = 2_000
# Draws of other seeds were looked at while the rule was chosen.
FIRST_SEED = 700


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


def drawn(draws: int) -> Iterator[tuple[str, str, Callable[[], Samples]]]:
    """Family, name and samples of every synthetic set."""
    shapes = [(c, d) for d in WIDTHS for c in NUMBERS]
    for draw in range(draws):
        rng = np.random.default_rng([FIRST_SEED, draw])
        c, d = shapes[draw % len(shapes)]
        name = f"draw={draw} c={c} d={d}"
        yield "blobs", name, partial(blobs, c, d, rng, distance=DISTANCE)
        unequal = partial(blobs, c, d, rng, distance=DISTANCE, ratio=10)
        yield "blobs, sizes 10:1", name, unequal
        yield "blobs, widths 3:1", name, partial(spread, c, d, rng)
        near = (c, min(d, WIDTHS[1]), rng)
        yield "blobs, near", name, partial(blobs, *near, distance=4.5)
        n, name = (200, 500)[draw % 2], f"draw={draw}"
        moons = partial(make_moons, n, noise=0.07, random_state=FIRST_SEED + draw)
        yield "moons", name, moons
        rings = {"factor": 0.4, "noise": 0.05, "random_state": FIRST_SEED + draw}
        yield "rings", name, partial(make_circles, n, **rings)
        size = (n, (2, 10)[draw // 2 % 2])
        for family, noise in (("Gaussian", rng.normal), ("uniform", rng.uniform)):
            yield f"{family} noise", name, partial(one_cluster, noise, size)


def one_cluster(noise: Callable[..., np.ndarray], size: tuple[int, int]) -> Samples:
    """Rows without clusters."""
    return noise(size=size), np.zeros(size[0], dtype=int)


def permuted(name: str) -> Samples:
    """A real set whose columns were permuted independently."""
    X, _ = load_quality_set(name)
    rng = np.random.default_rng(0)
    shuffled = np.column_stack([rng.permutation(column) for column in X.T])
    return shuffled, np.zeros(len(X), dtype=int)


def real_sets(use: str) -> Iterator[tuple[str, str, Callable[[], Samples]]]:
    """Use, name and samples of the real sets, and of their permuted copies."""
    sets = {"judging": (*JUDGING, *FURTHER), "tuning": (*TUNING, *TUNED_LATER)}
    for name in sets[use]:
        yield use, name, partial(load_quality_set, name)
        yield "permuted columns", name, partial(permuted, name)


def by_bic(X: np.ndarray) -> np.ndarray:
    """The mixture that has the least BIC, of 1 to 20 parts and one start each.

    Covariances are full up to ten features and diagonal beyond, where full ones take
    minutes and have more entries than there are rows.
    """
    most, kind = min(20, len(X) // 4), "full" if X.shape[1] <= 10 else "diag"
    models = [
        GaussianMixture(c, covariance_type=kind, reg_covar=1e-4, random_state=0).fit(X)
        for c in range(1, most + 1)
    ]
    return min(models, key=lambda model: model.bic(X)).predict(X)


def by_bayes(X: np.ndarray) -> np.ndarray:
    options = {"reg_covar": 1e-4, "max_iter": 500, "random_state": 0}
    most = min(20, len(X) // 4)
    return BayesianGaussianMixture(n_components=most, **options).fit_predict(X)


def by_leiden(X: np.ndarray) -> np.ndarray:
    """Modularity at resolution 1 of the graph of neighbours."""
    import igraph
    import leidenalg

    W = NeighborGraph().fit(X).affinity_
    rows, cols = W.nonzero()
    upper = rows < cols
    edges = np.column_stack([rows[upper], cols[upper]])
    graph = igraph.Graph(len(X), edges.tolist())
    weights = np.asarray(W[rows[upper], cols[upper]]).ravel()
    part = leidenalg.RBConfigurationVertexPartition
    found = leidenalg.find_partition(graph, part, weights=weights.tolist(), seed=0)
    return np.array(found.membership)


def fitted(model: Any, X: np.ndarray) -> np.ndarray:
    return model.fit(X).labels_


def peers() -> dict[str, Callable[[np.ndarray], np.ndarray]]:
    found = {
        "silhouette + k-means": partial(fitted, SilhouetteKMeans(random_state=0)),
        "HDBSCAN 5": partial(fitted, HDBSCAN(min_cluster_size=5, copy=True)),
        "HDBSCAN 15": partial(fitted, HDBSCAN(min_cluster_size=15, copy=True)),
        "BIC mixture": by_bic,
        "Bayesian mixture": by_bayes,
    }
    for package, name, method in (
        ("leidenalg", "Leiden", by_leiden),
        ("evoc", "evoc", partial(fitted, EvocClusters(random_state=0))),
    ):
        if find_spec(package):
            found[name] = method
        else:
            print(f"left out: {name} ({package} is not installed)")
    return found


def row_of(
    X: np.ndarray, y: np.ndarray, methods: dict[str, Callable[..., Any]]
) -> dict[str, Any]:
    """Index, number and CPU seconds of every method on one set."""
    scaled, c = MaxAbsScaler().fit_transform(X), len(set(y))
    model, took = timed(lambda: GraphTailor(random_state=0).fit(X))
    verdict = model.decision_.verdict
    row: dict[str, Any] = {
        "GraphTailor": adjusted_rand_score(y, model.labels_),
        "GraphTailor c": model.n_clusters_,
        "GraphTailor s": took.cpu,
        "listed": ",".join(map(str, model.suggested_n_clusters_)),
        "one cluster": verdict is not None and verdict.level == "none",
        "number given": adjusted_rand_score(y, model.at(c).labels_),
    }
    for name, method in methods.items():
        labels, took = timed(partial(method, scaled))
        row[name] = adjusted_rand_score(y, labels)
        row[f"{name} c"] = len(set(labels) - {-1})
        row[f"{name} s"] = took.cpu
    return row


def show(table: pd.DataFrame) -> None:
    names = [name[:-2] for name in table.columns if name.endswith(" s")]
    grouped = table.groupby("family", sort=False)
    index = grouped[["number given", *names]].mean()
    index.insert(0, "sets", grouped.size())
    print("\nmean adjusted Rand index")
    print(index.round(3).to_string())
    right = pd.DataFrame({n: table[f"{n} c"] == table["c"] for n in names})
    right["on the short list"] = [
        str(c) in listed.split(",")
        for c, listed in zip(table["c"], table["listed"], strict=True)
    ]
    right["called one cluster"] = table["one cluster"]
    print("\nhow often the number is right")
    print(right.groupby(table["family"], sort=False).mean().round(3).to_string())
    print("\nmean CPU seconds")
    print(table[[f"{name} s" for name in names]].mean().round(2).to_string())


def merged(rows: list[dict[str, Any]], path: Path) -> pd.DataFrame:
    """New rows over those of a file; other rows and other methods' figures stay."""
    table = pd.DataFrame(rows).set_index(["family", "name"])
    if path.exists():
        before = pd.read_csv(path, dtype={"listed": str})
        table = table.combine_first(before.set_index(["family", "name"]))[
            [*before.columns[2:], *table.columns.difference(before.columns, sort=False)]
        ]
    return table.reset_index()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--sets", choices=("tuning", "judging"), default="tuning")
    parser.add_argument("--only", nargs="*", help="families; all by default")
    parser.add_argument("--peers", nargs="*", help="names of peers; all by default")
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    rows, methods = [], peers()
    if arguments.peers is not None:
        methods = {name: methods[name] for name in arguments.peers}
    for family, name, load in chain(drawn(arguments.draws), real_sets(arguments.sets)):
        if arguments.only is not None and family not in arguments.only:
            continue
        try:
            X, y = load()
        except (OSError, ValueError) as error:
            print(f"left out: {name} ({str(error).splitlines()[0]})")
            continue
        order = np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]
        X, y = np.asarray(X[order], dtype=np.float64), y[order]
        about = {"family": family, "name": name, "n": len(X), "c": len(set(y))}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows.append(about | row_of(X, y, methods))
        if arguments.output:  # a run that is stopped leaves what it has
            found = merged(rows, arguments.output)
            found.round(3).to_csv(arguments.output, index=False)
    show(pd.DataFrame(rows))


if __name__ == "__main__":
    main()
