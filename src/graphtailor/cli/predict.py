"""``graphtailor predict``: find the clusters of new rows."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from graphtailor.cli import options as o
from graphtailor.cli.show import say_notes, show, show_files

# Numerical libraries take seconds to load, so they are imported where they are used:
# the help and the Tab key do without them.
if TYPE_CHECKING:
    from graphtailor.cli.results import Found
    from graphtailor.cli.saved_model import SavedModel
    from graphtailor.io.group_names import GroupNames
    from graphtailor.tables import Table


@dataclass(frozen=True, kw_only=True)
class PredictOptions(o.Source, o.ModelFile):
    """The options of ``graphtailor predict``."""

    dask: str | None = o.dask_option()
    output: Path | None = o.output_option(
        "--output -o",
        "FILE",
        "Table to write: .csv, .xlsx or .parquet, with all columns of DATA and what "
        "was found. By default ids and clusters are printed. With --dask a folder of "
        "Parquet files.",
    )
    names: Path | None = o.model_option(
        "--names", "FILE", "Names and merges of groups that the page of the fit saved."
    )


@o.with_options
def predict(options: PredictOptions) -> None:
    """Find the clusters of new rows, and how certain they are.

    Columns are found by their names, in any order, and prepared as they were for the
    fit: with the same levels, dates and fillings. Other columns are left out.

    [bold]Examples[/bold]

    graphtailor predict graphtailor-table/model.npz new.csv --id name

    graphtailor predict graphtailor-wine/model.npz wine --output labels.csv

    graphtailor predict model.npz new/*.parquet --dask local:2 --output labels.parquet
    """
    if options.quiet and options.output is None:
        raise ValueError("--quiet: give --output too, or the labels are lost.")
    path = options.model_path
    from graphtailor.cli.results import refuse_overwriting
    from graphtailor.cli.saved_model import SavedModel
    from graphtailor.io.group_names import read_group_names
    from graphtailor.representatives.lift import notes_on_distance

    if options.output is not None:
        read = [*options.data, str(path), str(options.names or path)]
        refuse_overwriting("--output", options.output, read)
    saved = SavedModel(path)
    if options.dask is not None:
        _predict_on_dask(options, saved)
        return
    named = None if options.names is None else read_group_names(options.names)
    table = saved.read(options)
    with options.progress("finding clusters"):
        found = _find(saved, table, named, with_names=options.output is not None)
    notes = [*table.notes, *notes_on_distance(found.distance)]
    if options.is_talking:
        say_notes(notes)
    _write(options, table, found, notes)


def _find(
    saved: SavedModel, table: Table, named: GroupNames | None, *, with_names: bool
) -> Found:
    """Clusters with the names of a page; or, `with_names`, those that the fit gave."""
    from graphtailor.cli.results import Found
    from graphtailor.models import GraphTailor

    model, X, groups = saved.model, saved.features(table), None
    of_level = model if named is None else saved.with_as_many_clusters(named)
    if isinstance(of_level, GraphTailor):
        memberships, distance = of_level.place(X)
    else:
        memberships, distance = of_level.predict_proba(X), None
    if named is not None:
        memberships = named.merge_memberships(memberships)
    labels = memberships.argmax(axis=1)
    if named is not None:
        groups = named.of(labels)
    elif with_names and len(saved.names) > labels.max(initial=0):
        groups = [saved.names[label] for label in labels]
    return Found(labels, memberships.max(axis=1), distance, groups)


def _predict_on_dask(options: PredictOptions, saved: SavedModel) -> None:
    from graphtailor.cli.dask import predict_on_workers

    if options.output is None:
        raise ValueError("--dask: give --output too, a folder for the labels.")
    o.refuse_with_dask(options, "delimiter", "no_header", "names")
    blocks = saved.blocks
    if any(column.form != "number" for column in blocks.used_) or blocks.scale_:
        raise ValueError(
            "--dask: the model was fitted to a table with dates, categories or missing "
            "values, which workers do not prepare. Predict without --dask."
        )
    _show(options, predict_on_workers(options, saved.model, options.output), {})


def _write(
    options: PredictOptions, table: Table, found: Found, notes: Sequence[str]
) -> None:
    import numpy as np

    from graphtailor.cli.results import write_labels, write_table

    if options.output is not None:
        write_table(options.output, table, found)
    elif not options.as_json:
        # Only a terminal obeys control characters; a pipe gets texts as they are.
        write_labels(sys.stdout, table.ids, found, to_terminal=sys.stdout.isatty())
        return
    rows = {"ids": table.ids.tolist(), "labels": found.labels.tolist()}
    for name, shares in (("certainty", found.certainty), ("distance", found.distance)):
        if shares is not None:
            rows[name] = shares.round(4).tolist()
    if found.groups is not None:
        rows["groups"] = found.groups
    _show(options, np.bincount(found.labels).tolist(), {**rows, "notes": notes})


def _show(
    options: PredictOptions, sizes: Sequence[int], rows: Mapping[str, object]
) -> None:
    """Print the sizes of clusters; as JSON also the rows."""
    files = {} if options.output is None else {"labels": str(options.output)}
    if options.as_json:
        answer = {"n_samples": sum(sizes), "sizes": sizes, **rows, "files": files}
        typer.echo(json.dumps(answer))
    elif not options.quiet:
        shown = ", ".join(f"{k}: {n:,}" for k, n in enumerate(sizes))
        line = f"{sum(sizes):,} rows (cluster: rows) {shown}"
        show(line, soft_wrap=True)
        show_files(files)
