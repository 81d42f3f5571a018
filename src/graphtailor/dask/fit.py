"""Fits of Dask collections: only the first and the last step see the blocks."""

import logging
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from graphtailor.dask import blocks
from graphtailor.dask.blocks import BlockGraph
from graphtailor.dask.collection import by_lifter, with_lengths
from graphtailor.representatives.lift import Lifter
from graphtailor.representatives.links import Links, Tally
from graphtailor.representatives.representatives import (
    Representatives,
    place_representatives,
    sampled,
)
from graphtailor.representatives.rows import Rows

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Collection:
    """A Dask array of rows that were looked over."""

    rows: Any  # its blocks have known lengths
    dtype: Any  # what its numbers are read as
    extremes: np.ndarray  # smallest and largest value of each feature

    @classmethod
    def of(cls, rows: Any, dtype: Any) -> "Collection":
        """Check all blocks and learn their lengths and extremes."""
        logger.info("1 of 4: checking %d blocks", rows.numblocks[0])
        graph = BlockGraph(rows)
        parts = [
            graph.add(blocks.overview_of_block, key, dtype) for key in graph.blocks
        ]
        found = graph.compute(graph.merged(blocks.merge_overviews, parts))
        return cls(with_lengths(rows, found.lengths), dtype, found.extremes)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return sum(self.rows.chunks[0])

    def take(self, numbers: np.ndarray) -> Any:
        """Rows by their rising numbers, gathered here."""
        ends = np.cumsum(self.rows.chunks[0])
        of_blocks = np.split(numbers, np.searchsorted(numbers, ends[:-1]))
        graph = BlockGraph(self.rows)
        lengths = self.rows.chunks[0]
        parts = [
            graph.add(blocks.take_rows, key, self.dtype, some - end + length)
            for key, some, end, length in zip(
                graph.blocks, of_blocks, ends, lengths, strict=True
            )
            if len(some)
        ]
        return graph.compute(graph.add(blocks.stack, parts))

    def tally(self, scaling: Rows, links: Links) -> Tally:
        """What the representatives have of all rows."""
        graph = BlockGraph(self.rows)
        shared = (graph.share(scaling), graph.share(links))
        parts = [
            graph.add(blocks.tally_block, key, self.dtype, *shared)
            for key in graph.blocks
        ]
        return graph.compute(graph.merged(blocks.add, parts))

    def label(self, lifter: Lifter) -> tuple[Any, Any]:
        """Labels, kept by the workers, and the indicator, computed when asked for."""
        logger.info("4 of 4: labels of %d rows", self.n_rows)
        function = blocks.indicator_of_block
        indicator = by_lifter(function, self.rows, self.dtype, lifter)
        labels = indicator.map_blocks(
            blocks.labels_of_block, drop_axis=1, dtype=np.intp
        ).persist()
        # Waits for the workers, and raises here what went wrong there.
        labels.max().compute()
        return labels, indicator


def represent_collection(
    collection: Collection, scaling: str | None, unit: bool, most: int, seed: int
) -> tuple[Rows, Representatives]:
    """Representatives of all rows, and the scaling in which they are compared.

    X is read for its lengths and extremes, for a sample, for the masses of the
    representatives and for the labels. Only sums, the sample and the representatives
    travel, and every step is a graph of pure functions, so that the part of a lost
    worker is computed again. All sums are of integers and the sample is drawn by the
    rows' numbers: the labels are those of a fit on one machine, for any blocks.
    """
    numbers = sampled(collection.n_rows, most, seed)
    logger.info("2 of 4: choosing representatives by %d rows", len(numbers))
    sample = collection.take(numbers)
    # Scalers that look at the largest and smallest values alone take those of all rows.
    seen = sample if scaling == "standard" else collection.extremes
    if sparse.issparse(sample):
        seen = sparse.csr_array(seen)
    rows = Rows(seen, unit=unit).scaled_by(scaling, np.arange(len(numbers)))
    links = place_representatives(rows.like(sample).take(slice(None)), most, seed)
    logger.info("3 of 4: joining rows to %d representatives", links.n_points)
    tally = collection.tally(rows.empty(), links)
    return rows, Representatives.counted(links, tally)
