"""Nearest neighbours behind one small class, whatever engine finds them."""

import warnings
from dataclasses import dataclass
from functools import cached_property
from math import floor, log2
from typing import Any, Self, TypeAlias

import numpy as np
from scipy import sparse

from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.sparse import Matrix, intact, to_dense
from graphtailor.linalg.threads import map_threads
from graphtailor.linalg.types import RandomState
from graphtailor.neighbors import exact
from graphtailor.neighbors.ann import ApproximateIndex
from graphtailor.neighbors.engine_choice import ENGINES, choose_engine

# Queries answered at a time: what is needed beyond the answer stays small. It is
# fixed, so that the number of threads changes nothing.
_QUERIES_PER_BLOCK = 2048
# On a hundred thousand warped blobs 76, 87 and 95 % of the true neighbours led to
# clusters alike (ACC .84, .85, .85 over three seeds), and took 4, 7 and 12 CPU-seconds.
_GOOD_RECALL = 0.85
# faiss takes seeds below this.
_SEEDS = 2**31 - 1

Index: TypeAlias = exact.ExactIndex | ApproximateIndex


def default_n_neighbors(n_samples: int) -> int:
    """Number of neighbours the study uses: ``floor(log2(n) + 1)``.

    Parameters
    ----------
    n_samples : int
        Number of samples in the graph.

    Returns
    -------
    int
        At most ``n_samples - 1``, so that it can always be served.

    Examples
    --------
    >>> from graphtailor.neighbors import default_n_neighbors
    >>> [default_n_neighbors(n) for n in (3, 150, 351, 1799)]
    [2, 8, 9, 11]
    """
    return min(floor(log2(n_samples) + 1), n_samples - 1)


Tuning = tuple[int, int, float]


@dataclass(frozen=True)
class Edges:
    """Directed edges ``rows[e] -> cols[e]`` with their distances."""

    rows: np.ndarray
    cols: np.ndarray
    distances: np.ndarray


@dataclass(eq=False, repr=False)
class NeighborSearch:
    """Nearest neighbours of the fitted samples and of new ones.

    Parameters
    ----------
    metric : str or callable, default="euclidean"
        Any metric of :class:`sklearn.neighbors.NearestNeighbors`;
        ``"precomputed"`` takes distances in place of samples.
    engine : {"auto", "exact", "faiss", "pynndescent"}, default="auto"
        "faiss" (dense samples, Euclidean or cosine) and "pynndescent" (sparse ones
        and more metrics) are approximate and need ``pip install 'graphtailor[ann]'``;
        "auto" takes them where they are quicker. Distances are exact with any.
    random_state : int, RandomState or None, default=0
        Seed of the approximate engines; with an int the answer is always the same,
        on any number of threads.
    n_jobs : int or None, default=None
        Threads that answer queries; the answer does not depend on their number.

    Attributes
    ----------
    engine_ : str
        The engine in use.
    recall_ : float or None
        Share of the true nearest neighbours that it finds, measured on a sample of
        queries by the first search; 1 for the exact engine, None before.
    tuning_ : tuple (int, int, float) or None
        What an approximate engine was tuned to, for :meth:`fit` to repeat it: the
        number of neighbours, how often it had to try harder, and the recall.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.neighbors import NeighborSearch
    >>> search = NeighborSearch().fit(np.array([[0.0], [1.0], [3.0]]))
    >>> search.nearest(1).cols, search.engine_
    (array([1, 0, 1]), 'exact')
    """

    metric: exact.Metric = "euclidean"
    engine: str = "auto"
    random_state: RandomState = 0
    n_jobs: int | None = None

    def fit(self, X: Matrix, tuning: Tuning | None = None) -> Self:
        """Take the samples (or their distances, if precomputed).

        With the `tuning_` of an earlier search of the same samples it answers as that
        one did, and does not measure its recall again.
        """
        self.__dict__.pop("_index", None)
        X = intact(X)
        self.engine_ = choose_engine(self.engine, X, self.metric)
        homogeneous = self.metric in (*exact.EUCLIDEAN, *exact.MANHATTAN)
        self._factor = comfortable_factor(X) if homogeneous else 1.0
        self._X = X = times(X, self._factor)
        if self.engine_ != "exact" and not isinstance(X, np.ndarray):
            self._X = X if X.has_sorted_indices else X.sorted_indices()
        self._seed = seed_from(self.random_state)
        self._found: tuple[np.ndarray, np.ndarray] | None = None
        self.tuning_ = tuning
        self.recall_ = 1.0 if self.engine_ == "exact" else tuning and tuning[2]
        return self

    def of_the_same_kind(self, X_new: Matrix) -> Matrix:
        """New samples, dense or sparse as the fitted ones are."""
        if sparse.issparse(self._X):
            X_new = sparse.csr_array(X_new)
            return X_new if X_new.has_sorted_indices else X_new.sorted_indices()
        return to_dense(X_new)

    def nearest(self, k: int, X_new: Matrix | None = None) -> Edges:
        """The `k` nearest fitted samples of each sample, nearest first.

        Without `X_new` a sample is never its own neighbour: it is left out by
        its index, so that its duplicates remain legal neighbours. The widest answer
        is kept, so that narrower ones after it need no search. Where a sparse matrix
        of distances holds fewer than `k` for a sample, those are its neighbours.
        """
        if self.metric == "precomputed":
            stored = self._X if X_new is None else X_new
            if sparse.issparse(stored):
                return Edges(*exact.nearest_stored(stored, k, own=X_new is None))
        n_fitted = self._X.shape[0]
        k = min(k, n_fitted if X_new is not None else n_fitted - 1)
        if k == 0:
            empty = np.empty(0, dtype=np.int64)
            return Edges(empty, empty, np.empty(0))
        if X_new is not None:
            distances, indices = self._search(k, self._queries(X_new))
        else:
            if self._found is None or self._found[1].shape[1] < k:
                self._found = self._search(k)
            distances, indices = self._found
        rows = np.repeat(np.arange(len(indices)), k)
        with np.errstate(over="ignore"):
            away = times(distances[:, :k].ravel(), 1 / self._factor)
        if self._factor < 1 and not np.isfinite(away).all():
            raise ValueError(
                f"Distances between rows of X exceed the largest number of {away.dtype}"
                ". Scale X first, for instance with sklearn.preprocessing.MaxAbsScaler."
            )
        return Edges(rows, indices[:, :k].ravel(), away)

    def within(self, radius: float, X_new: Matrix | None = None) -> Edges:
        """All fitted samples within `radius` of each sample, itself left out."""
        if X_new is not None:
            X_new = self._queries(X_new)
        index = exact.ExactIndex(self._X, self.metric)
        rows, cols, distances = index.within(radius * self._factor, X_new)
        return Edges(rows, cols, times(distances, 1 / self._factor))

    def _queries(self, X_new: Matrix) -> Matrix:
        """New samples, checked, at the size of the fitted ones."""
        if X_new.shape[1] != self._X.shape[1]:
            raise ValueError(
                f"X_new has {X_new.shape[1]} features, but the fitted samples have "
                f"{self._X.shape[1]} features."
            )
        return times(intact(X_new), self._factor)

    def _search(
        self, k: int, X_new: Matrix | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Distances and indices of the k nearest, a block for each thread."""
        index = self._index_for(k, own=X_new is None)
        queries = self._X if X_new is None else X_new
        n = queries.shape[0]
        distances = np.empty((n, k))
        indices = np.empty((n, k), dtype=np.int64)
        order = index.order if X_new is None else None
        order = np.arange(n) if order is None else order

        def block(first: int) -> None:
            rows = order[first : first + _QUERIES_PER_BLOCK]
            own = rows if X_new is None else None
            distances[rows], indices[rows] = index.nearest(queries[rows], k, own)

        firsts = range(0, n, _QUERIES_PER_BLOCK)
        map_threads(block, firsts, self.n_jobs if index.thread_safe else 1)
        return distances, indices

    @cached_property
    def _index(self) -> Index:
        """Built when first needed, and never pickled: that faiss cannot do."""
        if self.engine_ == "exact":
            return exact.ExactIndex(self._X, self.metric)
        assert self.tuning_ is not None
        assert isinstance(self.metric, str)
        width, effort, _ = self.tuning_
        return ENGINES[self.engine_](self._X, self.metric, self._seed, width, effort)

    def _index_for(self, k: int, own: bool) -> Index:
        """The index, tuned to the widest search of the fitted samples so far."""
        if self.engine_ == "exact":
            return self._index
        if self.tuning_ is None or (own and k > self.tuning_[0]):
            self.__dict__.pop("_index", None)
            self.tuning_ = (k, 0, 0.0)
            index = self._index
            assert isinstance(index, ApproximateIndex)
            self.recall_ = self._try_until_good(index, k)
            self.tuning_ = (k, index.effort, self.recall_)
        return self._index

    def _try_until_good(self, index: ApproximateIndex, k: int) -> float:
        """The recall, after more effort where it was low."""
        n = self._X.shape[0]
        rng = np.random.default_rng(self._seed)
        # Queries whose exact answer is compared with the approximate one.
        sample = np.sort(rng.choice(n, min(n, 300), replace=False))
        k = min(k, n - 1)
        recall = index.recall(sample, k)
        while recall < _GOOD_RECALL and index.try_harder():
            recall = index.recall(sample, k)
        if recall < _GOOD_RECALL:
            warnings.warn(
                f"engine={self.engine_!r} finds only {recall:.1%} of the {k} nearest "
                "neighbours. Use engine='exact', or fewer features.",
                stacklevel=2,
            )
        return recall

    def __getstate__(self) -> dict[str, Any]:
        return {name: v for name, v in vars(self).items() if name != "_index"}


def seed_from(random_state: RandomState) -> int:
    """A seed for the engines; None draws a new one."""
    if random_state is None:
        return int(np.random.default_rng().integers(_SEEDS))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(_SEEDS))
    return int(random_state) % _SEEDS
