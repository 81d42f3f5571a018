"""Approximate nearest neighbours by pynndescent."""

import importlib

import numpy as np
from scipy import sparse

from graphtailor.linalg.types import Matrix
from graphtailor.neighbors.ann import (
    ApproximateIndex,
    centre_and_unit,
    standardize,
)
from graphtailor.neighbors.exact import EUCLIDEAN, MANHATTAN, SPARE_CANDIDATES

# Effort 0, 1, 2: how far beyond the best found a query looks, and how much wider the
# graph is than the answer.
_EPSILON = (0.1, 0.2, 0.4)
_WIDTH_FACTOR = (1.0, 1.5, 2.0)
# Names of scikit-learn that pynndescent does not know.
_NAMES = {"l2": "euclidean", "minkowski": "euclidean", "l1": "manhattan",
          "cityblock": "manhattan"}  # fmt: skip


class NNDescentIndex(ApproximateIndex):
    """Nearest-neighbour descent, for sparse samples and metrics other than faiss's.

    It is built by one thread: its graph depends on the number of threads.

    References
    ----------
    Dong, Moses, Li. Efficient k-nearest neighbor graph construction for generic
    similarity measures. WWW 2011.
    """

    # Metrics that pynndescent and the exact distances know under the same name.
    dense_metrics = (*EUCLIDEAN, *MANHATTAN, "cosine", "chebyshev", "canberra",
                     "braycurtis", "correlation")  # fmt: skip
    sparse_metrics = (*EUCLIDEAN, *MANHATTAN, "cosine")
    _shift_invariant = (*EUCLIDEAN, *MANHATTAN, "chebyshev")

    @property
    def most_effort(self) -> int:
        return len(_EPSILON) - 1

    def _build(self) -> None:
        self._moved = not sparse.issparse(self.X) and (
            self.metric in self._shift_invariant and self.X.dtype == np.float64
        )
        if self._moved:
            self._centre, self._unit = centre_and_unit(self.X)

    def _apply_effort(self) -> None:
        pynndescent = importlib.import_module("pynndescent")
        wanted = self.width + SPARE_CANDIDATES + 1
        self._index = pynndescent.NNDescent(
            self._to_float32(self.X),
            metric=_NAMES.get(self.metric, self.metric),
            n_neighbors=min(int(_WIDTH_FACTOR[self.effort] * wanted), self.X.shape[0]),
            random_state=self.seed,
            n_jobs=1,
        )
        self._graph = self._index.neighbor_graph[0]

    def _candidates(
        self, queries: Matrix, wanted: int, own: np.ndarray | None
    ) -> np.ndarray:
        if own is not None:
            return self._graph[own].astype(np.int64)
        epsilon = _EPSILON[self.effort]
        found, _ = self._index.query(self._to_float32(queries), wanted, epsilon)
        return found.astype(np.int64)

    def _to_float32(self, X: Matrix) -> Matrix:
        if self._moved:
            X = standardize(X.astype(np.float64), self._centre, self._unit)
        X = X.astype(np.float32, copy=False)
        return sparse.csr_matrix(X) if sparse.issparse(X) else X
