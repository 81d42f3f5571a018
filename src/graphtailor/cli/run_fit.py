"""What ``graphtailor fit`` does on this machine."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.base import BaseEstimator

from graphtailor.cli import results as out
from graphtailor.cli.estimators import (
    Fit,
    fit_timed,
    make_model,
    number_of_clusters,
    parse_parameters,
    parse_value,
)
from graphtailor.cli.fit import FitOptions
from graphtailor.cli.options import AUTO
from graphtailor.cli.pdf import report_place, write_pdf
from graphtailor.cli.show import command_line
from graphtailor.cli.show_fit import show_columns
from graphtailor.columns.messages import command_words
from graphtailor.diagnostics import sensitivity
from graphtailor.diagnostics.model_access import FittedModel
from graphtailor.diagnostics.summary import FitSummary, summarize_fit
from graphtailor.graphs.ensemble.views import WEIGHTED_VIEWS
from graphtailor.metrics import clustering_scores
from graphtailor.models import GraphTailor
from graphtailor.report import fit_report
from graphtailor.tables import Table


class Outcome(NamedTuple):
    """A fit in numbers, what was done to the columns, and the files by kind."""

    summary: FitSummary
    about: dict[str, Any]
    files: dict[str, str]


def fit_table(options: FitOptions) -> Outcome:
    """Read a table, cluster it, write the results."""
    table = options.read(options.known)
    name, model = chosen_model(options, table)
    if options.scale == "none" and getattr(model, "views", None) == AUTO:
        # Features carry the user's weights, which other views would undo.
        model.set_params(views=WEIGHTED_VIEWS)
    folder, tables = options.output, list[Path]()
    if folder is None or folder.suffix.lower() in out.TABLE_ENDINGS:
        tables = [] if folder is None else [folder]
        folder = out.free_folder(f"graphtailor-{table.name}")
    report, notes = report_place(options.report)
    out.check_places(options.data, folder, report, *tables)
    if options.is_talking and table.name != options.source:
        show_columns([(c.name, c.kind, c.treatment) for c in table.columns])
    about = {
        "columns": [
            {"name": c.name, "kind": c.kind, "treatment": c.treatment}
            for c in table.columns
        ],
        "label": table.label,
        "id": table.id,
        "scale": options.scale,
    }
    with out.ResultFiles(folder) as results:
        with options.progress(f"clustering {table.name}") as watcher:
            done = fit_timed(name, model, table, watcher)
        summary = _summarize(done, table, notes)
        with options.progress("writing results"):
            out.write_results(results, done.model, table, summary, about, *tables)
        # The report takes as long as several fits, so the results are written first.
        if report is not None:
            _write_report(results, report, done.model, table, summary, options)
    return Outcome(summary, about, results.written)


def chosen_model(
    options: FitOptions, table: Table | None = None
) -> tuple[str, BaseEstimator]:
    """The method and its estimator, as the options say."""
    given = {
        "alpha": ("--alpha", options.alpha and parse_value(options.alpha)),
        "beta": ("--beta", options.beta and parse_value(options.beta)),
        "n_init": ("--starts", options.starts),
        "n_jobs": ("--jobs", options.jobs),
    }
    given = {name: pair for name, pair in given.items() if pair[1] is not None}
    for name, value in parse_parameters(options.param or ()).items():
        given[name] = ("--param", value)
    number = number_of_clusters(options.clusters, table, options.method)
    return make_model(options.method, number, options.seed, given)


def _summarize(done: Fit, table: Table, notes: Sequence[str]) -> FitSummary:
    model, labels = done.model, done.model.labels_
    summary = summarize_fit(
        model,
        data=table.name,
        y_true=table.y,
        seconds=done.seconds,
        names=table.names_of(labels),
        warnings=[
            *map(command_words, (*table.notes, *table.notes_on(labels))),
            *done.warnings,
            *_warn_of_combinations(model, table),
            *notes,
        ],
    )
    summary = replace(summary, method=done.method)
    if table.some is None:
        return summary
    scores = clustering_scores(table.some.to_numpy(str), labels[table.some.index])
    return replace(summary, scores=scores)


def _warn_of_combinations(model: FittedModel, table: Table) -> list[str]:
    """A warning where clusters only list the combinations of categories."""
    if not isinstance(model, GraphTailor) or model.n_clusters != AUTO:
        return []
    # Distinct rows represent themselves, unless there are thousands of them. With fewer
    # than two for each cluster, clusters are combinations.
    n_distinct, found = len(model.representatives_), model.n_clusters_
    if n_distinct > min(2 * found, len(table.ids) // 2):
        return []
    return [
        f"Only {n_distinct} rows differ from each other, and most of the {found} "
        "clusters are one combination of values each. Say how many there should be "
        "with --clusters, or leave columns out with --drop."
    ]


def _write_report(
    results: out.ResultFiles,
    path: Path,
    model: FittedModel,
    table: Table,
    summary: FitSummary,
    options: FitOptions,
) -> None:
    settings = None
    if not sensitivity.why_no_refits(model, table.X):
        with options.progress("trying neighbouring settings") as watcher:
            after = None if watcher is None else watcher.count_settings
            settings = sensitivity.neighboring_settings(model, table.X, after)
    page = fit_report(
        model,
        table.X,
        summary=summary,
        command=command_line(),
        table=table,
        settings=settings,
    )
    if path.suffix.lower() == ".pdf":
        with options.progress("printing the page"):
            write_pdf(page, path)
        results.written["report"] = str(path)
        return
    with results.open("report", path) as file:
        file.write(page)
