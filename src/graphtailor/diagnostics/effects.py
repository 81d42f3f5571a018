"""How much each cluster differs from the other rows, feature by feature."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy import sparse

# Only the most frequent categories of a column are compared.
_MOST_CATEGORIES = 30
_MISSING = "missing"
# Missing values are compared from this number of rows, or this share of them, on.
_FEW_MISSING, _LITTLE_MISSING = 5, 0.05
# Kinds of columns that do not describe rows: names, long texts, a single value.
_NOT_DESCRIBED = frozenset({"id", "text", "constant", "empty", "label"})


class ReadColumn(Protocol):
    """How a column of a table was read; :class:`graphtailor.tables.Column` is one."""

    @property
    def name(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def is_used(self) -> bool: ...
    @property
    def date_format(self) -> str | None: ...
    def read(self, values: pd.Series) -> Any: ...


@dataclass(frozen=True)
class Effects:
    """Clusters compared with all other rows.

    Attributes
    ----------
    names : list of str
        The compared quantities: a column, or one category of it.
    places : list of int
        Number of the column that each quantity comes from.
    kinds : list of {"number", "date", "share"}
        Means of numbers, means of dates (in seconds since 1970), or shares of rows.
    inside, outside : ndarray of shape (c, t)
        Mean or share in each cluster, and among all other rows.
    effect : ndarray of shape (c, t)
        Their difference in standard deviations over all rows.
    """

    names: list[str]
    places: list[int]
    kinds: list[str]
    inside: np.ndarray
    outside: np.ndarray
    effect: np.ndarray


def feature_names(X: Any) -> list[str]:
    """Names of the columns of a DataFrame, or f1, f2, ... for an array."""
    if isinstance(X, pd.DataFrame):
        return [str(name) for name in X.columns]
    return [f"f{j + 1}" for j in range(X.shape[1])]


def feature_effects(X: Any, labels: np.ndarray) -> Effects:
    r"""Compare each cluster with all other rows in every feature.

    The effect is :math:`(\bar x_{in} - \bar x_{out}) / s` with s the standard deviation
    over all rows. A category counts as a feature that is 1 or 0, so that numbers and
    categories are ranked on one scale. Means leave missing values out; their frequency
    counts as a category of its own.

    Parameters
    ----------
    X : {DataFrame, ndarray, sparse array} of shape (n, d)
        Features in the units of the user; columns of a DataFrame may hold text.
    labels : ndarray of shape (n,)
        Clusters.

    Returns
    -------
    Effects
        A row for each cluster number up to the largest.

    Examples
    --------
    >>> import numpy as np
    >>> import pandas as pd
    >>> from graphtailor.diagnostics.effects import feature_effects
    >>> frame = pd.DataFrame({"size": [1.0, 1, 3, 3], "tint": ["red", "red", "b", "b"]})
    >>> found = feature_effects(frame, np.array([0, 0, 1, 1]))
    >>> found.names, found.inside[0].tolist(), found.effect[0].tolist()
    (['size', 'tint = b', 'tint = red'], [1.0, 0.0, 1.0], [-2.0, -2.0, 2.0])
    """
    n = len(labels)
    ones = np.ones(n)
    member = sparse.csr_array((ones, (labels, np.arange(n))))
    if not isinstance(X, pd.DataFrame):
        names = feature_names(X)
        kinds = ["number"] * len(names)
        return Effects(names, [*range(len(names))], kinds, *_compare(member, X))
    names, places, kinds, parts = [], [], [], []
    for j, column in enumerate(feature_names(X)):
        for name, kind, numbers in _as_numbers(column, X.iloc[:, j]):
            names.append(name)
            places.append(j)
            kinds.append(kind)
            parts.append(_compare(member, numbers[:, None]))
    if not parts:
        nothing = np.zeros((member.shape[0], 0))
        return Effects([], [], [], nothing, nothing, nothing)
    inside, outside, effect = (np.hstack(each) for each in zip(*parts, strict=True))
    return Effects(names, places, kinds, inside, outside, effect)


def column_kind(values: pd.Series) -> str:
    """ "number", "date" or "category"."""
    types = pd.api.types
    if types.is_bool_dtype(values):
        return "category"
    if types.is_numeric_dtype(values) and not types.is_complex_dtype(values):
        return "number"
    return "date" if types.is_datetime64_any_dtype(values) else "category"


def numbers_of(values: pd.Series) -> np.ndarray:
    """A column of numbers or dates as float64; dates in seconds since 1970."""
    if column_kind(values) == "date":
        stamps = pd.to_datetime(values, utc=True).dt.tz_localize(None)
        moments = stamps.to_numpy("datetime64[ms]")
        seconds = moments.astype(np.int64) / 1000.0
        return np.where(np.isnat(moments), np.nan, seconds)
    return values.to_numpy(dtype=np.float64, na_value=np.nan)


def _as_numbers(column: str, values: pd.Series) -> list[tuple[str, str, np.ndarray]]:
    """Name, kind and numbers of everything that is compared in a column."""
    kind = column_kind(values)
    compared = []
    if kind == "category":
        codes, categories = pd.factorize(values.astype(str).where(values.notna()))
        counts = np.bincount(codes[codes >= 0], minlength=len(categories))
        leading = np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]
        named = sorted((str(categories[k]), k) for k in leading)
        # A column with nearly as many categories as rows holds names, not kinds.
        if len(categories) <= max(len(values) // 2, 2):
            compared = [
                (f"{column} = {name}", "share", (codes == k).astype(np.float64))
                for name, k in named
            ]
    else:
        compared = [(column, kind, numbers_of(values))]
    missing = values.isna().to_numpy()
    if missing.sum() >= min(_FEW_MISSING, max(_LITTLE_MISSING * len(missing), 1)):
        name = (
            f"{column} = {_MISSING}" if kind == "category" else f"{column} {_MISSING}"
        )
        compared.append((name, "share", missing.astype(np.float64)))
    return compared


def _compare(member: sparse.csr_array, X: Any) -> tuple[np.ndarray, ...]:
    """Means of each cluster and of the rest, and the standardised difference."""
    moments = _sparse_moments if sparse.issparse(X) else _dense_moments
    scale, sums, counts, spread, still = moments(member, X)
    total, all_known = sums.sum(axis=0), counts.sum(axis=0)
    inside = _ratio(sums, counts)
    outside = _ratio(total - sums, all_known - counts)
    # The spread of a constant feature is a rounding error, and so are its differences.
    varies = (spread > still) & np.isfinite(inside) & np.isfinite(outside)
    effect = np.zeros_like(inside)
    np.divide(inside - outside, spread, out=effect, where=varies)
    return inside * scale, outside * scale, effect


def _dense_moments(member: sparse.csr_array, X: Any) -> tuple[Any, ...]:
    """Scale of each feature; sums, counts, spread in that scale; rounding error."""
    X = np.asarray(X, dtype=np.float64)
    known = ~np.isnan(X)
    # Dividing by the largest value keeps the squares from overflow and underflow.
    scale = np.abs(X).max(axis=0, initial=0, where=known)
    scale = np.where(scale > 0, scale, 1.0)
    scaled = np.where(known, X, 0.0) / scale
    sums, counts = member @ scaled, member @ known.astype(np.float64)
    off = np.where(known, scaled - _ratio(sums.sum(axis=0), counts.sum(axis=0)), 0.0)
    spread = np.sqrt(_ratio(np.square(off).sum(axis=0), counts.sum(axis=0)))
    return scale, sums, counts, spread, 1e-12


def _sparse_moments(member: sparse.csr_array, X: Any) -> tuple[Any, ...]:
    """The same for sparse features, which stay sparse."""
    scale = abs(X).max(axis=0).toarray().ravel()
    scale = np.where(scale > 0, scale, 1.0).astype(np.float64)
    scaled = sparse.csr_array(X) @ sparse.diags_array(1 / scale)
    n = X.shape[0]
    sums = (member @ scaled).toarray()
    counts = np.repeat(member.sum(axis=1)[:, None], X.shape[1], axis=1)
    squares = np.asarray(scaled.multiply(scaled).sum(axis=0)).ravel()
    spread = np.sqrt(np.maximum(squares / n - (sums.sum(axis=0) / n) ** 2, 0.0))
    return scale, sums, counts, spread, 1e-7


def _ratio(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Means; nan where no value is known."""
    means = np.full(np.shape(sums), np.nan)
    return np.divide(sums, counts, out=means, where=counts > 0.5)


def described_frame(
    frame: pd.DataFrame, columns: Sequence[ReadColumn], label: str | None = None
) -> pd.DataFrame:
    """The columns that describe the rows, with numbers, dates and categories as such.

    Parameters
    ----------
    frame : DataFrame
        All columns in the units of the user.
    columns : sequence of ReadColumn
        How each column was read; other columns are taken as they are.
    label : str or None, default=None
        Column of the known classes, which is left out.

    Returns
    -------
    DataFrame
        Columns that the model did not use are left out too.

    Examples
    --------
    >>> import pandas as pd
    >>> from graphtailor.tables import Column
    >>> frame = pd.DataFrame({"name": ["a", "b"], "zip": [1, 2]})
    >>> read = [Column("name", "id", ""), Column("zip", "category", "", "levels")]
    >>> described_frame(frame, read)["zip"].tolist()
    ['1', '2']
    """
    known = {str(column.name): column for column in columns}
    described = {}
    for name in frame.columns:
        column = known.get(str(name))
        if str(name) == label or (column is not None and not _describes(column)):
            continue
        values = frame[name]
        described[str(name)] = values if column is None else _as_read(values, column)
    return pd.DataFrame(described, index=frame.index, copy=False)


def _describes(column: ReadColumn) -> bool:
    return column.is_used and column.kind not in _NOT_DESCRIBED


def _as_read(values: pd.Series, column: ReadColumn) -> pd.Series:
    """Convert text that was read as numbers or dates, and codes of categories."""
    if column.kind == "date" and not pd.api.types.is_datetime64_any_dtype(values):
        how = column.date_format
        return pd.to_datetime(values, format=how, errors="coerce", utc=True)
    if column.kind == "category":
        return values.astype(str).where(values.notna())
    if column.kind == "numeric" and not pd.api.types.is_numeric_dtype(values):
        return pd.Series(column.read(values), index=values.index)
    return values
