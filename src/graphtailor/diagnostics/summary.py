"""A fit in numbers, for the terminal, the JSON file and the report."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from platform import python_version
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.metrics import adjusted_rand_score

from graphtailor.decide.decision import Decision
from graphtailor.diagnostics.group_names import class_names
from graphtailor.diagnostics.model_access import FittedModel, FittedView, view_of
from graphtailor.metrics import clustering_scores

_PACKAGES = ("graphtailor", "scikit-learn", "numpy", "scipy", "numba")


@dataclass(frozen=True)
class FitSummary:
    """A fit in numbers."""

    data: str
    method: str
    n_samples: int
    n_features: int
    n_clusters: int
    sizes: list[int]
    objective: float  # last and first value
    objective_at_start: float
    n_iter: int
    converged: bool  # whether the tolerance was reached
    seconds: float | None  # time of the fit
    scores: dict[str, float] | None  # agreement with the known classes
    # kind, objective, and agreement (adjusted Rand index) with the final clusters
    starts: list[dict[str, Any]]
    parameters: dict[str, Any]  # constructor parameters of the model
    versions: dict[str, str]  # versions of Python and of the packages
    warnings: list[str] = field(default_factory=list)
    decision: dict[str, Any] | None = None  # all fields of `decision_`, and "sentences"
    # a name for each cluster: its known class, or its strongest traits
    names: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return asdict(self)


def summarize_fit(
    model: FittedModel,
    *,
    data: str = "data",
    y_true: ArrayLike | None = None,
    seconds: float | None = None,
    warnings: Sequence[str] = (),
    names: Sequence[str] = (),
) -> FitSummary:
    """Summarize a fitted model.

    Parameters
    ----------
    model : estimator
        GraphTailor, JointModel or one of the compared methods, fitted.
    data : str, default="data"
        Name of the data.
    y_true : array-like of shape (n,) or None, default=None
        Known classes, for the scores.
    seconds : float or None, default=None
        How long the fit took.
    warnings : sequence of str, default=()
        Warnings of the fit.
    names : sequence of str, default=()
        Names of the clusters; a known class comes before them.

    Returns
    -------
    FitSummary
        The summary.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.report import summarize_fit
    >>> iris = load_iris()
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(iris.data)
    >>> summary = summarize_fit(model, data="iris", y_true=iris.target)
    >>> sum(summary.sizes), list(summary.scores)
    (150, ['ACC', 'NMI', 'PUR', 'ARI'])
    """
    view = view_of(model)
    n_clusters = view.n_clusters or int(np.max(view.labels)) + 1
    sizes = np.bincount(view.labels, minlength=n_clusters).tolist()
    return FitSummary(
        data=data,
        method=view.name,
        n_samples=len(view.labels),
        n_features=view.n_features,
        n_clusters=n_clusters,
        sizes=sizes,
        objective=float(view.objective[-1]),
        objective_at_start=float(view.objective[0]),
        n_iter=view.n_iter,
        converged=view.converged,
        seconds=seconds,
        scores=None if y_true is None else clustering_scores(y_true, view.labels),
        starts=_starts(view),
        parameters=dict(view.parameters),
        versions=package_versions(),
        warnings=[*warnings, *_empty_cluster_warning(sizes)],
        decision=None if view.decision is None else _plain_decision(view.decision),
        names=class_names(view.classes, names) if names else [],
    )


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that results depend on."""
    found = {package: version(package) for package in _PACKAGES}
    return {"python": python_version(), **found}


def _plain_decision(decision: Decision) -> dict[str, Any]:
    fields = {k: _listed(value) for k, value in asdict(decision).items()}
    return {"sentences": decision.sentences(), **fields}


def _listed(value: object) -> Any:
    """Tuples as lists, as JSON gives them back."""
    return [_listed(each) for each in value] if isinstance(value, tuple) else value


def _empty_cluster_warning(sizes: Sequence[int]) -> list[str]:
    filled = sum(size > 0 for size in sizes)
    if filled == len(sizes):
        return []
    have = "cluster has" if filled == 1 else "clusters have"
    return [
        f"Only {filled} {have} rows, although {len(sizes)} were asked for: the graph "
        "has fewer separate parts, or too few rows differ. Ask for fewer clusters."
    ]


def _starts(view: FittedView) -> list[dict[str, Any]]:
    return [
        {
            "kind": start.kind,
            "objective": float(start.objective),
            "agreement": float(adjusted_rand_score(view.vertex_labels, start.labels)),
        }
        for start in view.starts
    ]
