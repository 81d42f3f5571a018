"""``graphtailor predict``: clusters of new rows."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import typer

from graphtailor.cli import options as o
from graphtailor.cli.distributed import predict_on_cluster
from graphtailor.cli.parquet_frames import ClusterData
from graphtailor.cli.results import write_labels
from graphtailor.cli.show import say_notes
from graphtailor.files import atomic_open
from graphtailor.model_files import load_model, load_notes
from graphtailor.tables import Table, read_table

ModelFile = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="The model.npz that 'graphtailor fit' wrote."),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="CSV file to write, printed if not given; with --dask a folder of Parquet "
        "files.",
        metavar="FILE",
        rich_help_panel=o.OUTPUT_PANEL,
    ),
]


def predict(
    model_file: ModelFile,
    data: o.Data,
    id_column: o.Id = None,
    delimiter: o.Delimiter = None,
    decimal: o.Decimal = ".",
    no_header: o.NoHeader = False,
    dask: o.Dask = None,
    output: Output = None,
    quiet: o.Quiet = False,
    as_json: o.AsJson = False,
) -> None:
    """Find the clusters of new rows, and how certain they are.

    Columns are found by their names, in any order; others are left out.

    [bold]Examples[/bold]

    graphtailor predict graphtailor-table/model.npz new.csv --id name

    graphtailor predict graphtailor-wine/model.npz wine --output labels.csv

    graphtailor predict model.npz new/*.parquet --dask local:2 --output labels.parquet
    """
    if quiet and output is None:
        raise ValueError("--quiet: give --output too, or nothing is left to see.")
    if not model_file.is_file():
        raise ValueError(f"MODEL: there is no file {model_file}.")
    model, notes = load_model(model_file), load_notes(model_file)
    if dask is not None:
        if output is None:
            raise ValueError("--dask: give --output too, a folder for the labels.")
        o.refuse_with_dask({"--delimiter": delimiter, "--no-header": no_header})
        source = ClusterData(data, id_column)
        is_talking = not quiet and not as_json
        sizes = predict_on_cluster(dask, source, model, output, is_talking=is_talking)
        _tell_sizes(sizes, output, quiet=quiet, as_json=as_json)
        return
    table = read_table(
        o.only_file(data),
        id=id_column,
        delimiter=o.text_delimiter(delimiter),
        decimal=decimal,
        header=not no_header,
        drop=[notes["label"]] if notes.get("label") else (),
        features=getattr(model, "feature_names_in_", None),
        fill=notes.get("fill", {}),
    )
    memberships = model.predict_proba(_matched(table, model))
    labels, certainty = memberships.argmax(axis=1), memberships.max(axis=1)
    if not quiet and not as_json:
        say_notes(table.notes)
    _tell(table.ids, labels, certainty, output, quiet=quiet, as_json=as_json)


def _matched(table: Table, model: Any) -> Any:
    """The features in the form that the model knows them."""
    X, expected = table.X, model.n_features_in_
    if X.shape[1] != expected:
        raise ValueError(
            f"DATA: {X.shape[1]} columns where the model was fitted to {expected}. "
            "Give the same columns in the same order, or both times with names."
        )
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return X.to_numpy() if isinstance(X, pd.DataFrame) else X
    return X if isinstance(X, pd.DataFrame) else pd.DataFrame(X, columns=names)


def _tell(
    ids: np.ndarray,
    labels: np.ndarray,
    certainty: np.ndarray,
    output: Path | None,
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    if output is not None:
        with atomic_open(output, "w") as file:
            write_labels(file, ids, labels, certainty)
    if as_json:
        answer = {
            "n_samples": len(labels),
            "sizes": np.bincount(labels).tolist(),
            "ids": ids.tolist(),
            "labels": labels.tolist(),
            "certainty": certainty.round(4).tolist(),
            "files": {} if output is None else {"labels": str(output)},
        }
        typer.echo(json.dumps(answer))
    elif output is None:
        write_labels(sys.stdout, ids, labels, certainty)
    else:
        _tell_sizes(np.bincount(labels).tolist(), output, quiet=quiet, as_json=False)


def _tell_sizes(sizes: list[int], output: Path, *, quiet: bool, as_json: bool) -> None:
    if as_json:
        answer = {"n_samples": sum(sizes), "sizes": sizes}
        typer.echo(json.dumps({**answer, "files": {"labels": str(output)}}))
    elif not quiet:
        shown = ", ".join(f"{k}: {n:,}" for k, n in enumerate(sizes))
        typer.echo(f"{sum(sizes):,} rows (cluster: rows) {shown}\nlabels    {output}")
