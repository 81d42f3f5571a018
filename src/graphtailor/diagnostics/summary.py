"""A fit in numbers: what the terminal, the JSON file and the report all show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from importlib.metadata import version
from numbers import Real
from platform import python_version
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from graphtailor.diagnostics.model_access import vertex_labels
from graphtailor.metrics import clustering_scores

_PACKAGES = ("graphtailor", "scikit-learn", "numpy", "scipy", "numba")


@dataclass(frozen=True)
class FitSummary:
    """What a fit found.

    Attributes
    ----------
    data, method : str
        What was clustered, and how.
    n_samples, n_features, n_clusters : int
        Sizes.
    sizes : list of int
        Samples in each cluster.
    objective, objective_at_start : float
        Last and first value of the objective.
    n_iter : int
        Iterations.
    converged : bool
        Whether the method came to rest.
    seconds : float or None
        Time of the fit.
    scores : dict of str to float, or None
        Agreement with the known classes.
    starts : list of dict
        Kind, objective and agreement with the kept clusters (adjusted Rand index) of
        every start.
    parameters : dict
        Of the model.
    versions : dict of str to str
        Of Python and the packages.
    warnings : list of str
        What the fit complained of.
    settings : dict of str to float or str
        Of the joint model: the alpha, beta and diffusion that were used.
    selection : list of dict
        The settings among which they were chosen, each with its agreement.
    """

    data: str
    method: str
    n_samples: int
    n_features: int
    n_clusters: int
    sizes: list[int]
    objective: float
    objective_at_start: float
    n_iter: int
    converged: bool
    seconds: float | None
    scores: dict[str, float] | None
    starts: list[dict[str, Any]]
    parameters: dict[str, Any]
    versions: dict[str, str]
    warnings: list[str] = field(default_factory=list)
    settings: dict[str, float | str] = field(default_factory=dict)
    selection: list[dict[str, float]] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return asdict(self)


def summarize_fit(
    model: Any,
    *,
    data: str = "data",
    y_true: Any = None,
    seconds: float | None = None,
    method: str | None = None,
    warnings: Sequence[str] = (),
) -> FitSummary:
    """Sum up a fitted model.

    Parameters
    ----------
    model : estimator
        GraphTailor or one of the compared methods, fitted.
    data : str, default="data"
        Name of the data.
    y_true : array-like of shape (n,) or None, default=None
        Known classes, for the scores.
    seconds : float or None, default=None
        How long the fit took.
    method : str or None, default=None
        Name of the method; None takes that of the class.
    warnings : sequence of str, default=()
        What the fit complained of.

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
    >>> model = GraphTailor(n_clusters=3, n_init=2, random_state=0).fit(iris.data)
    >>> summary = summarize_fit(model, data="iris", y_true=iris.target)
    >>> sum(summary.sizes), list(summary.scores)
    (150, ['ACC', 'NMI', 'PUR', 'ARI'])
    """
    objective = np.atleast_1d(model.objective_)
    found = int(np.max(model.labels_)) + 1
    # A model that finds the number itself has no number for a parameter.
    asked = found if isinstance(model.n_clusters, str) else int(model.n_clusters)
    sizes = np.bincount(model.labels_, minlength=asked).tolist()
    return FitSummary(
        data=data,
        method=method or type(model).__name__,
        n_samples=len(model.labels_),
        n_features=int(model.n_features_in_),
        n_clusters=asked,
        sizes=sizes,
        objective=float(objective[-1]),
        objective_at_start=float(objective[0]),
        n_iter=int(model.n_iter_),
        converged=bool(model.converged_),
        seconds=seconds,
        scores=None if y_true is None else clustering_scores(y_true, model.labels_),
        starts=_starts(model),
        parameters={
            name: _plain(value) for name, value in model.get_params(deep=False).items()
        },
        versions=package_versions(),
        warnings=[*warnings, *_said_of_empty(sizes)],
        settings=settings_of(model),
        selection=_selection(model),
    )


def settings_of(model: Any) -> dict[str, float | str]:
    """Graph, weights and diffusion that a model used; empty if it has none."""
    return {
        name: _plain(getattr(model, f"{name}_"))
        for name in ("graph", "alpha", "beta", "diffusion")
        if hasattr(model, f"{name}_")
    }


def _selection(model: Any) -> list[dict[str, float]]:
    tried = getattr(model, "selection_", {})
    columns = [values.tolist() for values in tried.values()]
    return [dict(zip(tried, row, strict=True)) for row in zip(*columns, strict=True)]


def _said_of_empty(sizes: Sequence[int]) -> list[str]:
    filled = sum(size > 0 for size in sizes)
    if filled == len(sizes):
        return []
    have = "cluster has" if filled == 1 else "clusters have"
    return [
        f"Only {filled} {have} rows, though {len(sizes)} were asked for: the graph "
        "falls into fewer parts, or too few rows differ. Ask for fewer clusters."
    ]


def package_versions() -> dict[str, str]:
    """Versions of Python and of the packages that results depend on."""
    found = {package: version(package) for package in _PACKAGES}
    return {"python": python_version(), **found}


def _starts(model: Any) -> list[dict[str, Any]]:
    return [
        {
            "kind": start.kind,
            "objective": float(start.objective),
            "agreement": float(adjusted_rand_score(vertex_labels(model), start.labels)),
        }
        for start in getattr(model, "starts_", [])
    ]


def _plain(value: Any) -> Any:
    """A parameter as JSON holds it; what is no number or name is written out."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | Real):
        return value
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    return repr(value)
