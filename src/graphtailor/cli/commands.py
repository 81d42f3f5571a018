"""The commands by name, each loaded when it is called: numerical libraries are slow."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperGroup
from typer.main import get_command


class Command(NamedTuple):
    """Where a command is, and what it does in a line."""

    module: str
    function: str
    summary: str


COMMANDS = {
    "fit": Command(
        "graphtailor.cli.fit",
        "fit",
        "Cluster a table; write labels, graph, model, picture and summary.",
    ),
    "compare": Command(
        "graphtailor.cli.compare",
        "compare",
        "Cluster a table by several methods; one page on how they agree.",
    ),
    "predict": Command(
        "graphtailor.cli.predict",
        "predict",
        "Find the clusters of new rows, and how certain they are.",
    ),
    "explain": Command(
        "graphtailor.cli.explain",
        "explain",
        "Tell what a saved model was made of: data, columns, parameters, result.",
    ),
    "datasets": Command(
        "graphtailor.cli.catalog",
        "datasets",
        "List the data sets that 'fit' knows by name.",
    ),
    "methods": Command(
        "graphtailor.cli.catalog",
        "methods",
        "List the methods that 'fit --method' knows.",
    ),
    "bench": Command(
        "graphtailor.cli.bench",
        "bench",
        "Compare methods on data sets: methods x data sets x settings x repeats.",
    ),
    "report": Command(
        "graphtailor.cli.bench_report",
        "report",
        "Make one self-contained page of a benchmark's results.",
    ),
}


class LazyCommands(TyperGroup):
    """A group that lists commands by their lines, and loads the one that is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the first argument names, and load it."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, None if command is None else load_command(str(name)), rest


def load_command(name: str) -> Any:
    """Load a command with its options.

    Examples
    --------
    >>> load_command("explain").name
    'explain'
    """
    where = COMMANDS[name]
    alone = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich"
    )
    alone.command(name)(getattr(import_module(where.module), where.function))
    return get_command(alone)


def add_commands(app: typer.Typer) -> None:
    """Give a program all commands, of which it knows the lines only."""
    for name, where in COMMANDS.items():
        app.command(name, help=where.summary)(_nothing)


def _nothing() -> None:
    """Stands for a command that is not loaded."""
