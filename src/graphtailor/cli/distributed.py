"""``--dask``: Parquet files that workers read, cluster and label."""

from __future__ import annotations

import copy
import dataclasses
import json
import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from graphtailor.cli.label_parts import check_folder, replaced_folder, write_parts
from graphtailor.cli.models import Fit, fit_timed
from graphtailor.cli.parquet_frames import ClusterData, known_columns
from graphtailor.cli.results import MODEL, SUMMARY, _earlier_files, check_places
from graphtailor.dask.cluster import dask_client
from graphtailor.io.atomic import atomic_open
from graphtailor.io.models import save_model
from graphtailor.models import GraphTailor
from graphtailor.report import FitSummary, summarize_fit

logger = logging.getLogger(__name__)

LABEL_PARTS = "labels.parquet"


def fit_on_cluster(
    address: str,
    data: ClusterData,
    model: Any,
    scaling: str,
    output: Path | None,
    *,
    is_talking: bool,
) -> tuple[FitSummary, dict[str, str]]:
    """Fit, and write labels, model and summary.

    Parameters
    ----------
    address : str
        Of a scheduler, or "local:N".
    data : ClusterData
        What the workers read.
    model : GraphTailor
        Not yet fitted.
    scaling : str
        Scaling of the features.
    output : Path or None
        Folder for the results.
    is_talking : bool
        Whether to show what is going on.

    Returns
    -------
    summary : FitSummary
        The fit in numbers.
    files : dict of str to str
        Kind and path of what was written.
    """
    if not isinstance(model, GraphTailor):
        raise ValueError("--method: only GraphTailor goes with --dask.")
    folder = output or Path(f"graphtailor-{data.name}")
    for path in data.paths:
        check_places(path, folder, None)
    target = folder / LABEL_PARTS
    check_folder("--output", target, data.paths)
    # The workers are gone before a temporary folder is removed.
    with (
        replaced_folder(target) as parts,
        shown_steps(is_talking, 5),
        dask_client(address),
    ):
        # Dask is optional: that it is missing is told by the line above.
        from graphtailor.dask import labelled_frame

        frame = data.read()
        done = fit_timed("GraphTailor", model, frame[data.features(frame)], scaling)
        logger.info("writing labels")
        sizes = write_parts(labelled_frame(model, frame, data.kept), parts)
    summary = _summarize(done, data.name, sizes)
    return summary, _write(folder, model, summary, data.id)


def _summarize(done: Fit, data: str, sizes: list[int]) -> FitSummary:
    # The labels are gone with the workers; those of the anchors stand for them where
    # starts are compared.
    model = copy.copy(done.model)
    model.labels_ = model.anchor_labels_
    summary = summarize_fit(
        model, data=data, seconds=done.seconds, warnings=done.warnings
    )
    sizes = sizes + [0] * (model.n_clusters_ - len(sizes))
    return dataclasses.replace(summary, n_samples=sum(sizes), sizes=sizes)


def _write(
    folder: Path, model: Any, summary: FitSummary, id: str | None
) -> dict[str, str]:
    earlier = _earlier_files(folder)
    saved = copy.copy(model)
    del saved.labels_, saved.indicator_
    save_model(saved, folder / MODEL, notes={"id": id})
    names = {"labels": LABEL_PARTS, "model": MODEL, "summary": SUMMARY}
    files = {kind: str(folder / name) for kind, name in names.items()}
    with atomic_open(folder / SUMMARY, "w") as file:
        json.dump({**summary.to_dict(), "files": files}, file, indent=2)
    for name in earlier - set(names.values()):
        (folder / name).unlink(missing_ok=True)
    return files


def predict_on_cluster(
    address: str, data: ClusterData, model: Any, output: Path, *, is_talking: bool
) -> list[int]:
    """Let workers label rows; the sizes of the clusters.

    Parameters
    ----------
    address : str
        Of a scheduler, or "local:N".
    data : ClusterData
        What the workers read.
    model : GraphTailor
        Fitted.
    output : Path
        Folder for the labels.
    is_talking : bool
        Whether to show what is going on.
    """
    check_folder("--output", output, data.paths)
    with (
        replaced_folder(output) as parts,
        shown_steps(is_talking, 1),
        dask_client(address),
    ):
        from graphtailor.dask import labelled_frame

        frame = data.read()
        known_columns(frame, model)
        logger.info("writing labels")
        return write_parts(labelled_frame(model, frame, data.kept), parts)


class _StepShower(logging.Handler):
    """Moves a progress bar by what the library logs."""

    def __init__(self, progress: Progress, n_steps: int) -> None:
        super().__init__(logging.INFO)
        self._progress = progress
        self._task = progress.add_task("starting workers", total=n_steps)
        self._begun = 0

    def emit(self, record: logging.LogRecord) -> None:
        """Show a step that begins."""
        self._progress.update(
            self._task, description=record.getMessage(), completed=self._begun
        )
        self._begun += 1


@contextmanager
def shown_steps(wanted: bool, n_steps: int) -> Iterator[None]:
    """A progress bar of the steps on a terminal; nothing elsewhere."""
    if not wanted or not sys.stderr.isatty():
        yield
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    loggers = [logging.getLogger("graphtailor.dask"), logger]
    levels = [each.level for each in loggers]
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        shower = _StepShower(progress, n_steps)
        for each in loggers:
            each.setLevel(logging.INFO)
            each.addHandler(shower)
        try:
            yield
        finally:
            for each, level in zip(loggers, levels, strict=True):
                each.removeHandler(shower)
                each.setLevel(level)
