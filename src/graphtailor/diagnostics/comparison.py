"""Clusterings of the same rows by several methods, in numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

from graphtailor.diagnostics.graph_map import MOST_POINTS, neighbor_graph
from graphtailor.diagnostics.layout import graph_layout, in_unit_square
from graphtailor.diagnostics.model_access import Matrix
from graphtailor.diagnostics.quality import Index, quality_indices
from graphtailor.diagnostics.sampling import spread_sample
from graphtailor.diagnostics.stability import rand_matrix
from graphtailor.metrics import clustering_scores


@dataclass(frozen=True)
class Run:
    """The run of a method.

    Attributes
    ----------
    method : str
        Name of the method.
    labels : ndarray of shape (n,) or None
        Clusters; None if the method could not run.
    seconds : float or None
        How long the method took.
    reason : str
        Why the method could not run.
    warnings : list of str
        Warnings of the method.
    """

    method: str
    labels: np.ndarray | None = None
    seconds: float | None = None
    reason: str = ""
    warnings: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Entry:
    """A run in numbers.

    Attributes
    ----------
    method : str
        Name of the method.
    labels : ndarray of shape (n,)
        Clusters, numbered to match those of the first entry.
    sizes : ndarray of int
        Rows in each cluster.
    seconds : float or None
        How long the method took.
    indices : list of Index
        Quality without labels.
    scores : dict of str to float, or None
        Agreement with the known classes.
    warnings : list of str
        Warnings of the method.
    """

    method: str
    labels: np.ndarray
    sizes: np.ndarray
    seconds: float | None
    indices: list[Index]
    scores: dict[str, float] | None
    warnings: list[str]


@dataclass(frozen=True)
class Comparison:
    """Clusterings of the same rows.

    Attributes
    ----------
    entries : list of Entry
        The methods that ran.
    failed : list of Run
        The methods that did not run.
    agreement : ndarray of shape (k, k)
        Adjusted Rand index between each two entries.
    places : ndarray of shape (m, 2)
        Places of a sample of the rows, the same for all methods, between 0 and 1.
    sample : ndarray of shape (m,)
        Numbers of these rows, on which map and indices are based.
    is_plane : bool
        Whether the places are the two features of the data.
    n_rows : int
        Number of all rows.
    """

    entries: list[Entry]
    failed: list[Run]
    agreement: np.ndarray
    places: np.ndarray
    sample: np.ndarray
    is_plane: bool
    n_rows: int

    @property
    def n_sampled(self) -> int:
        """Number of rows behind the map and the indices."""
        return len(self.sample)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the map, as plain values for JSON."""
        methods: list[dict[str, Any]] = [
            {
                "method": entry.method,
                "seconds": entry.seconds,
                "n_clusters": int((entry.sizes > 0).sum()),
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
            "failed": [
                {"method": run.method, "reason": run.reason} for run in self.failed
            ],
        }


def compare_runs(
    runs: Sequence[Run], features: Matrix, y_true: np.ndarray | None = None
) -> Comparison:
    """Compare clusterings of the same rows.

    Parameters
    ----------
    runs : sequence of Run
        Runs of the methods, at least one of them with labels.
    features : {ndarray, csr_array} of shape (n, d)
        Scaled features, on which the indices and the map are based. If there are more
        than 3,000 rows, both use a sample of 3,000.
    y_true : ndarray of shape (n,) or None, default=None
        Known classes.

    Returns
    -------
    Comparison
        The entries are in the order of the runs.

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
    reference = np.asarray(done[0].labels)
    entries = []
    for run in done:
        labels = match_clusters(np.asarray(run.labels), reference)
        entries.append(
            Entry(
                method=run.method,
                labels=labels,
                sizes=np.bincount(labels),
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
    )


def match_clusters(labels: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Give each cluster the number of the reference cluster that shares most rows.

    Parameters
    ----------
    labels, reference : ndarray of shape (n,)
        Clusters.

    Returns
    -------
    ndarray of shape (n,)
        The same clusters; clusters without a partner get the numbers that are left.

    Examples
    --------
    >>> import numpy as np
    >>> match_clusters(np.array([4, 4, 7, 9]), np.array([1, 1, 0, 0])).tolist()
    [1, 1, 0, 2]
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
