"""``graphtailor predict``: find the clusters of new rows."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphtailor.cli import options as o
from graphtailor.cli.progress import live_progress
from graphtailor.cli.show import output_console, say_notes, show_files, visible

# Numerical libraries take seconds to load, so they are imported where they are used:
# the help and the Tab key do without them.
if TYPE_CHECKING:
    import numpy as np

    from graphtailor.columns.blocks import TableBlocks
    from graphtailor.io.group_names import GroupNames
    from graphtailor.linalg.types import Matrix
    from graphtailor.models import GraphTailor, JointModel
    from graphtailor.tables import Table

    Model = GraphTailor | JointModel


@dataclass(frozen=True, kw_only=True)
class PredictOptions(o.Source, o.ModelFile):
    """The options of ``graphtailor predict``."""

    dask: o.Dask = None
    output: Annotated[
        Path | None,
        o.output_option(
            "--output",
            "-o",
            metavar="FILE",
            help="Table to write: .csv, .xlsx or .parquet, with all columns of DATA "
            "and what was found. By default ids and clusters are printed. With --dask "
            "a folder of Parquet files.",
        ),
    ] = None
    names: Annotated[
        Path | None,
        o.model_option(
            "--names",
            metavar="FILE",
            help="Names and merges of groups that the page of the fit saved.",
        ),
    ] = None


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
    from graphtailor.io.models import load_model, load_notes

    model, notes = load_model(path), load_notes(path)
    blocks = blocks_of_model(model, notes)
    named = _names(options)
    if options.dask is not None:
        _predict_on_dask(options, model, blocks)
        return
    with live_progress(f"reading {options.source}", wanted=options.is_talking):
        table = read(options, blocks, notes.get("label"))
    with live_progress("finding clusters", wanted=options.is_talking):
        found = _find(model, table, named)
    if options.output is not None and found.groups is None:
        found = found.with_names((notes.get("summary") or {}).get("names", ()))
    if options.is_talking:
        say_notes([*table.notes, *found.notes])
    _write(options, table, found)


@dataclass(frozen=True)
class Found:
    """Clusters of new rows, how certain they are, and how far from fitted rows."""

    labels: np.ndarray
    certainty: np.ndarray
    distance: np.ndarray | None
    groups: list[str] | None = None

    def with_names(self, names: Sequence[str]) -> Found:
        """The same with the names that the fit gave to the clusters, if it did."""
        if len(names) <= int(self.labels.max(initial=0)):
            return self
        return replace(self, groups=[names[label] for label in self.labels])

    @property
    def notes(self) -> list[str]:
        """A note on rows that are far from all fitted ones."""
        from graphtailor.tables.cluster_table import notes_on_distance

        return notes_on_distance(self.distance)


def _names(options: PredictOptions) -> GroupNames | None:
    if options.names is None:
        return None
    from graphtailor.io.group_names import read_group_names

    o.refuse_with_dask({"--names": options.dask})
    return read_group_names(options.names)


def _at_level(model: Model, named: GroupNames) -> Model:
    """The model with as many clusters as were named."""
    from graphtailor.models import GraphTailor

    number, most = named.n_clusters, model.labels_.max() + 1
    if isinstance(model, GraphTailor) and number <= len(model.representatives_):
        return model.at(number)
    if number != most:
        raise ValueError(
            f"--names: the file names {number} groups, and the model has {most}. Save "
            "the names on the page of this model."
        )
    return model


def _find(model: Model, table: Table, named: GroupNames | None) -> Found:
    from graphtailor.models import GraphTailor
    from graphtailor.tables.cluster_table import distances_to

    X = matched(table, model)
    if isinstance(model, GraphTailor) and model.blocks_ is not None:
        # Saved from Python: it prepares tables itself, and here it is done already.
        X, model.blocks_ = table.X, None
    distance = distances_to(model, X) if isinstance(model, GraphTailor) else None
    if named is not None:
        model = _at_level(model, named)
    memberships = model.predict_proba(X)
    if named is not None:
        memberships = named.merge_memberships(memberships)
    labels = memberships.argmax(axis=1)
    groups = None if named is None else named.of(labels)
    return Found(labels, memberships.max(axis=1), distance, groups)


def blocks_of_model(model: Model, notes: Mapping[str, Any]) -> TableBlocks:
    """How columns become features; numbers as they are if the model does not say."""
    from graphtailor.columns.blocks import TableBlocks
    from graphtailor.columns.frames import array_names
    from graphtailor.models import GraphTailor

    if notes.get("blocks"):
        try:
            return TableBlocks.from_dict(notes["blocks"])
        except ValueError as error:
            raise ValueError(f"MODEL: {error}.") from error
    if isinstance(model, GraphTailor) and model.blocks_ is not None:
        return model.blocks_
    places = array_names(model.n_features_in_)
    return TableBlocks.of_numbers(getattr(model, "feature_names_in_", places))


def read(options: o.Source, blocks: TableBlocks, label: str | None) -> Table:
    """Read the rows, and prepare them as the rows of the fit were."""
    from graphtailor.tables import read_table

    reading = options.reading()
    # A single row may be too little to guess the decimal mark from.
    reading["decimal"] = reading["decimal"] or blocks.decimal
    return read_table(options.data, label=label, blocks=blocks, **reading)


def matched(table: Table, model: Model) -> Matrix:
    """The features in the form in which the model knows them."""
    X, expected = table.X, model.n_features_in_
    if X.shape[1] != expected:
        raise ValueError(
            f"DATA: {X.shape[1]} columns where the model was fitted to {expected}. "
            "Give the same columns in the same order, or both times with names."
        )
    is_named = hasattr(model, "feature_names_in_")
    return X.to_numpy() if hasattr(X, "columns") and not is_named else X


def _predict_on_dask(
    options: PredictOptions, model: Model, blocks: TableBlocks
) -> None:
    from graphtailor.cli.dask import ClusterData, predict_on_cluster

    if options.output is None:
        raise ValueError("--dask: give --output too, a folder for the labels.")
    o.refuse_with_dask(
        {"--delimiter": options.delimiter, "--no-header": options.no_header}
    )
    if any(column.form != "number" for column in blocks.used_) or blocks.scale_:
        raise ValueError(
            "--dask: the model was fitted to a table with dates, categories or missing "
            "values, which workers do not prepare. Predict without --dask."
        )
    sizes = predict_on_cluster(
        str(options.dask),
        ClusterData(options.data, options.id_column),
        model,
        options.output,
        wanted=options.is_talking,
    )
    _show(options, sizes, {})


def _write(options: PredictOptions, table: Table, found: Found) -> None:
    import numpy as np

    from graphtailor.cli.output import write_labels, write_table
    from graphtailor.io.spreadsheets import safe_text

    if options.output is not None:
        written = (found.labels, found.certainty, found.distance, found.groups)
        write_table(options.output, table, *written)
    elif not options.as_json:
        # Only a terminal obeys control characters; a pipe gets ids as they are.
        text = visible if sys.stdout.isatty() else str
        shown = [text(safe_text(each)) for each in table.ids]
        groups = found.groups and [text(safe_text(each)) for each in found.groups]
        written = (found.labels, found.certainty, found.distance, groups)
        write_labels(sys.stdout, shown, *written, text=str)
        return
    rows = {
        "ids": table.ids.tolist(),
        "labels": found.labels.tolist(),
        "certainty": found.certainty.round(4).tolist(),
    }
    if found.distance is not None:
        rows["distance"] = found.distance.round(4).tolist()
    if found.groups is not None:
        rows["groups"] = found.groups
    rows["notes"] = [*table.notes, *found.notes]
    _show(options, np.bincount(found.labels).tolist(), rows)


def _show(options: PredictOptions, sizes: list[int], rows: Mapping[str, Any]) -> None:
    """Print the sizes of clusters; as JSON also the rows."""
    files = {} if options.output is None else {"labels": str(options.output)}
    if options.as_json:
        answer = {"n_samples": sum(sizes), "sizes": sizes, **rows, "files": files}
        typer.echo(json.dumps(answer))
    elif not options.quiet:
        shown = ", ".join(f"{k}: {n:,}" for k, n in enumerate(sizes))
        line = f"{sum(sizes):,} rows (cluster: rows) {shown}"
        output_console().print(line, soft_wrap=True)
        show_files(files)
