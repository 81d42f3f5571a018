"""Diffusion: let a sparse graph spread along its own paths."""

from math import ceil, log2

from scipy import sparse

from graphtailor.graphs.weights import normalize_affinity
from graphtailor.linalg.sparse import (
    largest_in_rows,
    largest_of_product,
    without_diagonal,
)


class Diffusion:
    r"""Lazy random walks on one graph; a longer one continues those made before.

    With :math:`T = D^{-1/2} W D^{-1/2}` a walk is
    :math:`((I + T)/2)^{\text{steps}}` without its diagonal, cut to the largest
    entries of each row, made symmetric and normalised by the degrees again.
    Without that second normalisation long clusters are cut into pieces.
    """

    def __init__(
        self, W: sparse.csr_array, keep: int, n_jobs: int | None = None
    ) -> None:
        self.keep = keep
        self.n_jobs = n_jobs
        T = normalize_affinity(W)
        walk = (sparse.eye_array(T.shape[0], format="csr") + T) / 2
        self._walks = [sparse.csr_array(walk)]  # of 1, 2, 4, ... steps

    def after(self, steps: int) -> sparse.csr_array:
        """The affinity after this number of steps, rounded up to a power of two.

        Powers are taken by squaring: 8 steps cost three sparse products.
        """
        squarings = ceil(log2(steps))
        while len(self._walks) <= squarings:
            last = self._walks[-1]
            square = largest_of_product(last, last, self.keep + 1, self.n_jobs)
            self._walks.append(square)
        spread = without_diagonal(self._walks[squarings])
        spread = largest_in_rows(spread, self.keep)
        return normalize_affinity(sparse.csr_array((spread + spread.T) / 2))
