"""The files of a fit, each written whole or not at all."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np
from matplotlib.figure import Figure
from scipy import sparse

from graphtailor import plot
from graphtailor.cli.show import say_notes
from graphtailor.diagnostics.certainty import certainty_of
from graphtailor.diagnostics.model_access import view_of
from graphtailor.io.atomic import atomic_open
from graphtailor.io.models import save_model
from graphtailor.io.spreadsheets import safe_text
from graphtailor.models import GraphTailor
from graphtailor.report import FitSummary
from graphtailor.tables import Table

LABELS, GRAPH, MODEL, PICTURE, SUMMARY = (
    "labels.csv",
    "graph.npz",
    "model.npz",
    "picture.png",
    "summary.json",
)


def check_places(data: str, folder: Path, report: Path | None) -> None:
    """Refuse, before any work is done, places that cannot be written to.

    Parameters
    ----------
    data : str
        What is read; it must not be overwritten.
    folder : Path
        For the results.
    report : Path or None
        For the report.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--output: {folder} is a file. Give a folder.")
    if report is not None and report.is_dir():
        raise ValueError(f"--report: {report} is a folder. Give a file, like a.html.")
    names = (LABELS, GRAPH, MODEL, PICTURE, SUMMARY)
    targets = [("--output", folder / name) for name in names]
    if report is not None:
        targets.append(("--report", report))
    for option, path in targets:
        if path.resolve() == Path(data).resolve():
            raise ValueError(f"{option}: {path} would overwrite DATA.")
        _refuse_unwritable(option, path.parent)


def _refuse_unwritable(option: str, folder: Path) -> None:
    existing = folder.resolve()
    while not existing.exists():
        existing = existing.parent
    if not existing.is_dir() or not os.access(existing, os.W_OK):
        raise ValueError(f"{option}: {existing} is not a folder one may write to.")


def write_results(
    folder: Path,
    model: Any,
    table: Table,
    summary: FitSummary,
    *,
    scale: str,
    files: dict[str, str],
) -> None:
    """Write labels, graph, picture, model and summary.

    Parameters
    ----------
    folder : Path
        Where; made if it is not there.
    model : estimator
        Fitted.
    table : Table
        What it was fitted to.
    summary : FitSummary
        The fit in numbers.
    scale : str
        Scaling of numeric columns.
    files : dict of str to str
        Kind and path of each file; what is written is added as soon as it is.
    """
    earlier = _earlier_files(folder)
    about = about_columns(table, scale)
    with atomic_open(folder / LABELS, "w") as file:
        view = view_of(model)
        certainty = certainty_of(view) if isinstance(model, GraphTailor) else None
        share = None if certainty is None else certainty.share
        write_labels(file, table.ids, view.labels, share)
    files["labels"] = str(folder / LABELS)
    if hasattr(model, "affinity_matrix_"):
        with atomic_open(folder / GRAPH) as file:
            sparse.save_npz(file, sparse.csr_array(model.affinity_matrix_))
        files["graph"] = str(folder / GRAPH)
    if isinstance(model, GraphTailor):
        notes = {**model_notes(table), **about, "summary": summary.to_dict()}
        save_model(model, folder / MODEL, notes=notes)
        files["model"] = str(folder / MODEL)
    with atomic_open(folder / PICTURE) as file:
        plot.overview(model, Figure()).savefig(file, format="png", dpi=150)
    files["picture"] = str(folder / PICTURE)
    write_summary(folder, table, summary, scale=scale, files=files)
    for name in earlier - {Path(path).name for path in files.values()}:
        (folder / name).unlink(missing_ok=True)


def write_summary(
    folder: Path,
    table: Table,
    summary: FitSummary,
    *,
    scale: str,
    files: dict[str, str],
) -> None:
    """Write the fit in numbers with the files that are there; as `write_results`."""
    files["summary"] = str(folder / SUMMARY)
    about = about_columns(table, scale)
    with atomic_open(folder / SUMMARY, "w") as file:
        json.dump({**summary.to_dict(), **about, "files": files}, file, indent=2)


def about_columns(table: Table, scale: str) -> dict[str, Any]:
    """What the columns were taken for and what was done to them, for JSON."""
    parts = ("name", "kind", "treatment")
    return {
        "columns": [{p: getattr(c, p) for p in parts} for c in table.columns],
        "label": table.label,
        "id": table.id,
        "scale": scale,
    }


def model_notes(table: Table) -> dict[str, Any]:
    """What a model must remember of its table to take new rows."""
    prepared = table.preparation
    return {"preparation": None if prepared is None else prepared.to_dict()}


@contextmanager
def telling_what_is_kept() -> Iterator[dict[str, str]]:
    """Collect the files of a run, to name them if it is stopped by Ctrl-C."""
    files: dict[str, str] = {}
    try:
        yield files
    except KeyboardInterrupt:
        kept = ", ".join(files.values())
        say_notes([f"Kept: {kept}." if kept else "Nothing was written."])
        raise


def _earlier_files(folder: Path) -> set[str]:
    """Names of files that an earlier run wrote here, by its own account."""
    try:
        account = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
        names = {Path(path).name for path in account["files"].values()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return set()
    return names & {LABELS, GRAPH, MODEL, PICTURE}


def write_labels(
    file: IO[str],
    ids: Iterable[Any],
    labels: np.ndarray,
    certainty: np.ndarray | None,
) -> None:
    """Write ids, labels and certainty as CSV that is safe in a spreadsheet.

    :func:`graphtailor.io.spreadsheets.read_labels` gives the ids back as they were.

    Examples
    --------
    >>> import sys
    >>> import numpy as np
    >>> write_labels(sys.stdout, ["a", "=1+1"], np.array([0, 1]), np.array([1.0, 0.5]))
    id,label,certainty
    a,0,1.0000
    '=1+1,1,0.5000
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(["id", "label", "certainty"])
    shares = (
        [""] * len(labels) if certainty is None else [f"{c:.4f}" for c in certainty]
    )
    for row, label, share in zip(ids, labels, shares, strict=True):
        writer.writerow([safe_text(row), int(label), share])
