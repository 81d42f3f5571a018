"""``graphtailor fit``: read a table, cluster it, write the results."""

import json
from dataclasses import dataclass
from pathlib import Path

import typer

from graphtailor.cli import options as o
from graphtailor.cli.show import say_notes, show_files


@dataclass(frozen=True, kw_only=True)
class FitOptions(o.TableSource):
    """The options of ``graphtailor fit``."""

    known: str | None = o.data_option(
        "--known",
        "COLUMN",
        "Column with classes of some rows, which guide the clusters; gaps are unknown.",
    )
    method: str = o.model_option(
        "--method -m",
        "NAME",
        "GraphTailor, or a method to compare it with (see 'graphtailor methods').",
        "GraphTailor",
    )
    alpha: str | None = o.model_option(
        "--alpha",
        "NUMBER",
        "Weight of self-expression, of --method JointModel and others.",
    )
    beta: str | None = o.model_option(
        "--beta", "NUMBER", "Weight of the given graph, of --method JointModel."
    )
    starts: int | None = o.model_option(
        "--starts",
        "NUMBER",
        "Number of starts, of which the best is kept, of --method JointModel.",
        within=(1, None),
    )
    param: list[str] | None = o.model_option(
        "--param -p",
        "KEY=VALUE",
        "Any other parameter of the method, for instance representatives=500; may be "
        "given several times.",
    )
    jobs: int | None = o.model_option(
        "--jobs -j",
        "NUMBER",
        "Threads; all by default. The result does not depend on it.",
    )
    dask: str | None = o.dask_option()
    output: Path | None = o.output_option(
        "--output -o",
        "FOLDER|TABLE",
        "Folder for the results, graphtailor-NAME by default; or a .csv, .xlsx or "
        ".parquet file for all columns of DATA with their clusters.",
    )
    report: Path | None = o.output_option(
        "--report",
        "FILE",
        "Also write a page about the fit, all in one HTML file; or a .pdf, which a "
        "browser on this machine prints.",
    )


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
    # Numerical libraries take seconds to load: the help does without them.
    from graphtailor.cli.show_fit import show_fit

    if options.dask is None:
        from graphtailor.cli.run_fit import fit_table as run
    else:
        from graphtailor.cli.dask import fit_on_workers as run
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
