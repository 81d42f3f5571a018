"""What distinguishes each cluster from all other rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from graphtailor.diagnostics.effects import (
    Effects,
    feature_effects,
    feature_names,
    numbers_of,
)
from graphtailor.diagnostics.formatting import shown_value
from graphtailor.diagnostics.levels import spread_sample
from graphtailor.linalg.sparse import to_dense
from graphtailor.linalg.types import MatrixLike

# Smaller differences, in standard deviations, are not worth a line.
_LEAST_EFFECT = 0.1
# Differences that are named for each cluster, at most one for each column.
_MOST_TRAITS = 6


@dataclass(frozen=True)
class Spread:
    """The middle half of a feature's values, as places from 0 to 1 on a common axis."""

    # inside and outside: lower quartile, median and upper quartile in the cluster and
    # among other rows.
    inside: tuple[float, float, float]
    outside: tuple[float, float, float]
    # low and high: ends of the axis, the first and the last percentile of all values.
    low: str
    high: str


@dataclass(frozen=True)
class Trait:
    """A difference between a cluster and all other rows."""

    feature: str  # name of the feature
    column: str  # the column that it comes from
    place: int  # number of that column
    # "number", "year", "date", "share": whether means of numbers, years or dates, or
    # shares of rows are compared.
    kind: str
    level: str | None  # the category that a share counts
    # inside and outside: mean or share in the cluster, and among all other rows.
    inside: float
    outside: float
    effect: float  # their difference in standard deviations over all rows
    spread: Spread | None = None  # where the values lie; None for shares

    def shown(self, value: float) -> str:
        """A mean or a share as text."""
        return shown_value(value, self.kind)


@dataclass(frozen=True)
class ClusterProfile:
    """A cluster and its differences from all other rows, the largest first."""

    cluster: int
    size: int
    traits: list[Trait]


def cluster_profiles(X: MatrixLike, labels: np.ndarray) -> list[ClusterProfile]:
    """Describe each cluster by its largest differences from all other rows.

    Parameters
    ----------
    X : {DataFrame, ndarray, sparse array} of shape (n, d)
        Features in the units of the user.
    labels : ndarray of shape (n,)
        Clusters.

    Returns
    -------
    list of ClusterProfile
        One for each cluster that has rows, with six differences at most.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.report import cluster_profiles
    >>> X = np.array([[0.0, 5.0], [0.0, 6.0], [9.0, 5.0], [9.0, 6.0]])
    >>> first = cluster_profiles(X, np.array([0, 0, 1, 1]))[0]
    >>> [(trait.feature, trait.inside, trait.outside) for trait in first.traits]
    [('f1', 0.0, 9.0)]
    """
    effects = feature_effects(X, labels)
    sizes = np.bincount(labels)
    # Quartiles of a sample of this size look the same as those of all rows.
    sample = spread_sample(labels, 20_000)
    return [
        ClusterProfile(k, int(sizes[k]), traits_of(X, labels == k, sample, effects, k))
        for k in np.flatnonzero(sizes).tolist()
    ]


def traits_of(
    X: MatrixLike, inside: np.ndarray, sample: np.ndarray, effects: Effects, k: int
) -> list[Trait]:
    """The largest differences of group `k` in `effects`, at most one for each column.

    A category is named where it is more frequent than among other rows: of "female"
    and "male" the one that is there. `inside` marks the rows of the group; quartiles
    are taken from the rows of the sample.
    """
    columns = feature_names(X)
    chosen: dict[int, Trait] = {}
    for j in np.argsort(-np.abs(effects.effect[k]), kind="stable"):
        place, kind = effects.places[j], effects.kinds[j]
        if len(chosen) == _MOST_TRAITS or abs(effects.effect[k, j]) < _LEAST_EFFECT:
            break
        if place in chosen or (kind == "share" and effects.effect[k, j] < 0):
            continue
        spread = None
        if kind != "share":
            values = _column(X, place, sample)
            spread = _spread(values, inside[sample], kind)
        chosen[place] = Trait(
            feature=effects.names[j],
            column=columns[place],
            place=place,
            kind=kind,
            level=effects.levels[j],
            inside=float(effects.inside[k, j]),
            outside=float(effects.outside[k, j]),
            effect=float(effects.effect[k, j]),
            spread=spread,
        )
    return list(chosen.values())


def _column(X: Any, place: int, rows: np.ndarray) -> np.ndarray:
    if isinstance(X, pd.DataFrame):
        return numbers_of(X.iloc[rows, place])
    return to_dense(X[rows][:, [place]]).astype(np.float64).ravel()


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
