"""How the time of a fit grows with n, and whether its scores have a step."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from debian_files import NotInstalled
from graphtailor.io.atomic import atomic_open
from scale.measure import measure
from scale.methods import OURS, Task
from scale.sets import DATA

# CPU time is to grow no faster than n to this power, over all sizes, ...
LIMIT = 1.0
# ... and to at most this multiple from one size to a neighbouring one, per unit of n.
STEP_LIMIT = 1.5
SIZES = [digit * 10**power for power in range(3, 7) for digit in (1, 2, 5)] + [10**7]
SET = DATA["blobs-1e7"]
# Scores on more rows may be lower by this.
CLIFF = 0.02
CLIFF_SETS = ("satellite", "pendigits", "letters", "fashion", "blobs-1e5")
CLIFF_SIZES = (4_900, 5_100)


def run_growth(max_samples: int, seconds: float) -> pd.DataFrame:
    """Fits of 1,000 rows and more; small ones thrice, of which the quickest counts."""
    rows = []
    for n in [size for size in SIZES if size <= max_samples]:
        with tempfile.TemporaryDirectory() as folder:
            SET.write(Path(folder), n)
            runs = [
                measure(Path(folder), OURS, Task(SET.n_clusters), seconds)
                for _ in range(3 if n < 10**5 else 1)
            ]
        best = min(runs, key=lambda run: run.get("cpu_s", np.inf))
        rows.append({"n": n, **best})
        print(_line(rows[-1]), flush=True)
    return pd.DataFrame(rows)


def _line(row: dict[str, Any]) -> str:
    if row["status"] != "ok":
        return f"n = {row['n']:>10,}  {row['status']}"
    return (
        f"n = {row['n']:>10,}  {row['cpu_s']:8.2f} CPU-s {row['wall_s']:8.2f} s wall "
        f"{row['peak_mb']:8.0f} MB  ACC {row['ACC']:.3f}  NMI {row['NMI']:.3f}"
    )


def exponent(growth: pd.DataFrame) -> float:
    """Slope of log CPU time over log n."""
    return float(np.polyfit(np.log(growth["n"]), np.log(growth["cpu_s"]), 1)[0])


def largest_step(growth: pd.DataFrame) -> tuple[int, float]:
    """The size at which CPU time rises most beyond the rise of n, and by how much."""
    n, cpu = growth["n"].to_numpy(), growth["cpu_s"].to_numpy()
    rises = (cpu[1:] / cpu[:-1]) / (n[1:] / n[:-1])
    place = int(rises.argmax())
    return int(n[place + 1]), float(rises[place])


def growth_targets(growth: pd.DataFrame) -> Iterator[str]:
    """Whether the exponent and the largest step are within their limits."""
    done = growth[growth["status"] == "ok"]
    if len(done) > 1:
        slope, (n, step) = exponent(done), largest_step(done)
        word = "met   " if slope <= LIMIT else "missed"
        yield f"{word}  growth: CPU time ~ n^{slope:.2f}, <= n^{LIMIT:g}"
        word = "met   " if step <= STEP_LIMIT else "missed"
        yield (
            f"{word}  growth: CPU time per row rises at most {step:.2f}-fold, at "
            f"n = {n:,}; <= {STEP_LIMIT:g}"
        )
    for _, row in growth[growth["status"] != "ok"].iterrows():
        yield f"missed  growth, n = {row['n']:,}: {row['status']}"


def run_cliffs(seconds: float, seeds: int) -> list[str]:
    """ACC and NMI of 4,900 rows, 5,100 rows and all: one line a data set."""
    verdicts = []
    for name in CLIFF_SETS:
        data = DATA[name]
        sizes = (*CLIFF_SIZES, data.n_samples)
        try:
            runs = [[_fit(name, n, x, seconds) for x in range(seeds)] for n in sizes]
        except NotInstalled as error:
            print(f"{name}: left out, {error}", flush=True)
            continue
        verdicts.append(cliff_verdict(name, sizes, runs))
        print(verdicts[-1], flush=True)
    return verdicts


def _fit(name: str, n: int, seed: int, seconds: float) -> dict[str, Any]:
    data = DATA[name]
    with tempfile.TemporaryDirectory() as folder:
        data.write(Path(folder), n, seed)
        return measure(Path(folder), OURS, Task(data.n_clusters, seed=seed), seconds)


def cliff_verdict(
    name: str, sizes: Sequence[int], runs: Sequence[Sequence[dict[str, Any]]]
) -> str:
    """Whether no size has lower scores than a smaller one; runs by size and seed."""
    failed = [run["status"] for of_size in runs for run in of_size if "ACC" not in run]
    if failed:
        return f"missed  no cliff, {name}: {failed[0]}"
    scores = np.array(
        [[(run["ACC"], run["NMI"]) for run in of_size] for of_size in runs]
    ).mean(axis=1)
    falls = np.maximum.accumulate(scores, axis=0) - scores
    word = "met   " if falls.max() <= CLIFF else "missed"
    parts = [
        f"{n:,} rows {accuracy:.3f}/{information:.3f}"
        for n, (accuracy, information) in zip(sizes, scores, strict=True)
    ]
    return f"{word}  no cliff, {name}: {', '.join(parts)}"


def write_growth(growth: pd.DataFrame, folder: Path) -> None:
    """Table and log-log plot."""
    with atomic_open(folder / "scale_growth.csv", "w") as file:
        growth.round(4).to_csv(file, index=False)
    done = growth[growth["status"] == "ok"]
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    label = f"CPU time, n^{exponent(done):.2f}"
    axes.loglog(done["n"], done["cpu_s"], "o-", label=label)
    axes.loglog(done["n"], done["wall_s"], ":", color="grey", label="wall time")
    axes.set(
        xlabel="rows",
        ylabel="seconds of a fit",
        title=f"Warped blobs, d = {SET.n_features}, c = {SET.n_clusters}, two cores",
    )
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    with atomic_open(folder / "scale_growth.svg") as file:
        figure.savefig(file, format="svg", metadata={"Date": None})
    plt.close(figure)
