"""Tables of numbers, categories, dates and gaps as blocks of features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from graphtailor.columns.choices import Choices, row_names, take_columns
from graphtailor.columns.column import Column
from graphtailor.columns.frames import UNNAMED, as_frame
from graphtailor.columns.learning import (
    AS_IS,
    learned_column,
    refuse_infinite,
    refuse_nothing,
    sharing_flags,
)
from graphtailor.columns.messages import did_you_mean, listed
from graphtailor.columns.scales import SCALES, automatic_scale, scaled_columns


class TableBlocks(TransformerMixin, BaseEstimator):
    r"""Make features of the columns of a table, each column one block of fixed weight.

    A number is divided by its standard deviation. Hours, months, weekdays and
    directions become a sine and a cosine, dates a number of days and their place in the
    year. Levels in order, such as low, medium and high, are numbered. Another category
    becomes one feature a level with the values 0 and
    :math:`\sqrt{q / (1 - \sum_k p_k^2)}`, where :math:`p_k` are the shares of the
    levels. A list in a cell becomes one feature a part, and a short text one a word,
    with TF-IDF weights. The features of a column together have the variance 1, and
    those of levels, parts and words :math:`q = 1/16`, however many they are: two rows
    differ by 2, or by 1/8, in the mean of their squared distance. Levels are clumps,
    and with the variance of a number a meaningless category would split clear clusters.
    A level that hardly varies counts for less.
    Ids, constants and long texts are left out.

    A missing value has zeros in its block: it is equally far from all others. Where at
    least 5 % of the rows, and five of them, miss a value, one feature says so.

    Parameters
    ----------
    columns : sequence of str or None, default=None
        Use these columns only.
    drop : sequence of str, default=()
        Leave these columns out.
    categorical, numeric : sequence of str, default=()
        Take these columns for categories, or for numbers, whatever they look like.
    scale : {"auto", "maxabs", "minmax", "standard", "none"}, default="auto"
        Scaling of numbers; the other blocks are relative to the mean variance of the
        scaled numbers. "auto" is "standard", but leaves a table that holds nothing but
        numbers and no gap as it is: models scale such a table themselves.
    decimal : {".", ","}, default="."
        Decimal mark of numbers that are text.

    Attributes
    ----------
    columns_ : tuple of Column
        Name, kind and treatment of each column, also of those that are left out.
    scale_ : str or None
        Scaling that is part of the features; None where it is left to the model.
    id_ : str or None
        The column that names the rows.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names.

    Examples
    --------
    >>> import pandas as pd
    >>> from graphtailor import TableBlocks
    >>> frame = pd.DataFrame({"a": [0.0, 2, 4, 4], "k": ["x", "y", "x", "y"]})
    >>> blocks = TableBlocks().set_output(transform="pandas")
    >>> X = blocks.fit_transform(frame)
    >>> X.columns.tolist()
    ['a', 'k=x', 'k=y']
    >>> X.var(ddof=0).round(6).tolist()
    [1.0, 0.03125, 0.03125]
    """

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "columns": ["array-like", None],
        "drop": ["array-like"],
        "categorical": ["array-like"],
        "numeric": ["array-like"],
        "scale": [StrOptions({"auto", *SCALES})],
        "decimal": [StrOptions({".", ","})],
    }

    def __init__(
        self,
        *,
        columns: Sequence[str] | None = None,
        drop: Sequence[str] = (),
        categorical: Sequence[str] = (),
        numeric: Sequence[str] = (),
        scale: str = "auto",
        decimal: str = ".",
    ) -> None:
        self.columns = columns
        self.drop = drop
        self.categorical = categorical
        self.numeric = numeric
        self.scale = scale
        self.decimal = decimal

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn what each column holds.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array-like of shape (n, d)
            The table.
        y : None
            Ignored.

        Returns
        -------
        self : TableBlocks
            The fitted transformer.
        """
        self._validate_params()
        frame = as_frame(X)
        choices = Choices(self.columns, self.drop, self.categorical, self.numeric)
        guesses = take_columns(frame, choices, self.decimal)
        learned = [
            learned_column(frame[name], guess, self.decimal)
            for name, guess in guesses.items()
        ]
        refuse_infinite([name for name, column in learned if column is None])
        columns = sharing_flags(frame, [c for _, c in learned if c], self.decimal)
        scale = self.scale if self.scale != "auto" else automatic_scale(frame, columns)
        if scale is not None:
            columns = scaled_columns(frame, columns, scale, self.decimal)
        self._take(columns, scale, row_names(frame, guesses))
        return self

    def _take(
        self, columns: Sequence[Column], scale: str | None, id: str | None
    ) -> None:
        self.columns_ = tuple(columns)
        self.scale_ = scale
        self.id_ = id
        self.feature_names_in_ = np.array([c.name for c in columns], dtype=object)
        self.n_features_in_ = len(columns)

    def transform(self, X: Any) -> np.ndarray:
        """The features of a table's rows.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array-like of shape (n, d)
            With all columns that are used, in any order; others are not looked at. An
            array has the columns in the order of the fitted table.

        Returns
        -------
        ndarray of shape (n, number of features)
            float32 if all columns are and nothing is done to them; else float64.
        """
        check_is_fitted(self)
        frame = self._matched(as_frame(X))
        used = self.used_
        if not used:
            refuse_nothing(self.columns_)
        values = np.hstack(
            [column.features(frame[column.name], self.decimal) for column in used]
        )
        is_small = all(frame[column.name].dtype == np.float32 for column in used)
        infinite = np.isinf(values).any(axis=0)
        names = self.get_feature_names_out()[infinite].tolist()
        refuse_infinite(names, in_new=True)
        return values.astype(np.float32) if is_small and self.scale_ is None else values

    @property
    def used_(self) -> list[Column]:
        """The columns that become features."""
        return [column for column in self.columns_ if column.is_used]

    @property
    def block_of_feature_(self) -> np.ndarray:
        """Number of the used column that each feature stands for."""
        widths = [len(column.feature_names()) for column in self.used_]
        return np.repeat(np.arange(len(widths)), widths)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the features, none of them twice."""
        check_is_fitted(self)
        names: dict[str, None] = {}
        for column in self.used_:
            for name in column.feature_names():
                free, count = name, 1
                while free in names:
                    count += 1
                    free = f"{name} ({count})"
                names[free] = None
        return np.array(list(names), dtype=object)

    def notes_on(self, X: Any, *, usual_gaps: bool = True) -> list[str]:
        """What is odd about new rows: gaps, levels that are new, words for numbers.

        Parameters
        ----------
        X : pandas or polars DataFrame, or array-like of shape (n, d)
            As for :meth:`transform`.
        usual_gaps : bool, default=True
            Whether to count gaps in columns in which fitted rows had some too.
        """
        frame = self._matched(as_frame(X))
        notes = []
        for column in self.used_:
            values = frame[column.name]
            odd = column.unmet(values, self.decimal)
            gaps = pd.isna(column.read(values, self.decimal)) & ~odd
            n_gaps = int(gaps.sum()) if usual_gaps or not column.had_gaps else 0
            for count, what in (
                (int(odd.sum()), _odd_values(column, values[odd])),
                (n_gaps, "no value"),
            ):
                if count:
                    rows = f"{count:,} of {len(frame):,} rows"
                    notes.append(f"Column {column.name!r}: {rows} have {what}.")
        return notes

    def _matched(self, frame: pd.DataFrame) -> pd.DataFrame:
        used = [column.name for column in self.used_]
        if frame.attrs.get(UNNAMED):
            for expected in (self.feature_names_in_, used):
                if len(expected) == frame.shape[1]:
                    return frame.set_axis(list(expected), axis=1)
            raise ValueError(
                f"source: X has {frame.shape[1]} features, but TableBlocks is "
                f"expecting {self.n_features_in_} features as input. Give the same "
                "columns in the same order, or both times with names."
            )
        missing = [name for name in used if name not in frame.columns]
        if not missing:
            return frame
        others = [name for name in frame if name not in self.feature_names_in_]
        raise ValueError(
            f"source: the model was fitted to columns that are not there: "
            f"{listed(missing)}.{did_you_mean(missing[0], others)} "
            f"The columns are {listed(frame.columns)}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Everything that was learned as plain values for JSON."""
        columns = [column.to_dict() for column in self.columns_]
        return {
            "columns": columns,
            "decimal": self.decimal,
            "scale": self.scale_,
            "id": self.id_,
        }

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """The fitted transformer that :meth:`to_dict` described."""
        columns = [Column.from_dict(column) for column in state["columns"]]
        blocks = cls(decimal=state["decimal"])
        blocks._take(columns, state["scale"], state["id"])
        return blocks

    @classmethod
    def of_numbers(cls, names: Sequence[str]) -> Self:
        """Columns that are numbers, as they are."""
        blocks = cls()
        columns = [Column(name, "numeric", AS_IS, "number") for name in names]
        blocks._take(columns, None, None)
        return blocks

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = tags.input_tags.string = True
        return tags


def _odd_values(column: Column, odd: pd.Series) -> str:
    shown = listed(dict.fromkeys(odd.astype(str)))
    if column.levels:
        return f"a level that the fitted rows did not have ({shown})"
    return f"a text where a number or date belongs ({shown})"
