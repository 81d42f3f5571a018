"""The most typical and the most doubtful rows of a cluster."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor.diagnostics.certainty import Certainty
from graphtailor.diagnostics.formatting import shown_cell
from graphtailor.diagnostics.profile import ClusterProfile

_MOST_COLUMNS = 3
# Nobody doubts a row above it.
_SURE = 0.95


@dataclass(frozen=True)
class Row:
    """A row of a cluster.

    Attributes
    ----------
    name : str
        Of the row.
    share : float
        How certain its cluster is.
    second : int
        The next best cluster; -1 where there is none.
    cells : list of str
        Its values.
    """

    name: str
    share: float
    second: int
    cells: list[str]


@dataclass(frozen=True)
class RowExamples:
    """Rows of a cluster with their values in the columns that set it apart."""

    columns: list[str]
    typical: list[Row]
    doubtful: list[Row]


def example_rows(
    profile: ClusterProfile,
    labels: np.ndarray,
    certainty: Certainty,
    X: Any,
    names: Any,
    most: int = 5,
) -> RowExamples:
    """Rows that show what a cluster is, and where it ends.

    Parameters
    ----------
    profile : ClusterProfile
        The cluster and what sets it apart.
    labels : ndarray of shape (n,)
        Clusters of all rows.
    certainty : Certainty
        Of all rows.
    X : {DataFrame, ndarray, sparse array} of shape (n, d)
        Features in the units of the user; not needed where nothing sets it apart.
    names : RowNames or list of str
        Names of the rows.
    most : int, default=5
        Rows of each sort.

    Returns
    -------
    RowExamples
        The most typical first; the most doubtful first.
    """
    members = np.flatnonzero(labels == profile.cluster)
    traits = profile.traits[:_MOST_COLUMNS]

    def row(i: int) -> Row:
        cells = [shown_cell(_cell(X, i, trait.place)) for trait in traits]
        second = int(certainty.second[i])
        return Row(names[i], float(certainty.share[i]), second, cells)

    typical = members[np.argsort(-certainty.strength[members], kind="stable")[:most]]
    doubtful = members[np.argsort(certainty.share[members], kind="stable")[:most]]
    return RowExamples(
        [trait.column for trait in traits],
        [row(i) for i in typical],
        [row(i) for i in doubtful if certainty.share[i] < _SURE],
    )


def _cell(X: Any, i: int, place: int) -> Any:
    if isinstance(X, pd.DataFrame):
        return X.iat[i, place]
    return X[[i]][:, [place]].toarray()[0, 0] if sparse.issparse(X) else X[i, place]
