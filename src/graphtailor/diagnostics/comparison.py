"""Clusterings of the same rows by several methods, in numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from graphtailor.decide.decision import Decision
from graphtailor.diagnostics.graph_map import MOST_POINTS, neighbor_graph
from graphtailor.diagnostics.layout import graph_layout, in_unit_square
from graphtailor.diagnostics.levels import spread_sample
from graphtailor.diagnostics.model_access import FittedView, Matrix
from graphtailor.diagnostics.peers import AgreementPath, agreement_path
from graphtailor.diagnostics.quality import Index, quality_indices
from graphtailor.diagnostics.stability import rand_matrix
from graphtailor.metrics import clustering_scores


@dataclass(frozen=True)
class Run:
    """The run of a method."""

    method: str
    # (n,): clusters, -1 for rows without one; None if it could not run
    labels: np.ndarray | None = None
    seconds: float | None = None  # how long it took
    reason: str = ""  # why it could not run
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Entry:
    """A run in numbers."""

    method: str  # name of the method
    # (n,): clusters, numbered to match those of the first entry. Rows without a cluster
    # are in one of their own.
    labels: np.ndarray
    sizes: np.ndarray  # rows in each cluster
    left: np.ndarray  # (n,): whether a row has no cluster
    seconds: float | None  # how long the method took
    indices: list[Index]  # quality without labels
    scores: dict[str, float] | None  # agreement with the known classes
    warnings: list[str]  # warnings of the method

    @property
    def n_left(self) -> int:
        """Number of rows without a cluster."""
        return int(self.left.sum())

    @property
    def n_clusters(self) -> int:
        """Number of clusters that the method found."""
        return int((self.sizes > 0).sum()) - (self.n_left > 0)


@dataclass(frozen=True)
class Votes:
    """How many methods put each row into the same cluster."""

    # The methods that vote: those with as many clusters as the first one.
    methods: tuple[str, ...]
    count: np.ndarray  # (n,): votes for the cluster that has most of them

    @property
    def disputed(self) -> np.ndarray:
        """Whether fewer than three quarters of the methods agree on a row."""
        return self.count < 0.75 * len(self.methods)


@dataclass(frozen=True)
class Comparison:
    """Clusterings of the same rows."""

    entries: list[Entry]  # the methods that ran
    failed: list[Run]  # those that did not
    agreement: np.ndarray  # (k, k): adjusted Rand index between each two entries
    # (m, 2): places of a sample of the rows, the same for all methods, from 0 to 1
    places: np.ndarray
    sample: np.ndarray  # (m,): these rows, on which map and indices are based
    is_plane: bool  # whether the places are the two features of the data
    n_rows: int  # number of all rows
    votes: Votes
    # for other numbers of clusters; None without a GraphTailor
    path: AgreementPath | None = None
    decision: Decision | None = None  # of GraphTailor; None without one

    @property
    def n_sampled(self) -> int:
        """Number of rows behind the map and the indices."""
        return len(self.sample)

    @property
    def verdict_level(self) -> str | None:
        """Whether GraphTailor found clusters beyond chance; None if it did not test."""
        verdict = None if self.decision is None else self.decision.verdict
        return None if verdict is None else verdict.level

    def to_dict(self) -> dict[str, Any]:
        """Everything but the maps, as plain values for JSON."""
        path = None
        if self.path is not None:
            means = zip(self.path.numbers, self.path.mean.tolist(), strict=True)
            path = {
                "methods": list(self.path.methods),
                "n_rows": self.path.n_rows,
                "mean_agreement": dict(means),
            }
        methods: list[dict[str, Any]] = [
            {
                "method": entry.method,
                "seconds": entry.seconds,
                "n_clusters": entry.n_clusters,
                "n_left": entry.n_left,
                "sizes": entry.sizes.tolist(),
                "indices": {index.name: index.value for index in entry.indices},
                "scores": entry.scores,
                "warnings": entry.warnings,
            }
            for entry in self.entries
        ]
        return {
            "n_rows": self.n_rows,
            "n_rows_for_indices": self.n_sampled,
            "methods": methods,
            "agreement": self.agreement.tolist(),
            "path": path,
            "n_disputed": int(self.votes.disputed.sum()),
            "failed": [
                {"method": run.method, "reason": run.reason} for run in self.failed
            ],
        }


def compare_runs(
    runs: Sequence[Run],
    features: Matrix,
    y_true: np.ndarray | None = None,
    view: FittedView | None = None,
) -> Comparison:
    """Compare clusterings of the same rows.

    At least one run has labels. Indices and map are based on the scaled `features`, on
    a sample of 3,000 rows where there are more. `view` is a GraphTailor fitted to these
    rows: its levels are compared with other methods, and what it decided tells whom to
    trust. Entries are in the order of the runs.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.diagnostics.comparison import Run, compare_runs
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> runs = [Run("one", np.repeat([0, 1], 3)), Run("two", np.repeat([1, 0], 3))]
    >>> found = compare_runs(runs, X)
    >>> found.entries[1].labels.tolist(), found.agreement[0, 1].item()
    ([0, 0, 0, 1, 1, 1], 1.0)
    """
    done = [run for run in runs if run.labels is not None]
    if not done:
        reasons = "; ".join(f"{run.method}: {run.reason}" for run in runs)
        raise ValueError(f"No method could run. {reasons}")
    n = features.shape[0]
    sample = spread_sample(np.zeros(n, dtype=np.int64), MOST_POINTS)
    points = features[sample]
    graph = neighbor_graph(points)
    is_plane = points.shape[1] == 2 and not sparse.issparse(points)
    places = in_unit_square(points * (1, -1)) if is_plane else graph_layout(graph)
    reference = _filled(np.asarray(done[0].labels))
    entries = []
    for run in done:
        given = np.asarray(run.labels)
        labels = match_clusters(_filled(given), reference)
        entries.append(
            Entry(
                method=run.method,
                labels=labels,
                sizes=np.bincount(labels),
                left=given < 0,
                seconds=run.seconds,
                indices=quality_indices(labels[sample], features=points, graph=graph),
                scores=None if y_true is None else clustering_scores(y_true, labels),
                warnings=run.warnings,
            )
        )
    return Comparison(
        entries=entries,
        failed=[run for run in runs if run.labels is None],
        agreement=rand_matrix([entry.labels for entry in entries]),
        places=places,
        sample=sample,
        is_plane=is_plane,
        n_rows=n,
        votes=count_votes(entries),
        path=None if view is None else agreement_path(view.levels, features),
        decision=None if view is None else view.decision,
    )


def count_votes(entries: Sequence[Entry]) -> Votes:
    """Count the methods that agree on the cluster of each row.

    Methods with another number of clusters than the first one have no vote.
    """
    voters = [e for e in entries if e.n_clusters == entries[0].n_clusters]
    labels = np.array([entry.labels for entry in voters])
    rows = np.arange(labels.shape[1])
    counts = np.zeros((len(rows), int(labels.max()) + 1), dtype=np.int32)
    for each in labels:
        counts[rows, each] += 1
    return Votes(tuple(entry.method for entry in voters), counts.max(axis=1))


def _filled(labels: np.ndarray) -> np.ndarray:
    return np.where(labels < 0, labels.max() + 1, labels)


def match_clusters(labels: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Give each cluster the number of the reference cluster that shares most rows.

    Clusters without a partner get the numbers that are left.
    """
    names, codes = np.unique(labels, return_inverse=True)
    partners = np.unique(reference)
    shared = contingency_matrix(labels, reference)
    mine, theirs = linear_sum_assignment(shared, maximize=True)
    number = np.full(len(names), -1)
    number[mine] = partners[theirs]
    free = np.setdiff1d(np.arange(len(names) + partners.max() + 1), partners[theirs])
    alone = np.flatnonzero(number < 0)
    number[alone] = free[: len(alone)]
    return number[codes]
