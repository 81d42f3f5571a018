"""Sweeps over V on several cores that never raise the objective.

Rows are cut into blocks, and a few blocks, far from each other, make a window. Every
block of a window is swept as if the others stood still. Their changes dv, and D_b of
``G = V'V``, then act on each other by exactly

    ||sum_b D_b||^2 - sum_b ||D_b||^2 - 2 sum_ij A_ij <dv_i, dv_j>

with i and j in different blocks of the window. Where that is more than the blocks
gained by themselves, the window is swept again, one block after the other. Blocks and
windows have fixed sizes: the number of threads changes nothing in the result.
"""

import numpy as np

from graphtailor.linalg.sparse import CsrRows
from graphtailor.linalg.threads import Workers
from graphtailor.solvers.v_step import sweep_rows

_ROWS_PER_BLOCK = 512
_BLOCKS_PER_WINDOW = 8


class Windows:
    """Windows of blocks of rows, for a symmetric pattern without the diagonal."""

    def __init__(
        self,
        indptr: np.ndarray,
        indices: np.ndarray,
        rows_per_block: int = _ROWS_PER_BLOCK,
        blocks_per_window: int = _BLOCKS_PER_WINDOW,
    ) -> None:
        self._pattern = indptr, indices
        self._rows = rows_per_block
        self._n_blocks = -(-(len(indptr) - 1) // rows_per_block)
        self.n_windows = -(-self._n_blocks // blocks_per_window)
        # Pairs i < j in different blocks of a window, as (i, place in the pattern).
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        blocks, others = rows // rows_per_block, indices // rows_per_block
        meet = (indices > rows) & (blocks != others)
        meet &= blocks % self.n_windows == others % self.n_windows
        places = np.flatnonzero(meet)
        window = blocks[places] % self.n_windows
        crossings = np.column_stack([rows[places], places])
        self._crossings = crossings[np.argsort(window, kind="stable")]
        counts = np.bincount(window, minlength=self.n_windows)
        self._bounds = np.concatenate([[0], np.cumsum(counts)])

    def sweep(
        self, weights: np.ndarray, V: np.ndarray, G: np.ndarray, workers: Workers
    ) -> tuple[float, int]:
        """Lower ``||A - V V'||^2`` over all entries of V in place, and G with it."""
        A = CsrRows(*self._pattern, weights)
        proposal = np.empty_like(V)
        decrease, repeated = 0.0, 0
        for window in range(self.n_windows):
            fell, accepted = self._try(window, A, V, proposal, G, workers)
            if not accepted:
                fell = sum(
                    sweep_rows(A, V, V[block], block.start, G)
                    for block in self._blocks(window)
                )
            decrease += fell
            repeated += not accepted
        return decrease, repeated

    def _blocks(self, window: int) -> list[slice]:
        firsts = self._rows * np.arange(window, self._n_blocks, self.n_windows)
        return [slice(first, first + self._rows) for first in firsts]

    def _try(
        self,
        window: int,
        A: CsrRows,
        V: np.ndarray,
        proposal: np.ndarray,
        G: np.ndarray,
        workers: Workers,
    ) -> tuple[float, bool]:
        """Sweep the blocks of a window together: the decrease, and whether it is one.

        V and G are left as they were where it is none.
        """
        blocks = self._blocks(window)
        changes = np.empty((len(blocks), *G.shape))
        decreases = np.empty(len(blocks))

        def propose(numbers: np.ndarray) -> None:
            for number in numbers:
                block, own = blocks[number], G.copy()
                proposal[block] = V[block]
                decreases[number] = sweep_rows(A, V, proposal[block], block.start, own)
                changes[number] = own - G

        workers.map(propose, workers.shares(len(blocks)))
        here = self._crossings[self._bounds[window] : self._bounds[window + 1]]
        together = interaction(A, V, proposal, here, changes)
        decrease = float(decreases.sum()) - together
        if decrease < 0:
            return decrease, False
        for block in blocks:
            V[block] = proposal[block]
        G += changes.sum(axis=0)
        return decrease, True


def interaction(
    A: CsrRows,
    V: np.ndarray,
    proposal: np.ndarray,
    crossings: np.ndarray,
    changes: np.ndarray,
) -> float:
    """What the objective gains by blocks going together, beyond each alone.

    `changes` holds D_b for each block, `crossings` the pairs i < j between blocks
    as (i, place in the pattern).
    """
    i, places = crossings.T
    j = A.indices[places]
    products = np.einsum("ij,ij->i", proposal[i] - V[i], proposal[j] - V[j])
    together = np.square(changes.sum(axis=0)).sum() - np.square(changes).sum()
    return float(together - 4 * (A.data[places] * products).sum())
