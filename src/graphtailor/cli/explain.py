"""``graphtailor explain``: describe a saved model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from graphtailor.cli import options as o
from graphtailor.cli.show import facts, output_console

if TYPE_CHECKING:
    from graphtailor.report import FitSummary

_SETTINGS = ("label", "id", "scale")


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(o.ModelFile):
    """The options of ``graphtailor explain``."""

    as_json: o.AsJson = False


@o.with_options
def explain(options: ExplainOptions) -> None:
    """Describe a saved model: its data, columns, parameters and result.

    [bold]Examples[/bold]

    graphtailor explain graphtailor-table/model.npz

    graphtailor explain graphtailor-table/model.npz --json
    """
    path = options.model_path
    # Numerical libraries take seconds to load: the help does without them.
    from graphtailor.cli.output import show_columns, show_fit
    from graphtailor.io.models import load_notes
    from graphtailor.report import FitSummary

    notes = load_notes(path)
    if "summary" in notes:
        summary = FitSummary(**notes["summary"])
    else:
        summary = _summarize(path)
    known = {
        key: notes[key] for key in ("columns", *_SETTINGS) if notes.get(key) is not None
    }
    if options.as_json:
        typer.echo(json.dumps({**summary.to_dict(), **known}))
        return
    show_fit(summary)
    columns = known.get("columns", [])
    show_columns([(c["name"], c["kind"], c["treatment"]) for c in columns])
    output_console().print(facts(_facts(summary, known)))


def _summarize(path: Path) -> FitSummary:
    """Summarize a model that was saved from Python, without notes."""
    from graphtailor.cli.output import summarize_without_labels
    from graphtailor.diagnostics.model_access import has_labels
    from graphtailor.io.models import load_model
    from graphtailor.models import GraphTailor
    from graphtailor.report import summarize_fit

    model = load_model(path)
    if isinstance(model, GraphTailor) and not has_labels(model):
        return summarize_without_labels(model)
    return summarize_fit(model)


def _facts(summary: FitSummary, known: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from ((key, known[key]) for key in _SETTINGS if key in known)
    yield "parameters", _pairs(summary.parameters)
    yield "versions", _pairs(summary.versions)
    for warning in summary.warnings:
        yield "note", " ".join(warning.split())


def _pairs(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key}={value}" for key, value in values.items())
