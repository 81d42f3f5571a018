"""``--dask``: Parquet files that workers read, cluster and label."""

from __future__ import annotations

import copy
import logging
import os
import re
import secrets
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from pandas.api.types import is_numeric_dtype
from pyarrow import parquet

from graphtailor.cli import results as out
from graphtailor.cli.estimators import Features, fit_timed
from graphtailor.cli.fit import FitOptions
from graphtailor.cli.options import AUTO, refuse_with_dask
from graphtailor.cli.predict import PredictOptions
from graphtailor.cli.progress import logged_steps
from graphtailor.cli.run_fit import Outcome, chosen_model
from graphtailor.columns.messages import did_you_mean, drop_options, listed
from graphtailor.dask.cluster import dask_client
from graphtailor.diagnostics.summary import FitSummary, summarize_fit
from graphtailor.linalg.scaling import SCALINGS
from graphtailor.models import GraphTailor

if TYPE_CHECKING:  # Dask is optional
    from dask.dataframe import DataFrame

logger = logging.getLogger(__name__)

LABEL_PARTS = "labels.parquet"
_PART = re.compile(r"part-\d{5,}\.parquet")
_LIBRARY = logging.getLogger("graphtailor.dask")


def name_of(paths: Sequence[str]) -> str:
    """The name of the only file or folder, or of the folder of all files."""
    first = Path(paths[0]).absolute()
    return first.name.split(".")[0] if len(paths) == 1 else first.parent.name


def _read(paths: Sequence[str]) -> DataFrame:
    """The rows of all Parquet files and folders, in the order of their names."""
    import dask.dataframe as dd

    for name in paths:
        _check_path(name)
    places = [str(Path(name).absolute()) for name in paths]
    try:
        return dd.read_parquet(places if len(places) > 1 else places[0])
    except (ValueError, OSError) as error:
        raise ValueError(f"DATA: {listed(paths)}: {error}") from error


def _features(options: FitOptions, frame: DataFrame) -> list[str]:
    """The columns to cluster by: all but those left out; they must be numeric."""
    drop = options.drop or []
    _refuse_unknown("--drop", drop, frame)
    kept = [name for name in frame.columns if name not in {*drop, options.id_column}]
    text = [name for name in kept if not is_numeric_dtype(frame.dtypes[name])]
    if text:
        raise ValueError(
            f"DATA: not numeric: {listed(text)}. Leave these columns out with "
            f"{drop_options(text)}, or name a column as --id."
        )
    if not kept:
        raise ValueError("DATA: no column is left to cluster by.")
    return kept


def _check_path(name: str) -> None:
    path = Path(name)
    if not path.exists():
        raise ValueError(f"DATA: there is no file or folder {name}.")
    if path.is_file() and path.suffix.lower() not in (".parquet", ".pq"):
        raise ValueError(
            f"DATA: {name} is not a Parquet file, and --dask reads no other. Leave "
            "--dask out, or save the table as Parquet."
        )


def _refuse_unknown(option: str, names: Sequence[str], frame: DataFrame) -> None:
    for name in names:
        if name not in frame.columns:
            raise ValueError(
                f"{option}: there is no column {name!r}."
                f"{did_you_mean(name, frame.columns)} "
                f"The columns are {listed(frame.columns)}."
            )


def _check_columns(frame: DataFrame, model: GraphTailor) -> None:
    """Refuse a frame without the columns that a model was fitted to."""
    features = getattr(model, "feature_names_in_", None)
    if features is None:
        raise ValueError(
            "MODEL: it was fitted to columns without names, and Parquet columns are "
            "found by their names. Predict without --dask."
        )
    missing = [name for name in features if name not in frame.columns]
    if missing:
        raise ValueError(
            f"DATA: the model was fitted to columns that are not there: "
            f"{listed(missing)}.{did_you_mean(missing[0], frame.columns)} "
            f"The columns are {listed(frame.columns)}."
        )


def fit_on_workers(options: FitOptions) -> Outcome:
    """Fit, and write labels, model and summary."""
    text = ("delimiter", "decimal", "no_header")
    columns = ("label", "known", "columns", "categorical", "numeric")
    refuse_with_dask(options, *text, *columns, "report")
    scaling = "maxabs" if options.scale == AUTO else options.scale
    if scaling not in ("none", *SCALINGS):
        raise ValueError(
            f"--scale: {scaling!r} is unknown.{did_you_mean(scaling, SCALINGS)} "
            f"Use {', '.join(SCALINGS)} or none."
        )
    name = name_of(options.data)
    _, model = chosen_model(options)
    if not isinstance(model, GraphTailor):
        raise ValueError("--method: only GraphTailor goes with --dask.")
    folder = options.output or out.free_folder(f"graphtailor-{name}")
    out.check_places(options.data, folder)
    parts = folder / LABEL_PARTS
    # The steps that the library logs, with the one that is logged here.
    with _labels_from_workers(options, parts, 5) as (frame, write):
        X = frame[_features(options, frame)]
        done = fit_timed("GraphTailor", model, Features(X, scaling))
        sizes = write(model)
    about = {"data": name, "seconds": done.seconds, "warnings": done.warnings}
    summary = summarize_representatives(model, **about)
    sizes += [0] * (summary.n_clusters - len(sizes))
    summary = replace(summary, n_samples=sum(sizes), sizes=sizes)
    results = out.ResultFiles(folder)
    results.written["labels"] = str(parts)
    results.write_model(model, {"id": options.id_column, "summary": summary.to_dict()})
    results.write_summary(summary.to_dict())
    return Outcome(summary, {}, results.written)


def summarize_representatives(model: GraphTailor, **about: Any) -> FitSummary:
    """Summarize a model whose labels stayed on a cluster."""
    labelled = copy.copy(model)
    labelled.indicator_ = model.lifter().shares
    labelled.labels_ = labelled.indicator_.argmax(axis=1)
    masses = model.representatives_.masses
    sizes = np.bincount(labelled.labels_, masses, model.n_clusters_).astype(int)
    summary = summarize_fit(labelled, **about)
    return replace(summary, n_samples=int(sizes.sum()), sizes=sizes.tolist())


def predict_on_workers(
    options: PredictOptions, model: GraphTailor, output: Path
) -> list[int]:
    """Let workers write the labels of rows to a folder; the sizes of the clusters."""
    with _labels_from_workers(options, output, 1) as (frame, write):
        _check_columns(frame, model)
        return write(model)


@contextmanager
def _labels_from_workers(
    options: FitOptions | PredictOptions, target: Path, n_steps: int
) -> Iterator[tuple[DataFrame, Callable[[GraphTailor], list[int]]]]:
    """The frame that workers read, and a function that writes a model's labels."""
    out.refuse_overwriting("--output", target, options.data)
    _refuse_other_files(target)
    # The workers end before the temporary folder is removed.
    with (
        replaced_folder(target) as parts,
        logged_steps(_LIBRARY, logger, n_steps=n_steps, wanted=options.is_talking),
        dask_client(str(options.dask)),
    ):
        # Dask is optional; where it is missing, the line above has raised an error.
        from graphtailor.dask.collection import labelled_frame

        frame = _read(options.data)
        kept = [] if options.id_column is None else [options.id_column]
        _refuse_unknown("--id", kept, frame)

        def write(model: GraphTailor) -> list[int]:
            logger.info("writing labels")
            return write_parts(labelled_frame(model, frame, kept), parts)

        yield frame, write


def _refuse_other_files(target: Path) -> None:
    """Refuse a place where anything but earlier labels would be overwritten."""
    others = [target] if target.exists() else []
    if target.is_dir():
        others = [p for p in target.iterdir() if not _PART.fullmatch(p.name)]
    if others:
        raise ValueError(
            f"--output: {others[0]} is there already and holds no labels. Name a "
            "folder that is new, or one with the labels of an earlier run."
        )


@contextmanager
def replaced_folder(target: Path) -> Iterator[Path]:
    """A temporary name beside a folder, which takes the place of the folder at the end.

    If anything goes wrong before, Ctrl-C included, it is removed and an older folder
    at `target` is left as it was.
    """
    temporary, older = (
        target.with_name(f".{target.name}.{secrets.token_hex(4)}.{ending}")
        for ending in ("part", "old")
    )
    try:
        yield temporary
        if target.exists():
            os.replace(target, older)
        os.replace(temporary, target)
    finally:
        for folder in (temporary, older):
            shutil.rmtree(folder, ignore_errors=True)


def write_parts(labels: DataFrame, folder: Path) -> list[int]:
    """Let workers write a file for each partition; the sizes of the clusters."""
    labels.to_parquet(
        folder.absolute(),
        write_index=False,
        name_function=lambda number: f"part-{number:05d}.parquet",
    )
    # The sizes are read from the files, so that no label is computed twice.
    sizes = np.zeros(0, dtype=np.int64)
    for part in sorted(folder.iterdir()):
        found = np.bincount(parquet.read_table(part, columns=["label"])["label"])
        sizes, fewer = (sizes, found) if len(sizes) > len(found) else (found, sizes)
        sizes[: len(fewer)] += fewer
    return sizes.tolist()
