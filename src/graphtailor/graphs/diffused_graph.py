"""A graph that was spread along its own paths, as a builder around a builder."""

from dataclasses import KW_ONLY, dataclass
from math import ceil, log2
from numbers import Integral
from typing import Self

from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from graphtailor.graphs.aliases import GRAPHS, graph_builder
from graphtailor.graphs.base import GraphBuilder, Input
from graphtailor.graphs.weights import normalize_affinity
from graphtailor.linalg.sparse import (
    largest_in_rows,
    largest_of_product,
    without_diagonal,
)
from graphtailor.linalg.types import COUNT, MatrixLike
from graphtailor.neighbors import Edges

# A spread graph keeps this many neighbourhoods a row: enough to follow a cluster along
# its length, and still sparse.
KEPT_NEIGHBORHOODS = 6


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


@dataclass(eq=False, repr=False)
class DiffusedGraph(GraphBuilder):
    r"""A graph after a lazy random walk, for clusters that are long and thin.

    With T the normalised graph of another builder the walk is
    :math:`((I + T)/2)^{\text{steps}}`, cut to its largest entries and normalised again.
    New samples are joined by the edges of the inner graph.

    Parameters
    ----------
    graph : {"knn", "precomputed"} or GraphBuilder, default="knn"
        The graph to spread.
    steps : int, default=8
        Length of the walk, rounded up to a power of two.
    n_jobs : int or None, default=None
        Threads; the graph does not depend on their number.

    Attributes
    ----------
    graph_ : GraphBuilder
        The fitted inner builder.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from graphtailor import DiffusedGraph, NeighborGraph
    >>> X, _ = make_moons(200, noise=0.05, random_state=0)
    >>> spread = DiffusedGraph(NeighborGraph(), steps=8).fit(X)
    >>> spread.affinity_.nnz > spread.graph_.affinity_.nnz
    True
    """

    graph: str | GraphBuilder = "knn"
    _: KW_ONLY
    steps: int = 8
    n_jobs: int | None = None

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "graph": [StrOptions(set(GRAPHS)), GraphBuilder],
        "steps": COUNT,
        "n_jobs": [Integral, None],
    }

    @property
    def input(self) -> Input:
        """What the inner builder takes."""
        return graph_builder(self.graph).input

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Build the inner graph of the rows of `X`, and spread it."""
        self.graph_ = graph_builder(self.graph).fit(X)
        keep = KEPT_NEIGHBORHOODS * max(self.graph_.n_neighbors_, 1)
        walk = Diffusion(self.graph_.weights_, keep, self.n_jobs)
        self._take(self.graph_.weights_, self.graph_.n_neighbors_)
        self.affinity_ = walk.after(self.steps)
        return self

    def to_new(self, X_new: MatrixLike) -> sparse.csr_array:
        """Edges of the inner graph between new samples and the fitted ones."""
        check_is_fitted(self)
        return self.graph_.to_new(X_new)

    def nearest(self, k: int, X_new: MatrixLike | None = None) -> Edges | None:
        """The k nearest fitted samples of each sample, by the inner builder."""
        return self.graph_.nearest(k, X_new)
