"""One column of a table: what it was taken for, and how it becomes features."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from graphtailor.tables.dates import days
from graphtailor.tables.parse_values import numbers, texts, truths
from graphtailor.tables.times_of_day import CLOCK, hours

OTHER = "other"


@dataclass(frozen=True)
class Column:
    """A column, and what was done to it.

    Attributes
    ----------
    name, kind, treatment : str
        Its name, what it was taken for, and what was done, in words.
    form : {"number", "date", "levels", "truth"} or None
        How values become features; None for a column that is left out.
    fill : float, str or None
        What stands in for a missing value; None refuses them.
    levels : tuple of str
        Levels with a feature of their own.
    pools : bool
        Whether all other levels share a feature.
    from_text : bool
        Whether the values were text, to be read as text again.
    date_format : str or None
        How dates are written; "clock" for times of the day, which are numbers.
    flags_missing : bool
        Whether a feature says that the value was missing; among levels it is one more.
    shift, divide : float
        Scaling of numbers and dates: (value - shift) / divide.
    weight, flag_weight : float
        Value of a 0/1 feature that is on: of the levels, and of the missing values.
    """

    name: str
    kind: str
    treatment: str
    form: str | None = None
    fill: float | str | None = None
    levels: tuple[str, ...] = ()
    pools: bool = False
    from_text: bool = False
    date_format: str | None = None
    flags_missing: bool = False
    shift: float = 0.0
    divide: float = 1.0
    weight: float = 1.0
    flag_weight: float = 1.0

    @property
    def is_used(self) -> bool:
        """Whether the model sees the column."""
        return self.form is not None

    @property
    def is_quantity(self) -> bool:
        """Whether the column is one feature that is scaled."""
        return self.form in ("number", "date")

    def feature_names(self) -> list[str]:
        """Names of the features it becomes.

        Examples
        --------
        >>> city = Column("city", "category", "", "levels", levels=("Oslo", "Rome"))
        >>> city.feature_names()
        ['city=Oslo', 'city=Rome']
        """
        names = [self.name] if self.form in ("number", "date", "truth") else []
        if len(self.levels) > 1 or self.pools:
            others = (OTHER,) if self.pools else ()
            names = [f"{self.name}={level}" for level in (*self.levels, *others)]
        return [*names, f"{self.name} missing"] if self.flags_missing else names

    def read(self, values: pd.Series, decimal: str = ".") -> Any:
        """Values before anything is filled in: numbers, or texts of levels."""
        if self.form == "number":
            is_clock = self.date_format == CLOCK
            return hours(values) if is_clock else numbers(values, decimal)
        if self.form == "date":
            return days(values, self.date_format)
        return truths(values) if self.form == "truth" else texts(values)

    def features(self, values: pd.Series, decimal: str = ".") -> np.ndarray:
        """The features of a column of a table, one row each.

        Parameters
        ----------
        values : Series
            The column.
        decimal : {".", ","}, default="."
            Decimal mark of numbers that are text.

        Returns
        -------
        ndarray of shape (n, number of features)
            In the order of :meth:`feature_names`.
        """
        read = self.read(values, decimal)
        missing = np.asarray(pd.isna(read))
        if self.form == "levels":
            blocks = [self._levels(read)]
        else:
            filled = np.array(read, dtype=np.float64)
            filled[missing] = self.fill
            scaled = (filled - self.shift) / self.divide
            blocks = [(scaled if self.is_quantity else filled * self.weight)[:, None]]
        if self.flags_missing:
            blocks.append(missing[:, None] * self.flag_weight)
        return np.hstack(blocks)

    def _levels(self, read: pd.Series) -> np.ndarray:
        width = len(self.levels) + self.pools
        if width == 1:
            return np.empty((len(read), 0))
        missing = read.isna().to_numpy()
        places = pd.Index(self.levels).get_indexer(read.fillna(self.fill))
        if self.pools:
            places[places < 0] = width - 1
        if self.flags_missing:  # the flag is their level
            places[missing] = -1
        block = np.zeros((len(read), width))
        known = places >= 0
        block[known, places[known]] = self.weight
        return block

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return {**asdict(self), "levels": list(self.levels)}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """The column that :meth:`to_dict` described."""
        return cls(**{**state, "levels": tuple(state["levels"])})
