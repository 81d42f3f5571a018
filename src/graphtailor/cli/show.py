"""What the commands print."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from typing import Any

from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from graphtailor.report import FitSummary
from graphtailor.report.page import readable_number

_BAR = 24
_MOST_CLUSTERS = 30
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


def show_summary(summary: FitSummary, files: Mapping[str, str]) -> None:
    """A fit at a glance.

    Parameters
    ----------
    summary : FitSummary
        The fit in numbers.
    files : mapping of str to str
        Kind and path of what was written.
    """
    console = output_console()
    headline = (
        f"{summary.n_samples:,} samples, {summary.n_features:,} features, "
        f"{summary.n_clusters} clusters by {summary.method}"
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
    facts.add_row("seconds", f"{summary.seconds or 0:.2f}")
    if summary.scores:
        scores = "  ".join(
            f"{key} {value:.3f}" for key, value in summary.scores.items()
        )
        facts.add_row("scores", scores)
    console.print(facts)
    console.print()
    for kind, path in files.items():
        console.print(Text.assemble((f"{kind:<9} ", "dim"), path), soft_wrap=True)


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
