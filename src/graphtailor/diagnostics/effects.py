"""How much each cluster differs from the other rows, feature by feature."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor.diagnostics.formatting import shown_cell
from graphtailor.linalg.sparse import intact
from graphtailor.linalg.types import MatrixLike

# Only the most frequent categories of a column are compared.
_MOST_CATEGORIES = 30
_MISSING = "missing"
# Missing values are compared from this number of rows, or this share of them, on.
_FEW_MISSING, _LITTLE_MISSING = 5, 0.05
# These rows mostly show that a column has more than two values.
_FIRST = 1000
# Numbers that are compared together: one column at a time in long tables.
_COMPARED_AT_ONCE = 1 << 16
# Whole numbers between these may be years.
_YEARS = (1000, 2200)
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
    """Clusters compared with all other rows."""

    names: list[str]  # the compared quantities: a column, or one category of it
    places: list[int]  # number of the column that each quantity comes from
    # Means of numbers, of years, of dates (in seconds since 1970), or shares of rows.
    kinds: list[str]
    levels: list[str | None]  # the category that each share counts; None for means
    # inside and outside, (c, t): mean or share in each cluster, and among all other
    # rows.
    inside: np.ndarray
    outside: np.ndarray
    effect: np.ndarray  # (c, t): their difference in standard deviations over all rows


def feature_names(X: Any) -> list[str]:
    """Names of the columns of a DataFrame, or f1, f2, ... for an array."""
    if isinstance(X, pd.DataFrame):
        return [str(name) for name in X.columns]
    return [f"f{j + 1}" for j in range(X.shape[1])]


def feature_effects(X: MatrixLike, labels: np.ndarray | sparse.csr_array) -> Effects:
    r"""Compare each cluster with all other rows in every feature.

    The effect is :math:`(\bar x_{in} - \bar x_{out}) / s` with s the standard deviation
    over all rows. A category counts as a feature that is 1 or 0, so that numbers and
    categories are ranked on one scale; a number with two values is a category. Means
    leave missing values out; their frequency counts as a category of its own.

    Groups may overlap, in a matrix with a one for each of their rows. There is a row of
    effects for each cluster number up to the largest, or for each group.
    """
    member = labels
    if not sparse.issparse(labels):
        n = len(labels)
        member = sparse.csr_array((np.ones(n), (labels, np.arange(n))))
    if not isinstance(X, pd.DataFrame):
        names = feature_names(X)
        t = len(names)
        levels: list[str | None] = [None] * t
        compared = _compare(member, intact(X))
        return Effects(names, [*range(t)], ["number"] * t, levels, *compared)
    places, found = [], []
    for j, (column, values) in enumerate(X.items()):
        for quantity in _quantities(str(column), values):
            places.append(j)
            found.append(quantity)
    if not found:
        nothing = np.zeros((member.shape[0], 0))
        return Effects([], [], [], [], nothing, nothing, nothing)
    step = max(_COMPARED_AT_ONCE // len(X), 1)
    parts = [
        _compare(member, np.column_stack([q.numbers for q in found[i : i + step]]))
        for i in range(0, len(found), step)
    ]
    inside, outside, effect = (np.hstack(each) for each in zip(*parts, strict=True))
    return Effects(
        [quantity.name for quantity in found],
        places,
        [quantity.kind for quantity in found],
        [quantity.level for quantity in found],
        *(inside, outside, effect),
    )


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


class _Quantity(NamedTuple):
    """Something that is compared: a column of numbers, or one category."""

    name: str
    kind: str
    level: str | None
    numbers: np.ndarray


def _quantities(column: str, values: pd.Series) -> list[_Quantity]:
    """Everything that is compared in a column."""
    kind = column_kind(values)
    compared = []
    numbers = np.empty(0) if kind == "category" else numbers_of(values)
    if kind == "date" or (kind == "number" and _n_extremes(numbers) != 2):
        kind = "year" if are_years(numbers) else kind
        compared = [_Quantity(column, kind, None, numbers)]
    else:
        codes, categories = pd.factorize(as_categories(values))
        counts = np.bincount(codes[codes >= 0], minlength=len(categories))
        leading = np.argsort(-counts, kind="stable")[:_MOST_CATEGORIES]
        named = sorted((str(categories[k]), k) for k in leading)
        # A column with nearly as many categories as rows holds names, not kinds.
        if len(categories) <= max(len(values) // 2, 2):
            compared = [_share(f"{column} = {v}", v, codes == k) for v, k in named]
    missing = np.isnan(numbers) if len(numbers) else values.isna().to_numpy()
    if missing.sum() >= min(_FEW_MISSING, max(_LITTLE_MISSING * len(missing), 1)):
        sign = " = " if kind == "category" else " "
        compared.append(_share(f"{column}{sign}{_MISSING}", _MISSING, missing))
    return compared


def _share(name: str, level: str, is_there: np.ndarray) -> _Quantity:
    return _Quantity(name, "share", level, is_there.astype(np.float64))


def has_two_values(values: pd.Series) -> bool:
    """Whether a column of numbers has two different values, as yes and no have."""
    return column_kind(values) == "number" and _n_extremes(numbers_of(values)) == 2


def _n_extremes(numbers: np.ndarray) -> int:
    """How many different numbers there are, up to three."""
    if len(numbers) > _FIRST and _n_extremes(numbers[:_FIRST]) > 2:
        return 3
    found = numbers[~np.isnan(numbers)]
    if len(found) == 0:
        return 0
    low, high = found.min(), found.max()
    return 1 + int(low < high) if ((found == low) | (found == high)).all() else 3


def as_categories(values: pd.Series) -> pd.Series:
    """The values as text, numbers as a reader meets them; missing ones stay missing."""
    text = values.map(shown_cell) if column_kind(values) == "number" else values
    return text.astype(str).where(values.notna())


def are_years(numbers: np.ndarray) -> bool:
    """Whether all numbers may be years, which are written without commas."""
    known = numbers[np.isfinite(numbers)]
    first, last = _YEARS
    return bool(
        len(known)
        and ((known >= first) & (known <= last)).all()
        and (known == np.round(known)).all()
    )


def _compare(member: sparse.csr_array, X: MatrixLike) -> tuple[np.ndarray, ...]:
    """Means of each cluster and of the rest, and the standardised difference."""
    moments = _sparse_moments if sparse.issparse(X) else _dense_moments
    scale, sums, counts, total, all_known, spread, still = moments(member, X)
    inside = _ratio(sums, counts)
    outside = _ratio(total - sums, all_known - counts)
    # The spread of a constant feature is a rounding error, and so are its differences.
    varies = (spread > still) & np.isfinite(inside) & np.isfinite(outside)
    effect = np.zeros_like(inside)
    np.divide(inside - outside, spread, out=effect, where=varies)
    return inside * scale, outside * scale, effect


def _dense_moments(member: sparse.csr_array, X: MatrixLike) -> tuple[Any, ...]:
    """Scale; sums and counts of groups and of all; spread; rounding error."""
    X = np.asarray(X, dtype=np.float64)
    known = ~np.isnan(X)
    # Dividing by the largest value keeps the squares from overflow and underflow.
    scale = np.abs(X).max(axis=0, initial=0, where=known)
    scale = np.where(scale > 0, scale, 1.0)
    scaled = np.where(known, X, 0.0) / scale
    sums, counts = member @ scaled, member @ known.astype(np.float64)
    total, all_known = scaled.sum(axis=0), known.sum(axis=0).astype(np.float64)
    off = np.where(known, scaled - _ratio(total, all_known), 0.0)
    spread = np.sqrt(_ratio(np.square(off).sum(axis=0), all_known))
    return scale, sums, counts, total, all_known, spread, 1e-12


def _sparse_moments(member: sparse.csr_array, X: Any) -> tuple[Any, ...]:
    """The same for sparse features, which stay sparse."""
    scale = abs(X).max(axis=0).toarray().ravel()
    scale = np.where(scale > 0, scale, 1.0).astype(np.float64)
    scaled = sparse.csr_array(X) @ sparse.diags_array(1 / scale)
    n = X.shape[0]
    sums = (member @ scaled).toarray()
    counts = np.repeat(member.sum(axis=1)[:, None], X.shape[1], axis=1)
    total = np.asarray(scaled.sum(axis=0)).ravel()
    squares = np.asarray(scaled.multiply(scaled).sum(axis=0)).ravel()
    spread = np.sqrt(np.maximum(squares / n - (total / n) ** 2, 0.0))
    all_known = np.full(X.shape[1], float(n))
    return scale, sums, counts, total, all_known, spread, 1e-7


def _ratio(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Means; nan where no value is known."""
    means = np.full(np.shape(sums), np.nan)
    return np.divide(sums, counts, out=means, where=counts > 0.5)


def described_frame(
    frame: pd.DataFrame, columns: Sequence[ReadColumn], label: str | None = None
) -> pd.DataFrame:
    """The columns that describe the rows, with numbers, dates and categories as such.

    Left out are the column of the known classes, `label`, and columns that the model
    did not use. A column without a record in `columns` is taken as it is.
    """
    known = {str(column.name): column for column in columns}
    described = {}
    for name in frame.columns:
        column, values = known.get(str(name)), frame[name]
        if str(name) == label:
            continue
        if column is None:
            described[str(name)] = values
        elif column.is_used and column.kind not in _NOT_DESCRIBED:
            described[str(name)] = _as_read(values, column)
    return pd.DataFrame(described, index=frame.index, copy=False)


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
