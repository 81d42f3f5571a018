"""Approximate nearest neighbours by faiss and pynndescent, with exact distances."""

import importlib
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

import numpy as np
from scipy import sparse

from graphtailor.linalg.types import Matrix
from graphtailor.neighbors.exact import (
    EUCLIDEAN,
    MANHATTAN,
    SPARE_CANDIDATES,
    CandidateDistances,
    ExactIndex,
    keep_nearest,
)

# float32 holds the squares of what lies within this range.
_RANGE_OF_FLOAT32 = 1e15
# The lists that a query looks into, by effort.
_PROBES = (16, 32, 64, 256)
# Samples that train one list.
_TRAINING_SAMPLES = 40
_ROWS_PER_BLOCK = 8192
# Effort 0, 1, 2: how far beyond the best found a query looks, and how much wider the
# graph is than the answer.
_EPSILON = (0.1, 0.2, 0.4)
_WIDTH_FACTOR = (1.0, 1.5, 2.0)
# Names of scikit-learn that pynndescent does not know.
_NAMES = {"l2": "euclidean", "minkowski": "euclidean", "l1": "manhattan",
          "cityblock": "manhattan"}  # fmt: skip


class ApproximateIndex(ABC):
    """An engine that finds candidates; their distances are then computed exactly."""

    # The order in which queries for all samples are answered quickest.
    order: np.ndarray | None = None
    # Whether several threads may ask at the same time.
    thread_safe = False

    def __init__(
        self, X: Matrix, metric: str, seed: int, width: int, effort: int = 0
    ) -> None:
        self.X = X
        self.metric = metric
        self.seed = seed
        self.width = width
        self.effort = effort
        self._distances = CandidateDistances(X, metric)
        self._build()
        self._apply_effort()

    def nearest(
        self, queries: Matrix, k: int, own: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """As :meth:`ExactIndex.nearest`, of the candidates that the engine found."""
        wanted = min(k + SPARE_CANDIDATES + (own is not None), self.X.shape[0])
        candidates = self._candidates(queries, wanted, own)
        distances = self._distances.of(queries, candidates)
        itself = np.full(len(candidates), -1) if own is None else own
        nearest, chosen = keep_nearest(distances, candidates, itself, k)
        short = np.flatnonzero(chosen[:, -1] < 0)
        if len(short):  # the few samples in the lists that were searched
            of_short = None if own is None else own[short]
            answer = self._exact.nearest(queries[short], k, of_short)
            nearest[short], chosen[short] = answer
        return nearest, chosen

    def recall(self, rows: np.ndarray, k: int) -> float:
        """Share of the true k nearest of these samples that :meth:`nearest` finds.

        Of samples at the same distance any is right.
        """
        queries = self.X[rows]
        _, true = self._exact.nearest(queries, k, own=rows)
        farthest = self._distances.of(queries, true).max(axis=1, keepdims=True)
        found, _ = self.nearest(queries, k, own=rows)
        return float(np.mean(found <= farthest * (1 + 1e-12)))

    def try_harder(self) -> bool:
        """Raise the effort, if that is possible."""
        if self.effort == self.most_effort:
            return False
        self.effort += 1
        self._apply_effort()
        return True

    @cached_property
    def _exact(self) -> ExactIndex:
        return ExactIndex(self.X, self.metric)

    @property
    @abstractmethod
    def most_effort(self) -> int:
        """The highest effort there is."""

    @abstractmethod
    def _build(self) -> None:
        """Make the engine's index."""

    @abstractmethod
    def _apply_effort(self) -> None:
        """Tell the engine of a new effort."""

    @abstractmethod
    def _candidates(
        self, queries: Matrix, wanted: int, own: np.ndarray | None
    ) -> np.ndarray:
        """Positions of samples that may be near each query."""


def centre_and_unit(sample: np.ndarray) -> tuple[np.ndarray, float]:
    """Where samples lie and how far apart; one wild sample does not move medians."""
    centre = np.median(sample, axis=0).astype(np.float64)
    away = np.abs(sample - centre)
    return centre, float(np.median(away[away > 0])) if away.any() else 1.0


def standardize(X: np.ndarray, centre: np.ndarray, unit: float) -> np.ndarray:
    """Samples in float64, moved and scaled in place: float32 has few digits."""
    X -= centre
    X /= unit
    return np.clip(X, -_RANGE_OF_FLOAT32, _RANGE_OF_FLOAT32, out=X)


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
                    len(block), faiss.swig_ptr(block), None, faiss.swig_ptr(lists[rows])
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
