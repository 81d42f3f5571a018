"""How far a benchmark is: a live line on a terminal, now and then one in a pipe."""

from __future__ import annotations

import time
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.text import Text

from graphtailor.bench import Progress

# In a pipe, a line at most so often.
_PIPE_SECONDS = 10.0
_BAR = 20


class BenchDisplay:
    """Draws the progress of a benchmark; give it to `run_plan` as `watch`.

    Parameters
    ----------
    console : rich Console
        Where to draw. On a terminal of any width the line is redrawn in place, cut to
        fit; elsewhere a line is written every ten seconds.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        self._live = Live(console=console, auto_refresh=False, transient=True)
        self._began = time.monotonic()
        self._drawn = float("-inf")
        self._told_failure = ""

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._console.is_terminal:
            self._live.stop()

    def __call__(self, progress: Progress) -> None:
        """Show a state."""
        now = time.monotonic()
        if progress.last_failure != self._told_failure:
            self._told_failure = progress.last_failure
            self._console.print(
                Text(f"failed: {progress.last_failure}", style="yellow"),
                soft_wrap=not self._console.is_terminal,
            )
        is_end = progress.done >= progress.total
        pause = 0.1 if self._console.is_terminal else _PIPE_SECONDS
        if now - self._drawn < pause and not is_end:
            return
        self._drawn = now
        line = progress_line(progress, now - self._began, self._console.width)
        if self._console.is_terminal:
            self._live.update(line, refresh=True)
        else:
            self._console.print(line, soft_wrap=True)


def progress_line(progress: Progress, elapsed: float, width: int) -> Text:
    """The state in one line; what matters most comes first, a narrow one is cut.

    Parameters
    ----------
    progress : Progress
        The state.
    elapsed : float
        Seconds since the start.
    width : int
        Characters that fit.

    Returns
    -------
    Text
        The line.

    Examples
    --------
    >>> from graphtailor.bench import Progress
    >>> from graphtailor.cli.bench_display import progress_line
    >>> state = Progress(total=200, done=50, fresh=50, running=2, phase="search")
    >>> progress_line(state, 60.0, 80).plain
    '50/200 25 %  3:00 left  2 running  search'
    """
    share = progress.done / max(progress.total, 1)
    parts = [
        f"{progress.done}/{progress.total} {share:.0%}".replace("%", " %"),
        f"{_clock(_seconds_left(progress, elapsed))} left",
        f"{progress.failed} failed" if progress.failed else "",
        f"{progress.running} running",
        progress.phase,
        progress.last,
    ]
    line = Text("  ".join(part for part in parts if part), no_wrap=True)
    if line.cell_len + _BAR + 2 <= width and progress.last:
        done = round(_BAR * share)
        bar = Text.assemble(("━" * done, "cyan"), ("━" * (_BAR - done), "dim"), "  ")
        line = Text.assemble(bar, line, no_wrap=True)
    line.truncate(width, overflow="ellipsis")
    return line


def _seconds_left(progress: Progress, elapsed: float) -> float | None:
    left = progress.total - progress.done
    if left <= 0:
        return 0.0
    return elapsed / progress.fresh * left if progress.fresh else None


def _clock(seconds: float | None) -> str:
    if seconds is None:
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
