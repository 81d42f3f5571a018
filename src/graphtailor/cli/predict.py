"""``graphtailor predict``: find the clusters of new rows."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
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

    from graphtailor.io.group_names import GroupNames
    from graphtailor.tables import Preparation, Table


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
            help="CSV file to write, printed by default; with --dask a folder of "
            "Parquet files.",
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
    options.check()
    from graphtailor.io.models import load_model, load_notes

    model, notes = load_model(options.model_file), load_notes(options.model_file)
    prepared = preparation(model, notes)
    named = _names(options)
    if named is not None:
        model = _at_level(model, named)
    if options.dask is not None:
        _predict_on_dask(options, model, prepared)
        return
    with live_progress(f"reading {options.source}", wanted=options.is_talking):
        table = read(options, prepared, notes.get("label"))
    with live_progress("finding clusters", wanted=options.is_talking):
        memberships = model.predict_proba(matched(table, model))
    if named is not None:
        memberships = named.merge_memberships(memberships)
    if options.is_talking:
        say_notes(table.notes)
    _write(options, table.ids, memberships, named)


def _names(options: PredictOptions) -> GroupNames | None:
    if options.names is None:
        return None
    from graphtailor.io.group_names import read_group_names

    o.refuse_with_dask({"--names": options.dask})
    return read_group_names(options.names)


def _at_level(model: Any, named: GroupNames) -> Any:
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


def preparation(model: Any, notes: Mapping[str, Any]) -> Preparation:
    """How columns are prepared; without notes, they are taken as they are."""
    from graphtailor.io.schema import one_of
    from graphtailor.tables import Preparation
    from graphtailor.tables.parse_values import CLOCK, FORMATS

    if notes.get("preparation"):
        prepared = Preparation.from_dict(notes["preparation"])
        for column in prepared.columns:
            is_known = one_of(None, CLOCK, *FORMATS)
            is_known(column.date_format, f"MODEL: the date format of {column.name!r}")
        return prepared
    places = [f"f{j + 1}" for j in range(model.n_features_in_)]
    return Preparation.of_numbers(getattr(model, "feature_names_in_", places))


def read(options: o.Source, prepared: Preparation, label: str | None) -> Table:
    """Read the rows, and prepare them as the rows of the fit were."""
    from graphtailor.tables import read_table

    reading = options.reading()
    # A single row may be too little to guess the decimal mark from.
    reading["decimal"] = reading["decimal"] or prepared.decimal
    return read_table(options.source, label=label, preparation=prepared, **reading)


def matched(table: Table, model: Any) -> Any:
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
    options: PredictOptions, model: Any, prepared: Preparation
) -> None:
    from graphtailor.cli.dask import ClusterData, predict_on_cluster

    if options.output is None:
        raise ValueError("--dask: give --output too, a folder for the labels.")
    o.refuse_with_dask(
        {"--delimiter": options.delimiter, "--no-header": options.no_header}
    )
    if any(column.form != "number" for column in prepared.used) or prepared.scale:
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


def _write(
    options: PredictOptions,
    ids: np.ndarray,
    memberships: np.ndarray,
    named: GroupNames | None,
) -> None:
    import numpy as np

    from graphtailor.cli.output import write_labels
    from graphtailor.io.atomic import atomic_open
    from graphtailor.io.spreadsheets import safe_text

    labels, certainty = memberships.argmax(axis=1), memberships.max(axis=1)
    names = None if named is None else named.of(labels)
    if options.output is not None:
        with atomic_open(options.output, "w") as file:
            write_labels(file, ids, labels, certainty, names)
    elif not options.as_json:
        # Only a terminal obeys control characters; a pipe gets ids as they are.
        text = visible if sys.stdout.isatty() else str
        shown = [text(safe_text(each)) for each in ids]
        groups = None if names is None else [text(safe_text(each)) for each in names]
        write_labels(sys.stdout, shown, labels, certainty, groups, text=str)
        return
    rows = {
        "ids": ids.tolist(),
        "labels": labels.tolist(),
        "certainty": certainty.round(4).tolist(),
        **({} if names is None else {"groups": names}),
    }
    _show(options, np.bincount(labels).tolist(), rows)


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
