"""A live progress bar, driven by scikit-learn's callbacks."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)


class ProgressWatcher:
    """Draws the tasks of a fit: its starts, then the iterations of the descent.

    It follows the protocol :class:`sklearn.callback.FitCallback`.

    Parameters
    ----------
    progress : rich Progress
        Running.
    task : TaskID
        The bar to move.
    """

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task
        self._done = 0
        self._total = 0

    def setup(self, estimator: Any, context: Any) -> None:
        """Nothing to prepare."""

    def teardown(self, estimator: Any, context: Any) -> None:
        """Nothing to clear away."""

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Show what begins."""
        if context.task_name == "fit":
            # The last task is the descent that finishes the best start.
            self._total = max((context.max_subtasks or 1) - 1, 0)
            if self._total:
                self._show("trying starts", total=self._total)
        elif context.task_name == "descent":
            self._done = 0
            self._show("finishing the best start", total=None)

    def on_fit_task_end(self, estimator: Any, context: Any) -> None:
        """Count what has ended."""
        self._done += 1
        if context.task_name == "start":
            said = f"tried {self._done} of {self._total} starts"
            self._show(said, completed=self._done)
        elif context.task_name == "iteration":
            self._show(f"iteration {self._done}")

    def count_settings(self, done: int, total: int) -> None:
        """Show how many neighbouring settings were tried."""
        said = f"tried {done} of {total} neighbouring settings"
        self._show(said, completed=done, total=total)

    def _show(self, description: str, **fields: Any) -> None:
        self._progress.update(self._task, description=description, **fields)


@contextmanager
def live_progress(what: str, *, wanted: bool) -> Iterator[ProgressWatcher | None]:
    """A progress bar on a terminal; nothing elsewhere.

    Parameters
    ----------
    what : str
        What to show until the model speaks.
    wanted : bool
        False shows nothing.

    Yields
    ------
    ProgressWatcher or None
        For the model's callbacks.
    """
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        yield ProgressWatcher(progress, progress.add_task(what, total=None))
