"""Symmetric nonnegative matrix factorisation of the given graph."""

import numpy as np
from numpy.typing import DTypeLike
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from graphtailor.baselines._base import BaseClusterer, GraphMixin
from graphtailor.baselines._parameters import GRAPH_OR_AFFINITY, clusterer
from graphtailor.linalg.sparse import CsrRows
from graphtailor.linalg.types import MatrixLike, RandomState
from graphtailor.solvers.multiplicative import update_indicator
from graphtailor.solvers.v_step import sweep_rows

# From a random start a sweep lets the samples it meets first decide for the rest,
# which often ends in a poor minimum; so many steps that move all at once come first.
_STEPS_BEFORE_SWEEPS = 20

SOLVERS = [StrOptions({"cd", "mu"})]


class GraphFactorization(BaseClusterer):
    """Methods that factor a graph; the label is the largest entry in a row of V."""

    solver: str
    max_iter: int
    tol: float
    random_state: RandomState

    def _take_factors(self, W: sparse.csr_array, dtype: DTypeLike) -> None:
        V, history, converged = factorize_graph(
            W,
            self.n_clusters,
            solver=self.solver,
            max_iter=self.max_iter,
            tol=self.tol,
            random_state=self.random_state,
        )
        self.indicator_ = V.astype(dtype, copy=False)
        self._finish(V.argmax(axis=1), history, len(history) - 1, converged)


@clusterer(graph=GRAPH_OR_AFFINITY, solver=SOLVERS)
class SymNMF(GraphMixin, GraphFactorization):
    r"""Symmetric nonnegative matrix factorisation (SymNMF) of a graph.

    .. math:: \min_{V \ge 0} \|W - V V^\top\|_F^2 ,

    where :math:`W` is the normalised affinity of the given graph; the label of a
    sample is the largest entry in its row of :math:`V`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. One may end up empty.
    graph : {"knn", "precomputed"} or builder, default="knn"
        The given graph: neighbours of the samples, an affinity matrix in place
        of `X`, or a builder such as :class:`~graphtailor.graphs.NeighborGraph`.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent, every entry at its exact minimum in turn after a few
        multiplicative updates, or nothing but those,
        :math:`V \odot (W V / V V^\top V)^{1/4}`, the reference. Both share
        their steps with the joint model.
    tol : float, default=1e-4
        Stop when no entry of :math:`V` changes by more.
    random_state : int, RandomState or None, default=None
        Seed of the first :math:`V`.

    Attributes
    ----------
    indicator_ : ndarray of shape (n_samples, n_clusters)
        :math:`V`.
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        :math:`W`.
    objective_ : ndarray of shape (n_iter_ + 1,)
        Value at the start and after each iteration; it never rises.

    Notes
    -----
    :math:`O(n p c + n c^2)` an iteration.

    References
    ----------
    D. Kuang, S. Yun, H. Park, SymNMF: Nonnegative Low-rank Approximation of a
    Similarity Matrix for Graph Clustering, J. Global Optimization 62(3), 2015.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor.baselines import SymNMF
    >>> X = load_wine().data
    >>> model = SymNMF(3, random_state=0).fit(X / X.max(axis=0))
    >>> model.indicator_.shape, model.converged_
    ((178, 3), True)
    """

    solver: str = "cd"
    max_iter: int = 500
    tol: float = 1e-4

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X)
        self.affinity_matrix_ = self._fit_graph(X).affinity_
        self._take_factors(self.affinity_matrix_, X.dtype)


def factorize_graph(
    W: sparse.csr_array,
    n_clusters: int,
    *,
    solver: str,
    max_iter: int,
    tol: float,
    random_state: RandomState,
) -> tuple[np.ndarray, list[float], bool]:
    """SymNMF of a normalised affinity from a random start."""
    W = sparse.csr_array(W, dtype=np.float64)
    V = initial_indicator(W, n_clusters, check_random_state(random_state))
    history = [symnmf_objective(W, V)]
    gentle = max_iter if solver == "mu" else _STEPS_BEFORE_SWEEPS
    for iteration in range(max_iter):
        previous = V
        if iteration < gentle:
            V = update_indicator(W, V)
        else:
            V = V.copy()
            sweep_rows(CsrRows.of(W), V, V, 0, V.T @ V)
        history.append(symnmf_objective(W, V))
        if np.abs(V - previous).max() < tol:
            return V, history, True
    return V, history, False


def initial_indicator(
    W: sparse.csr_array, n_clusters: int, rng: np.random.RandomState
) -> np.ndarray:
    """Random positive `V` with ``V V'`` at the scale of `W`."""
    # 1 - u is never 0, and a multiplicative update cannot leave 0.
    uniform = 1 - rng.uniform(size=(W.shape[0], n_clusters))
    return 2 * np.sqrt(W.mean() / n_clusters) * uniform


def symnmf_objective(W: sparse.csr_array, V: np.ndarray) -> float:
    """``||W - V V'||_F^2`` by traces, without forming the product."""
    gram = V.T @ V
    return float(np.sum(W.data**2) - 2 * np.sum(V * (W @ V)) + np.sum(gram**2))
