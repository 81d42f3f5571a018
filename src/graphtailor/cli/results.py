"""The files that a fit leaves, each written whole or not at all."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor import plot
from graphtailor.cli.estimators import is_own
from graphtailor.cli.show import say_notes, visible
from graphtailor.diagnostics.model_access import FittedModel
from graphtailor.diagnostics.summary import FitSummary
from graphtailor.io.atomic import atomic_open
from graphtailor.io.models import save_model
from graphtailor.io.spreadsheets import safe_frame
from graphtailor.models import GraphTailor, JointModel
from graphtailor.tables import Table
from graphtailor.tables.cluster_table import with_clusters

LABELS, GRAPH, MODEL = "labels.csv", "graph.npz", "model.npz"
PICTURE, SUMMARY = "picture.png", "summary.json"
TABLE_ENDINGS = (".csv", ".xlsx", ".parquet")


@dataclass(frozen=True)
class Found:
    """Clusters of rows, how certain they are, and how far from the fitted rows."""

    labels: np.ndarray
    certainty: np.ndarray | None = None
    distance: np.ndarray | None = None
    groups: Sequence[str] | None = None  # names of the rows' clusters


def free_folder(name: str) -> Path:
    """A folder of this name that holds no model yet: a fit destroys no other one."""
    folder, number = Path(name), 1
    while (folder / MODEL).exists():
        number += 1
        folder = Path(f"{name}-{number}")
    return folder


def check_places(
    data: Sequence[str], folder: Path, report: Path | None = None, *others: Path
) -> None:
    """Refuse, before any work is done, places that cannot be written to.

    These are the folder of the results, the report and other files of --output; no
    file of `data` may be overwritten, and no model.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--output: {folder} is a file. Give a folder.")
    if (folder / MODEL).exists():
        raise ValueError(
            f"--output: {folder} holds the model of another fit, which would be lost. "
            "Name another folder, or remove that one."
        )
    if report is not None and report.is_dir():
        raise ValueError(f"--report: {report} is a folder. Give a file, like a.html.")
    names = (LABELS, GRAPH, MODEL, PICTURE, SUMMARY)
    targets = [("--output", path) for path in (*(folder / n for n in names), *others)]
    targets += [] if report is None else [("--report", report)]
    for option, path in targets:
        refuse_overwriting(option, path, data)
        existing = path.parent.resolve()
        while not existing.exists():
            existing = existing.parent
        if not existing.is_dir() or not os.access(existing, os.W_OK):
            raise ValueError(f"{option}: {existing} is not a folder one may write to.")


def refuse_overwriting(option: str, target: Path, data: Sequence[str]) -> None:
    """Refuse a file that is read, or a folder that holds one."""
    for path in data:
        read = Path(path).resolve()
        if target.resolve() in (read, *read.parents):
            raise ValueError(f"{option}: {target} would overwrite what is read.")


class ResultFiles:
    """The files of one run; if the run is stopped by Ctrl-C, it says which are kept.

    `written` has the kind and the path of each file that is complete.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.written: dict[str, str] = {}
        self._earlier = _earlier_files(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and issubclass(kind, KeyboardInterrupt):
            kept = ", ".join(self.written.values())
            say_notes([f"Kept: {kept}." if kept else "Nothing was written."])

    @contextmanager
    def open(self, kind: str, path: Path, mode: str = "w") -> Iterator[IO]:
        """Open a file that is added when it is complete."""
        with atomic_open(path, mode) as file:
            yield file
        self.written[kind] = str(path)

    def write_model(
        self, model: GraphTailor | JointModel, notes: Mapping[str, Any]
    ) -> None:
        """Save a model with its notes."""
        save_model(model, self.folder / MODEL, notes=notes)
        self.written["model"] = str(self.folder / MODEL)

    def write_summary(self, record: Mapping[str, Any]) -> None:
        """Write what was found and which files hold it; remove an earlier run's."""
        with self.open("summary", self.folder / SUMMARY) as file:
            files = {**self.written, "summary": str(self.folder / SUMMARY)}
            json.dump({**record, "files": files}, file, indent=2)
        for name in self._earlier - {Path(path).name for path in files.values()}:
            (self.folder / name).unlink(missing_ok=True)


def _earlier_files(folder: Path) -> set[str]:
    """Names of the files that an earlier run wrote, by its own summary."""
    try:
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
        names = {Path(path).name for path in summary["files"].values()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return set()
    return names & {LABELS, GRAPH, PICTURE}


def write_results(
    results: ResultFiles,
    model: FittedModel,
    table: Table,
    summary: FitSummary,
    about: Mapping[str, Any],
    output: Path | None = None,
) -> None:
    """Write labels, graph, model, picture and summary.

    `about` says what was done to the columns; the user's table goes to `output`.
    """
    folder, record, labels = results.folder, summary.to_dict(), model.labels_
    groups = [summary.names[label] for label in labels] if summary.names else None
    certainty = distance = None
    if isinstance(model, GraphTailor | JointModel):
        certainty = model.indicator_.max(axis=1) / model.indicator_.sum(axis=1)
    if isinstance(model, GraphTailor):
        distance = model.place(table.X, fitted=True).distance
    found = Found(labels, certainty, distance, groups)
    if output is not None:
        write_table(output, table, found)
        results.written["table"] = str(output)
    with results.open("labels", folder / LABELS) as file:
        write_labels(file, table.ids, found, with_groups=table.known is not None)
    if hasattr(model, "affinity_matrix_"):
        with results.open("graph", folder / GRAPH, "wb") as file:
            sparse.save_npz(file, sparse.csr_array(model.affinity_matrix_))
    if isinstance(model, GraphTailor | JointModel) and is_own(summary.method):
        blocks = None if table.blocks is None else table.blocks.to_dict()
        results.write_model(model, {**about, "blocks": blocks, "summary": record})
    with results.open("picture", folder / PICTURE, "wb") as file:
        plot.overview(model).savefig(file, format="png", dpi=150)
    results.write_summary({**record, **about})


def write_labels(
    file: IO[str],
    ids: Iterable[object],
    found: Found,
    *,
    with_groups: bool = True,
    to_terminal: bool = False,
) -> None:
    """Write ids, labels, certainty, distance, groups as CSV safe in a spreadsheet.

    :func:`graphtailor.io.spreadsheets.read_labels` restores the ids.
    """
    frame = pd.DataFrame({"id": pd.Series(list(ids), dtype=object)})
    frame["label"] = found.labels
    frame["certainty"] = found.certainty  # which some methods lack
    if found.distance is not None:
        frame["distance"] = found.distance
    if with_groups and found.groups is not None:
        frame["group"] = found.groups
    frame = safe_frame(frame)
    if to_terminal:
        texts = frame.columns.intersection(["id", "group"])
        frame[texts] = frame[texts].map(visible)
    frame.to_csv(file, index=False, float_format="%.4f", lineterminator="\n")


def write_table(path: Path, table: Table, found: Found) -> None:
    """Write the user's table with its clusters as .csv, .xlsx or .parquet."""
    frame = table.frame
    if frame is None:
        frame = pd.DataFrame({"id": table.ids})
    elif table.id is not None and table.id in frame.columns:
        frame = frame.assign(**{table.id: table.ids})
    frame = with_clusters(
        frame, found.labels, found.certainty, found.distance, found.groups
    )
    ending = path.suffix.lower()
    with atomic_open(path, "wb" if ending in (".xlsx", ".parquet") else "w") as file:
        if ending == ".parquet":
            frame.to_parquet(file, index=False)
        elif ending == ".xlsx":
            for name in frame.select_dtypes("datetimetz"):
                frame[name] = frame[name].dt.tz_localize(None)
            safe_frame(frame).to_excel(file, index=False, engine="openpyxl")
        else:
            safe_frame(frame).to_csv(file, index=False, lineterminator="\n")
