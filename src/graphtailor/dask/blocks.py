"""What the workers of a cluster do: functions of one block of rows, or of sums."""

import uuid
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from joblib import parallel_config
from numpy.typing import DTypeLike
from scipy import sparse
from sklearn.utils import check_array

from graphtailor.linalg.sparse import Matrix, intact
from graphtailor.representatives.lift import Lifter
from graphtailor.representatives.links import Links, Tally
from graphtailor.representatives.rows import Rows

# Some rows of a collection, as its library holds them.
Block: TypeAlias = Matrix | pd.DataFrame
# So many parts are merged at a time, on whichever worker is free.
_BRANCHES = 8

Key = tuple[str, int]


def read_block(block: Block, dtype: DTypeLike, *, checked: bool = True) -> Matrix:
    """The rows of a block as numbers; those not `checked` before must be finite."""
    return check_array(
        intact(block),
        accept_sparse="csr",
        dtype=dtype,
        order="C",
        ensure_all_finite=not checked,
        ensure_min_samples=0,
        input_name="X",
        estimator="GraphTailor",
    )


class Overview(NamedTuple):
    """Lengths of blocks in their order, and extremes of the features."""

    lengths: list[int]  # rows of each block
    extremes: np.ndarray  # smallest and largest values; empty where there are no rows


def overview_of_block(block: Block, dtype: DTypeLike) -> Overview:
    """Check a block, and look it over."""
    rows = read_block(block, dtype, checked=False)
    return Overview([rows.shape[0]], _extremes(rows))


def merge_overviews(parts: Sequence[Overview]) -> Overview:
    """One overview of several blocks that follow each other."""
    lengths = [length for part in parts for length in part.lengths]
    return Overview(lengths, _extremes(np.concatenate([p.extremes for p in parts])))


def _extremes(rows: Matrix) -> np.ndarray:
    if rows.shape[0] == 0:
        return np.empty(rows.shape, dtype=rows.dtype)
    found = [rows.min(axis=0), rows.max(axis=0)]
    if sparse.issparse(rows):
        found = [values.toarray().ravel() for values in found]
    return np.stack(found)


def take_rows(block: Block, dtype: DTypeLike, numbers: np.ndarray) -> Matrix:
    """Some rows of a block."""
    return read_block(block, dtype)[numbers]


def stack(parts: Sequence[Matrix]) -> Matrix:
    """Parts of a sample, as they follow each other."""
    if sparse.issparse(parts[0]):
        return sparse.csr_array(sparse.vstack(parts))
    return np.concatenate(parts)


def tally_block(block: Block, dtype: DTypeLike, scaling: Rows, links: Links) -> Tally:
    """What the representatives have of the rows of a block."""
    rows = read_block(block, dtype)
    m = links.n_points
    if rows.shape[0] == 0:
        nothing = sparse.csr_array((m, m), dtype=np.int64)
        return Tally(np.zeros(m, dtype=np.int64), nothing)
    return links.memberships(scaling.like(rows).take(slice(None))).tally(m)


def add(parts: Sequence[Tally]) -> Tally:
    """The sum over blocks: of integers, so that their order does not matter."""
    return sum(parts[1:], start=parts[0])


def indicator_of_block(
    block: Block, dtype: DTypeLike, lifter: Lifter, checked: bool = True
) -> np.ndarray:
    """Indicator of the rows of a block, on this thread alone: workers are many."""
    with parallel_config("sequential"):
        return lifter.indicator_of(read_block(block, dtype, checked=checked))


def labels_of_block(V: np.ndarray) -> np.ndarray:
    """Position of the largest value of each row."""
    return V.argmax(axis=1)


def labelled_block(
    block: pd.DataFrame,
    features: list[str],
    keep: list[str],
    dtype: DTypeLike,
    lifter: Lifter,
) -> pd.DataFrame:
    """Columns to keep of a frame, and the label and certainty of each row."""
    V = indicator_of_block(block[features], dtype, lifter, checked=False)
    return block[keep].assign(label=V.argmax(axis=1), certainty=V.max(axis=1))


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
