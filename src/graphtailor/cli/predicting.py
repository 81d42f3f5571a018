"""What ``graphtailor predict`` does: read, prepare as before, label."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import typer
from rich.markup import escape

from graphtailor.cli import options as o
from graphtailor.cli.distributed import predict_on_cluster
from graphtailor.cli.parquet_frames import ClusterData
from graphtailor.cli.progress import live_progress
from graphtailor.cli.requests import PredictRequest
from graphtailor.cli.results import write_labels
from graphtailor.cli.show import say_notes
from graphtailor.io.atomic import atomic_open
from graphtailor.io.limits import clear_errors
from graphtailor.io.models import load_model, load_notes
from graphtailor.tables import Preparation, Table, read_table


def run_predict(request: PredictRequest) -> None:
    """Label what the user asks for, and tell.

    Parameters
    ----------
    request : PredictRequest
        The options.
    """
    output, quiet, as_json = request.output, request.quiet, request.as_json
    if quiet and output is None:
        raise ValueError("--quiet: give --output too, or nothing is left to see.")
    if not request.model_file.is_file():
        raise ValueError(f"MODEL: there is no file {request.model_file}.")
    model, notes = load_model(request.model_file), load_notes(request.model_file)
    if request.dask is not None:
        _predict_on_dask(request, model, notes)
        return
    source = o.only_file(request.data)
    with live_progress(f"reading {escape(source)}", wanted=request.is_talking):
        table = _read(request, source, model, notes)
    with live_progress("finding clusters", wanted=request.is_talking):
        memberships = model.predict_proba(_matched(table, model))
    labels, certainty = memberships.argmax(axis=1), memberships.max(axis=1)
    if request.is_talking:
        say_notes(table.notes)
    _tell(table.ids, labels, certainty, output, quiet=quiet, as_json=as_json)


def _read(
    request: PredictRequest, source: str, model: Any, notes: Mapping[str, Any]
) -> Table:
    prepared = _preparation(model, notes)
    return read_table(
        source,
        label=notes.get("label"),
        id=request.id_column,
        delimiter=o.text_delimiter(request.delimiter),
        # Of a single row nobody could tell.
        decimal=o.decimal_mark(request.decimal) or prepared.decimal,
        header=False if request.no_header else None,
        preparation=prepared,
    )


def _preparation(model: Any, notes: Mapping[str, Any]) -> Preparation:
    """How the columns were prepared; as they are if the model knows nothing of it."""
    if notes.get("preparation"):
        with clear_errors(lambda why: f"MODEL: its preparation is damaged: {why}."):
            return Preparation.from_dict(notes["preparation"])
    places = [f"f{j + 1}" for j in range(model.n_features_in_)]
    return Preparation.of_numbers(getattr(model, "feature_names_in_", places))


def _matched(table: Table, model: Any) -> Any:
    """The features in the form that the model knows them."""
    X, expected = table.X, model.n_features_in_
    if X.shape[1] != expected:
        raise ValueError(
            f"DATA: {X.shape[1]} columns where the model was fitted to {expected}. "
            "Give the same columns in the same order, or both times with names."
        )
    is_named = hasattr(model, "feature_names_in_")
    return X.to_numpy() if isinstance(X, pd.DataFrame) and not is_named else X


def _predict_on_dask(
    request: PredictRequest, model: Any, notes: Mapping[str, Any]
) -> None:
    output = request.output
    if output is None:
        raise ValueError("--dask: give --output too, a folder for the labels.")
    o.refuse_with_dask(
        {"--delimiter": request.delimiter, "--no-header": request.no_header}
    )
    prepared = _preparation(model, notes)
    if any(column.form != "number" for column in prepared.used) or prepared.scale:
        raise ValueError(
            "--dask: the model was fitted to a table with dates, categories or missing "
            "values, which workers do not prepare. Predict without --dask."
        )
    sizes = predict_on_cluster(
        str(request.dask),
        ClusterData(request.data, request.id_column),
        model,
        output,
        is_talking=request.is_talking,
    )
    _tell_sizes(sizes, output, quiet=request.quiet, as_json=request.as_json)


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
