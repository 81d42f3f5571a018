"""Work shared between fits, with what it cost the one that did it."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import wraps
from typing import Any

from joblib import Memory


class TimedMemory:
    """A joblib memory that counts the time it saves.

    For the parameter `memory` of an estimator. A run that finds its optimisation done
    by another would look quick: add :attr:`saved` to its time.

    Parameters
    ----------
    folder : path-like
        Where results are kept.

    Attributes
    ----------
    saved : float
        Seconds that the results found had once taken.

    Examples
    --------
    >>> import tempfile
    >>> from graphtailor.bench.run.timed_memory import TimedMemory
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     first, second = TimedMemory(folder), TimedMemory(folder)
    ...     results = [memory.cache(abs)(-3) for memory in (first, second)]
    >>> results, first.saved == 0.0, second.saved > 0.0
    ([3, 3], True, True)
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self._memory = Memory(folder, verbose=0)
        self.saved = 0.0

    def cache(self, func: Callable[..., Any], **options: Any) -> Callable[..., Any]:
        """The function, which is not run again for arguments it was given before."""
        cached = self._memory.cache(func, **options)

        @wraps(func)
        def call(*args: Any, **kwargs: Any) -> Any:
            if cached.check_call_in_cache(*args, **kwargs):
                self.saved += cached.call_and_shelve(*args, **kwargs).duration
            return cached(*args, **kwargs)

        return call
