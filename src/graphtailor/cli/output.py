"""What a fit leaves: files, each written whole or not at all, and text to read."""

from __future__ import annotations

import copy
import csv
import dataclasses
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Self

import numpy as np
import pandas as pd
from rich.table import Table as Grid
from rich.text import Text
from scipy import sparse

from graphtailor import plot
from graphtailor.cli.fit import OWN_MODELS
from graphtailor.cli.show import (
    facts,
    grid,
    output_console,
    say_notes,
    show_title,
    visible,
)
from graphtailor.columns.parse_values import TEXT
from graphtailor.decide.n_clusters import CLOSE
from graphtailor.diagnostics.formatting import readable_number
from graphtailor.io.atomic import atomic_open
from graphtailor.io.models import save_model
from graphtailor.io.spreadsheets import safe_text
from graphtailor.models import GraphTailor, JointModel
from graphtailor.report import FitSummary, summarize_fit
from graphtailor.tables import Table
from graphtailor.tables.cluster_table import distances_to, with_clusters

LABELS, GRAPH, MODEL, PICTURE, SUMMARY = (
    "labels.csv",
    "graph.npz",
    "model.npz",
    "picture.png",
    "summary.json",
)

_BAR = 12
_MOST_CLUSTERS = 30
_MOST_NAMES = 4
_MOST_LETTERS = 100
_MOST_LINES = 25


def free_folder(name: str) -> Path:
    """A folder of this name that holds no model yet: a fit destroys no other one."""
    folder, number = Path(name), 1
    while (folder / MODEL).exists():
        number += 1
        folder = Path(f"{name}-{number}")
    return folder


def check_places(
    data: str, folder: Path, report: Path | None, table: Path | None = None
) -> None:
    """Refuse, before any work is done, places that cannot be written to.

    Parameters
    ----------
    data : str
        The file that is read; it must not be overwritten.
    folder : Path
        For the results.
    report : Path or None
        For the report.
    table : Path or None, default=None
        For the table with its clusters.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"--output: {folder} is a file. Give a folder.")
    if report is not None and report.is_dir():
        raise ValueError(f"--report: {report} is a folder. Give a file, like a.html.")
    names = (LABELS, GRAPH, MODEL, PICTURE, SUMMARY)
    targets = [("--output", folder / name) for name in names]
    if report is not None:
        targets.append(("--report", report))
    if table is not None:
        targets.append(("--output", table))
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


class ResultFiles:
    """The files of one run; if the run is stopped by Ctrl-C, it says which are kept.

    Parameters
    ----------
    folder : Path
        Where results go; made if it is not there.

    Attributes
    ----------
    written : dict of str to str
        Kind and path of each file that is complete.
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

    def add(self, kind: str, path: Path) -> None:
        """Add a file that is complete."""
        self.written[kind] = str(path)

    @contextmanager
    def open(self, kind: str, path: Path, mode: str = "w") -> Iterator[IO[Any]]:
        """Open a file that is added when it is complete."""
        with atomic_open(path, mode) as file:
            yield file
        self.add(kind, path)

    def write_model(
        self, model: GraphTailor | JointModel, notes: Mapping[str, Any]
    ) -> None:
        """Save a model with its notes."""
        save_model(model, self.folder / MODEL, notes=notes)
        self.add("model", self.folder / MODEL)

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
    return names & {LABELS, GRAPH, MODEL, PICTURE}


def write_results(
    results: ResultFiles,
    model: Any,
    table: Table,
    summary: FitSummary,
    about: Mapping[str, Any],
    output: Path | None = None,
) -> None:
    """Write labels, graph, model, picture and summary.

    Parameters
    ----------
    results : ResultFiles
        Where to write them.
    model : estimator
        Fitted.
    table : Table
        What it was fitted to.
    summary : FitSummary
        The fit in numbers.
    about : mapping of str to object
        What was done to the columns, by :func:`about_columns`.
    output : Path or None, default=None
        Where the user's table goes with its clusters.
    """
    folder, record = results.folder, summary.to_dict()
    found = (model.labels_, _certainty(model), _distance(model, table))
    groups = [summary.names[label] for label in model.labels_]
    if output is not None:
        write_table(output, table, *found, groups)
        results.add("table", output)
    has_classes = getattr(model, "known_classes_", None) is not None
    with results.open("labels", folder / LABELS) as file:
        write_labels(file, table.ids, *found, groups if has_classes else None)
    if hasattr(model, "affinity_matrix_"):
        with results.open("graph", folder / GRAPH, "wb") as file:
            sparse.save_npz(file, sparse.csr_array(model.affinity_matrix_))
    if summary.method in OWN_MODELS:
        blocks = None if table.blocks is None else table.blocks.to_dict()
        notes = {**about, "blocks": blocks, "summary": record}
        results.write_model(model, notes)
    with results.open("picture", folder / PICTURE, "wb") as file:
        plot.overview(model).savefig(file, format="png", dpi=150)
    results.write_summary({**record, **about})


def summarize_without_labels(model: GraphTailor, **about: Any) -> FitSummary:
    """Summarize a model whose labels stayed on a cluster, by its representatives."""
    labelled = copy.copy(model)
    labelled.indicator_ = model.lifter().shares
    labelled.labels_ = labelled.indicator_.argmax(axis=1)
    masses = model.representatives_.masses
    sizes = np.bincount(labelled.labels_, masses, model.n_clusters_).astype(int)
    summary = summarize_fit(labelled, **about)
    return dataclasses.replace(
        summary, n_samples=int(sizes.sum()), sizes=sizes.tolist()
    )


def about_columns(table: Table, scale: str) -> dict[str, Any]:
    """How columns were understood and what was done to them, for JSON."""
    parts = ("name", "kind", "treatment")
    return {
        "columns": [{p: getattr(c, p) for p in parts} for c in table.columns],
        "label": table.label,
        "id": table.id,
        "scale": scale,
    }


def _certainty(model: Any) -> np.ndarray | None:
    """Largest membership of each fitted sample; None if the model has none."""
    if not isinstance(model, GraphTailor | JointModel):
        return None
    V = model.indicator_
    return V.max(axis=1) / V.sum(axis=1)


def _distance(model: Any, table: Table) -> np.ndarray | None:
    """Distance of each row from the fitted ones; None if the model gives none."""
    if not isinstance(model, GraphTailor):
        return None
    return distances_to(model, table.X)


def write_labels(
    file: IO[str],
    ids: Iterable[Any],
    labels: np.ndarray,
    certainty: np.ndarray | None,
    distance: np.ndarray | None = None,
    groups: Sequence[str] | None = None,
    text: Callable[[Any], Any] = safe_text,
) -> None:
    """Write ids, labels, certainty, distance, groups as CSV safe in a spreadsheet.

    :func:`graphtailor.io.spreadsheets.read_labels` restores the ids.

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
    columns = {"certainty": certainty}
    if distance is not None:
        columns["distance"] = distance
    writer.writerow(["id", "label", *columns, *([] if groups is None else ["group"])])
    shown = [
        [""] * len(labels) if values is None else [f"{value:.4f}" for value in values]
        for values in columns.values()
    ]
    if groups is not None:
        shown.append([text(group) for group in groups])
    for row, label, *others in zip(ids, labels, *shown, strict=True):
        writer.writerow([text(row), int(label), *others])


def write_table(
    path: Path,
    table: Table,
    labels: np.ndarray,
    certainty: np.ndarray | None,
    distance: np.ndarray | None,
    groups: Sequence[str] | None = None,
) -> None:
    """Write the user's table with its clusters, in the form that the ending names.

    Parameters
    ----------
    path : Path
        Ends in .csv, .xlsx or .parquet.
    table : Table
        What the labels belong to.
    labels, certainty, distance : ndarray of shape (n,), or None
        What is added; None is left out.
    groups : sequence of str or None, default=None
        Names of the clusters of the rows.
    """
    frame = table.frame
    if frame is None:
        frame = pd.DataFrame({"id": table.ids})
    elif table.id is not None and table.id in frame.columns:
        frame = frame.assign(**{table.id: table.ids})
    found = with_clusters(frame, labels, certainty, distance, groups)
    ending = path.suffix.lower()
    if ending == ".parquet":
        with atomic_open(path, "wb") as file:
            found.to_parquet(file, index=False)
        return
    # pandas 2 cannot be asked for "str", which is "object" or "string" there.
    texts = [n for n in found if found[n].dtype == object or found[n].dtype == TEXT]
    found = found.assign(
        **{n: found[n].map(safe_text, na_action="ignore") for n in texts}
    ).rename(columns=safe_text)
    if ending == ".xlsx":
        for name in found.select_dtypes("datetimetz"):
            found[name] = found[name].dt.tz_localize(None)
        with atomic_open(path, "wb") as file:
            found.to_excel(file, index=False, engine="openpyxl")
        return
    with atomic_open(path, "w") as file:
        found.to_csv(file, index=False, lineterminator="\n")


TABLE_ENDINGS = (".csv", ".xlsx", ".parquet")


def is_table_file(path: Path | None) -> bool:
    """Whether an output is a table and not a folder."""
    return path is not None and path.suffix.lower() in TABLE_ENDINGS


def show_columns(columns: Sequence[tuple[str, str, str]]) -> None:
    """Print how each column was understood; columns treated alike share a line.

    Parameters
    ----------
    columns : sequence of (name, kind, treatment)
        In the order of the table.
    """
    groups = _alike(columns)
    if len(groups) > _MOST_LINES:
        groups = _alike([(n, kind, _in_general(done)) for n, kind, done in columns])
    table = grid("column", "taken as", "what was done")
    table.columns[0].no_wrap = table.columns[1].no_wrap = True
    for (kind, treatment), names in groups.items():
        shown = ", ".join(names[:_MOST_NAMES])
        more = len(names) - _MOST_NAMES
        shown = f"{shown} and {more} more" if more > 0 else shown
        table.add_row(*(_one_line(cell) for cell in (shown, kind, treatment)))
    console = output_console()
    console.print(table)
    console.print()


def _alike(
    columns: Iterable[tuple[str, str, str]],
) -> dict[tuple[str, str], list[str]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for name, kind, treatment in columns:
        groups.setdefault((kind, treatment), []).append(name)
    return groups


def _in_general(treatment: str) -> str:
    """A treatment without the numbers of one column.

    Examples
    --------
    >>> _in_general("a number; 25 missing: in the middle, and flagged with '1960'")
    'a number; missing: in the middle, and flagged'
    """
    text = re.sub(r"[\d,]+ missing", "missing", treatment)
    return re.sub(r"flagged with '.*?'", "flagged", text)


def _one_line(text: str) -> str:
    text = visible(text)
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def show_fit(summary: FitSummary) -> None:
    """Print a fit at a glance."""
    clusters = "cluster" if summary.n_clusters == 1 else "clusters"
    verdict = (summary.decision or {}).get("verdict") or {}
    by_chance = verdict.get("level") == "none"
    if by_chance:
        clusters += " (cut, not found)"
    elif summary.parameters.get("n_clusters") == "auto":
        clusters += " (the number was found, not given)"
    show_title(
        summary.data,
        f"{summary.n_samples:,} samples, {summary.n_features:,} features, "
        f"{summary.n_clusters} {clusters} by {summary.method}",
    )
    console = output_console()
    sentences = [] if summary.decision is None else summary.decision["sentences"]
    if sentences:
        console.print(sentences[0])
        console.print()
    console.print(_sizes(summary))
    console.print()
    levels = [] if summary.decision is None else summary.decision["levels"]
    if levels:
        taken = summary.n_clusters
        listed = [
            level
            for level in levels
            if level["suggested"] or abs(level["n_clusters"] - taken) == 1
        ]
        console.print(level_table(listed, taken, by_chance=by_chance))
        console.print("Other numbers: graphtailor cut MODEL --clusters NUMBER")
        console.print()
    console.print(facts(_facts(summary, sentences[1:])))
    console.print()


def level_table(
    levels: Sequence[Mapping[str, Any]], taken: int, *, by_chance: bool
) -> Grid:
    """Numbers of clusters with their figures, one line each.

    Groups that chance gives too are not called plausible, nor are numbers whose score
    is far below the best one.
    """
    also = "as good a cut" if by_chance else "plausible too"
    less = "a worse cut" if by_chance else "less plausible"
    table = grid("clusters>", "score>", "persistence>", "")
    best = max(level["score"] for level in levels)
    for level in levels:
        number = level["n_clusters"]
        words = "coarser" if number < taken else "taken" if number == taken else "finer"
        figures = (f"{level['score']:.3f}", f"{level['persistence']:.2f}")
        if level["score"] < best - CLOSE and number != taken:
            words = f"{words}, {less}"
        elif level["suggested"] and number != taken:
            words = f"{words}, {also}"
        table.add_row(str(number), *figures, words)
    return table


def _facts(summary: FitSummary, sentences: Sequence[str]) -> Iterator[tuple[str, str]]:
    start = readable_number(summary.objective_at_start)
    yield "objective", f"{readable_number(summary.objective)} (from {start})"
    state = "converged" if summary.converged else "not converged"
    yield "iterations", f"{summary.n_iter}, {state}"
    yield "seconds", f"{summary.seconds or 0:.2f}"
    if summary.scores:
        scores = (f"{key} {value:.3f}" for key, value in summary.scores.items())
        yield "scores", "  ".join(scores)
    for place, sentence in enumerate(sentences):
        yield "" if place else "decision", sentence


def _sizes(summary: FitSummary) -> Grid:
    table = grid("cluster>", "samples>", "share>", "", "what it is")
    largest = max(summary.sizes)
    names = summary.names or [""] * len(summary.sizes)
    for k, size in enumerate(summary.sizes[:_MOST_CLUSTERS]):
        bar = Text("█" * round(_BAR * size / largest), style="cyan")
        share = f"{size / summary.n_samples:.1%}"
        table.add_row(str(k), f"{size:,}", share, bar, _one_line(names[k]))
    more = len(summary.sizes) - _MOST_CLUSTERS
    if more > 0:
        table.add_row("...", f"{more} more", "", "", "")
    return table
