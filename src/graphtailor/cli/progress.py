"""Live progress bars, which scikit-learn's callbacks or log messages move."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from graphtailor.cli.show import SafeConsole, visible

if TYPE_CHECKING:  # scikit-learn takes a second to load
    from sklearn.base import BaseEstimator

# The stages of both models, in words.
_STAGES = {
    "representatives": "choosing representatives",
    "number of clusters": "finding the number of clusters",
    "members": "making members",
    "cut": "cutting what the members agree on",
    "model": "fitting the joint model",
    "starts": "trying starts",
    "descent": "finishing the best start",
}


class ProgressWatcher:
    """Draws the stages of a fit, and the steps of each.

    It follows the protocol :class:`sklearn.callback.FitCallback`.
    """

    def __init__(self, progress: Progress, task: TaskID) -> None:
        self._progress = progress
        self._task = task
        self._done = 0

    def setup(self, estimator: BaseEstimator, context: object) -> None:
        """Prepare nothing; the protocol asks for this method."""

    def teardown(self, estimator: BaseEstimator, context: object) -> None:
        """Clear nothing away; the protocol asks for this method."""

    def on_fit_task_begin(self, estimator: BaseEstimator, context: Any) -> None:
        """Show the stage that begins."""
        if context.task_name in _STAGES:
            self._done = 0
            total = context.max_subtasks
            self.show(_STAGES[context.task_name], completed=0, total=total)

    def on_fit_task_end(self, estimator: BaseEstimator, context: Any) -> None:
        """Count the step that has ended."""
        if context.parent is None or context.parent.task_name not in _STAGES:
            return
        self._done += 1
        stage, total = _STAGES[context.parent.task_name], context.parent.max_subtasks
        steps = f"{self._done} of {total}" if total else f"{self._done}"
        self.show(f"{stage}: {steps}", completed=self._done)

    def count_settings(self, done: int, total: int) -> None:
        """Show how many neighbouring settings were tried."""
        text = f"tried {done} of {total} neighbouring settings"
        self.show(text, completed=done, total=total)

    def show(self, description: str, **fields: Any) -> None:
        """Change the bar and its text."""
        text = visible(description)
        self._progress.update(self._task, description=text, **fields)


@contextmanager
def live_progress(what: str, *, wanted: bool) -> Iterator[ProgressWatcher | None]:
    """A progress bar on a terminal, for the model's callbacks; None elsewhere.

    It shows `what` until the model reports something.
    """
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    console = SafeConsole(stderr=True)
    with Progress(*columns, console=console, transient=True) as progress:
        yield ProgressWatcher(progress, progress.add_task(visible(what), total=None))


class _Steps(logging.Handler):
    """Moves a progress bar by one step at each message that is logged."""

    def __init__(self, watcher: ProgressWatcher, n_steps: int) -> None:
        super().__init__(logging.INFO)
        self._watcher, self._total, self._begun = watcher, n_steps, 0

    def emit(self, record: logging.LogRecord) -> None:
        """Show the step that begins."""
        self._watcher.show(
            record.getMessage(), completed=self._begun, total=self._total
        )
        self._begun += 1


@contextmanager
def logged_steps(
    *loggers: logging.Logger, n_steps: int, wanted: bool
) -> Iterator[None]:
    """A progress bar that the messages of loggers move, on a terminal."""
    with live_progress("starting workers", wanted=wanted) as watcher:
        if watcher is None:
            yield
            return
        handler = _Steps(watcher, n_steps)
        levels = [each.level for each in loggers]
        for each in loggers:
            each.setLevel(logging.INFO)
            each.addHandler(handler)
        try:
            yield
        finally:
            for each, level in zip(loggers, levels, strict=True):
                each.removeHandler(handler)
                each.setLevel(level)
