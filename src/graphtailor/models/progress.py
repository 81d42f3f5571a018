"""Progress of a fit, told to scikit-learn's callbacks."""

from __future__ import annotations

from typing import Any


class FitProgress:
    """Tasks of a fit: one for every start, then the descent with its iterations.

    A callback that returns true after a start ends the search for further ones;
    after an iteration it ends the descent.

    Parameters
    ----------
    estimator : estimator
        With scikit-learn's callback support.
    n_starts : int
        Number of starts.
    max_iter : int
        Most iterations of the descent.

    Attributes
    ----------
    stopped : bool
        Whether a callback has asked for an end.
    """

    def __init__(self, estimator: Any, n_starts: int, max_iter: int) -> None:
        self._estimator = estimator
        self._max_iter = max_iter
        self._fit = estimator._init_callback_context(
            task_name="fit", max_subtasks=n_starts + 1
        )
        self._fit.call_on_fit_task_begin(estimator=estimator)
        self._descent: Any = None
        self.stopped = False

    def after_start(self) -> bool:
        """Tell of a finished start; whether to stop there."""
        return self._tell(self._fit.subcontext(task_name="start"))

    def after_iteration(self, iteration: int) -> bool:
        """Tell of a finished iteration of the descent; whether to stop there."""
        if self._descent is None:
            self._descent = self._fit.subcontext(
                task_name="descent", max_subtasks=self._max_iter
            )
            self._descent.call_on_fit_task_begin(estimator=self._estimator)
        return self._tell(self._descent.subcontext(task_name="iteration"))

    def finish(self) -> None:
        """Tell that the fit is over."""
        if self._descent is not None:
            self._descent.call_on_fit_task_end(estimator=self._estimator)
        self._fit.call_on_fit_task_end(estimator=self._estimator)

    def _tell(self, task: Any) -> bool:
        task.call_on_fit_task_begin(estimator=self._estimator)
        stop = bool(task.call_on_fit_task_end(estimator=self._estimator))
        self.stopped = self.stopped or stop
        return stop
