"""The program: its commands, its exit codes, and how it speaks of mistakes."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from graphtailor.cli.commands import LazyCommands, add_commands

# Raise instead of explaining, for those who mend the program itself.
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


add_commands(app)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run a command; its exit code.

    Parameters
    ----------
    arguments : sequence of str or None, default=None
        Without the program's name; None takes those of the process.

    Returns
    -------
    int
        0 done, 1 unexpected failure, 2 wrong usage or data, 130 stopped by Ctrl-C.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that knows no such character gets a question mark, not a failure.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    try:
        code = app(args=arguments, prog_name="graphtailor", standalone_mode=False)
        # What cannot be written shows now, and not after the exit code is settled.
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = _STOPPED
    except BrokenPipeError:
        # Whoever read, like head, has read enough. Nothing is left to flush at exit.
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
        # A full disk, a lost network drive: nobody's mistake, nor ours.
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
    from graphtailor.tables.messages import command_words

    return " ".join(command_words(error).split())


def _say(what: str, text: str) -> None:
    from rich.console import Console

    console = Console(stderr=True, highlight=False)
    console.print(f"[bold red]{what}:[/]", end=" ")
    console.print(text, soft_wrap=True, markup=False)
