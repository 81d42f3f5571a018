"""What sets each cluster apart: its leading differences from the rest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor.diagnostics.effects import (
    Effects,
    feature_effects,
    feature_names,
    numbers_of,
)
from graphtailor.diagnostics.formatting import shown_value
from graphtailor.diagnostics.model_access import spread_sample

# Quartiles of so many rows are those of all, to the eye.
_ROWS_FOR_QUARTILES = 20_000
# A difference that nobody would call one.
_LEAST_EFFECT = 0.1


@dataclass(frozen=True)
class Spread:
    """The middle half of a feature's values, as places from 0 to 1 on a common axis.

    Attributes
    ----------
    inside, outside : tuple of float
        Lower quartile, median and upper quartile in the cluster and among the rest.
    low, high : str
        Ends of the axis: the range of all but the outermost hundredths.
    """

    inside: tuple[float, float, float]
    outside: tuple[float, float, float]
    low: str
    high: str


@dataclass(frozen=True)
class Trait:
    """A difference between a cluster and the rest.

    Attributes
    ----------
    feature : str
        Its name.
    column : str
        The column that it comes from.
    place : int
        Number of that column.
    kind : {"number", "date", "share"}
        What is compared.
    inside, outside : float
        Mean or share in the cluster, and among all other rows.
    effect : float
        Their difference in standard deviations over all rows.
    spread : Spread or None
        Where the values lie; None for shares.
    """

    feature: str
    column: str
    place: int
    kind: str
    inside: float
    outside: float
    effect: float
    spread: Spread | None = None

    def told(self, value: float) -> str:
        """A mean or a share in words."""
        return shown_value(value, self.kind)


@dataclass(frozen=True)
class ClusterProfile:
    """A cluster, and what sets it apart, the strongest first."""

    cluster: int
    size: int
    traits: list[Trait]


def cluster_profiles(
    X: Any, labels: np.ndarray, n_traits: int = 6, *, effects: Effects | None = None
) -> list[ClusterProfile]:
    """Describe clusters by what differs most from the rest.

    Parameters
    ----------
    X : {DataFrame, ndarray, sparse array} of shape (n, d)
        Features in the units of the user.
    labels : ndarray of shape (n,)
        Clusters.
    n_traits : int, default=6
        Differences to name for each cluster; one of each column at most.
    effects : Effects or None, default=None
        From :func:`~graphtailor.diagnostics.effects.feature_effects`; made if None.

    Returns
    -------
    list of ClusterProfile
        One for each cluster that has samples.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.report import cluster_profiles
    >>> X = np.array([[0.0, 5.0], [0.0, 6.0], [9.0, 5.0], [9.0, 6.0]])
    >>> first = cluster_profiles(X, np.array([0, 0, 1, 1]))[0]
    >>> [(trait.feature, trait.inside, trait.outside) for trait in first.traits]
    [('f1', 0.0, 9.0)]
    """
    effects = effects or feature_effects(X, labels)
    sizes = np.bincount(labels)
    sample = spread_sample(labels, _ROWS_FOR_QUARTILES)
    return [
        ClusterProfile(
            k, int(sizes[k]), _traits(X, labels, sample, effects, k, n_traits)
        )
        for k in np.flatnonzero(sizes).tolist()
    ]


def _traits(
    X: Any, labels: np.ndarray, sample: np.ndarray, effects: Effects, k: int, most: int
) -> list[Trait]:
    columns = feature_names(X)
    chosen: dict[int, Trait] = {}
    for j in np.argsort(-np.abs(effects.effect[k]), kind="stable"):
        place, kind = effects.places[j], effects.kinds[j]
        if len(chosen) == most or abs(effects.effect[k, j]) < _LEAST_EFFECT:
            break
        if place in chosen:
            continue
        spread = None
        if kind != "share":
            values = _column(X, place, sample)
            spread = _spread(values, labels[sample] == k, kind)
        chosen[place] = Trait(
            feature=effects.names[j],
            column=columns[place],
            place=place,
            kind=kind,
            inside=float(effects.inside[k, j]),
            outside=float(effects.outside[k, j]),
            effect=float(effects.effect[k, j]),
            spread=spread,
        )
    return list(chosen.values())


def _column(X: Any, place: int, rows: np.ndarray) -> np.ndarray:
    if isinstance(X, pd.DataFrame):
        return numbers_of(X.iloc[rows, place])
    values = X[rows][:, [place]]
    values = values.toarray() if sparse.issparse(values) else values
    return np.asarray(values, dtype=np.float64).ravel()


def _spread(values: np.ndarray, inside: np.ndarray, kind: str) -> Spread | None:
    known = np.isfinite(values)
    if not (known & inside).any() or not (known & ~inside).any():
        return None
    quarters = (0.25, 0.5, 0.75)
    mine = np.quantile(values[known & inside], quarters)
    rest = np.quantile(values[known & ~inside], quarters)
    low, high = np.quantile(values[known], (0.01, 0.99))
    low, high = min(low, mine[0], rest[0]), max(high, mine[2], rest[2])
    width = high - low if high > low else 1.0

    def placed(numbers: np.ndarray) -> tuple[float, float, float]:
        first, middle, last = ((numbers - low) / width).tolist()
        return first, middle, last

    return Spread(
        placed(mine), placed(rest), shown_value(low, kind), shown_value(high, kind)
    )
