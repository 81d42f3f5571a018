"""Clusters without labels: GraphTailor's defaults beside its peers.

    GRAPHTAILOR_DATA=FOLDER python benchmarks/quality/run.py --output FILE.csv
    python benchmarks/quality/run.py --sets judging --methods GraphTailor,KMeans
    python benchmarks/quality/run.py --auto
    python benchmarks/quality/run.py --list

The sets are the ten of the study; those of `data.py` for judging, which no default was
chosen on; those of `further.py`, which came later; and, if they are asked for, those
for tuning. Sets and methods whose packages are missing are named and left out.

Every method sees rows in an order that the seed shuffles, features divided by their
largest absolute value, the number of classes, and no label. Its settings are its
defaults. With --auto methods that can choose the number of clusters run without it;
rows that a method takes for noise are one more cluster.

The tables are the means over the sets with the standard error of ACC over the seeds,
steadiness (the mean adjusted Rand index between the labels of different seeds), ACC of
each set, and CPU seconds. The output file is kept: only sets and methods that it does
not hold with as many seeds are run, so that several calls make one table.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import MaxAbsScaler

sys.path.insert(0, str(Path(__file__).parents[1]))

from graphtailor import clustering_scores
from graphtailor.datasets import list_datasets, load_dataset
from graphtailor.io.atomic import atomic_open
from named_choices import names_of
from process import timed
from quality.data import JUDGING, TUNING, load_quality_set
from quality.further import FURTHER
from quality.methods import AUTO_METHODS, METHODS, PACKAGES, Method
from quality.tuning import TUNED_LATER

TEN = tuple(info.name for info in list_datasets())
SETS = {
    "ten": TEN,
    "judging": JUDGING,
    "further": tuple(FURTHER),
    "tuning": (*TUNING, *TUNED_LATER),
}
SCORES = ["ACC", "NMI", "PUR", "ARI"]
KEYS = ["sets", "data", "method", "seed"]
OURS = "GraphTailor"


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Scaled samples and their classes."""
    if name in TEN:
        data = load_dataset(name)
        X, y = data.data, data.target
    else:
        X, y = load_quality_set(name)
    return MaxAbsScaler().fit_transform(X), y


def available(names: Iterable[str]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The sets that can be loaded here."""
    for name in names:
        try:
            yield name, *load(name)
        except (OSError, ValueError) as error:
            print(f"left out: {name} ({str(error).splitlines()[0]})", flush=True)


def fit_shuffled(
    method: Method, X: np.ndarray, n_clusters: int, seed: int
) -> tuple[np.ndarray, float]:
    """Labels in the order of X, found on shuffled rows, and CPU seconds."""
    order = np.random.default_rng(seed).permutation(len(X))
    rows, model = X[order], method.make(n_clusters, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found, seconds = timed(lambda: model.fit_predict(rows))
    labels = np.empty(len(X), dtype=np.intp)
    labels[order] = found
    return labels, seconds.cpu


def warm_up(methods: Mapping[str, Method]) -> None:
    """Fit every method to a few rows: some compile code when they are first used."""
    X = np.random.default_rng(0).uniform(size=(100, 5))
    X[::2] += 1
    for method in methods.values():
        fit_shuffled(method, X, 2, 0)


def steadiness(labels: list[np.ndarray]) -> float:
    """Mean adjusted Rand index of all pairs of labels; NaN for a single one."""
    pairs = [adjusted_rand_score(*pair) for pair in combinations(labels, 2)]
    return float(np.mean(pairs)) if pairs else float("nan")


def runs_of(
    method: Method, X: np.ndarray, y: np.ndarray, seeds: int
) -> Iterator[dict[str, Any]]:
    """Scores, number of clusters, CPU seconds and steadiness for every seed."""
    c = len(np.unique(y))
    fits = [fit_shuffled(method, X, c, seed) for seed in range(seeds)]
    steady = steadiness([labels for labels, _ in fits])
    for seed, (labels, seconds) in enumerate(fits):
        yield {
            "seed": seed,
            **clustering_scores(y, labels),
            "clusters": len(np.unique(labels)),
            "steadiness": steady,
            "s": seconds,
        }


def run(arguments: argparse.Namespace, methods: Mapping[str, Method]) -> pd.DataFrame:
    """All runs, including those of earlier calls."""
    path = arguments.output
    rows = pd.read_csv(path) if path and path.exists() else pd.DataFrame(columns=KEYS)
    for sets in arguments.sets:
        wanted = [x for x in SETS[sets] if x in (arguments.data or SETS[sets])]
        for name, X, y in available(wanted):
            for method in methods:
                about = {"sets": sets, "data": name, "method": method}
                same = (rows[list(about)] == list(about.values())).all(axis=1)
                if same.sum() >= arguments.seeds:
                    continue
                found = runs_of(methods[method], X, y, arguments.seeds)
                new = pd.DataFrame([about | row for row in found])
                # An empty frame would decide the types of the columns.
                rows = new if rows.empty else pd.concat([rows[~same], new])
                if path:
                    with atomic_open(path, "w") as file:
                        in_order(rows).round(4).to_csv(file, index=False)
            print(f"{sets}: {name}", flush=True)
    return rows


def in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Runs in the order of sets and methods, whichever call made them."""
    data = [name for names in SETS.values() for name in names]
    names = [*SETS, *data, *METHODS, *AUTO_METHODS]
    places = {name: place for place, name in enumerate(dict.fromkeys(names))}
    return rows.sort_values(KEYS, key=lambda keys: keys.map(places).fillna(keys))


def means(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over the sets, with the standard error of the mean ACC over the seeds."""
    figures = [*SCORES, "steadiness", "clusters", "s"]
    by_set = runs.groupby(["method", "data"], sort=False)[figures].mean()
    table = by_set.groupby("method", sort=False).mean()
    by_seed = {"index": "seed", "columns": "method", "values": "ACC"}
    complete = runs.pivot_table(**by_seed, aggfunc="count") == runs["data"].nunique()
    accuracy = runs.pivot_table(**by_seed).where(complete)
    table.insert(1, "+-", accuracy.std() / np.sqrt(accuracy.count()))
    return table


def show(runs: pd.DataFrame, order: list[str]) -> None:
    """The tables, and how far GraphTailor is from its best peer."""
    # Means of different methods must be of the same sets.
    ran = runs.groupby("data")["method"].transform("nunique")
    runs = runs[ran == runs["method"].nunique()]
    table = means(runs).reindex(order).dropna(how="all")
    print("\nmeans over the sets; +- is the standard error of ACC over the seeds")
    print(table.round(3).to_string())
    for figure in ("ACC", "steadiness"):
        of_sets = runs.pivot_table(index="data", columns="method", values=figure)
        if len(of_sets):
            print(f"\n{figure}")
            print(of_sets.reindex(columns=table.index).round(3).to_string())
    peers = table.drop(index=OURS, errors="ignore")
    if OURS in table.index and len(peers):
        for score in SCORES:
            best = peers[score].idxmax()
            gain = table.loc[OURS, score] - peers.loc[best, score]
            print(f"{score}: {gain:+.3f} against the best peer, {best}")


def list_sets() -> None:
    """Print the size and the classes of every set that can be loaded."""
    for use, names in SETS.items():
        for name, X, y in available(names):
            sizes = np.bincount(np.unique(y, return_inverse=True)[1])
            print(
                f"{use:8} {name:16} {X.shape[0]:5} x {X.shape[1]:4}, "
                f"{len(sizes):2} classes of {sizes.min()} to {sizes.max()} rows"
            )


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sets", type=names_of(SETS), default=["ten", "judging", "further"]
    )
    every = [name for names in SETS.values() for name in names]
    parser.add_argument("--data", type=names_of(every), help="only these data sets")
    parser.add_argument("--methods", help="names, separated by commas; default: all")
    parser.add_argument("--auto", action="store_true", help="numbers are not given")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--output", type=Path, help="CSV file of all runs")
    parser.add_argument("--list", action="store_true", help="print the sets and end")
    return parser.parse_args()


def chosen_methods(arguments: argparse.Namespace) -> dict[str, Method]:
    """The methods to run by name; those that are not installed are named."""
    known = AUTO_METHODS if arguments.auto else METHODS
    asked = names_of(known)(arguments.methods) if arguments.methods else list(known)
    for name in asked:
        if not known[name].installed:
            package = PACKAGES[str(known[name].package)]
            print(f"left out: {name} (pip install {package})", flush=True)
    return {name: known[name] for name in asked if known[name].installed}


def main() -> None:
    arguments = parse_arguments()
    if arguments.list:
        list_sets()
        return
    try:
        methods = chosen_methods(arguments)
    except argparse.ArgumentTypeError as error:
        raise SystemExit(f"--methods: {error}") from error
    warm_up(methods)
    runs = run(arguments, methods)
    for sets in arguments.sets:
        print(f"\n== {sets}")
        show(runs[runs["sets"] == sets], list(methods))


if __name__ == "__main__":
    main()
