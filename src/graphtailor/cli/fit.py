"""``graphtailor fit``: read a table, cluster it, write the results."""

from __future__ import annotations

import json
import shlex
import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphtailor.cli import options as o
from graphtailor.cli.progress import live_progress
from graphtailor.cli.show import say_notes, show_files

# Numerical libraries take seconds to load, so they are imported where they are used:
# the help and the Tab key do without them.
if TYPE_CHECKING:
    import numpy as np

    from graphtailor.cli.output import ResultFiles
    from graphtailor.columns.blocks import TableBlocks
    from graphtailor.report import FitSummary
    from graphtailor.tables import Table

AUTO = "auto"
# They scale features themselves, so that a saved model predicts new rows. All other
# methods get scaled features, and are there to be compared with.
OWN_MODELS = ("GraphTailor", "JointModel")
_OF_THE_PAPER = ("alpha", "beta", "n_init", "graph", "solver")
_WORDS = {"true": True, "false": False, "none": None}
# With fewer distinct rows than this for each cluster, clusters are combinations.
_ROWS_PER_CLUSTER = 2


@dataclass(frozen=True, kw_only=True)
class FitOptions(o.TableSource):
    """The options of ``graphtailor fit``."""

    known: Annotated[
        str | None,
        o.data_option(
            "--known",
            metavar="COLUMN",
            help="Column with classes of some rows, which guide the clusters; gaps are "
            "unknown.",
        ),
    ] = None
    clusters: o.Clusters = None
    method: Annotated[
        str,
        o.model_option(
            "--method",
            "-m",
            metavar="NAME",
            help="GraphTailor, or a method to compare it with (see 'graphtailor "
            "methods').",
        ),
    ] = "GraphTailor"
    alpha: Annotated[
        str | None,
        o.model_option(
            "--alpha",
            metavar="NUMBER",
            help="Weight of self-expression, of --method JointModel and others.",
        ),
    ] = None
    beta: Annotated[
        str | None,
        o.model_option(
            "--beta",
            metavar="NUMBER",
            help="Weight of the given graph, of --method JointModel.",
        ),
    ] = None
    starts: Annotated[
        int | None,
        o.model_option(
            "--starts",
            min=1,
            metavar="NUMBER",
            help="Number of starts, of which the best is kept, of --method JointModel.",
        ),
    ] = None
    seed: o.Seed = 0
    param: Annotated[
        list[str] | None,
        o.model_option(
            "--param",
            "-p",
            metavar="KEY=VALUE",
            help="Any other parameter of the method, for instance representatives=500; "
            "may be given several times.",
        ),
    ] = None
    jobs: Annotated[
        int | None,
        o.model_option(
            "--jobs",
            "-j",
            metavar="NUMBER",
            help="Threads; all by default. The result does not depend on it.",
        ),
    ] = None
    dask: o.Dask = None
    output: Annotated[
        Path | None,
        o.output_option(
            "--output",
            "-o",
            metavar="FOLDER|TABLE",
            help="Folder for the results, graphtailor-NAME by default; or a .csv, "
            ".xlsx or .parquet file for all columns of DATA with their clusters.",
        ),
    ] = None
    report: Annotated[
        Path | None,
        o.output_option(
            "--report",
            metavar="FILE",
            help="Also write a page about the fit, all in one HTML file; or a .pdf, "
            "which a browser on this machine prints.",
        ),
    ] = None


@dataclass(frozen=True)
class Fit:
    """A fitted model, how long the fit took and the warnings that it gave."""

    method: str
    model: Any
    seconds: float
    warnings: list[str]


@o.with_options
def fit(options: FitOptions) -> None:
    """Cluster a table; write labels, graph, model, picture and summary.

    [bold]Examples[/bold]

    graphtailor fit table.csv --report report.html

    graphtailor fit table.xlsx --clusters 4 --id name --drop city,street

    graphtailor fit table.csv --known species

    graphtailor fit wine --method LRR --json

    graphtailor fit data/*.parquet --clusters 5 --dask local:2
    """
    from graphtailor.cli.output import show_fit

    run = _fit_here if options.dask is None else _fit_on_dask
    summary, about, files = run(options)
    if options.as_json:
        typer.echo(json.dumps({**summary.to_dict(), **about, "files": files}))
    elif not options.quiet:
        notes = list(summary.warnings)
        if "model" not in files:
            notes.append(f"{summary.method} has no saved model: it is for comparison.")
        say_notes(notes)
        show_fit(summary)
        show_files(files)


def _fit_here(
    options: FitOptions,
) -> tuple[FitSummary, dict[str, Any], dict[str, str]]:
    from graphtailor.cli.output import (
        ResultFiles,
        about_columns,
        check_places,
        free_folder,
        is_table_file,
        show_columns,
        write_results,
    )
    from graphtailor.cli.pdf import report_place

    source, wanted = options.source, options.is_talking
    with live_progress(f"reading {source}", wanted=wanted):
        table = options.read(options.known)
    name, model = _make_model(options, table)
    if options.scale == "none" and getattr(model, "views", None) == AUTO:
        from graphtailor.graphs.ensemble.views import WEIGHTED_VIEWS

        # Features carry the user's weights, which other views would undo.
        model.set_params(views=WEIGHTED_VIEWS)
    wanted_table = options.output if is_table_file(options.output) else None
    folder = options.output
    if folder is None or wanted_table is not None:
        folder = free_folder(f"graphtailor-{table.name}")
    report, report_notes = report_place(options.report)
    for path in options.data:
        check_places(path, folder, report, wanted_table)
    if wanted and table.name != source:
        show_columns([(c.name, c.kind, c.treatment) for c in table.columns])
    about = about_columns(table, options.scale)
    with ResultFiles(folder) as results:
        with live_progress(f"clustering {table.name}", wanted=wanted) as by:
            features = (table.X, table.scaling)
            done = fit_timed(name, model, *features, by, table.blocks, table.known)
        summary = _summarize(done, table, report_notes)
        with live_progress("writing results", wanted=wanted):
            write_results(results, done.model, table, summary, about, wanted_table)
        # The report takes as long as several fits, so the results are written first.
        if report is not None:
            _write_report(results, report, done.model, table, summary, wanted)
    return summary, about, results.written


def _fit_on_dask(
    options: FitOptions,
) -> tuple[FitSummary, dict[str, Any], dict[str, str]]:
    from graphtailor.cli.dask import ClusterData, fit_on_cluster

    o.refuse_with_dask(
        {
            "--label": options.label,
            "--known": options.known,
            "--columns": options.columns,
            "--categorical": options.categorical,
            "--numeric": options.numeric,
            "--report": options.report,
            "--delimiter": options.delimiter,
            "--decimal": options.decimal,
            "--no-header": options.no_header,
        }
    )
    data = ClusterData(options.data, options.id_column, options.drop or ())
    summary, files = fit_on_cluster(
        str(options.dask),
        data,
        _make_model(options)[1],
        "maxabs" if options.scale == AUTO else options.scale,
        options.output,
        wanted=options.is_talking,
    )
    return summary, {}, files


def _make_model(options: FitOptions, table: Table | None = None) -> tuple[str, Any]:
    asked = parse_clusters(options.clusters)
    return make_model(
        options.method,
        number_of_clusters(asked, table, options.method),
        seed=options.seed,
        options={
            "alpha": ("--alpha", options.alpha and parse_value(options.alpha)),
            "beta": ("--beta", options.beta and parse_value(options.beta)),
            "n_init": ("--starts", options.starts),
            "n_jobs": ("--jobs", options.jobs),
        },
        parameters=parse_parameters(options.param or ()),
    )


def _summarize(done: Fit, table: Table, notes: Sequence[str]) -> FitSummary:
    from graphtailor.columns.messages import command_words
    from graphtailor.metrics import clustering_scores
    from graphtailor.report import summarize_fit

    summary = summarize_fit(
        done.model,
        data=table.name,
        y_true=table.y,
        seconds=done.seconds,
        names=table.names_of(done.model.labels_),
        warnings=[
            *map(command_words, (*table.notes, *table.notes_on(done.model.labels_))),
            *done.warnings,
            *_warn_of_combinations(done, table),
            *notes,
        ],
    )
    summary = replace(summary, method=done.method)
    if table.some is None:
        return summary
    labels = done.model.labels_[table.some.index]
    return replace(summary, scores=clustering_scores(table.some.to_numpy(str), labels))


def _warn_of_combinations(done: Fit, table: Table) -> list[str]:
    """A warning where clusters only list the combinations of categories."""
    import numpy as np
    from scipy import sparse

    if getattr(done.model, "n_clusters", None) != AUTO or sparse.issparse(table.X):
        return []
    n_distinct = len(np.unique(np.asarray(table.X), axis=0))
    found = done.model.n_clusters_
    if n_distinct > min(_ROWS_PER_CLUSTER * found, len(table.ids) // 2):
        return []
    return [
        f"Only {n_distinct} rows differ from each other, and most of the {found} "
        "clusters are one combination of values each. Say how many there should be "
        "with --clusters, or leave columns out with --drop."
    ]


def _write_report(
    results: ResultFiles,
    path: Path,
    model: Any,
    table: Table,
    summary: FitSummary,
    wanted: bool,
) -> None:
    from graphtailor.cli.pdf import write_pdf
    from graphtailor.diagnostics import sensitivity
    from graphtailor.report import fit_report

    settings = None
    if not sensitivity.why_no_refits(model, table.X):
        with live_progress("trying neighbouring settings", wanted=wanted) as by:
            after = None if by is None else by.count_settings
            settings = sensitivity.neighboring_settings(model, table.X, after)
    page = fit_report(
        model,
        table.X,
        summary=summary,
        command=shlex.join(["graphtailor", *sys.argv[1:]]),
        table=table,
        settings=settings,
    )
    if path.suffix.lower() == ".pdf":
        with live_progress("printing the page", wanted=wanted):
            write_pdf(page, path)
        results.add("report", path)
        return
    with results.open("report", path) as file:
        file.write(page)


def parse_clusters(text: str | None) -> int | str | None:
    """What --clusters says: a number, "auto", or nothing.

    Examples
    --------
    >>> parse_clusters("3"), parse_clusters("auto"), parse_clusters(None)
    (3, 'auto', None)
    """
    if text is None or text == AUTO:
        return text
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(
            f"--clusters: {text!r} is neither a number from 1 on nor auto."
        )
    return int(text)


def number_of_clusters(
    asked: int | str | None, table: Table | None = None, method: str = "GraphTailor"
) -> int | str:
    """The number asked for, the number of known classes of a table, or "auto"."""
    from graphtailor.registry import get_method

    n = sys.maxsize if table is None else len(table.ids)
    known = None if table is None else table.some if table.y is None else table.y
    if asked is None and known is not None:
        asked = len(set(known))
        if asked > max(n // 2, 1):
            raise ValueError(
                f"--clusters: --label has {asked} different values in {n} rows, which "
                "are hardly classes. Say how many clusters to find."
            )
    if asked is None or asked == AUTO:
        if get_method(method).name != "GraphTailor":
            raise ValueError(
                "--clusters: say how many clusters to find, for instance --clusters 3. "
                "(Only GraphTailor finds a number itself.)"
            )
        return AUTO
    if int(asked) > n:
        raise ValueError(
            f"--clusters: {asked} clusters of only {n} rows. Ask for fewer."
        )
    return int(asked)


def parse_value(text: str) -> Any:
    """A value as it is written on the command line.

    Examples
    --------
    >>> [parse_value(text) for text in ("8", "0.5", "none", "True", "knn")]
    [8, 0.5, None, True, 'knn']
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_parameters(pairs: Sequence[str]) -> dict[str, Any]:
    """Values of ``KEY=VALUE`` pairs.

    Examples
    --------
    >>> parse_parameters(["n_init=8", "init=random"])
    {'n_init': 8, 'init': 'random'}
    """
    parameters = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"--param: {pair!r} should be KEY=VALUE, like n_init=8.")
        parameters[key.strip()] = parse_value(value.strip())
    return parameters


def make_model(
    name: str,
    n_clusters: int | str,
    *,
    seed: int,
    options: Mapping[str, tuple[str, Any]],
    parameters: Mapping[str, Any],
) -> tuple[str, Any]:
    """The name of a method and its estimator, not yet fitted.

    Parameters
    ----------
    name : str
        Name of a method.
    n_clusters : int or "auto"
        Number of clusters.
    seed : int
        Of the random numbers; all methods take one.
    options : mapping of str to (str, object)
        Parameters that have an option of their own: the option and its value, which
        is None where the option is not given.
    parameters : mapping of str to object
        From ``--param``.
    """
    from graphtailor.columns.messages import did_you_mean
    from graphtailor.registry import get_method

    try:
        method = get_method(name)
    except ValueError as error:
        raise ValueError(f"--method: {error}") from error
    model = method.estimator(n_clusters=n_clusters, random_state=seed)
    if method.name not in OWN_MODELS:
        model.set_params(**method.fixed)
    given = {
        key: (option, value)
        for key, (option, value) in options.items()
        if value is not None
    }
    given.update({key: ("--param", value) for key, value in parameters.items()})
    known = model.get_params(deep=False)
    for key, (option, _) in given.items():
        if key not in known:
            paper = " Use --method JointModel for the paper's model."
            raise ValueError(
                f"{option}: {method.name} has no parameter {key!r}."
                f"{did_you_mean(key, known)} It has {', '.join(known)}."
                f"{paper if key in _OF_THE_PAPER else ''}"
            )
    return method.name, model.set_params(**{k: v for k, (_, v) in given.items()})


def scale_features(X: Any, scaling: str) -> Any:
    """Scale features as --scale says; "none" returns them as they are."""
    from scipy import sparse

    from graphtailor.linalg.scaling import feature_scaler

    kind = None if scaling == "none" else scaling
    scaler = feature_scaler(kind, sparse.issparse(X))
    return X if scaler is None else scaler.fit_transform(X)


def fit_timed(
    method: str,
    model: Any,
    X: Any,
    scaling: str,
    watcher: Any = None,
    blocks: TableBlocks | None = None,
    known: np.ndarray | None = None,
) -> Fit:
    """Fit, after scaling the features unless the model does that itself.

    Parameters
    ----------
    method : str
        Its name.
    model : estimator
        Not yet fitted.
    X : {DataFrame, ndarray, csr_array}
        Features.
    scaling : {"maxabs", "minmax", "standard", "none"}
        Scaling of the features.
    watcher : callback or None, default=None
        Follows the progress of models that report it.
    blocks : TableBlocks or None, default=None
        What made the features of a table.
    known : ndarray of shape (n,) or None, default=None
        Classes of some rows.
    """
    from graphtailor.columns.messages import did_you_mean
    from graphtailor.linalg.scaling import SCALINGS

    if scaling not in ("none", *SCALINGS):
        raise ValueError(
            f"--scale: {scaling!r} is unknown.{did_you_mean(scaling, SCALINGS)} "
            f"Use {', '.join(SCALINGS)} or none."
        )
    if method in OWN_MODELS:
        model.set_params(scaling=None if scaling == "none" else scaling)
    else:
        X = scale_features(X, scaling)
    if watcher is not None and hasattr(model, "set_callbacks"):
        model.set_callbacks(watcher)
    if known is not None and method not in OWN_MODELS:
        raise ValueError(
            f"--known: {method} takes no known classes. Use {' or '.join(OWN_MODELS)}."
        )
    about = {} if known is None else {"known": known}
    if method == "GraphTailor" and blocks is not None:
        about["blocks"] = blocks.block_of_feature_
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        begin = time.perf_counter()
        model.fit(X, **about)
        seconds = time.perf_counter() - begin
    if hasattr(model, "set_callbacks"):
        model.set_callbacks()
    messages = dict.fromkeys(str(warning.message) for warning in caught)
    return Fit(method, model, seconds, list(messages))
