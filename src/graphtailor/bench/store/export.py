"""A whole benchmark as one file, and back."""

import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path

import pandas as pd

from graphtailor.bench.results.scores import METRICS, short_name
from graphtailor.bench.store.database import Row
from graphtailor.bench.store.store import Session, Store, pack_labels
from graphtailor.io.atomic import atomic_open
from graphtailor.io.limits import clear_errors
from graphtailor.io.spreadsheets import safe_frame
from graphtailor.tables.columnar_files import columnar_frame

_PARQUET = ".parquet"
_ABOUT = "graphtailor"


def export(store: Store, path: str | os.PathLike[str]) -> pd.DataFrame:
    """Write all runs with their scores to a CSV or Parquet file.

    Parameters
    ----------
    store : Store
        The runs.
    path : path-like
        Ends in .csv or .parquet. The latter has the labels, and in its attributes the
        plan and the data sets' classes: :func:`opened_results` needs nothing else.

    Returns
    -------
    DataFrame
        What was written.
    """
    path = Path(path)
    if path.suffix not in (".csv", _PARQUET):
        raise ValueError(f"{path}: give a name that ends in .csv or .parquet.")
    runs = store.runs()
    table = runs.join(store.scores(), on="key").rename(columns=short_name)
    if path.suffix == ".csv":
        with atomic_open(path, "w") as file:
            safe_frame(table).to_csv(file, index=False)
        return table
    table["labels"] = [store.labels(key) for key in table["key"]]
    sets = store.datasets().reset_index()
    sets["target"] = [store.target(data_hash).tolist() for data_hash in sets["hash"]]
    about = {
        "session": asdict(store.last_session()),
        "datasets": sets.to_dict("records"),
        "metrics": {short_name(name): name for name in store.scores().columns},
    }
    table.attrs[_ABOUT] = json.dumps(about)
    with atomic_open(path) as file:
        table.to_parquet(file, index=False, compression="zstd")
    return table


@contextmanager
def opened_results(path: str | os.PathLike[str]) -> Iterator[Store]:
    """The results in a folder, or in a Parquet file that :func:`export` wrote.

    Parameters
    ----------
    path : path-like
        A folder, its bench.sqlite, or a Parquet file.

    Yields
    ------
    Store
        Of a Parquet file a copy, which goes away afterwards.
    """
    if Path(path).suffix != _PARQUET:
        with Store(path, create=False) as store:
            yield store
        return
    if not Path(path).is_file():
        raise FileNotFoundError(f"There are no results at {path}.")
    with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
        with clear_errors(
            lambda why: (
                f"{os.fspath(path)} is damaged or was not written by "
                f"'graphtailor bench --export': {why}."
            )
        ):
            _restore(store, Path(path))
        yield store


def _restore(store: Store, path: Path) -> None:
    table = columnar_frame(path, "parquet")
    if _ABOUT not in table.attrs:
        raise ValueError("it does not hold a plan")
    about = json.loads(table.attrs[_ABOUT])
    store.begin_session(Session(**about["session"]))
    for entry in about["datasets"]:
        store.insert("datasets", [{**entry, "target": pack_labels(entry["target"])}])
    store.insert("runs", _run_rows(table, about["metrics"]))
    store.check()
    known = {*METRICS, *about["metrics"].values()}
    for metric in store.last_plan().metrics:
        if metric not in known:
            raise ValueError(f"it has no scores {metric!r} of its plan")


def _run_rows(table: pd.DataFrame, metrics: Mapping[str, str]) -> Iterator[Row]:
    """The runs of an exported table; `metrics` has the full names of its scores."""
    if "source" not in table:
        table["source"] = ""
    values = table.astype(object).where(table.notna(), None)
    for run in values.to_dict("records"):
        scores = {
            metric: run[short]
            for short, metric in metrics.items()
            if run[short] is not None
        }
        labels = None if run["labels"] is None else pack_labels(run["labels"])
        yield {**run, "scores": json.dumps(scores), "labels": labels}
