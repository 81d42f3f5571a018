"""The ensemble graph: how often many clusterings put two samples together."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from numbers import Integral
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import _fit_context
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from graphtailor.graphs.base import GraphBuilder
from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.graphs.ensemble.cuts import ConsensusCuts
from graphtailor.graphs.ensemble.members import (
    GOLDEN,
    MOST,
    MOST_PER_CLUSTER,
    KMeansMembers,
    LayoutMembers,
    Member,
    MemberKind,
    MixtureMembers,
    SpectralMembers,
    make_members,
)
from graphtailor.graphs.ensemble.views import VIEWS, View, make_view, view_names
from graphtailor.graphs.weights import normalize_rows_to
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.scaling import within_reach
from graphtailor.linalg.sparse import checked_matrix, largest_in_rows
from graphtailor.linalg.threads import single_threaded
from graphtailor.neighbors import Edges, NeighborSearch, default_n_neighbors

# Pairs that get a weight: a sample with this many neighbourhoods of its nearest, and
# with as many samples drawn from its clusters in random members. Twice as many of the
# heaviest are kept.
_CANDIDATE_NEIGHBORHOODS, _KEPT_NEIGHBORHOODS = 3, 6

# Called after the members of each kind and view, with how many are done of how many.
Watch = Callable[[int, int], None]


# Gives members, by their labels, the factors of their weights.
Judge = Callable[[Sequence[np.ndarray]], np.ndarray]


def silent(done: int, total: int) -> None:
    """Watch nothing."""


class EnsembleGraph(GraphBuilder):
    r"""Graph that joins samples which many different clusterings put together.

    Each view is another scaling of the features, each kind of member another way to
    cluster it; members differ in their numbers of neighbours and of clusters. The
    weight of a pair is the share of the members that put it together [1]_. It is
    computed for near pairs and for some that random members join; the largest are kept,
    and normalised by the degrees.

    Parameters
    ----------
    views : "auto" or sequence of str, default="auto"
        "as it is", "standard", "unit rows", "centred unit rows", "ranks" and
        "squashed"; "auto" takes all, of sparse samples the first and third.
    members : "auto" or sequence of MemberKind, default="auto"
        Kinds of members; "auto" takes spectral ones, k-means, mixtures and
        layouts.
    most : int, default=20
        Largest number of clusters that cuts will be asked for. Members have from 2 to
        40 clusters, or to twice `most`.
    random_state : int, RandomState or None, default=None
        Seed of the members.
    n_jobs : int or None, default=None
        Threads. The graph does not depend on their number.

    Attributes
    ----------
    weights_, affinity_ : csr_array of shape (n, n)
        Shares of the members, in [0, 1], and the same normalised by the degrees.
    members_ : list of Member
        The clusterings.
    ensemble_ : CoAssociation
        How often they join samples, and how far partitions agree with them.
    views_ : tuple of str
        The views that were taken.
    trust_ : ndarray or None
        Factors of the members' weights, where known rows judge them.

    References
    ----------
    .. [1] A. Fred, A. K. Jain, "Combining Multiple Clusterings Using Evidence
       Accumulation", IEEE Trans. Pattern Analysis and Machine Intelligence, 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor.graphs import EnsembleGraph
    >>> builder = EnsembleGraph(random_state=0).fit(load_iris().data)
    >>> builder.affinity_.shape, len(builder.members_)
    ((150, 150), 102)
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "views": [str, "array-like", tuple],
        "members": [StrOptions({"auto"}), list, tuple],
        "most": [Interval(Integral, 1, None, closed="left")],
        "random_state": ["random_state"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        *,
        views: str | Sequence[str] = "auto",
        members: str | Sequence[MemberKind] = "auto",
        most: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.views = views
        self.members = members
        self.most = most
        self.random_state = random_state
        self.n_jobs = n_jobs

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        X: Any,
        y: Any = None,
        *,
        masses: np.ndarray | None = None,
        watch: Watch = silent,
    ) -> Self:
        """Build the graph of the rows of `X`.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, d)
            Samples; views scale them.
        y : None
            Ignored.
        masses : ndarray of shape (n,), default=None
            How many rows each sample stands for; one each by default.
        watch : callable
            Called with the numbers of finished tasks and of all tasks.

        Returns
        -------
        self : EnsembleGraph
            The fitted builder.
        """
        X = checked_matrix(X, dtype=np.float64, ensure_min_samples=2)
        masses = np.ones(X.shape[0]) if masses is None else masses
        self.restore_search(X)
        return self.fit_views(self.make_views(X, masses), watch)

    def make_views(self, X: Any, masses: np.ndarray) -> list[View]:
        """The samples in each scaling, with their neighbours."""
        tasks = [(X, name, 0) for name in view_names(self.views, X)]
        return list(self._mapped(partial(make_view, masses=masses), tasks))

    def fit_views(
        self,
        views: list[View],
        watch: Watch = silent,
        judge: Judge | None = None,
    ) -> Self:
        """Build the graph from views that are known already, such as given graphs."""
        rng = check_random_state(self.random_state)
        self.views_ = tuple(view.name for view in views)
        kinds = self._kinds()
        most = max(MOST, MOST_PER_CLUSTER * self.most)
        # Few views are looked at several times: an ensemble needs its size.
        turns = max(len(VIEWS) // len(views), 1)
        tasks = [(kind, view) for kind in kinds for view in views * turns]
        seeds = rng.randint(np.iinfo(np.int32).max, size=len(tasks)).tolist()
        calls = [
            (kind, view, GOLDEN * place, seed)
            for place, ((kind, view), seed) in enumerate(zip(tasks, seeds, strict=True))
        ]
        self.members_ = []
        for done, found in enumerate(
            self._mapped(partial(make_members, most=most), calls), start=1
        ):
            self.members_ += found
            watch(done, len(calls))
        if not self.members_:
            raise ValueError(
                f"members={self.members!r} need coordinates, and only affinities or "
                "distances are given. Add SpectralMembers() or use 'auto'."
            )
        labels = [member.labels for member in self.members_]
        trust = None if judge is None else judge(labels)
        self._restore_members(self.members_, views[0].masses, self.views_, trust)
        return self._take(self._join(views[0], rng))

    def _restore_members(
        self,
        members: list[Member],
        masses: np.ndarray,
        views: tuple[str, ...],
        trust: np.ndarray | None = None,
    ) -> None:
        """Take members, of a fit or from a file."""
        self.members_, self.views_ = members, views
        self.trust_ = trust
        labels = [member.labels for member in members]
        self.ensemble_ = CoAssociation(labels, masses, trust)

    def cuts(self) -> ConsensusCuts:
        """Partitions that agree with the members, into any number of clusters."""
        check_is_fitted(self)
        return ConsensusCuts(self.ensemble_, self.most)

    def restore_search(self, X: Any) -> None:
        """Search the samples `X` of the fit as it did; for a model read from a file."""
        # In float32, as views are searched; no entry above 1: squares are finite then.
        self._factor = comfortable_factor(X, reach=0)
        self.search_ = NeighborSearch().fit(times(X, self._factor).astype(np.float32))

    def nearest(self, k: int, X_new: Any = None) -> Edges | None:
        """The k nearest fitted samples of each sample; None if only pairs are known."""
        if not hasattr(self, "search_"):
            return None
        if X_new is not None:
            X_new = times(self.search_.of_the_same_kind(X_new), self._factor)
            X_new = within_reach(X_new, np.ones(1)).astype(np.float32)
        return self.search_.nearest(k, X_new)

    def to_new(self, X_new: Any) -> sparse.csr_array:
        """Normalised weights between new samples and the fitted ones.

        A new sample is joined to its nearest fitted samples and, as they are on
        average, to those that the members put together with them.

        Parameters
        ----------
        X_new : {array-like, sparse matrix} of shape (n_new, d)
            New samples.

        Returns
        -------
        csr_array of shape (n_new, n)
            Row by row what a row of `affinity_` is for a fitted sample.
        """
        check_is_fitted(self)
        X_new = checked_matrix(X_new, dtype=np.float64)
        edges = self.nearest(self.n_neighbors_, X_new)
        assert edges is not None
        near = sparse.csr_array(
            (np.ones(len(edges.rows)), (edges.rows, edges.cols)),
            shape=(X_new.shape[0], len(self.degrees_)),
        )
        joined = (near + near @ self.weights_) / self.n_neighbors_
        keep = _KEPT_NEIGHBORHOODS * self.n_neighbors_
        G = largest_in_rows(sparse.csr_array(joined), keep)
        return normalize_rows_to(G, self.degrees_)

    def _kinds(self) -> list[MemberKind]:
        if isinstance(self.members, str):
            return [
                SpectralMembers(),
                KMeansMembers(),
                MixtureMembers(),
                LayoutMembers(),
            ]
        wrong = [kind for kind in self.members if not isinstance(kind, MemberKind)]
        if wrong or not self.members:
            raise ValueError(
                f"members={self.members!r} must be 'auto' or a list of kinds of "
                "members, for instance [SpectralMembers(), KMeansMembers()]."
            )
        return list(self.members)

    def _mapped(self, function: Callable[..., Any], tasks: list[Any]) -> Iterator[Any]:
        threads = effective_n_jobs(self.n_jobs)
        with single_threaded(), ThreadPoolExecutor(threads) as pool:
            yield from pool.map(lambda task: function(*task), tasks)

    def _join(self, view: View, rng: np.random.RandomState) -> sparse.csr_array:
        """The share of the members that put each near, or drawn, pair together."""
        n, p = view.n_samples, default_n_neighbors(view.n_samples)
        wanted = _CANDIDATE_NEIGHBORHOODS * p
        near = view.edges
        rows, cols = _drawn_pairs(self.ensemble_.codes, wanted, rng)
        rows, cols = np.append(near.rows, rows), np.append(near.cols, cols)
        others = rows != cols
        places = (rows[others], cols[others])
        pairs = sparse.csr_array((np.ones(others.sum()), places), shape=(n, n))
        pairs = sparse.coo_array(pairs + pairs.T)
        values = self.ensemble_.on_pairs(pairs.row, pairs.col)
        # A pair stands for the pairs of the rows that its two samples represent.
        roots = np.sqrt(self.ensemble_.masses / self.ensemble_.masses.max())
        values *= roots[pairs.row] * roots[pairs.col]
        G = sparse.csr_array((values, (pairs.row, pairs.col)), shape=(n, n))
        G = largest_in_rows(G, _KEPT_NEIGHBORHOODS * p)
        G.eliminate_zeros()
        return sparse.csr_array(G.maximum(G.T))


def _drawn_pairs(
    codes: np.ndarray, number: int, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of each sample with others of its cluster, in as many random members."""
    n, n_members = codes.shape
    cols = np.empty((n, number), dtype=np.int64)
    for place, member in enumerate(rng.randint(n_members, size=number)):
        order = np.argsort(codes[:, member], kind="stable")
        _, first, where, sizes = np.unique(
            codes[order, member],
            return_index=True,
            return_inverse=True,
            return_counts=True,
        )
        drawn = first[where] + (rng.uniform(size=n) * sizes[where]).astype(np.int64)
        cols[order, place] = order[drawn]
    return np.repeat(np.arange(n), number), cols.ravel()
