"""What the commands print."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from graphtailor.diagnostics.selection import settings_in_words
from graphtailor.report import FitSummary
from graphtailor.report.html import readable_number

_BAR = 24
_MOST_CLUSTERS = 30
_MOST_NAMES = 4
_MOST_LETTERS = 100
_MOST_LINES = 25
# A pipe has no width: wide enough that no line of a table is folded.
_PIPE_WIDTH = 160


def output_console() -> Console:
    """The console of the results: colours on a terminal, plain text in a pipe."""
    if sys.stdout.isatty():
        return Console(highlight=False)
    return Console(
        highlight=False, width=_PIPE_WIDTH, force_terminal=False, no_color=True
    )


def say_notes(notes: Iterable[str]) -> None:
    """Notes and warnings, one a line, apart from the results."""
    console = Console(stderr=True, highlight=False)
    for note in notes:
        console.print("[yellow]Note:[/]", end=" ")
        console.print(" ".join(note.split()), soft_wrap=True, markup=False)


def grid(*columns: str) -> Grid:
    """A table without lines; a column whose name ends in ">" is for numbers."""
    table = Grid(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    for column in columns:
        justify: Any = "right" if column.endswith(">") else "left"
        table.add_column(column.rstrip(">"), justify=justify)
    return table


def show_columns(columns: Sequence[Any]) -> None:
    """What each column was taken for, and what was done; alike ones in one line.

    Parameters
    ----------
    columns : sequence of Column
        In the order of the table.
    """
    groups = _alike([(c.kind, c.treatment, c.name) for c in columns])
    if len(groups) > _MOST_LINES:
        roughly = [(c.kind, _in_general(c.treatment), c.name) for c in columns]
        groups = _alike(roughly)
    table = grid("column", "taken as", "what was done")
    table.columns[0].no_wrap = table.columns[1].no_wrap = True
    for (kind, treatment), names in groups.items():
        shown = ", ".join(names[:_MOST_NAMES])
        more = len(names) - _MOST_NAMES
        shown = f"{shown} and {more} more" if more > 0 else shown
        # As text: a name may look like markup.
        table.add_row(Text(_one_line(shown)), kind, Text(_one_line(treatment)))
    console = output_console()
    console.print(table)
    console.print()


def _alike(
    columns: Iterable[tuple[str, str, str]],
) -> dict[tuple[str, str], list[str]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for kind, treatment, name in columns:
        groups.setdefault((kind, treatment), []).append(name)
    return groups


def _in_general(treatment: str) -> str:
    """A treatment without the numbers of one column.

    Examples
    --------
    >>> _in_general("as is; 25 missing filled with median 6.1, flagged with '1960'")
    'as is; missing filled, flagged'
    """
    filled = r"[\d,]+ missing filled with (?:the )?(?:\w+ [\d.e+-]+|\w+|'.*?')"
    text = re.sub(filled, "missing filled", treatment)
    text = re.sub(r"[\d,]+ missing as", "missing as", text)
    text = re.sub(r"flagged with '.*?'", "flagged", text)
    return re.sub(r"; weight [\d.e-]+", "", text)


def _one_line(text: str) -> str:
    text = "".join(letter if letter.isprintable() else " " for letter in text)
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def show_summary(summary: FitSummary, files: Mapping[str, str]) -> None:
    """A fit at a glance, and where its files are.

    Parameters
    ----------
    summary : FitSummary
        The fit in numbers.
    files : mapping of str to str
        Kind and path of what was written.
    """
    show_fit(summary)
    console = output_console()
    for kind, path in files.items():
        console.print(Text.assemble((f"{kind:<9} ", "dim"), path), soft_wrap=True)


def show_fit(summary: FitSummary) -> None:
    """A fit at a glance."""
    console = output_console()
    clusters = "cluster" if summary.n_clusters == 1 else "clusters"
    if summary.parameters.get("n_clusters") == "auto":
        clusters += " (a number found, not given)"
    headline = (
        f"{summary.n_samples:,} samples, {summary.n_features:,} features, "
        f"{summary.n_clusters} {clusters} by {summary.method}"
    )
    console.print(Text.assemble((f"{summary.data}: ", "bold"), headline))
    console.print()
    console.print(_sizes(summary))
    console.print()
    facts = grid("", "")
    facts.show_header = False
    start = readable_number(summary.objective_at_start)
    facts.add_row("objective", f"{readable_number(summary.objective)} (from {start})")
    state = "converged" if summary.converged else "not converged"
    facts.add_row("iterations", f"{summary.n_iter}, {state}")
    if summary.settings:
        told = settings_in_words(summary.settings, len(summary.selection))
        facts.add_row("settings", told)
    facts.add_row("seconds", f"{summary.seconds or 0:.2f}")
    if summary.scores:
        scores = "  ".join(
            f"{key} {value:.3f}" for key, value in summary.scores.items()
        )
        facts.add_row("scores", scores)
    console.print(facts)
    console.print()


def _sizes(summary: FitSummary) -> Grid:
    table = grid("cluster>", "samples>", "share>", "")
    largest = max(summary.sizes)
    for k, size in enumerate(summary.sizes[:_MOST_CLUSTERS]):
        bar = Text("█" * round(_BAR * size / largest), style="cyan")
        table.add_row(str(k), f"{size:,}", f"{size / summary.n_samples:.1%}", bar)
    more = len(summary.sizes) - _MOST_CLUSTERS
    if more > 0:
        table.add_row("...", f"{more} more", "", "")
    return table
