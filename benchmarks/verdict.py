"""How often the verdict finds clusters: in noise, in shuffled tables, with classes.

    python benchmarks/verdict.py [--draws 40] [--folder FOLDER] [--output FILE]

Noise has no clusters. Shuffled tables are real ones whose columns are permuted
independently. Tables with classes are the tuning sets of `quality/`, blobs, unequal
blobs, moons and rings. Real sets are loaded as in `quality/data.py`, or read from
``FOLDER/NAME.npz``; those that are not at hand are named and left out. Thresholds were
chosen on these sets and on other draws. Prints the verdict on every table with classes
and how often each level was the verdict; the file also has CPU seconds.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import make_blobs, make_circles, make_moons

from graphtailor.decide.verdict import find_verdict
from quality.data import TUNING, load_quality_set
from quality.tuning import TUNED_LATER

SIZES = ((30, 3), (100, 5), (178, 13), (500, 2), (500, 5), (1000, 20), (150, 200))
Table = tuple[str, str, np.ndarray]


def correlated(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """Normal rows whose standard deviations along the axes span a factor of 20."""
    mix = rng.normal(size=(size[1], size[1]))
    return (rng.normal(size=size) * np.geomspace(1, 0.05, size[1])) @ mix


def heavy(rng: np.random.Generator, size: tuple[int, int]) -> np.ndarray:
    """Correlated rows with t-distributed scales."""
    return correlated(rng, size) / np.sqrt(rng.chisquare(3, (size[0], 1)) / 3)


NOISE: dict[str, Callable[..., np.ndarray]] = {
    "Gaussian": lambda rng, size: rng.normal(size=size),
    "correlated Gaussian": correlated,
    "uniform": lambda rng, size: rng.uniform(size=size),
    "t, 3 df": lambda rng, size: rng.standard_t(3, size=size),
    "correlated t, 3 df": heavy,
    "correlated lognormal": lambda rng, size: np.exp(
        correlated(rng, size) / np.sqrt(size[1])
    ),
}


def noise(draws: int) -> Iterator[Table]:
    """Tables without clusters."""
    for name, draw in NOISE.items():
        for size in SIZES:
            for seed in range(1000, 1000 + draws):
                rng = np.random.default_rng([seed, *size])
                yield name, f"{size[0]} x {size[1]}", draw(rng, size)


def shapes(draws: int) -> Iterator[Table]:
    """Tables with clusters."""
    for seed in range(1000, 1000 + draws):
        rng = np.random.default_rng(seed)
        n, c = int(rng.integers(100, 1000)), int(rng.integers(3, 9))
        d, deviations = int(rng.integers(2, 21)), rng.uniform(0.4, 1.5, size=c)
        even = make_blobs(n, d, centers=c, random_state=seed)[0]
        sizes = np.geomspace(20, 300, c).astype(int)
        unequal = make_blobs(sizes, d, cluster_std=deviations, random_state=seed)[0]
        yield "blobs", "", even
        yield "unequal blobs", "", unequal
        yield "moons", "", make_moons(n, noise=0.06, random_state=seed)[0]
        rings = make_circles(n, noise=0.05, factor=0.5, random_state=seed)[0]
        yield "rings", "", rings


def real(folder: Path | None, draws: int) -> Iterator[Table]:
    """Tables with classes, and the same with shuffled columns."""
    for name in (*TUNING, *TUNED_LATER):
        try:
            X = (
                np.load(folder / f"{name}.npz")["X"]
                if folder
                else load_quality_set(name)[0]
            )
        except (OSError, ImportError) as problem:
            print(f"{name} is left out: {problem}")
            continue
        yield "with classes", name, X
        for seed in range(draws):
            rng = np.random.default_rng(seed)
            yield "shuffled", name, rng.permuted(X, axis=0)


def main() -> None:
    """Print the rates of each family, and the verdict on every table with classes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--draws", type=int, default=40)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--output", type=Path)
    given = parser.parse_args()
    shuffles = max(given.draws // 8, 1)
    records = []
    for tables in (
        real(given.folder, shuffles),
        noise(given.draws),
        shapes(given.draws),
    ):
        for number, (family, name, X) in enumerate(tables):
            start = time.process_time()
            verdict = find_verdict(X, np.ones(len(X)), seed=number)
            seconds = time.process_time() - start
            level = "untested" if verdict is None else verdict.level
            p_value = np.nan if verdict is None else verdict.p_value
            records.append((family, name, level, p_value, seconds))
            if family == "with classes":
                print(f"{name:18} {'' if verdict is None else verdict.sentence()}")
    columns = ["family", "table", "level", "p_value", "seconds"]
    found = pd.DataFrame(records, columns=columns)
    groups = ["family", "table"]
    rates = pd.crosstab([found[g] for g in groups], found["level"])
    rates["seconds"] = found.groupby(groups)["seconds"].mean().round(2)
    by_family = pd.crosstab(found["family"], found["level"])
    by_family["none_%"] = (100 * by_family["none"] / by_family.sum(axis=1)).round(1)
    print(by_family.to_string())
    if given.output:
        rates.to_csv(given.output)


if __name__ == "__main__":
    main()
