"""What the workers of a cluster do: functions of one block of rows, or of sums."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from joblib import parallel_config
from scipy import sparse
from sklearn.utils import check_array

from graphtailor.representatives.choice import AnchorChoice
from graphtailor.representatives.fit import (
    AnchorSettings,
    AnchorSolution,
    Sample,
    anchors_for,
    link_rows,
    solve_anchors,
)
from graphtailor.representatives.links import SharedRows
from graphtailor.representatives.rows import Rows


def read_block(block: Any, dtype: Any, *, checked: bool = True) -> Any:
    """The rows of a block as numbers; those not `checked` before must be finite."""
    return check_array(
        block,
        accept_sparse="csr",
        dtype=dtype,
        order="C",
        ensure_all_finite=not checked,
        ensure_min_samples=0,
        input_name="X",
        estimator="GraphTailor",
    )


class Overview(NamedTuple):
    """Lengths of blocks in their order, and extremes of the features.

    Attributes
    ----------
    lengths : list of int
        Rows of each block.
    extremes : ndarray of shape (2, d) or (0, d)
        Smallest and largest values; nothing where there are no rows.
    """

    lengths: list[int]
    extremes: np.ndarray


def overview_of_block(block: Any, dtype: Any) -> Overview:
    """Check a block, and look it over."""
    rows = read_block(block, dtype, checked=False)
    return Overview([rows.shape[0]], _extremes(rows))


def merge_overviews(parts: Sequence[Overview]) -> Overview:
    """One overview of several blocks that follow each other."""
    lengths = [length for part in parts for length in part.lengths]
    return Overview(lengths, _extremes(np.concatenate([p.extremes for p in parts])))


def _extremes(rows: Any) -> np.ndarray:
    if rows.shape[0] == 0:
        return np.empty(rows.shape, dtype=rows.dtype)
    found = [rows.min(axis=0), rows.max(axis=0)]
    if sparse.issparse(rows):
        found = [values.toarray().ravel() for values in found]
    return np.stack(found)


def take_rows(block: Any, dtype: Any, numbers: np.ndarray) -> Any:
    """Some rows of a block."""
    return read_block(block, dtype)[numbers]


@dataclass(frozen=True)
class ScaledChoice:
    """Chosen anchors, and the scaler of the rows that belong to them."""

    scaler: Any
    choice: AnchorChoice


@dataclass(frozen=True)
class AnchorTask:
    """What is wanted of the one worker that chooses and clusters the anchors.

    It may use threads, which joblib allows a worker only if told what they are.

    Attributes
    ----------
    settings : AnchorSettings
        Weights and starts.
    anchors : "auto", int or ndarray of shape (m, d)
        Anchors of the user's own are in the units of the rows.
    scaling : str or None
        Scaling of the features.
    scaler : object or None
        Fitted scaler, where it depends on all rows and not on the sample.
    n_samples, seed : int
        Number of all rows, and the seed of what follows.
    """

    settings: AnchorSettings
    anchors: Any
    scaling: str | None
    scaler: Any
    n_samples: int
    seed: int

    def choose(self, parts: Sequence[Any]) -> ScaledChoice:
        """Choose anchors by the parts of the sample, as they follow each other."""
        stack = sparse.vstack if sparse.issparse(parts[0]) else np.concatenate
        rows = Rows(stack(parts), self.scaler)
        if self.scaling == "standard":
            rows = rows.scaled_by("standard", np.arange(rows.shape[0]))
        own = self.anchors
        if isinstance(own, np.ndarray) and rows.scaler is not None:
            own = rows.scaler.transform(own)
        sample = Sample(rows.take(slice(None)), self.n_samples, self.seed)
        with parallel_config("threading"):
            return ScaledChoice(rows.scaler, anchors_for(sample, own, self.settings))

    def solve(self, chosen: ScaledChoice, sums: sparse.csr_array) -> AnchorSolution:
        """Cluster the anchors by what they share of all rows."""
        shared = SharedRows(sums.shape[0])
        shared.units = sums.toarray()
        with parallel_config("threading"):
            return solve_anchors(chosen.choice.links, shared, self.settings, self.seed)


def shared_by_block(block: Any, dtype: Any, chosen: ScaledChoice) -> sparse.csr_array:
    """What each pair of anchors shares of a block, in whole units.

    Few pairs share anything, so that what travels is far smaller than all pairs.
    """
    rows = Rows(read_block(block, dtype), chosen.scaler)
    _, shared = link_rows(rows, chosen.choice.links, n_jobs=1)
    return sparse.csr_array(shared.units)


def add_shared(parts: Sequence[sparse.csr_array]) -> sparse.csr_array:
    """The sum over blocks: of integers, so that their order does not matter."""
    return sum(parts[1:], start=parts[0])


def indicator_of_block(block: Any, dtype: Any, tier: Any) -> np.ndarray:
    """Indicator of the rows of a block, on this thread alone: workers are many."""
    return _indicator_of(read_block(block, dtype), tier)


def indicator_of_new_block(block: Any, dtype: Any, tier: Any) -> np.ndarray:
    """The same for rows that were never seen, which are checked."""
    return _indicator_of(read_block(block, dtype, checked=False), tier)


def _indicator_of(rows: Any, tier: Any) -> np.ndarray:
    with parallel_config("sequential"):
        return tier.indicator_of(rows)


def labels_of_block(V: np.ndarray) -> np.ndarray:
    """Position of the largest value of each row."""
    return V.argmax(axis=1)


def labelled_block(
    block: Any, features: list[str], keep: list[str], dtype: Any, tier: Any
) -> Any:
    """Columns to keep of a frame, and the label and certainty of each row."""
    V = indicator_of_new_block(block[features], dtype, tier)
    shares = V.max(axis=1) / V.sum(axis=1)
    return block[keep].assign(label=V.argmax(axis=1), certainty=shares)


def with_warnings(
    function: Callable[..., Any], *arguments: Any
) -> tuple[Any, list[Warning]]:
    """A result, and the warnings that nobody would see on a worker."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        result = function(*arguments)
    return result, [w.message for w in caught if isinstance(w.message, Warning)]
