"""Print to the terminal, without letting text from a file control the terminal."""

import shlex
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.table import Table as Grid
from rich.text import Text

# Controls (escape sequences begin with one), text direction, surrogates, line breaks.
_UNSAFE_CATEGORIES = ("Cc", "Cf", "Cs", "Zl", "Zp")
# The joiners of Persian, of Indian scripts and of emoji.
_JOINERS = "\u200c\u200d"


def visible(text: object, keep: str = "") -> str:
    r"""Text in which characters that control a terminal are spelled out.

    Those in `keep` are left as they are.

    Examples
    --------
    >>> print(visible("\x1b[2Jgone"), visible("caf\u00e9"))
    \x1b[2Jgone café
    """
    text = str(text)
    if text.isprintable():
        return text
    return "".join(
        letter
        if letter in keep + _JOINERS
        or unicodedata.category(letter) not in _UNSAFE_CATEGORIES
        else letter.encode("unicode_escape").decode()
        for letter in text
    )


class SafeConsole(Console):
    """A console that prints all text as it is: no markup, no escape sequences."""

    def __init__(self, **options: Any) -> None:
        super().__init__(highlight=False, markup=False, emoji=False, **options)

    def render(self, renderable: Any, options: Any = None) -> Iterator[Segment]:
        """Render to segments; only rich's own segments may control the terminal."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            safe = text if control else visible(text, keep="\n")
            yield Segment(safe, style, control)


def show(*results: RenderableType, **how: Any) -> None:
    """Print results, one below the other: coloured on a terminal, plain in a pipe."""
    if sys.stdout.isatty():
        console = SafeConsole()
    else:
        # A pipe has no width; this is wide enough that tables are not folded.
        console = SafeConsole(width=160, force_terminal=False, no_color=True)
    for result in results:
        console.print(result, **how)


def say(label: str, style: str, message: str) -> None:
    """Print one labelled message to the error stream."""
    console = SafeConsole(stderr=True)
    console.print(Text.assemble((f"{label}: ", style), message), soft_wrap=True)


def say_notes(notes: Iterable[str]) -> None:
    """Print notes and warnings to the error stream, one a line."""
    for note in notes:
        say("Note", "yellow", " ".join(note.split()))


def grid(*columns: str) -> Grid:
    """A table without lines; a column whose name ends in ">" holds numbers."""
    table = Grid(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        justify: Any = "right" if column.endswith(">") else "left"
        table.add_column(column.rstrip(">"), justify=justify)
    return table


def facts(rows: Iterable[tuple[str, object]]) -> Grid:
    """A table of names and values."""
    table = grid("", "")
    table.show_header = False
    for name, value in rows:
        table.add_row(name, visible(value))
    return table


def show_title(name: str, about: str) -> None:
    """Print a headline, and an empty line."""
    show(Text.assemble((f"{visible(name)}: ", "bold"), visible(about)), "")


def show_files(files: Mapping[str, str]) -> None:
    """Print where files are."""
    for kind, path in files.items():
        show(Text.assemble((f"{kind:<9} ", "dim"), visible(path)), soft_wrap=True)


def command_line() -> str:
    """The command that is running, ready to be pasted into a shell."""
    return shlex.join(["graphtailor", *sys.argv[1:]])
