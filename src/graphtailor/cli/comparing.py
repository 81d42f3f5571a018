"""What ``graphtailor compare`` does: read, cluster by each method, write, tell."""

from __future__ import annotations

import csv
import json
import shlex
import sys
from pathlib import Path
from typing import Any

import numpy as np
import typer
from rich.markup import escape
from rich.text import Text
from scipy import sparse

from graphtailor.bench.run.limits import TimeLimitPassed, memory_limit, time_limit
from graphtailor.cli import options as o
from graphtailor.cli.compare import CompareRequest
from graphtailor.cli.models import (
    AUTO,
    fit_timed,
    make_model,
    number_of_clusters,
    parse_clusters,
)
from graphtailor.cli.progress import live_progress
from graphtailor.cli.reading import read_requested
from graphtailor.cli.show import grid, output_console, say_notes
from graphtailor.diagnostics.comparison import Comparison, Run, compare_runs
from graphtailor.diagnostics.formatting import readable_number
from graphtailor.io.atomic import atomic_open, file_name
from graphtailor.io.spreadsheets import safe_text
from graphtailor.linalg.scaling import feature_scaler, scaling_named
from graphtailor.registry import METHODS, get_method
from graphtailor.report.compare_page import compare_report
from graphtailor.tables import Table

_TAILOR = "GraphTailor"
_PAGE, _LABELS, _SUMMARY = "compare.html", "labels.csv", "summary.json"
# The rest is for the page, and for whoever else uses the machine.
_SHARE_OF_MEMORY = 0.8


def run_comparison(request: CompareRequest) -> None:
    """Compare methods as the user asks, and tell.

    Parameters
    ----------
    request : CompareRequest
        The options.
    """
    methods = _methods(request.methods)
    source = o.only_file(request.data)
    with live_progress(f"reading {escape(source)}", wanted=request.is_talking):
        table = read_requested(request, source)
    places = _places(request.output, table.name, source)
    asked = number_of_clusters(parse_clusters(request.clusters), table, _TAILOR)
    if asked == AUTO and _TAILOR not in methods:
        raise ValueError(
            "--clusters: say how many clusters to find, for instance --clusters 3. "
            f"(Only {_TAILOR} finds a number itself: add it to --methods.)"
        )
    runs = _run_all(methods, table, asked, request)
    with live_progress("comparing", wanted=request.is_talking):
        comparison = compare_runs(runs, _scaled(table), table.y)
        _write(places, comparison, table, request.scale)
    files = {kind: str(path) for kind, path in places.items()}
    if request.as_json:
        told = {"data": table.name, **comparison.to_dict(), "files": files}
        typer.echo(json.dumps(told))
    elif request.is_talking:
        say_notes(
            [*table.notes, *(f"{r.method}: {r.reason}" for r in comparison.failed)]
        )
        _show(table.name, comparison, files)


def _methods(names: str) -> list[str]:
    if names.strip().lower() == "all":
        return [_TAILOR, *(name for name in METHODS if name != _TAILOR)]
    asked = [name.strip() for name in names.split(",") if name.strip()]
    if not asked:
        raise ValueError("--methods: name at least one, like GraphTailor,SC,K-means.")
    try:
        found = [get_method(name).name for name in asked]
    except ValueError as error:
        raise ValueError(f"--methods: {error}") from error
    return list(dict.fromkeys(found))


def _places(output: Path | None, name: str, source: str) -> dict[str, Path]:
    """Where to write what; refused before any work is done."""
    output = output or Path(file_name(f"graphtailor-compare-{name}"))
    if output.suffix.lower() in (".html", ".htm"):
        if output.is_dir():
            raise ValueError(f"--output: {output} is a folder. Give a file.")
        places = {"page": output}
    else:
        if output.exists() and not output.is_dir():
            raise ValueError(
                f"--output: {output} is a file. Give a folder, or a file like a.html."
            )
        names = {"page": _PAGE, "labels": _LABELS, "summary": _SUMMARY}
        places = {kind: output / file for kind, file in names.items()}
    for path in places.values():
        if path.resolve() == Path(source).resolve():
            raise ValueError(f"--output: {path} would overwrite DATA.")
    return places


def _run_all(
    methods: list[str], table: Table, asked: int | str, request: CompareRequest
) -> list[Run]:
    """Run every method; the one that finds the number of clusters goes first."""
    found = asked
    runs = {}
    for name in sorted(methods, key=lambda name: name != _TAILOR):
        runs[name], found = _run(name, table, found, request)
    return [runs[name] for name in methods]


def _run(
    name: str, table: Table, n_clusters: int | str, request: CompareRequest
) -> tuple[Run, int | str]:
    """What a method makes of the table, or why it cannot."""
    try:
        _, model = make_model(
            name, n_clusters, seed=request.seed, options={}, parameters={}
        )
        what = f"clustering {escape(table.name)} by {name}"
        with (
            live_progress(what, wanted=request.is_talking) as by,
            memory_limit(_megabytes_to_spare()),
            time_limit(request.seconds),
        ):
            done = fit_timed(name, model, table.X, table.scaling, by)
    except TimeLimitPassed:
        reason = f"stopped after {request.seconds:g} s."
        return Run(name, reason=reason), n_clusters
    except MemoryError:
        reason = f"{len(table.ids):,} rows need more memory than there is."
        return Run(name, reason=reason), n_clusters
    except Exception as error:
        # One method's trouble, whatever it is, must not cost the others' results.
        reason = " ".join(str(error).split()) or type(error).__name__
        if get_method(name).needs_nonnegative:
            reason += " Here that is --scale minmax."
        return Run(name, reason=reason), n_clusters
    labels = np.asarray(done.model.labels_)
    if n_clusters == AUTO:
        n_clusters = len(np.unique(labels))
    return Run(name, labels, done.seconds, warnings=done.warnings), n_clusters


def _megabytes_to_spare() -> float | None:
    """What one method may take; None where the system does not tell."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    kilobytes = [int(s.split()[1]) for s in lines if s.startswith("MemAvailable:")]
    return _SHARE_OF_MEMORY * kilobytes[0] / 1000 if kilobytes else None


def _scaled(table: Table) -> Any:
    values = table.X if sparse.issparse(table.X) else np.asarray(table.X)
    scaler = feature_scaler(scaling_named(table.scaling), sparse.issparse(values))
    return values if scaler is None else scaler.fit_transform(values)


def _write(
    places: dict[str, Path], comparison: Comparison, table: Table, scale: str
) -> None:
    page = compare_report(
        comparison,
        data=table.name,
        n_features=table.X.shape[1],
        scaling=scale,
        ids=table.ids,
        y_true=table.y,
        command=shlex.join(["graphtailor", *sys.argv[1:]]),
    )
    with atomic_open(places["page"], "w") as file:
        file.write(page)
    if "labels" in places:
        with atomic_open(places["labels"], "w") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["id", *(entry.method for entry in comparison.entries)])
            columns = [entry.labels.tolist() for entry in comparison.entries]
            for row in zip(table.ids, *columns, strict=True):
                writer.writerow([safe_text(row[0]), *row[1:]])
    if "summary" in places:
        with atomic_open(places["summary"], "w") as file:
            json.dump({"data": table.name, **comparison.to_dict()}, file, indent=2)


def _show(name: str, comparison: Comparison, files: dict[str, str]) -> None:
    console = output_console()
    count = len(comparison.entries)
    methods = "1 method" if count == 1 else f"{count} methods"
    told = f"{comparison.n_rows:,} rows by {methods}"
    console.print(Text.assemble((f"{name}: ", "bold"), told))
    console.print()
    first = comparison.entries[0]
    shown = [index.name for index in first.indices if index.name != "Calinski-Harabasz"]
    scores = list(first.scores or {})
    table = grid(
        "method",
        "clusters>",
        "seconds>",
        f"as {first.method}>",
        *(f"{head}>" for head in (*shown, *scores)),
    )
    for i, entry in enumerate(comparison.entries):
        values = {index.name: index.value for index in entry.indices}
        values |= entry.scores or {}
        table.add_row(
            entry.method,
            str(int((entry.sizes > 0).sum())),
            f"{entry.seconds or 0:.2f}",
            f"{comparison.agreement[0, i]:.2f}",
            *(
                readable_number(values[head]) if head in values else "–"
                for head in (*shown, *scores)
            ),
        )
    console.print(table)
    console.print()
    for kind, path in files.items():
        console.print(Text.assemble((f"{kind:<9} ", "dim"), path), soft_wrap=True)
