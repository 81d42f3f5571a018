"""Clusters without labels: GraphTailor's defaults beside its peers.

    GRAPHTAILOR_DATA=FOLDER python benchmarks/quality.py --output results/quality.csv
    python benchmarks/quality.py --sets judging --methods GraphTailor,KMeans --seeds 1

Sets: the study's ten; those of `quality_data.py` for judging, which no default was
chosen on; those of `quality_further.py`, which came later; and, if asked for, those
for tuning. Every method sees features divided by their largest absolute value, the
number of classes, and no label; its settings are its defaults. Prints the means over
the sets with their standard errors over the seeds, ACC of each set, and CPU seconds.
Runs that the output file holds already are kept, so that the benchmark can be made in
several calls. Sets that are not at hand are named and left out.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.preprocessing import MaxAbsScaler

from graphtailor import GraphTailor, clustering_scores
from graphtailor.datasets import list_datasets, load_dataset
from graphtailor.io.atomic import atomic_open
from named_choices import names_of
from quality_data import JUDGING, TUNING, load_quality_set
from quality_further import FURTHER
from quality_methods import METHODS
from quality_tuning import TUNED_LATER

TEN = tuple(info.name for info in list_datasets())
SETS = {
    "ten": TEN,
    "judging": JUDGING,
    "further": tuple(FURTHER),
    "tuning": (*TUNING, *TUNED_LATER),
}
SCORES = ["ACC", "NMI", "PUR", "ARI"]
KEYS = ["sets", "data", "method", "seed"]


def load(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Scaled samples and their classes."""
    if name in TEN:
        data = load_dataset(name)
        X, y = data.data, data.target
    else:
        X, y = load_quality_set(name)
    return MaxAbsScaler().fit_transform(X), y


def available(names: tuple[str, ...]) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """The sets that can be loaded here."""
    for name in names:
        try:
            yield name, *load(name)
        except (OSError, ValueError) as error:
            print(f"left out: {name} ({str(error).splitlines()[0]})", flush=True)


def scores_of(method: str, X: np.ndarray, y: np.ndarray, seed: int) -> dict[str, Any]:
    """Scores and CPU seconds of one fit."""
    model = METHODS[method].make(len(np.unique(y)), seed)
    started = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = model.fit_predict(X)
    seconds = time.process_time() - started
    return {**clustering_scores(y, labels), "s": seconds}


def run(arguments: argparse.Namespace) -> pd.DataFrame:
    """All runs, those of earlier calls with them."""
    path = arguments.output
    rows = pd.read_csv(path) if path and path.exists() else pd.DataFrame(columns=KEYS)
    done = set(rows[KEYS].itertuples(index=False, name=None))
    for sets in arguments.sets:
        for name, X, y in available(SETS[sets]):
            for method in arguments.methods:
                for seed in range(arguments.seeds if METHODS[method].seeded else 1):
                    key = (sets, name, method, seed)
                    if key in done:
                        continue
                    found = scores_of(method, X, y, seed)
                    row = pd.DataFrame([dict(zip(KEYS, key, strict=True)) | found])
                    rows = row if rows.empty else pd.concat([rows, row])
                    if path:
                        with atomic_open(path, "w") as file:
                            in_order(rows).round(4).to_csv(file, index=False)
            print(f"{sets}: {name}", flush=True)
    return rows


def in_order(rows: pd.DataFrame) -> pd.DataFrame:
    """Runs in the order of sets and methods, whichever call made them."""
    names = [*SETS, *(name for sets in SETS.values() for name in sets), *METHODS]
    places = {name: place for place, name in enumerate(names)}
    return rows.sort_values(KEYS, key=lambda keys: keys.map(places).fillna(keys))


def means(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over the sets, with the standard error of the mean ACC over the seeds."""
    by_set = runs.groupby(["method", "data"], sort=False)[[*SCORES, "s"]].mean()
    table = by_set.groupby("method", sort=False).mean()
    seeds = runs.pivot_table(index="seed", columns="method", values="ACC")
    complete = seeds.where(runs.pivot_table(**_counts()) == runs["data"].nunique())
    table.insert(1, "+-", complete.std() / np.sqrt(complete.count()))
    return table


def _counts() -> dict[str, Any]:
    return {"index": "seed", "columns": "method", "values": "ACC", "aggfunc": "count"}


def show(runs: pd.DataFrame, order: list[str]) -> None:
    """The tables, and whether GraphTailor stands first."""
    # Means of different methods are of the same sets.
    ran = runs.groupby("data")["method"].transform("nunique")
    runs = runs[ran == runs["method"].nunique()]
    table = means(runs).reindex(order).dropna(how="all")
    print("\nmeans over the sets; +- is the standard error of ACC over the seeds")
    print(table.round(3).to_string())
    accuracy = runs.pivot_table(index="data", columns="method", values="ACC")
    print("\nACC")
    print(accuracy[table.index].round(3).to_string())
    peers = table.drop(index="GraphTailor", errors="ignore")
    if "GraphTailor" in table.index and len(peers):
        for score in SCORES:
            best = peers[score].idxmax()
            gain = table.loc["GraphTailor", score] - peers.loc[best, score]
            print(f"{score}: {gain:+.3f} against the best peer, {best}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--sets", type=names_of(SETS), default=["ten", "judging", "further"]
    )
    parser.add_argument("--methods", type=names_of(METHODS), default=list(METHODS))
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--output", type=Path)
    return parser.parse_args()


def main() -> None:
    arguments = parse_arguments()
    GraphTailor(2, random_state=0).fit(np.eye(40))  # compiles
    runs = run(arguments)
    for sets in arguments.sets:
        print(f"\n== {sets}")
        show(runs[runs["sets"] == sets], list(METHODS))


if __name__ == "__main__":
    main()
