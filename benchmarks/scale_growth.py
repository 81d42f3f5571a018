"""How the time of a fit grows with n: exponents, table and plot for `scale.py`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from graphtailor.decide.settings import TRIED_UP_TO
from graphtailor.io.atomic import atomic_open
from scale_methods import OURS, Task
from scale_run import measure
from scale_sets import DATA

LIMIT = 1.1
SIZES = [digit * 10**power for power in range(3, 7) for digit in (1, 2, 5)] + [10**7]
SET = DATA["blobs-1e7"]


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
        f"{row['peak_mb']:8.0f} MB  ACC {row['ACC']:.3f}  {row['tier']}"
    )


def parts_of(growth: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """The fits of each tier; those that try several settings stand apart."""
    done = growth[growth["status"] == "ok"]
    limits = done["tier"].map(TRIED_UP_TO).fillna(0)
    settings = np.where(done["n"] <= limits, ", several settings", "")
    yield from done.groupby(done["tier"] + settings, sort=False)


def exponents(growth: pd.DataFrame) -> dict[str, float]:
    """Slope of log CPU time over log n in each part that was measured twice or more."""
    return {
        name: float(np.polyfit(np.log(part["n"]), np.log(part["cpu_s"]), 1)[0])
        for name, part in parts_of(growth)
        if len(part) > 1
    }


def growth_targets(growth: pd.DataFrame) -> Iterator[str]:
    """One line for each tier."""
    for tier, slope in exponents(growth).items():
        word = "met   " if slope <= LIMIT else "missed"
        yield f"{word}  growth, tier {tier}: CPU time ~ n^{slope:.2f}, <= n^{LIMIT}"
    for _, row in growth[growth["status"] != "ok"].iterrows():
        yield f"missed  growth, n = {row['n']:,}: {row['status']}"


def write_growth(growth: pd.DataFrame, folder: Path) -> None:
    """Table and log-log plot."""
    with atomic_open(folder / "scale_growth.csv", "w") as file:
        growth.round(4).to_csv(file, index=False)
    figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    slopes = exponents(growth)
    done = growth[growth["status"] == "ok"]
    for name, part in parts_of(growth):
        slope = f", n^{slopes[name]:.2f}" if name in slopes else ""
        axes.loglog(part["n"], part["cpu_s"], "o-", label=f"{name}{slope}")
    axes.loglog(done["n"], done["wall_s"], ":", color="grey", label="wall time")
    axes.set(
        xlabel="samples",
        ylabel="CPU seconds of a fit",
        title=f"Warped blobs, d = {SET.n_features}, c = {SET.n_clusters}, two cores",
    )
    axes.grid(True, which="major", alpha=0.3)
    axes.legend()
    with atomic_open(folder / "scale_growth.svg") as file:
        figure.savefig(file, format="svg", metadata={"Date": None})
    plt.close(figure)
