"""What ``graphtailor explain`` does: print what a model file remembers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from graphtailor.cli.show import grid, output_console, show_columns, show_fit
from graphtailor.io.models import load_model, load_notes
from graphtailor.report import FitSummary, summarize_fit
from graphtailor.tables import Column


def run_explain(path: Path, *, as_json: bool) -> None:
    """Print what a model file remembers.

    Parameters
    ----------
    path : Path
        The file.
    as_json : bool
        One JSON object instead of text.
    """
    if not path.is_file():
        raise ValueError(f"MODEL: there is no file {path}.")
    notes = load_notes(path)
    if "summary" in notes:
        summary = FitSummary(**notes["summary"])
    else:
        # Saved from Python: the model itself is all there is.
        summary = summarize_fit(load_model(path))
    known = {key: notes[key] for key in _ABOUT if notes.get(key) is not None}
    if as_json:
        typer.echo(json.dumps({**summary.to_dict(), **known}))
        return
    show_fit(summary)
    show_columns([Column(**column) for column in known.get("columns", [])])
    _show_settings(summary, known)


_ABOUT = ("columns", "label", "id", "scale")


def _show_settings(summary: FitSummary, known: Mapping[str, Any]) -> None:
    facts = grid("", "")
    facts.show_header = False
    for key in ("label", "id", "scale"):
        if key in known:
            facts.add_row(key, Text(str(known[key])))
    facts.add_row("parameters", _pairs(summary.parameters))
    facts.add_row("versions", _pairs(summary.versions))
    for warning in summary.warnings:
        facts.add_row("note", Text(" ".join(warning.split())))
    output_console().print(facts)


def _pairs(values: Mapping[str, Any]) -> Text:
    return Text(", ".join(f"{key}={value}" for key, value in values.items()))
