"""The ten data sets without labels: GraphTailor's defaults beside scikit-learn.

    GRAPHTAILOR_DATA=FOLDER python benchmarks/defaults.py [--seeds 3] [--output FILE]

Features are divided by their largest absolute value for every method. Prints the mean
of ACC, NMI, PUR and ARI over the seeds for each data set and method, their means over
the data sets, and the seconds of a fit; all runs go to the CSV file. Data sets that
are not at hand are named and left out.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
from sklearn.cluster import AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.preprocessing import MaxAbsScaler

from graphtailor import GraphTailor, clustering_scores
from graphtailor.datasets import list_datasets, load_dataset


def methods() -> dict[str, Callable[[int, int], Any]]:
    """Estimators as functions of the number of clusters and the seed."""
    return {
        "GraphTailor": lambda c, seed: GraphTailor(c, random_state=seed),
        "KMeans": lambda c, seed: KMeans(c, n_init=10, random_state=seed),
        "SpectralClustering": lambda c, seed: SpectralClustering(
            c, affinity="nearest_neighbors", random_state=seed
        ),
        "Agglomerative": lambda c, seed: AgglomerativeClustering(c),
    }


def available() -> dict[str, Any]:
    """Those of the ten data sets that can be loaded here."""
    found = {}
    for info in list_datasets():
        try:
            found[info.name] = load_dataset(info.name)
        except (OSError, ValueError) as error:
            print(f"left out: {info.name} ({str(error).splitlines()[0]})")
    return found


def run(seeds: int) -> pd.DataFrame:
    """Scores of every method, data set and seed."""
    rows = []
    for name, data in available().items():
        X = MaxAbsScaler().fit_transform(data.data)
        for method, make in methods().items():
            for seed in range(seeds):
                model = make(len(data.target_names), seed)
                started = time.perf_counter()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    labels = model.fit_predict(X)
                seconds = time.perf_counter() - started
                scores = clustering_scores(data.target, labels)
                rows.append(
                    {
                        "data": name,
                        "method": method,
                        "seed": seed,
                        **scores,
                        "s": seconds,
                    }
                )
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--output", type=Path)
    arguments = parser.parse_args()
    GraphTailor(2, random_state=0).fit(load_dataset("iris").data)  # compiles
    scores = run(arguments.seeds)
    if arguments.output:
        scores.round(4).to_csv(arguments.output, index=False)
    order = list(methods())
    for metric in ("ACC", "NMI", "PUR", "ARI", "s"):
        table = scores.pivot_table(index="data", columns="method", values=metric)[order]
        table.loc["mean"] = table.mean()
        print(f"\n{'seconds' if metric == 's' else metric}")
        print(table.round(3).to_string())
    by_seed = scores.pivot_table(index="seed", columns="method", values="ACC")[order]
    print("\nmean ACC of the data sets, seed by seed")
    print(by_seed.round(4).to_string())


if __name__ == "__main__":
    main()
