"""``graphtailor fit``: cluster a table."""

from __future__ import annotations

import json
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import Any

import typer

from graphtailor.cli import options as o
from graphtailor.cli.distributed import fit_on_cluster
from graphtailor.cli.models import (
    Fit,
    fit_timed,
    make_model,
    number_of_clusters,
    parse_parameters,
    parse_value,
)
from graphtailor.cli.parquet_frames import ClusterData
from graphtailor.cli.progress import live_progress
from graphtailor.cli.results import check_places, write_results
from graphtailor.cli.show import say_notes, show_summary
from graphtailor.files import atomic_open
from graphtailor.report import FitSummary, fit_report, summarize_fit
from graphtailor.tables import Table, read_table


def fit(
    data: o.Data,
    clusters: o.Clusters = None,
    method: o.MethodName = "GraphTailor",
    alpha: o.Alpha = None,
    beta: o.Beta = None,
    scaling: o.Scaling = "maxabs",
    starts: o.Starts = None,
    seed: o.Seed = 0,
    param: o.Param = None,
    jobs: o.Jobs = None,
    label: o.Label = None,
    id_column: o.Id = None,
    delimiter: o.Delimiter = None,
    decimal: o.Decimal = ".",
    no_header: o.NoHeader = False,
    drop: o.Drop = None,
    impute: o.Impute = None,
    dask: o.Dask = None,
    output: o.OutputFolder = None,
    report: o.Report = None,
    quiet: o.Quiet = False,
    as_json: o.AsJson = False,
) -> None:
    """Cluster a table; write labels, graph, model, picture and summary.

    [bold]Examples[/bold]

    graphtailor fit wine

    graphtailor fit table.csv --clusters 4 --id name --drop city --report report.html

    graphtailor fit table.parquet --label class --method LRR --json

    graphtailor fit data/*.parquet --clusters 5 --dask local:2
    """
    make = partial(
        make_model,
        method,
        seed=seed,
        options={
            "alpha": ("--alpha", alpha and parse_value(alpha)),
            "beta": ("--beta", beta and parse_value(beta)),
            "n_init": ("--starts", starts),
            "n_jobs": ("--jobs", jobs),
        },
        parameters=parse_parameters(param or ()),
    )
    is_talking = not quiet and not as_json
    if dask is not None:
        o.refuse_with_dask(
            {"--label": label, "--impute": impute, "--report": report},
            {"--delimiter": delimiter, "--no-header": no_header},
        )
        summary, files = fit_on_cluster(
            dask,
            ClusterData(data, id_column, drop or ()),
            make(number_of_clusters(clusters))[1],
            scaling,
            output,
            is_talking=is_talking,
        )
    else:
        table = read_table(
            o.only_file(data),
            label=label,
            id=id_column,
            delimiter=o.text_delimiter(delimiter),
            decimal=decimal,
            header=not no_header,
            drop=drop or (),
            impute=impute,
        )
        name, model = make(number_of_clusters(clusters, table))
        folder = output or Path(f"graphtailor-{table.name}")
        check_places(data[0], folder, report)
        with live_progress(f"clustering {table.name}", wanted=is_talking) as live:
            done = fit_timed(name, model, table.X, scaling, live)
        summary = _summarize(done, table)
        if report is not None:
            _write_report(report, done.model, table, summary)
        files = write_results(folder, done.model, table, summary, report)
    _tell(summary, files, quiet=quiet, as_json=as_json)


def _summarize(done: Fit, table: Table) -> FitSummary:
    return summarize_fit(
        done.model,
        data=table.name,
        y_true=table.y,
        seconds=done.seconds,
        method=done.method,
        warnings=[*table.notes, *done.warnings],
    )


def _write_report(path: Path, model: Any, table: Table, summary: FitSummary) -> None:
    command = shlex.join(["graphtailor", *sys.argv[1:]])
    page = fit_report(model, table.X, summary=summary, command=command)
    with atomic_open(path, "w") as file:
        file.write(page)


def _tell(
    summary: FitSummary,
    files: dict[str, str],
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    if as_json:
        typer.echo(json.dumps({**summary.to_dict(), "files": files}))
    elif not quiet:
        notes = list(summary.warnings)
        if "model" not in files:
            notes.append(f"{summary.method} has no saved model: it is for comparison.")
        say_notes(notes)
        show_summary(summary, files)
