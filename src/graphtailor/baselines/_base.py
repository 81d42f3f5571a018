"""The common face of the compared methods."""

import warnings
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from graphtailor.baselines._readout import kmeans_labels, spectral_labels
from graphtailor.graphs import GraphBuilder, graph_builder
from graphtailor.linalg.free_memory import check_memory
from graphtailor.linalg.magnitude import largest_entry
from graphtailor.linalg.scaling import root_mean_square_norm
from graphtailor.linalg.sparse import intact, to_dense
from graphtailor.linalg.threads import single_threaded
from graphtailor.linalg.types import Matrix, MatrixLike, RandomState
from graphtailor.neighbors import default_n_neighbors

# Binary exponent up to which squares of samples leave room for multiples of them.
_LARGEST_EXPONENT = 480
# Results may be this many times larger than the norm of X.
_ROOM_FOR_SUMS = 16.0
_OUT_OF_RANGE = (
    "its square, or a sum over X, is out of the range of floating-point numbers, and "
    "objectives are measured in squares of X. Scale X first, for instance with "
    "sklearn.preprocessing.MaxAbsScaler."
)
# The graph of neighbours, the embedding, the labels.
_BYTES_PER_SAMPLE = 800


def resolve_n_neighbors(n_neighbors: int | str, n_samples: int) -> int:
    """The number of neighbours meant: "auto" is the study's, n - 1 is the most."""
    if n_neighbors == "auto":
        return default_n_neighbors(n_samples)
    return min(int(n_neighbors), n_samples - 1)


def _check_magnitude(X: Matrix) -> None:
    """Refuse samples whose squares, or whose norm in their type, do not exist."""
    largest = largest_entry(X)
    if not largest:
        return
    # Singular values, factors and scores grow up to the norm of all of X.
    norm = root_mean_square_norm(X) * np.sqrt(X.shape[0])
    overflows = norm > np.finfo(X.dtype).max / _ROOM_FOR_SUMS
    if overflows or abs(np.frexp(largest)[1]) > _LARGEST_EXPONENT:
        raise ValueError(f"The largest value of X is {largest:.3g}: {_OUT_OF_RANGE}")


@dataclass(eq=False, repr=False)
class BaseClusterer(ClusterMixin, BaseEstimator):
    """What every compared method shares: validation, graph, fitted attributes.

    The `_fit` of a method validates with :meth:`_validate` and ends with
    :meth:`_finish`.
    """

    n_clusters: int = 8
    _: KW_ONLY
    random_state: RandomState = None

    # How many n x n and n x d arrays of float64 a fit holds at its peak, as measured;
    # tests/decide/test_memory.py holds it against real fits.
    _dense_arrays: ClassVar[tuple[float, float]] = (0.0, 2.0)

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Cluster the rows of `X`, or the nodes of a precomputed affinity.

        One thread does the work, so that sums have the same bits on every machine.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples; affinities of shape (n_samples, n_samples) if the method has the
            parameter `graph` and it is "precomputed".
        y : None
            Ignored.

        Returns
        -------
        self
            The fitted estimator.
        """
        # A result out of range is an error below: a warning would come too early.
        with single_threaded(), np.errstate(over="ignore", invalid="ignore"):
            self._fit(X)
        for name, value in vars(self).items():
            values = value.data if sparse.issparse(value) else value
            is_float = isinstance(values, np.ndarray) and values.dtype.kind == "f"
            if is_float and not np.isfinite(values).all():
                raise ValueError(f"{name} is not finite: {_OUT_OF_RANGE}")
        return self

    def _fit(self, X: MatrixLike) -> None:
        """Set the fitted attributes."""
        raise NotImplementedError

    def _validate(self, X: MatrixLike, *, dense: bool = False) -> Any:
        """Check `X`, keep its float dtype, densify it if the method must."""
        X = self._checked(X, ensure_min_samples=2)
        if self.n_clusters > X.shape[0]:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than n_samples={X.shape[0]}. "
                "Ask for at most one cluster for each sample."
            )
        _check_magnitude(X)
        self._check_memory(*X.shape)
        if not sparse.issparse(X):
            return X
        return to_dense(X) if dense else sparse.csr_array(X)

    def _new_rows(self, X: MatrixLike) -> Matrix:
        """Samples that are not the fitted ones, with as many features."""
        check_is_fitted(self)
        return self._checked(X, reset=False)

    def _checked(self, X: MatrixLike, **how: object) -> Matrix:
        dtype = [np.float64, np.float32]
        return validate_data(self, intact(X), accept_sparse="csr", dtype=dtype, **how)

    def _number_of_neighbors(self, n_samples: int) -> int:
        return resolve_n_neighbors(self.n_neighbors, n_samples)

    def _check_memory(self, n: int, d: int) -> None:
        check_memory(
            self._bytes_needed(n, d),
            f"{type(self).__name__} with {n} samples of {d} features",
            "Fit to a sample of the rows, or use GraphTailor or SymNMF, which hold "
            "the graph of near neighbours and no n x n array.",
        )

    def _bytes_needed(self, n: int, d: int) -> float:
        """Bytes that a fit holds at its peak, beyond `X` itself."""
        squares, tables = self._dense_arrays
        return 8 * (squares * n * n + tables * n * d) + _BYTES_PER_SAMPLE * n

    def _finish(
        self,
        labels: np.ndarray,
        objective: Any,
        n_iter: int | None = None,
        converged: bool = True,
    ) -> None:
        """Set the attributes all methods have; warn of empty clusters and an early end.

        There is one value of the objective for each iteration unless `n_iter` is given.
        """
        self.labels_ = np.asarray(labels, dtype=np.int32)
        self.objective_ = np.atleast_1d(np.asarray(objective, dtype=np.float64))
        self.n_iter_ = len(self.objective_) if n_iter is None else int(n_iter)
        self.converged_ = bool(converged)
        found = len(np.unique(self.labels_))
        if found < self.n_clusters:
            warnings.warn(
                f"{type(self).__name__} found {found} clusters and not "
                f"n_clusters={self.n_clusters}: some are empty.",
                ConvergenceWarning,
                stacklevel=5,
            )
        if not converged:
            warnings.warn(
                f"{type(self).__name__} did not reach tol={self.tol:g} within "
                f"max_iter={self.max_iter} iterations. Raise max_iter, or tol if "
                "less accuracy will do.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        graph = getattr(self, "graph", None)
        tags.input_tags.pairwise = isinstance(graph, str) and graph == "precomputed"
        return tags


@dataclass(eq=False, repr=False, kw_only=True)
class GraphMixin:
    """For methods with a given graph."""

    graph: str | GraphBuilder = "knn"
    n_neighbors: int | str = "auto"

    def _fit_graph(self, X: Matrix) -> GraphBuilder:
        """The fitted builder of the given graph, kept as `graph_`."""
        builder = graph_builder(self.graph)
        if isinstance(self.graph, str) and self.graph == "knn":
            builder.set_params(n_neighbors=self.n_neighbors)
        self.graph_ = builder.fit(X)
        return self.graph_


class EmbeddingMixin:
    """For methods whose `fit` sets `embedding_`."""

    embedding_: np.ndarray
    n_clusters: int
    n_init: int
    random_state: RandomState

    def _cluster_rows(
        self, embedding: np.ndarray, dtype: DTypeLike, random_state: RandomState = None
    ) -> np.ndarray:
        """Keep an embedding, and cluster its rows by K-means."""
        self.embedding_ = embedding.astype(dtype, copy=False)
        return kmeans_labels(
            embedding,
            self.n_clusters,
            n_init=self.n_init,
            init=getattr(self, "init", "random"),
            random_state=self.random_state if random_state is None else random_state,
        )

    def _cut(self, affinity: Matrix, dtype: DTypeLike) -> np.ndarray:
        """Keep an affinity and its spectral embedding, and cluster the rows of that."""
        self.affinity_matrix_ = affinity
        labels, embedding = spectral_labels(
            affinity,
            self.n_clusters,
            n_init=self.n_init,
            random_state=self.random_state,
        )
        self.embedding_ = embedding.astype(dtype, copy=False)
        return labels

    def fit_transform(self, X: MatrixLike, y: object = None) -> np.ndarray:
        """Fit, and return the embedding of the samples.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
            Samples.
        y : None
            Ignored.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            The attribute `embedding_`.
        """
        return self.fit(X).embedding_  # type: ignore[attr-defined]


@dataclass(eq=False, repr=False, kw_only=True)
class SpectralMixin(EmbeddingMixin):
    """For methods that make an affinity, which is cut."""

    n_init: int = 20


@dataclass(eq=False, repr=False, kw_only=True)
class RowsMixin(EmbeddingMixin):
    """For methods that make coordinates of the samples, which K-means clusters."""

    n_init: int = 1
    init: str = "random"
