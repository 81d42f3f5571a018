"""``graphtailor explain``: describe a saved model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import typer

from graphtailor.cli import options as o
from graphtailor.cli.show import facts, show

if TYPE_CHECKING:
    from graphtailor.diagnostics.summary import FitSummary
    from graphtailor.models import GraphTailor, JointModel

_SETTINGS = ("label", "id", "scale")


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(o.ModelFile):
    """The options of ``graphtailor explain``."""

    as_json: bool = o.json_option()


@o.with_options
def explain(options: ExplainOptions) -> None:
    """Describe a saved model: its data, columns, parameters and result.

    [bold]Examples[/bold]

    graphtailor explain graphtailor-table/model.npz

    graphtailor explain graphtailor-table/model.npz --json
    """
    path = options.model_path
    # Numerical libraries take seconds to load: the help does without them.
    from graphtailor.cli.saved_model import SavedModel
    from graphtailor.cli.show_fit import show_columns, show_fit

    saved = SavedModel(path)
    summary = saved.summary or _summarize(saved.model)
    known = {
        key: saved.notes[key]
        for key in ("columns", *_SETTINGS)
        if saved.notes.get(key) is not None
    }
    if options.as_json:
        typer.echo(json.dumps({**summary.to_dict(), **known}))
        return
    show_fit(summary)
    columns = known.get("columns", [])
    show_columns([(c["name"], c["kind"], c["treatment"]) for c in columns])
    show(facts(_facts(summary, known)))


def _summarize(model: GraphTailor | JointModel) -> FitSummary:
    from graphtailor.diagnostics.model_access import has_labels
    from graphtailor.diagnostics.summary import summarize_fit

    if has_labels(model):
        return summarize_fit(model)
    from graphtailor.cli.dask import summarize_representatives

    return summarize_representatives(model)


def _facts(summary: FitSummary, known: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from ((key, known[key]) for key in _SETTINGS if key in known)
    yield "parameters", _pairs(summary.parameters)
    yield "versions", _pairs(summary.versions)
    for warning in summary.warnings:
        yield "note", " ".join(warning.split())


def _pairs(values: Mapping[str, object]) -> str:
    return ", ".join(f"{key}={value}" for key, value in values.items())
