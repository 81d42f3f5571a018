"""Large n: GraphTailor beside its peers, in one run.

    python benchmarks/scale/run.py [--output results/scale.csv]
    python benchmarks/scale/run.py --table --only letters,rings --methods GraphTailor
    python benchmarks/scale/run.py --quick

Without an option that names a part, the first four parts are run:

- --table: every data set and method, each fit in a new process, with CPU seconds, wall
  seconds, peak memory (of the whole process, and before the fit), ACC and NMI. Code is
  compiled before. Methods that cannot run on a set are left out or show why.
- --cliffs: scores of 4,900 rows, of 5,100 and of all.
- --growth: the time of 1,000 to 10,000,000 rows and its exponent; table and plot go to
  docs/.
- --dask: a Dask cluster of two workers of 1 GB each, one of them killed on the way.
- --projection: what a cluster would need for 10^8 and 10^9 rows, by simulation.

Real rows are shuffled by the seed; drawn rows are in random order. Runs that the output
file holds already are kept, and a run of the same data, method and seed is replaced, so
that several calls can make one table. The last lines say which targets are met. --quick
divides all sizes by a hundred.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))

from debian_files import NotInstalled
from graphtailor.io.atomic import atomic_open
from named_choices import names_of
from scale.dask_cluster import run_dask
from scale.growth import growth_targets, run_cliffs, run_growth, write_growth
from scale.measure import measure
from scale.methods import METHODS, Task, installed
from scale.projection import run_projection
from scale.report import table, targets
from scale.sets import DATA, REAL

PARTS = ("table", "cliffs", "growth", "dask", "projection")


def main() -> None:
    arguments = parse_arguments()
    parts = [part for part in PARTS if getattr(arguments, part)] or PARTS[:-1]
    verdicts: list[str] = []
    if "table" in parts:
        verdicts += run_table(arguments)
    if "cliffs" in parts and not arguments.quick:
        print("\nscores by number of rows", flush=True)
        verdicts += run_cliffs(arguments.seconds, arguments.seeds)
    if "growth" in parts:
        print("\ngrowth of the time with n", flush=True)
        growth = run_growth(10**5 if arguments.quick else 10**7, arguments.seconds)
        verdicts += growth_targets(growth)
        if not arguments.quick:
            write_growth(growth, arguments.docs)
    if "dask" in parts:
        print("\nDask, two workers of 1 GB", flush=True)
        verdicts += run_dask(20_000 if arguments.quick else 2 * 10**6)
    if "projection" in parts:
        run_projection()
    if verdicts:
        print("\ntargets", "(set for the full sizes)" if arguments.quick else "")
        print("\n".join(verdicts))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for part in PARTS:
        parser.add_argument(f"--{part}", action="store_true", help="run this part")
    parser.add_argument("--only", type=names_of(DATA), default=list(DATA))
    parser.add_argument("--methods", type=names_of(METHODS), default=installed())
    parser.add_argument("--seeds", type=int, default=1, help="number of runs")
    parser.add_argument("--seconds", type=float, default=600, help="limit of a run")
    parser.add_argument("--output", type=Path, help="CSV file of all runs")
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args()


def run_table(arguments: argparse.Namespace) -> Iterator[str]:
    """Measure, print and store all runs; the targets."""
    rows = stored(arguments.output)
    for name in arguments.only:
        try:
            for row in runs_of(name, arguments):
                rows = with_run(rows, row)
                if arguments.output:
                    store(rows, arguments.output)
        except NotInstalled as error:
            print(f"\n{name}: left out, {error}", flush=True)
            continue
        if len(rows) and (rows["data"] == name).any():
            print(table(rows, name), flush=True)
    return targets(rows) if len(rows) else iter(())


def size_of(name: str, quick: bool) -> int:
    """Rows of a data set; a quick run takes a hundredth, of real ones a thousand."""
    full = DATA[name].n_samples
    if not quick:
        return full
    return 1000 if name in REAL else full // 100


def runs_of(name: str, arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """The runs of all methods on one data set."""
    data, n_samples = DATA[name], size_of(name, arguments.quick)
    methods = [x for x in arguments.methods if n_samples <= METHODS[x].max_samples]
    for seed in range(arguments.seeds):
        with tempfile.TemporaryDirectory() as folder:
            data.write(Path(folder), n_samples, seed)
            for method in methods:
                task = Task(data.n_clusters, data.n_anchors, seed)
                yield {
                    "data": name,
                    "n": n_samples,
                    "d": data.n_features,
                    "c": data.n_clusters,
                    "method": method,
                    "seed": seed,
                    **measure(Path(folder), method, task, arguments.seconds),
                }


def stored(path: Path | None) -> pd.DataFrame:
    """Runs of earlier calls."""
    return pd.DataFrame() if path is None or not path.exists() else pd.read_csv(path)


def with_run(rows: pd.DataFrame, row: dict[str, Any]) -> pd.DataFrame:
    """The runs with a new one, which takes the place of its like."""
    if len(rows):
        same = [rows[key] == row[key] for key in ("data", "method", "seed")]
        rows = rows[~(same[0] & same[1] & same[2])]
    return pd.concat([rows, pd.DataFrame([row])], ignore_index=True)


def store(rows: pd.DataFrame, path: Path) -> None:
    """Write all runs so far, so that an interrupted benchmark leaves its results."""
    places = {name: place for place, name in enumerate([*DATA, *METHODS])}
    rows = rows.sort_values(
        ["data", "method", "seed"], key=lambda names: names.map(places).fillna(names)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_open(path, "w") as file:
        rows.round(4).to_csv(file, index=False)


if __name__ == "__main__":
    main()
