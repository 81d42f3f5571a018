"""What the workers of a cluster do: functions of one block of rows, or of sums."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import pandas as pd
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
