"""The ensemble graph: how often many clusterings put two samples together."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from numbers import Integral
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import BaseEstimator, _fit_context
from sklearn.utils import check_array, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.graphs.ensemble.cuts import cut_ensemble
from graphtailor.graphs.ensemble.members import Fits, Member, member_recipes
from graphtailor.graphs.weights import normalize_affinity, normalize_rows_to
from graphtailor.linalg.sparse import largest_in_rows
from graphtailor.linalg.threads import single_threaded
from graphtailor.neighbors.search import NeighborSearch, default_n_neighbors

# Pairs that may be joined: a sample and so many neighbourhoods of near ones, and as
# many of its cluster in the best cut, for what is near depends on the scaling; and how
# many of them are kept.
_CANDIDATE_NEIGHBORHOODS = 3
_KEPT_NEIGHBORHOODS = 6
# More members make steadier clusters; few samples have time for them.
_ROUNDS_OF_FEW, _FEW = 2, 1_500


class EnsembleGraph(BaseEstimator):
    r"""Graph that joins samples which many different clusterings put together.

    The members are spectral clusterings of neighbour graphs, k-means on their
    diffusion maps, mixtures of Gaussians and k-means, each with another scaling of
    the features, another number of neighbours and another number of clusters, from
    half to five times `n_clusters`; fits of a model may be among them. Of several cuts
    of the members' co-association [1]_ the one is kept that correlates most with the
    members. The weight of a pair is half the share of the members that join it, and
    half whether that cut does. It is computed for near pairs, and for some of each
    cluster; the largest are kept, and normalised by the degrees.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters that are wanted in the end.
    n_rounds : int or "auto", default="auto"
        How often all six scalings have their turn, each with 9 members. "auto" is 2 up
        to 1,500 samples, and 1 for more.
    fits : callable or None, default=None
        Fits a model to some further neighbour graphs, for more members: takes scaled
        samples, a number of neighbours, numbers of clusters and a RandomState, and
        gives a list of labels. :class:`~graphtailor.GraphTailor` gives fits of its own.
    random_state : int, RandomState or None, default=None
        Seed of the members.
    n_jobs : int or None, default=-1
        Threads; -1 is all of them. The graph does not depend on their number.

    Attributes
    ----------
    weights_ : csr_array of shape (n, n)
        Weights of the kept pairs: symmetric, in [0, 1], zero diagonal.
    affinity_ : csr_array of shape (n, n)
        The same, normalised by the degrees.
    members_ : list of Member
        The clusterings.
    cuts_ : list of Cut
        Partitions into `n_clusters` clusters that agree with the members, the best
        first.
    stability_ : ndarray of shape (n,)
        For each sample, how much more often the members put it together with its own
        cluster of the best cut than with any other: 1 is always and never.

    References
    ----------
    .. [1] A. Fred, A. K. Jain, "Combining Multiple Clusterings Using Evidence
       Accumulation", IEEE Trans. Pattern Analysis and Machine Intelligence, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor.graphs.ensemble.graph import EnsembleGraph
    >>> builder = EnsembleGraph(3, random_state=0).fit(load_iris().data)
    >>> builder.affinity_.shape, len(builder.members_)
    ((150, 150), 108)
    """

    metric = "euclidean"

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_rounds": [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"})],
        "fits": [callable, None],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        n_rounds: int | str = "auto",
        fits: Fits | None = None,
        random_state: Any = None,
        n_jobs: int | None = -1,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_rounds = n_rounds
        self.fits = fits
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Build the graph of the rows of `X`.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Samples; their scaling does not matter.
        y : None
            Ignored.

        Returns
        -------
        self : EnsembleGraph
            The fitted builder.
        """
        X = check_array(X, dtype=np.float64, ensure_min_samples=2)
        rng = check_random_state(self.random_state)
        self.n_neighbors_ = default_n_neighbors(len(X))
        self.members_ = self._make_members(X, rng)
        ensemble = CoAssociation([member.labels for member in self.members_])
        self._ensemble = ensemble
        wanted = min(self.n_clusters, len(X))
        self.cuts_ = cut_ensemble(ensemble, wanted, rng, self._threads)
        self.stability_ = _stability(ensemble, self.cuts_[0].labels)
        self.restore_search(X)
        self.weights_ = self._join(ensemble, self.cuts_[0].labels, rng)
        self.degrees_ = np.asarray(self.weights_.sum(axis=1)).ravel()
        self.affinity_ = normalize_affinity(self.weights_)
        return self

    def restore_search(self, X: Any) -> None:
        """Search the samples `X` of the fit as it did; for a model read from a file."""
        self.search_ = NeighborSearch().fit(np.asarray(X, dtype=np.float64))

    def agreement(self, labels: np.ndarray) -> float:
        """Mean correlation of a partition with the members: what it is judged by.

        Parameters
        ----------
        labels : ndarray of shape (n,)
            Clusters of the fitted samples.

        Returns
        -------
        float
            1 if all members are equal to it, as matrices of pairs.
        """
        check_is_fitted(self)
        return self._ensemble.agreement(labels)

    def to_new(self, X_new: Any) -> sparse.csr_array:
        """Normalised weights between new samples and the fitted ones.

        A new sample is joined to its nearest fitted samples and, as they are on
        average, to those that the members put together with them.

        Parameters
        ----------
        X_new : array-like of shape (n_new, d)
            New samples.

        Returns
        -------
        csr_array of shape (n_new, n)
            Row by row what a row of `affinity_` is for a fitted sample.
        """
        check_is_fitted(self)
        X_new = check_array(X_new, dtype=np.float64)
        n = len(self.degrees_)
        edges = self.search_.nearest(self.n_neighbors_, X_new)
        shape = (len(X_new), n)
        near = sparse.csr_array((np.ones(len(edges.rows)), (edges.rows, edges.cols)))
        near.resize(shape)
        joined = (near + near @ self.weights_) / self.n_neighbors_
        keep = _KEPT_NEIGHBORHOODS * self.n_neighbors_
        G = largest_in_rows(sparse.csr_array(joined), keep)
        return normalize_rows_to(G, self.degrees_)

    def _make_members(self, X: np.ndarray, rng: Any) -> list[Member]:
        if isinstance(self.n_rounds, str):
            n_rounds = _ROUNDS_OF_FEW if len(X) <= _FEW else 1
        else:
            n_rounds = self.n_rounds
        recipes = member_recipes(X, self.n_clusters, n_rounds, rng, self.fits)
        with single_threaded(), ThreadPoolExecutor(self._threads) as pool:
            return [
                member
                for members in pool.map(lambda recipe: recipe(), recipes)
                for member in members
            ]

    @property
    def _threads(self) -> int:
        return effective_n_jobs(self.n_jobs)

    def _join(
        self, ensemble: CoAssociation, cut: np.ndarray, rng: Any
    ) -> sparse.csr_array:
        """The graph: half of a weight is the members' share, half the best cut's."""
        n, wanted = len(cut), _CANDIDATE_NEIGHBORHOODS * self.n_neighbors_
        near = self.search_.nearest(wanted)
        rows, cols = _fellows(cut, wanted, rng)
        rows, cols = np.append(near.rows, rows), np.append(near.cols, cols)
        others = rows != cols
        places = (rows[others], cols[others])
        pairs = sparse.csr_array((np.ones(others.sum()), places), shape=(n, n))
        pairs = sparse.coo_array(pairs + pairs.T)
        values = ensemble.on_pairs(pairs.row, pairs.col)
        values = (values + (cut[pairs.row] == cut[pairs.col])) / 2
        G = sparse.csr_array((values, (pairs.row, pairs.col)), shape=(n, n))
        G = largest_in_rows(G, _KEPT_NEIGHBORHOODS * self.n_neighbors_)
        G.eliminate_zeros()
        return sparse.csr_array(G.maximum(G.T))


def _fellows(labels: np.ndarray, number: int, rng: Any) -> tuple[np.ndarray, ...]:
    """Pairs of each sample with so many of its cluster, drawn with replacement."""
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    first = (np.cumsum(sizes) - sizes)[labels]
    places = first[:, None] + rng.randint(
        sizes[labels][:, None], size=(len(labels), number)
    )
    return np.repeat(np.arange(len(labels)), number), order[places].ravel()


def _stability(ensemble: CoAssociation, labels: np.ndarray) -> np.ndarray:
    """Mean co-association with the own cluster minus that with the next best."""
    H = ensemble.memberships
    n, c = len(labels), labels.max() + 1
    Z = sparse.csr_array((np.ones(n), (np.arange(n), labels)), shape=(n, c))
    sizes = np.bincount(labels, minlength=c)
    together = np.asarray((H @ (H.T @ Z)).toarray())
    itself = np.asarray(H.multiply(H).sum(axis=1)).ravel()
    total = np.where(itself > 0, itself, 1.0)
    rows = np.arange(n)
    own = (together[rows, labels] - itself) / np.maximum(sizes[labels] - 1, 1)
    others = together / np.maximum(sizes, 1)
    others[rows, labels] = -np.inf
    return (own - (others.max(axis=1) if c > 1 else 0.0)) / total
