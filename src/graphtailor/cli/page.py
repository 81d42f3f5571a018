"""``graphtailor page``: a page about a saved model."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from graphtailor.cli import options as o
from graphtailor.cli.show import command_line, say_notes, show_files

if TYPE_CHECKING:
    from graphtailor.linalg.types import Matrix
    from graphtailor.models import GraphTailor, JointModel
    from graphtailor.tables import Table

# Rows whose clusters are compared, to see whether DATA is what the model was fitted to.
_COMPARED = 1000


@dataclass(frozen=True, kw_only=True)
class PageOptions(o.Source, o.ModelFile):
    """The options of ``graphtailor page``."""

    output: Path = o.output_option(
        "--output -o", "FILE", "HTML file to write, all in one.", Path("page.html")
    )


@o.with_options
def page(options: PageOptions) -> None:
    """Make one self-contained page about a saved model and its table.

    DATA is the table that the model was fitted to.

    [bold]Examples[/bold]

    graphtailor page graphtailor-table/model.npz table.csv -o page.html
    """
    path = options.model_path
    from graphtailor.cli.results import refuse_overwriting
    from graphtailor.cli.saved_model import SavedModel
    from graphtailor.io.atomic import atomic_open
    from graphtailor.report import fit_report, summarize_fit

    refuse_overwriting("--output", options.output, [*options.data, str(path)])
    saved = SavedModel(path)
    model, table = saved.model, saved.read(options)
    X = saved.features(table)
    _refuse_other_rows(model, X, table)
    with options.progress("making the page"):
        summary = saved.summary
        if summary is None:
            summary = summarize_fit(model, data=table.name, y_true=table.y)
        content = fit_report(
            model, X, summary=summary, command=command_line(), table=table
        )
    with atomic_open(options.output, "w") as file:
        file.write(content)
    files = {"page": str(options.output)}
    if options.as_json:
        typer.echo(json.dumps({"files": files}))
    elif not options.quiet:
        say_notes(table.notes)
        show_files(files)


def _refuse_other_rows(
    model: GraphTailor | JointModel, X: Matrix, table: Table
) -> None:
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
