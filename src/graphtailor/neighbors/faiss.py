"""Approximate nearest neighbours by an inverted file of faiss."""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from graphtailor.neighbors.ann import (
    ApproximateIndex,
    centre_and_unit,
    standardize,
)

# The lists that a query looks into, by effort.
_PROBES = (16, 32, 64, 256)
# Samples that train one list.
_TRAINING_SAMPLES = 40
_ROWS_PER_BLOCK = 8192


class FaissIndex(ApproximateIndex):
    r"""Inverted file: :math:`2 \sqrt n` lists by k-means, the 16 nearest are searched.

    Everything is answered by one thread of faiss in blocks of fixed size, so that the
    number of threads changes nothing; the threads are those of the caller.

    References
    ----------
    Douze et al. The Faiss library. arXiv:2401.08281.
    """

    thread_safe = True

    @property
    def most_effort(self) -> int:
        return len(_PROBES) - 1

    def _build(self) -> None:
        faiss = importlib.import_module("faiss")
        n, d = self.X.shape
        n_lists = max(1, min(int(2 * np.sqrt(n)), n // 4))
        rng = np.random.default_rng(self.seed)
        size = min(n, _TRAINING_SAMPLES * n_lists)
        sample = self.X[np.sort(rng.choice(n, size, replace=False))]
        self._centre, self._unit = centre_and_unit(sample)
        cosine = self.metric == "cosine"
        coarse = faiss.IndexFlatIP(d) if cosine else faiss.IndexFlatL2(d)
        metric = faiss.METRIC_INNER_PRODUCT if cosine else faiss.METRIC_L2
        self._index = faiss.IndexIVFFlat(coarse, d, n_lists, metric)
        self._index.cp.seed = self.seed
        self._index.cp.min_points_per_centroid = 1  # it would print a warning
        self._index.cp.max_points_per_centroid = _TRAINING_SAMPLES + 1
        with one_faiss_thread():
            self._index.train(self._to_float32(sample))
            lists = np.empty(n, dtype=np.int64)
            for first in range(0, n, _ROWS_PER_BLOCK):
                rows = slice(first, first + _ROWS_PER_BLOCK)
                block = self._to_float32(self.X[rows])
                lists[rows] = coarse.search(block, 1)[1].ravel()
                self._index.add_core(
                    len(block),
                    faiss.swig_ptr(block),
                    None,
                    faiss.swig_ptr(lists[rows]),
                )
        # Neighbours in a row look into the same lists, which are then in the cache.
        self.order = np.argsort(lists, kind="stable")

    def _apply_effort(self) -> None:
        self._index.nprobe = min(_PROBES[self.effort], self._index.nlist)

    def _candidates(
        self, queries: np.ndarray, wanted: int, own: np.ndarray | None
    ) -> np.ndarray:
        with one_faiss_thread():
            return self._index.search(self._to_float32(queries), wanted)[1]

    def _to_float32(self, X: np.ndarray) -> np.ndarray:
        """Unit rows for the cosine, else centred, as float32 has few digits."""
        X = X.astype(np.float64)
        if self.metric == "cosine":
            norms = np.linalg.norm(X, axis=1, keepdims=True)
            X /= np.where(norms > 0, norms, 1)
        else:
            X = standardize(X, self._centre, self._unit)
        return np.ascontiguousarray(X, dtype=np.float32)


@contextmanager
def one_faiss_thread() -> Iterator[None]:
    """Context in which this thread's calls of faiss use one thread."""
    faiss = importlib.import_module("faiss")
    before = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(before)
