"""``graphtailor cut``: a saved model with another number of clusters."""

import json
from dataclasses import dataclass
from pathlib import Path

import typer

from graphtailor.cli import options as o
from graphtailor.cli.show import show, show_title


@dataclass(frozen=True, kw_only=True)
class CutOptions(o.ModelFile):
    """The options of ``graphtailor cut``."""

    clusters: int | None = o.model_option(
        "--clusters -c",
        "NUMBER",
        "Number of clusters; without it the numbers are compared.",
    )
    output: Path | None = o.output_option(
        "--output -o",
        "FILE",
        "Model to write, ending in .npz, for 'predict', 'explain' and 'page'.",
    )
    as_json: bool = o.json_option()


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
    from graphtailor.cli.show_fit import level_table
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
    number, decision = model.n_clusters_, model.decision_
    levels = [vars(level) for level in model.n_clusters_path_]
    if options.output is not None:
        # The summary is that of the other number.
        notes = {k: v for k, v in load_notes(path).items() if k != "summary"}
        save_model(model, options.output, notes=notes)
    if options.as_json:
        typer.echo(json.dumps({"n_clusters": number, "levels": levels}))
        return
    show_title(str(options.model_file), f"{number} clusters")
    by_chance = decision.verdict is not None and decision.verdict.level == "none"
    table = level_table(levels, number, by_chance=by_chance)
    show(decision.sentences()[0], "", table)
    if options.output is not None:
        show(f"The model with {number} clusters: {options.output}")
