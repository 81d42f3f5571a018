"""``graphtailor page``: a page about a saved model."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphtailor.cli import options as o
from graphtailor.cli.predict import blocks_of_model, matched, read
from graphtailor.cli.progress import live_progress
from graphtailor.cli.show import say_notes, show_files

if TYPE_CHECKING:
    from graphtailor.tables import Table

# Rows whose clusters are compared, to see whether DATA is what the model was fitted to.
_COMPARED = 1000


@dataclass(frozen=True, kw_only=True)
class PageOptions(o.Source, o.ModelFile):
    """The options of ``graphtailor page``."""

    output: Annotated[
        Path,
        o.output_option(
            "--output", "-o", metavar="FILE", help="HTML file to write, all in one."
        ),
    ] = Path("page.html")


@o.with_options
def page(options: PageOptions) -> None:
    """Make one self-contained page about a saved model and its table.

    DATA is the table that the model was fitted to.

    [bold]Examples[/bold]

    graphtailor page graphtailor-table/model.npz table.csv -o page.html
    """
    path = options.model_path
    from graphtailor.io.atomic import atomic_open
    from graphtailor.io.models import load_model, load_notes
    from graphtailor.report import FitSummary, fit_report, summarize_fit

    model, notes = load_model(path), load_notes(path)
    with live_progress(f"reading {options.source}", wanted=options.is_talking):
        table = read(options, blocks_of_model(model, notes), notes.get("label"))
        X = matched(table, model)
        if getattr(model, "blocks_", None) is not None:
            # Saved from Python: it prepares tables itself, and here it is done already.
            X, model.blocks_ = table.X, None
        _refuse_other_rows(model, X, table)
    known = notes.get("summary")
    with live_progress("making the page", wanted=options.is_talking):
        content = fit_report(
            model,
            X,
            summary=FitSummary(**known)
            if known
            else summarize_fit(model, data=table.name, y_true=table.y),
            command=shlex.join(["graphtailor", *sys.argv[1:]]),
            table=table,
        )
    with atomic_open(options.output, "w") as file:
        file.write(content)
    files = {"page": str(options.output)}
    if options.as_json:
        typer.echo(json.dumps({"files": files}))
    elif not options.quiet:
        say_notes(table.notes)
        show_files(files)


def _refuse_other_rows(model: Any, X: Any, table: Table) -> None:
    import numpy as np

    n, fitted = len(table.ids), model.labels_
    rows = slice(0, _COMPARED)
    part = X.iloc[rows] if hasattr(X, "iloc") else X[rows]
    same = n == len(fitted) and np.mean(model.predict(part) == fitted[rows]) > 0.9
    if not same:
        raise ValueError(
            f"DATA: {table.name} ({n:,} rows) is not the table that the model was "
            f"fitted to ({len(fitted):,} rows). Give that one; for new rows use "
            "graphtailor predict."
        )
