"""Graph builders: samples in, a normalised graph out, also for new samples."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags

from graphtailor.graphs.weights import normalize_affinity
from graphtailor.linalg.sparse import with_short_indices
from graphtailor.linalg.types import Matrix, MatrixLike, ParameterConstraints
from graphtailor.neighbors import Edges, default_n_neighbors

Input = Literal["samples", "affinities", "distances"]


class GraphBuilder(TransformerMixin, BaseEstimator, ABC):
    """Base class of everything that can be the `graph` of a model.

    A builder of your own has parameters as a scikit-learn estimator has them, `fit`
    and `to_new`; `fit` ends with ``return self._take(weights)``. Every builder is a
    transformer too, so that its graph can stand in a pipeline in front of
    ``SpectralClustering(affinity="precomputed")`` and the like.

    Attributes
    ----------
    weights_ : csr_array of shape (n, n)
        Symmetric, nonnegative, with a zero diagonal.
    degrees_ : ndarray of shape (n,)
        Row sums of `weights_`.
    affinity_ : csr_array of shape (n, n)
        The same graph normalised by the degrees.
    n_neighbors_ : int
        Neighbours that a sample usually has; models take multiples of it.
    """

    _parameter_constraints: ClassVar[ParameterConstraints] = {}
    weights_: sparse.csr_array
    degrees_: np.ndarray
    affinity_: sparse.csr_array
    n_neighbors_: int

    @property
    def input(self) -> Input:
        """What `fit` takes: samples, affinities or distances."""
        return "samples"

    @abstractmethod
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Build the graph of the rows of `X`."""

    @abstractmethod
    def to_new(self, X_new: MatrixLike) -> sparse.csr_array:
        """Normalised weights between new samples and the fitted ones, (n_new, n)."""

    def fit_transform(self, X: MatrixLike, y: object = None) -> sparse.csr_array:
        """Build the graph of the rows of `X`, and return `affinity_`."""
        return with_short_indices(self.fit(X).affinity_)

    def transform(self, X: MatrixLike) -> sparse.csr_array:
        """Weights between new samples and the fitted ones, as :meth:`to_new`."""
        return with_short_indices(self.to_new(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.input != "samples"
        return tags

    def nearest(self, k: int, X_new: MatrixLike | None = None) -> Edges | None:
        """The k nearest fitted samples of each sample; None if nothing is known."""
        return None

    def _take(self, weights: sparse.csr_array, n_neighbors: int | None = None) -> Self:
        """Keep symmetric weights, their degrees and the normalised graph."""
        self.weights_ = weights
        self.degrees_ = np.asarray(weights.sum(axis=1)).ravel()
        self.affinity_ = normalize_affinity(weights)
        default = default_n_neighbors(weights.shape[0])
        self.n_neighbors_ = default if n_neighbors is None else n_neighbors
        return self

    def _restore(self, fitted: dict[str, Any], rows: Matrix) -> None:
        """Set further attributes of a builder that is read from a file."""
        for name, value in fitted.items():
            setattr(self, name, value)
