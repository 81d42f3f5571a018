"""Large n: GraphTailor beside its peers, in one run.

    python benchmarks/scale.py [--output results/scale.csv]
    python benchmarks/scale.py --table --only letters,rings --methods GraphTailor
    python benchmarks/scale.py --quick

Without --table, --growth or --dask all three parts are run:

- the table: every data set and method, each fit in a new process, with CPU seconds,
  wall seconds, peak memory (of the whole process, and before the fit), ACC and NMI;
  compiling is timed apart. Methods that cannot run on a set are left out or show why
  they failed.
- the growth of the time with n, from a thousand to ten million rows, with the exponent
  of each tier; table and plot go to docs/.
- a Dask cluster of two workers of 1 GB each, one of them killed on the way.

Runs that the output file holds already are kept, those of the same data, method and
seed replaced: the table can be made in several calls. The last lines say which targets
are met. --quick divides all sizes by a hundred.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from debian_files import NotInstalled
from graphtailor.io.atomic import atomic_open
from named_choices import names_of
from scale_dask import run_dask
from scale_growth import growth_targets, run_growth, write_growth
from scale_methods import METHODS, OURS, Task, available
from scale_report import table, targets
from scale_run import measure
from scale_sets import DATA, REAL


def main() -> None:
    arguments = parse_arguments()
    everything = not (arguments.table or arguments.growth or arguments.dask)
    verdicts: list[str] = []
    if arguments.table or everything:
        print(first_call(arguments.seconds), flush=True)
        verdicts += run_table(arguments)
    if arguments.growth or everything:
        print("\ngrowth of the time with n")
        growth = run_growth(10**5 if arguments.quick else 10**7, arguments.seconds)
        verdicts += growth_targets(growth)
        if not arguments.quick:
            write_growth(growth, arguments.docs)
    if arguments.dask or everything:
        print("\nDask, two workers of 1 GB")
        verdicts += run_dask(20_000 if arguments.quick else 2 * 10**6)
    print("\ntargets", "(set for the full sizes)" if arguments.quick else "")
    print("\n".join(verdicts))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for part in ("table", "growth", "dask"):
        parser.add_argument(f"--{part}", action="store_true", help="only this part")
    parser.add_argument("--only", type=names_of(DATA), default=list(DATA))
    parser.add_argument("--methods", type=names_of(METHODS), default=available())
    parser.add_argument("--seeds", type=int, default=1, help="means of so many runs")
    parser.add_argument("--seconds", type=float, default=600, help="limit of a run")
    parser.add_argument("--output", type=Path, help="CSV file of all runs")
    parser.add_argument("--docs", type=Path, default=Path("docs"))
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args()


def first_call(seconds: float) -> str:
    """What compiling costs a new user: tiny fits in every tier, no cache yet."""
    data = DATA["digits"]
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.TemporaryDirectory() as cache,
    ):
        data.write(Path(folder), data.n_samples)
        cold, warm = (
            measure(
                Path(folder),
                OURS,
                Task(data.n_clusters),
                seconds,
                {"NUMBA_CACHE_DIR": cache},
            )
            for _ in range(2)
        )
    if cold["status"] != "ok" or warm["status"] != "ok":
        return f"first call: {cold['status']}, {warm['status']}"
    first, later = (
        f"{run['warm_up_wall_s']:.1f} s wall, {run['warm_up_cpu_s']:.1f} s CPU"
        for run in (cold, warm)
    )
    return (
        f"first call with an empty cache: {first} for a tiny fit in each tier; "
        f"in a later process {later}"
    )


def run_table(arguments: argparse.Namespace) -> Iterator[str]:
    """Measure, print and store all runs; the targets."""
    rows = stored(arguments.output)
    for name in arguments.only:
        with tempfile.TemporaryDirectory() as folder:
            n_samples = size_of(name, arguments.quick)
            try:
                DATA[name].write(Path(folder), n_samples)
            except NotInstalled as error:
                print(f"\n{name}: left out, {error}", flush=True)
                continue
            for row in runs_of(name, n_samples, Path(folder), arguments):
                rows = with_run(rows, row)
                if arguments.output:
                    store(rows, arguments.output)
        if len(rows) and (rows["data"] == name).any():
            print(table(rows, name), flush=True)
    return targets(rows) if len(rows) else iter(())


def size_of(name: str, quick: bool) -> int:
    """Rows of a data set; a quick run takes a hundredth, of real ones a thousand."""
    full = DATA[name].n_samples
    if not quick:
        return full
    return 1000 if name in REAL else full // 100


def runs_of(
    name: str, n_samples: int, folder: Path, arguments: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """The runs of all methods on one data set."""
    data = DATA[name]
    for method in arguments.methods:
        if data.n_samples > METHODS[method].max_samples:
            continue
        for seed in range(arguments.seeds if METHODS[method].seeded else 1):
            task = Task(data.n_clusters, data.n_anchors, seed)
            yield {
                "data": name,
                "n": n_samples,
                "d": data.n_features,
                "c": data.n_clusters,
                "method": method,
                "seed": seed,
                **measure(folder, method, task, arguments.seconds),
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
