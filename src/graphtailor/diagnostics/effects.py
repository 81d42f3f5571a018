"""How far each cluster is from the rest, feature by feature."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

# Of a column with many categories the commonest are described.
_MOST_CATEGORIES = 30
_MISSING = "missing"
# A gap or two in a long column say nothing about a cluster.
_FEW_MISSING, _LITTLE_MISSING = 5, 0.05


@dataclass(frozen=True)
class Effects:
    """Clusters against the rest.

    Attributes
    ----------
    names : list of str
        What is compared: a column, or one category of it.
    places : list of int
        The column that each of them comes from, by its number.
    kinds : list of {"number", "date", "share"}
        Means of numbers, means of dates (in seconds since 1970), or shares of rows.
    inside, outside : ndarray of shape (c, t)
        Mean or share in each cluster and among all other rows.
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
    """Names of the columns; f1, f2, ... where they have none."""
    names = [str(name) for name in getattr(X, "columns", [])]
    return names or [f"f{j + 1}" for j in range(X.shape[1])]


def feature_effects(X: Any, labels: np.ndarray) -> Effects:
    r"""Compare each cluster with the rest in every feature.

    The effect is :math:`(\bar x_{in} - \bar x_{out}) / s` with s the standard deviation
    over all rows; a category is a feature that is 1 or 0, so that numbers and
    categories rank on one scale. Missing values are left out of the means, and how
    often they occur is a category of its own.

    Parameters
    ----------
    X : {DataFrame, ndarray, sparse array} of shape (n, d)
        Features in the units of the user; columns of a frame may hold text.
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
    """What of a column is compared: name, kind and numbers of each."""
    kind = column_kind(values)
    compared = []
    if kind == "category":
        codes, categories = pd.factorize(values.astype(str).where(values.notna()))
        counts = np.bincount(codes[codes >= 0], minlength=len(categories))
        leading = np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]
        named = sorted((str(categories[k]), k) for k in leading)
        # As many categories as rows are names of the rows, not kinds of them.
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
    # A feature that never changes sets nothing apart, whatever rounding leaves.
    varies = (spread > still) & np.isfinite(inside) & np.isfinite(outside)
    effect = np.zeros_like(inside)
    np.divide(inside - outside, spread, out=effect, where=varies)
    return inside * scale, outside * scale, effect


def _dense_moments(member: sparse.csr_array, X: Any) -> tuple[Any, ...]:
    """Scale of each feature; sums, counts and spread in that scale; what is still."""
    X = np.asarray(X, dtype=np.float64)
    known = ~np.isnan(X)
    # Divided by the largest first, so that squares neither overflow nor vanish.
    scale = np.abs(X).max(axis=0, initial=0, where=known)
    scale = np.where(scale > 0, scale, 1.0)
    scaled = np.where(known, X, 0.0) / scale
    sums, counts = member @ scaled, member @ known.astype(np.float64)
    off = np.where(known, scaled - _ratio(sums.sum(axis=0), counts.sum(axis=0)), 0.0)
    spread = np.sqrt(_ratio(np.square(off).sum(axis=0), counts.sum(axis=0)))
    return scale, sums, counts, spread, 1e-12


def _sparse_moments(member: sparse.csr_array, X: Any) -> tuple[Any, ...]:
    """As for dense features, without making them dense."""
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
    """Means; not a number where nothing was counted."""
    means = np.full(np.shape(sums), np.nan)
    return np.divide(sums, counts, out=means, where=counts > 0.5)
