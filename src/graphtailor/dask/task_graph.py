"""A graph of tasks on the blocks of a Dask array."""

import uuid
from collections.abc import Callable, Sequence
from typing import Any

from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph

# So many parts are merged at a time, on whichever worker is free.
_BRANCHES = 8

Key = tuple[str, int]


class BlockGraph:
    """Tasks on the blocks of an array, written down one by one.

    Delayed objects would do the same, but each of them carries a graph of all blocks
    along, which takes a time that grows with the square of their number.
    """

    def __init__(self, rows: Any) -> None:
        self._rows = rows
        self._name = f"graphtailor-{uuid.uuid4().hex}"
        self._tasks: dict[Any, Any] = {}
        self.blocks = [keys[0] for keys in rows.__dask_keys__()]

    def add(self, function: Callable[..., Any], *arguments: Any) -> Key:
        """Add a task; its arguments may be keys, or lists of keys, of others."""
        return self._put((function, *arguments))

    def share(self, value: Any) -> Key:
        """Add a value that many tasks need, to be sent once to each worker."""
        return self._put(value)

    def merged(self, merge: Callable[[Sequence[Any]], Any], parts: list[Key]) -> Key:
        """Merge parts a few at a time, those that follow each other first."""
        while len(parts) > 1:
            parts = [
                self.add(merge, parts[first : first + _BRANCHES])
                for first in range(0, len(parts), _BRANCHES)
            ]
        return parts[0]

    def compute(self, key: Key) -> Any:
        """The result of a task, by whichever scheduler is active."""
        graph = HighLevelGraph.from_collections(self._name, self._tasks, [self._rows])
        return Delayed(key, graph, layer=self._name).compute()

    def _put(self, task: Any) -> Key:
        key = (self._name, len(self._tasks))
        self._tasks[key] = task
        return key
