"""Progress of a fit, as tasks of scikit-learn's callbacks."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sklearn.base import BaseEstimator


class FitProgress:
    """Stages of a fit, each a task of its own with steps.

    A callback that returns true at the end of a step asks the stage to end there. The
    estimator supports scikit-learn's callbacks; `stage` names the last stage.
    """

    def __init__(self, estimator: BaseEstimator, n_stages: int | None = None) -> None:
        self._estimator = estimator
        self._fit = estimator._init_callback_context(
            task_name="fit", max_subtasks=n_stages
        )
        self._fit.call_on_fit_task_begin(estimator=estimator)
        self._stage: Any = None
        self.stage = ""

    def begin(self, name: str, n_steps: int | None = None) -> None:
        """End the last stage and begin another."""
        self._end_stage()
        self.stage = name
        self._stage = self._fit.subcontext(task_name=name, max_subtasks=n_steps)
        self._stage.call_on_fit_task_begin(estimator=self._estimator)

    def step(self, name: str) -> bool:
        """Report a finished step of the stage; whether the stage should end."""
        task = self._stage.subcontext(task_name=name)
        task.call_on_fit_task_begin(estimator=self._estimator)
        return bool(task.call_on_fit_task_end(estimator=self._estimator))

    def count(self, done: int, total: int) -> None:
        """Report finished members; the first ones begin their stage."""
        if done == 1:
            self.begin("members", total)
        self.step("some members")

    def finish(self) -> None:
        """Report the end of the fit."""
        self._end_stage()
        self._fit.call_on_fit_task_end(estimator=self._estimator)

    def _end_stage(self) -> None:
        if self._stage is not None:
            self._stage.call_on_fit_task_end(estimator=self._estimator)
            self._stage = None


@contextmanager
def fit_progress(estimator: BaseEstimator, n_stages: int) -> Iterator[FitProgress]:
    """Progress that is finished where the fit ends without an error."""
    progress = FitProgress(estimator, n_stages)
    yield progress
    progress.finish()
