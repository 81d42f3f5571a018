"""``graphtailor cut``: a saved model with another number of clusters."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphtailor.cli import options as o
from graphtailor.cli.show import output_console, show_title

if TYPE_CHECKING:
    from graphtailor.models import GraphTailor


@dataclass(frozen=True, kw_only=True)
class CutOptions(o.ModelFile):
    """The options of ``graphtailor cut``."""

    clusters: Annotated[
        int | None,
        o.model_option(
            "--clusters",
            "-c",
            metavar="NUMBER",
            help="Number of clusters; without it the numbers are compared.",
        ),
    ] = None
    output: Annotated[
        Path | None,
        o.output_option(
            "--output",
            "-o",
            metavar="FILE",
            help="Model to write, ending in .npz, for 'predict', 'explain' and 'page'.",
        ),
    ] = None
    as_json: o.AsJson = False


@o.with_options
def cut(options: CutOptions) -> None:
    """Cut a saved model into another number of clusters, without a new fit.

    [bold]Examples[/bold]

    graphtailor cut graphtailor-table

    graphtailor cut graphtailor-table --clusters 5 --output five.npz
    """
    if options.output is not None and options.clusters is None:
        raise ValueError("--output: give --clusters too, or there is nothing to write.")
    path = options.model_path
    # Numerical libraries take seconds to load: the help does without them.
    from graphtailor.io.models import load_model, load_notes, save_model
    from graphtailor.models import GraphTailor

    model = load_model(path)
    if not isinstance(model, GraphTailor):
        raise ValueError(
            f"MODEL: {path} holds a {type(model).__name__}, which has one number of "
            "clusters. Fit a GraphTailor."
        )
    if options.clusters is not None:
        model = model.at(options.clusters)
    if options.output is not None:
        # The summary is that of the other number.
        notes = {k: v for k, v in load_notes(path).items() if k != "summary"}
        save_model(model, options.output, notes=notes)
    _show(options, model)


def _show(options: CutOptions, model: GraphTailor) -> None:
    from graphtailor.cli.output import level_table

    levels = [vars(level) for level in model.n_clusters_path_]
    if options.as_json:
        found = {"n_clusters": model.n_clusters_, "levels": levels}
        typer.echo(json.dumps(found))
        return
    show_title(str(options.model_file), f"{model.n_clusters_} clusters")
    console = output_console()
    console.print(model.decision_.sentences()[0])
    console.print()
    verdict = model.decision_.verdict
    by_chance = verdict is not None and verdict.level == "none"
    console.print(level_table(levels, model.n_clusters_, by_chance=by_chance))
    if options.output is not None:
        console.print(f"The model with {model.n_clusters_} clusters: {options.output}")
