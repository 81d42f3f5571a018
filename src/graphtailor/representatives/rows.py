"""Rows of a table that may be larger than memory, scaled block by block."""

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, dataclass
from itertools import islice
from typing import Any, Self, TypeVar

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.preprocessing import normalize
from sklearn.utils.random import sample_without_replacement

from graphtailor.linalg.equal_rows import row_hashes
from graphtailor.linalg.magnitude import check_squares
from graphtailor.linalg.scaling import feature_scaler, scaled_rows
from graphtailor.linalg.threads import single_threaded

_ROWS_PER_BLOCK = 32_768
Result = TypeVar("Result")


@dataclass(eq=False, repr=False)
class Rows:
    """Reads rows in blocks and scales them; the whole is never copied."""

    X: Any
    scaler: Any = None
    _: KW_ONLY
    unit: bool = False
    as_sparse: bool | None = None  # None gives rows as they are in X

    def __post_init__(self) -> None:
        if self.as_sparse is None:
            self.as_sparse = sparse.issparse(self.X)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of features."""
        return self.X.shape

    def take(self, which: Any) -> Any:
        """Scaled rows, by a slice or by their numbers."""
        rows = self.X[which]
        if self.as_sparse:
            rows = sparse.csr_array(rows)
        else:
            rows = rows.toarray() if sparse.issparse(rows) else np.asarray(rows)
        rows = scaled_rows(self.scaler, rows)
        return normalize(rows) if self.unit else rows

    @property
    def dtype(self) -> np.dtype:
        """Type of the numbers."""
        return self.X.dtype

    def empty(self) -> Self:
        """No rows: what is left is how others are scaled."""
        return type(self)(self.X[:0], self.scaler, unit=self.unit)

    def like(self, X: Any) -> Self:
        """Other rows, scaled alike, and dense or sparse as these are."""
        return type(self)(X, self.scaler, unit=self.unit, as_sparse=self.as_sparse)

    def slices(self) -> list[slice]:
        """The blocks: slices of the rows."""
        n = self.shape[0]
        return [
            slice(first, min(first + _ROWS_PER_BLOCK, n))
            for first in range(0, n, _ROWS_PER_BLOCK)
        ]

    def each_block(
        self, work: Callable[[Any], Result], n_jobs: int | None
    ) -> Iterator[tuple[slice, Result]]:
        """What `work` makes of each block, in their order, on several threads.

        A few blocks are ahead of the reader at most, so that results do not pile up.
        """
        n_threads = effective_n_jobs(n_jobs)
        with single_threaded(), ThreadPoolExecutor(n_threads) as pool:
            tasks = (
                pool.submit(lambda part: work(self.take(part)), part)
                for part in self.slices()
            )
            ahead = deque(islice(tasks, 2 * n_threads))
            for part in self.slices():
                result = ahead.popleft().result()
                ahead.extend(islice(tasks, 1))
                yield part, result

    def scaled_by(
        self, scaling: str | None, sample: np.ndarray, weights: np.ndarray | None = None
    ) -> Self:
        """The same rows with features scaled.

        The largest and smallest values are taken over all rows, means and standard
        deviations over the sample: a sum over blocks would depend on the blocks. Rows
        are summed in the order of their hashes, whatever order they came in.
        """
        scaler = feature_scaler(scaling, sparse.issparse(self.X))
        if scaler is None:
            check_squares(self.X)  # a length that overflows would make rows zero
            return self
        if scaling == "standard":
            rows = self.take(sample)
            order = np.argsort(row_hashes(rows, 0), kind="stable")
            mine = None if weights is None else weights[sample][order]
            scaler.fit(rows[order], sample_weight=mine)
        else:
            for part in self.slices():
                scaler.partial_fit(self.X[part])
        return type(self)(self.X, scaler, unit=self.unit)


def sample_rows(n_samples: int, size: int, random_state: Any) -> np.ndarray:
    """Numbers of `size` different rows drawn at random, in rising order."""
    if size >= n_samples:
        return np.arange(n_samples)
    return np.sort(
        sample_without_replacement(n_samples, size, random_state=random_state)
    )
