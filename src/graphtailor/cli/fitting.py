"""What ``graphtailor fit`` does: read, cluster, write, tell."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any

import pandas as pd
import typer
from rich.markup import escape
from scipy import sparse

from graphtailor.cli import options as o
from graphtailor.cli.distributed import fit_on_cluster
from graphtailor.cli.models import (
    AUTO,
    Fit,
    fit_timed,
    make_model,
    number_of_clusters,
    parse_clusters,
    parse_parameters,
    parse_value,
)
from graphtailor.cli.parquet_frames import ClusterData
from graphtailor.cli.progress import live_progress
from graphtailor.cli.reading import read_requested
from graphtailor.cli.requests import FitRequest
from graphtailor.cli.results import (
    about_columns,
    check_places,
    telling_what_is_kept,
    write_results,
    write_summary,
)
from graphtailor.cli.show import say_notes, show_columns, show_summary
from graphtailor.diagnostics.sensitivity import (
    SettingsAgreement,
    hindrance_to_refits,
    neighboring_settings,
)
from graphtailor.io.atomic import atomic_open
from graphtailor.report import FitSummary, fit_report, summarize_fit
from graphtailor.tables import Table

# Clusters are counted combinations where there are fewer of these for each.
_COMBINATIONS = 2


def run_fit(request: FitRequest) -> None:
    """Cluster what the user asks for, and tell.

    Parameters
    ----------
    request : FitRequest
        The options.
    """
    if request.dask is not None:
        summary, files = _fit_on_dask(request)
        about: dict[str, Any] = {}
    else:
        summary, files, table = _fit_here(request)
        about = about_columns(table, request.scale)
    if request.as_json:
        typer.echo(json.dumps({**summary.to_dict(), **about, "files": files}))
    elif not request.quiet:
        notes = list(summary.warnings)
        if "model" not in files:
            notes.append(f"{summary.method} has no saved model: it is for comparison.")
        say_notes(notes)
        show_summary(summary, files)


def _fit_here(request: FitRequest) -> tuple[FitSummary, dict[str, str], Table]:
    source = o.only_file(request.data)
    with live_progress(f"reading {escape(source)}", wanted=request.is_talking):
        table = read_requested(request, source)
    name, model = _make_model(request, table)
    folder = request.output or Path(f"graphtailor-{table.name}")
    check_places(source, folder, request.report)
    if request.is_talking and table.name != source:
        show_columns(table.columns)
    clustering = f"clustering {escape(table.name)}"
    with telling_what_is_kept() as files:
        kept: dict[str, Any] = {"scale": request.scale, "files": files}
        with live_progress(clustering, wanted=request.is_talking) as by:
            done = fit_timed(name, model, table.X, table.scaling, by)
        summary = _summarize(done, table)
        with live_progress("writing results", wanted=request.is_talking):
            write_results(folder, done.model, table, summary, **kept)
        # Trying settings takes as long as several fits: what was found is kept by then.
        if request.report is not None:
            settings = _try_settings(done.model, table.X, request.is_talking)
            _write_report(request.report, done.model, table, summary, settings)
            files["report"] = str(request.report)
            write_summary(folder, table, summary, **kept)
    return summary, files, table


def _fit_on_dask(request: FitRequest) -> tuple[FitSummary, dict[str, str]]:
    o.refuse_with_dask(
        {"--label": request.label, "--impute": request.impute},
        {"--columns": request.columns, "--categorical": request.categorical},
        {"--numeric": request.numeric, "--report": request.report},
        {"--delimiter": request.delimiter, "--decimal": request.decimal},
        {"--no-header": request.no_header},
    )
    return fit_on_cluster(
        str(request.dask),
        ClusterData(request.data, request.id_column, request.drop or ()),
        _make_model(request)[1],
        request.scale,
        request.output,
        is_talking=request.is_talking,
    )


def _make_model(request: FitRequest, table: Table | None = None) -> tuple[str, Any]:
    asked = parse_clusters(request.clusters)
    return make_model(
        request.method,
        number_of_clusters(asked, table, request.method),
        seed=request.seed,
        options={
            "alpha": ("--alpha", request.alpha and parse_value(request.alpha)),
            "beta": ("--beta", request.beta and parse_value(request.beta)),
            "n_init": ("--starts", request.starts),
            "n_jobs": ("--jobs", request.jobs),
        },
        parameters=parse_parameters(request.param or ()),
    )


def _summarize(done: Fit, table: Table) -> FitSummary:
    return summarize_fit(
        done.model,
        data=table.name,
        y_true=table.y,
        seconds=done.seconds,
        method=done.method,
        warnings=[*table.notes, *done.warnings, *_said_of_combinations(done, table)],
    )


def _said_of_combinations(done: Fit, table: Table) -> list[str]:
    """A word on clusters that only count how categories go together."""
    if getattr(done.model, "n_clusters", None) != AUTO or sparse.issparse(table.X):
        return []
    n_different = len(pd.DataFrame(table.X).drop_duplicates())
    found = done.model.n_clusters_
    if n_different > min(_COMBINATIONS * found, len(table.ids) // 2):
        return []
    return [
        f"Only {n_different} rows differ from each other, and most of the {found} "
        "clusters are one combination of values each. Say how many there should be "
        "with --clusters, or leave columns out with --drop."
    ]


def _try_settings(model: Any, X: Any, is_talking: bool) -> SettingsAgreement | None:
    """Agreement between settings, with a bar; None where they cannot be tried."""
    if hindrance_to_refits(model, X):
        return None
    with live_progress("trying neighbouring settings", wanted=is_talking) as by:
        after = None if by is None else by.count_settings
        return neighboring_settings(model, X, after)


def _write_report(
    path: Path,
    model: Any,
    table: Table,
    summary: FitSummary,
    settings: SettingsAgreement | None,
) -> None:
    page = fit_report(
        model,
        table.X,
        summary=summary,
        command=shlex.join(["graphtailor", *sys.argv[1:]]),
        table=table,
        settings=settings,
    )
    with atomic_open(path, "w") as file:
        file.write(page)
