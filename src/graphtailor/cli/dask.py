"""``--dask``: Parquet files that workers read, cluster and label."""

from __future__ import annotations

import dataclasses
import logging
import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pandas.api.types import is_numeric_dtype
from pyarrow import parquet
from sklearn.base import BaseEstimator

from graphtailor.cli.fit import Fit, fit_timed
from graphtailor.cli.output import (
    ResultFiles,
    check_places,
    summarize_without_labels,
)
from graphtailor.cli.progress import logged_steps
from graphtailor.columns.messages import did_you_mean, drop_options, listed
from graphtailor.dask.cluster import dask_client
from graphtailor.models import GraphTailor
from graphtailor.report import FitSummary

logger = logging.getLogger(__name__)

LABEL_PARTS = "labels.parquet"
_PART = re.compile(r"part-\d{5,}\.parquet")
_LIBRARY = logging.getLogger("graphtailor.dask")
# The steps that the library logs, with the one that is logged here.
_STEPS_OF_A_FIT = 5


@dataclass(frozen=True)
class ClusterData:
    """The data that workers read."""

    paths: Sequence[str]  # Parquet files, or folders of them
    id: str | None = None  # column with ids, to be written beside the labels
    drop: Sequence[str] = ()  # columns to leave out

    @property
    def name(self) -> str:
        """The name of the only file or folder, or of the folder of all files.

        Examples
        --------
        >>> ClusterData(["trees.parquet"]).name
        'trees'
        >>> ClusterData(["forest/a.parquet", "forest/b.parquet"]).name
        'forest'
        """
        first = Path(self.paths[0]).absolute()
        return first.name.split(".")[0] if len(self.paths) == 1 else first.parent.name

    @property
    def kept(self) -> list[str]:
        """Columns that are written beside the labels."""
        return [] if self.id is None else [self.id]

    def read(self) -> Any:
        """A Dask DataFrame with the rows of all files, in the order of their names."""
        import dask.dataframe as dd

        for name in self.paths:
            _check_path(name)
        paths = [str(Path(name).absolute()) for name in self.paths]
        try:
            frame = dd.read_parquet(paths if len(paths) > 1 else paths[0])
        except (ValueError, OSError) as error:
            raise ValueError(f"DATA: {listed(self.paths)}: {error}") from error
        if self.id is not None and self.id not in frame.columns:
            _refuse_unknown("--id", self.id, frame)
        return frame

    def features(self, frame: Any) -> list[str]:
        """The columns to cluster by: all but those left out; they must be numeric."""
        for name in self.drop:
            if name not in frame.columns:
                _refuse_unknown("--drop", name, frame)
        kept = [name for name in frame.columns if name not in {*self.drop, self.id}]
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


def _refuse_unknown(option: str, name: str, frame: Any) -> None:
    raise ValueError(
        f"{option}: there is no column {name!r}.{did_you_mean(name, frame.columns)} "
        f"The columns are {listed(frame.columns)}."
    )


def _check_columns(frame: Any, model: GraphTailor) -> None:
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


def fit_on_cluster(
    address: str,
    data: ClusterData,
    model: BaseEstimator,
    scaling: str,
    output: Path | None,
    *,
    wanted: bool,
) -> tuple[FitSummary, dict[str, str]]:
    """Fit, and write labels, model and summary; the summary, and the files by kind.

    The address is that of a scheduler, or "local:N".
    """
    if not isinstance(model, GraphTailor):
        raise ValueError("--method: only GraphTailor goes with --dask.")
    folder = output or Path(f"graphtailor-{data.name}")
    for path in data.paths:
        check_places(path, folder, None)
    with _labels_from_workers(
        address, data, folder / LABEL_PARTS, _STEPS_OF_A_FIT, wanted
    ) as (frame, write):
        done = fit_timed("GraphTailor", model, frame[data.features(frame)], scaling)
        sizes = write(model)
    summary = _summarize(done, data.name, sizes)
    results = ResultFiles(folder)
    results.add("labels", folder / LABEL_PARTS)
    results.write_model(model, {"id": data.id, "summary": summary.to_dict()})
    results.write_summary(summary.to_dict())
    return summary, results.written


def predict_on_cluster(
    address: str, data: ClusterData, model: GraphTailor, output: Path, *, wanted: bool
) -> list[int]:
    """Let workers write the labels of rows to a folder; the sizes of the clusters."""
    with _labels_from_workers(address, data, output, 1, wanted) as (frame, write):
        _check_columns(frame, model)
        return write(model)


@contextmanager
def _labels_from_workers(
    address: str, data: ClusterData, target: Path, n_steps: int, wanted: bool
) -> Iterator[tuple[Any, Any]]:
    """The frame that workers read, and a function that writes a model's labels."""
    _check_folder("--output", target, data.paths)
    # The workers end before the temporary folder is removed.
    with (
        replaced_folder(target) as parts,
        logged_steps(_LIBRARY, logger, n_steps=n_steps, wanted=wanted),
        dask_client(address),
    ):
        # Dask is optional; where it is missing, the line above has raised an error.
        from graphtailor.dask.labels import labelled_frame

        frame = data.read()

        def write(model: GraphTailor) -> list[int]:
            logger.info("writing labels")
            return write_parts(labelled_frame(model, frame, data.kept), parts)

        yield frame, write


def _summarize(done: Fit, data: str, sizes: list[int]) -> FitSummary:
    summary = summarize_without_labels(
        done.model, data=data, seconds=done.seconds, warnings=done.warnings
    )
    sizes = sizes + [0] * (summary.n_clusters - len(sizes))
    return dataclasses.replace(summary, n_samples=sum(sizes), sizes=sizes)


def _check_folder(option: str, target: Path, data: Sequence[str]) -> None:
    """Refuse a place where anything but earlier labels would be overwritten."""
    for path in data:
        read = Path(path).resolve()
        if target.resolve() in (read, *read.parents):
            raise ValueError(f"{option}: {target} would overwrite DATA.")
    if not target.exists():
        return
    others = [target]
    if target.is_dir():
        others = [p for p in target.iterdir() if not _PART.fullmatch(p.name)]
    if others:
        raise ValueError(
            f"{option}: {others[0]} is there already and holds no labels. Name a "
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


def write_parts(labels: Any, folder: Path) -> list[int]:
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
