"""The program: its commands, its exit codes, and how it reports errors."""

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

# Raise errors instead of explaining them, for developers of the program.
DEBUG_VARIABLE = "GRAPHTAILOR_DEBUG"

_OK, _FAILURE, _MISTAKE, _STOPPED = 0, 1, 2, 130
_MISTAKES = (
    ValueError,
    FileNotFoundError,
    PermissionError,
    IsADirectoryError,
    NotADirectoryError,
    FileExistsError,
)
# Each command with its line in the help. Modules are imported when a command is called,
# for numerical libraries take seconds to load.
COMMANDS = {
    "fit": "Cluster a table; write labels, graph, model, picture and summary.",
    "compare": "Cluster a table by several methods; one page on how they agree.",
    "predict": "Find the clusters of new rows, and how certain they are.",
    "page": "Make one self-contained page about a saved model and its table.",
    "cut": "Cut a saved model into another number of clusters, without a new fit.",
    "explain": "Describe a saved model: its data, columns, parameters and result.",
    "datasets": "List the data sets that 'fit' knows by name.",
    "methods": "List the methods that 'fit --method' knows.",
    "bench": "Compare methods on data sets: methods x data sets x settings x repeats.",
    "report": "Make one self-contained page of a benchmark's results.",
}
# Commands in a module of another name.
_MODULES = {"datasets": "catalog", "methods": "catalog", "report": "bench_report"}


class LazyCommands(TyperGroup):
    """A group of commands that imports the one which is called."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Find the command that the first argument names, and import it."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, None if command is None else load_command(str(name)), rest


def load_command(name: str) -> Any:
    """Import a command with its options."""
    module = import_module(f"graphtailor.cli.{_MODULES.get(name, name)}")
    alone = typer.Typer(
        add_completion=False, pretty_exceptions_enable=False, rich_markup_mode="rich"
    )
    alone.command(name)(getattr(module, name))
    return get_command(alone)


app = typer.Typer(
    name="graphtailor",
    cls=LazyCommands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    help=(
        "Learn the graph your clusters need.\n\n"
        "[bold]Examples[/bold]\n\n"
        "graphtailor fit table.csv --report report.html\n\n"
        "graphtailor explain graphtailor-table/model.npz\n\n"
        "graphtailor predict graphtailor-table/model.npz new.csv\n\n"
        "Exit codes: 0 done, 1 unexpected failure, 2 wrong usage or data, 130 stopped."
    ),
)


def _show_version(asked: bool) -> None:
    if asked:
        from graphtailor import __version__

        typer.echo(f"graphtailor {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Show the version and leave.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


def _not_loaded() -> None:
    """Stands for a command whose module is not imported yet."""


for _name, _summary in COMMANDS.items():
    app.command(_name, help=_summary)(_not_loaded)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit code: 0 done, 1 failure, 2 wrong usage, 130 stopped."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character shows a question mark instead of failing.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        code = app(args=arguments, prog_name="graphtailor", standalone_mode=False)
        # An error of writing must appear before the exit code is settled.
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _STOPPED
    except BrokenPipeError:
        # The reader, like head, has read enough. Nothing is left to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _FAILURE
    except Exception as error:
        if os.environ.get(DEBUG_VARIABLE):
            raise
        return _explain(error)
    if code == _STOPPED:
        _say("Stopped", "no file was left half-written.")
    return code or _OK


def _explain(error: Exception) -> int:
    if hasattr(error, "format_message"):  # the parser's own: wrong usage
        context = getattr(error, "ctx", None)
        command = context.command_path if context else "graphtailor"
        _say("Error", f"{error.format_message()} (see {command} --help)")
        return _MISTAKE
    if isinstance(error, _MISTAKES):
        _say("Error", _message(error))
        return _MISTAKE
    if isinstance(error, OSError) and error.errno is not None:
        # A full disk or a lost network drive is neither a mistake nor a fault of ours.
        _say("Error", _message(error))
        return _FAILURE
    if isinstance(error, MemoryError):
        _say("Error", f"out of memory. {_message(error)}")
        return _FAILURE
    _say(
        "Unexpected failure",
        f"{type(error).__name__}: {_message(error)}\nThis is a fault of graphtailor: "
        f"please report it with the traceback that {DEBUG_VARIABLE}=1 shows.",
    )
    return _FAILURE


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename or 'standard output'}: {error.strerror}."
    from graphtailor.columns.messages import command_words

    return " ".join(command_words(error).split())


def _say(label: str, message: str) -> None:
    # Completions and help do without the console.
    from graphtailor.cli.show import say

    say(label, "bold red", message)
