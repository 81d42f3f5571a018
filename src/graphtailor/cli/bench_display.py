"""The progress of a benchmark: a bar on a terminal, a line now and then in a pipe."""

import time
from datetime import timedelta
from typing import Self

from rich import progress as rich_progress
from rich.console import Console
from rich.table import Column
from rich.text import Text

from graphtailor.bench import Progress

# A pipe gets at most one line in this time.
_PIPE_SECONDS = 10.0
# Runs of one benchmark differ much in length, so their speed is taken over this time.
_SPEED_SECONDS = 600.0


class BenchDisplay:
    """Draws the progress of a benchmark; give it to `run_plan` as `watch`.

    On a terminal the bar is redrawn in place; elsewhere a line is written every ten
    seconds.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        # On a narrow terminal the words are cut off first, then the bar.
        rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)
        self._bar = rich_progress.Progress(
            rich_progress.MofNCompleteColumn(table_column=Column(no_wrap=True)),
            rich_progress.BarColumn(20),
            rich_progress.TimeRemainingColumn(table_column=Column(no_wrap=True)),
            rich_progress.TextColumn(
                "{task.description}", markup=False, table_column=rest
            ),
            console=console,
            expand=True,
            transient=True,
            speed_estimate_period=_SPEED_SECONDS,
        )
        self._task = self._bar.add_task("", total=None)
        self._written = float("-inf")
        self._failure = ""

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._console.is_terminal:
            self._bar.stop()

    def __call__(self, state: Progress) -> None:
        """Show a state."""
        self._bar.update(
            self._task,
            completed=state.done,
            total=state.total,
            description=describe(state),
        )
        if state.last_failure != self._failure:
            self._failure = state.last_failure
            self._write(Text(f"failed: {state.last_failure}", style="yellow"))
        is_due = time.monotonic() - self._written > _PIPE_SECONDS
        if not self._console.is_terminal and (is_due or state.done >= state.total):
            self._written = time.monotonic()
            seconds = self._bar.tasks[0].time_remaining
            left = "?" if seconds is None else timedelta(seconds=round(seconds))
            counts = f"{state.done}/{state.total}"
            self._write(Text(f"{counts}  {left} left  {describe(state)}"))

    def _write(self, text: Text) -> None:
        self._console.print(text, soft_wrap=not self._console.is_terminal)


def describe(state: Progress) -> str:
    """A state in words; what matters most comes first, because the end may be cut off.

    Examples
    --------
    >>> describe(Progress(failed=3, running=2, last="PCA on iris"))
    '3 failed  2 running  search  PCA on iris'
    """
    failed = f"{state.failed} failed" if state.failed else ""
    parts = [failed, f"{state.running} running", state.phase, state.last]
    return "  ".join(part for part in parts if part)
