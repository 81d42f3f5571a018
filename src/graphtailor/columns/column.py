"""A column of a table as one block of features, for fitted and for new rows alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd
from sklearn.preprocessing import normalize

from graphtailor.columns.cycles import CYCLES, cycle_values
from graphtailor.columns.parse_times import FORMATS, days
from graphtailor.columns.parse_values import TEXT, numbers, texts, truths, without_unit
from graphtailor.columns.parts import split_parts

OTHER = "other"
_TUPLES = ("levels", "rarity", "periods")
_TRUTHS = np.array(["no", "yes"], dtype=object)


@dataclass(frozen=True)
class Column:
    """A column, and what was done to it.

    A value that is missing, or a level that was never met, has zeros in the whole
    block: it lies in the middle, equally far from all others.

    Attributes
    ----------
    name, kind, treatment : str
        Its name, what it was taken for, and what was done, in words.
    form : {"number", "date", "cycle", "order", "levels", "truth", "parts"} or None
        How values become features; None for a column that is left out.
    middle : float or None
        Mean of the values of a number or date, which stands for missing ones; None
        refuses missing values.
    levels : tuple of str
        Levels, or parts of lists, with a feature of their own; those of an order from
        the least to the most.
    pools : bool
        Whether all other levels share a feature.
    from_text : bool
        Whether the values were text, to be read as text again.
    date_format : str or None
        How dates are written; for a cycle, what its values are.
    separator : str or None
        What stands between the parts of a list, or the unit behind numbers.
    rarity : tuple of float
        Weights of the words of texts (inverse document frequencies), one a level.
    periods : tuple of float
        Lengths of the cycles that the values run through; dates in days.
    flags_missing : bool
        Whether a feature says that the value was missing; among levels it is one more.
    shift, divide : float
        Scaling of numbers and dates: (value - shift) / divide.
    weight, flag_weight : float
        Factor of all other features, and of the flag of missing values.
    """

    name: str
    kind: str
    treatment: str
    form: str | None = None
    middle: float | None = None
    levels: tuple[str, ...] = ()
    pools: bool = False
    from_text: bool = False
    date_format: str | None = None
    separator: str | None = None
    rarity: tuple[float, ...] = ()
    periods: tuple[float, ...] = ()
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
    def had_gaps(self) -> bool:
        """Whether fitted rows missed a value."""
        return " missing: " in self.treatment

    @property
    def is_quantity(self) -> bool:
        """Whether the column has a feature that is shifted and divided."""
        return self.form in ("number", "date", "order")

    def number_share(self, values: np.ndarray) -> float:
        """Share of the block's variance that its number has.

        A date shares it with its cycles. Few different numbers, and levels in order,
        are clumps like those of other categories: c of them have twice their share
        times (c - 1) / c.
        """
        n_different = len(np.unique(values))
        most = min(_FEW_VALUES, len(values) // _ROWS_A_VALUE)
        if self.form != "date" and n_different <= most:
            return 2 * LEVELS_SHARE * (1 - 1 / max(n_different, 2))
        return 1 / (1 + len(self.periods))

    @property
    def has_levels(self) -> bool:
        """Whether a value is one of several levels."""
        return self.form in ("levels", "truth")

    def feature_names(self) -> list[str]:
        """Names of the features it becomes.

        Examples
        --------
        >>> city = Column("city", "category", "", "levels", levels=("Oslo", "Rome"))
        >>> city.feature_names()
        ['city=Oslo', 'city=Rome']
        """
        names = [self.name] if self.is_quantity else []
        for period in self.periods:
            turn = {1.0: " (day)"}.get(period, " (year)") if self.form == "date" else ""
            names += [f"sin {self.name}{turn}", f"cos {self.name}{turn}"]
        names_levels = self.form != "order" and len(self.levels) > 1
        if names_levels or self.pools or self.form == "parts":
            others = (OTHER,) if self.pools else ()
            names += [f"{self.name}={level}" for level in (*self.levels, *others)]
        return [*names, f"{self.name} missing"] if self.flags_missing else names

    def read(self, values: pd.Series, decimal: str = ".") -> Any:
        """Values before anything is done to them: numbers, or texts of levels."""
        if self.form == "number":
            bare = (
                values
                if self.separator is None
                else without_unit(values, self.separator)
            )
            return numbers(bare, decimal)
        if self.form == "date":
            return days(values, self.date_format)
        if self.form == "order":
            places = pd.Index(self.levels).get_indexer(texts(values)).astype(float)
            return np.where(places < 0, np.nan, places)
        if self.form == "cycle":
            return cycle_values(values, str(self.date_format))
        if self.form == "truth":
            found = truths(values)
            known = np.nan_to_num(found).astype(int)
            words = pd.Series(_TRUTHS[known], index=values.index, dtype=TEXT)
            return words.where(~np.isnan(found))
        return texts(values)

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
        blocks = []
        if self.has_levels:
            blocks.append(self._levels(read, missing))
        elif self.form == "parts":
            blocks.append(self._parts(read))
        else:
            found = np.array(read, dtype=np.float64)
            if self.is_quantity:
                if self.middle is None and missing.any():
                    self._refuse_gaps()
                filled = np.where(missing, self.middle or 0.0, found)
                blocks.append(((filled - self.shift) / self.divide)[:, None])
            for period in self.periods:
                angle = 2 * np.pi * found[:, None] / period
                turn = np.hstack([np.sin(angle), np.cos(angle)]) * self.weight
                blocks.append(np.where(missing[:, None], 0.0, turn))
        if self.flags_missing:
            blocks.append(missing[:, None] * self.flag_weight)
        return np.hstack(blocks)

    def _refuse_gaps(self) -> None:
        raise ValueError(
            f"source: missing values in {self.name!r}, and the model was fitted to "
            "numbers without gaps. Fill them in, or fit the model again with "
            "'graphtailor fit' or cluster_table."
        )

    def unmet(self, values: pd.Series, decimal: str = ".") -> np.ndarray:
        """Which values are there, but are not what the fitted ones were.

        That is a level that was never met, or a word in a column of numbers.
        """
        read = self.read(values, decimal)
        if self.has_levels:
            known = read.isna() | read.isin(self.levels) | self.pools
            written = texts(values).notna() if self.form == "truth" else read.notna()
            return np.asarray(~known | (written & read.isna()))
        if self.form == "parts":
            return np.zeros(len(values), dtype=bool)
        return np.asarray(np.isnan(read) & texts(values).notna().to_numpy())

    def _levels(self, read: pd.Series, missing: np.ndarray) -> np.ndarray:
        width = len(self.levels) + self.pools
        if width == 1:
            return np.empty((len(read), 0))
        places = pd.Index(self.levels).get_indexer(read)
        if self.pools:
            places[places < 0] = width - 1
        places[missing] = -1
        block = np.zeros((len(read), width))
        known = places >= 0
        block[known, places[known]] = self.weight
        return block

    def _parts(self, read: pd.Series) -> np.ndarray:
        found = split_parts(read, str(self.separator))
        block = np.zeros((len(read), len(self.levels)))
        places = pd.Index(self.levels).get_indexer(found)
        known = places >= 0
        block[found.index.to_numpy()[known], places[known]] = 1.0
        if (
            self.rarity
        ):  # TF-IDF: rows of rare words are as long as those of common ones
            block = normalize(block * self.rarity)
        return block * self.weight

    def weighed(self, block: np.ndarray, unit: float) -> Self:
        """The same column with weights that give its block the variance `unit`.

        Levels and parts get a sixteenth of it. `block` holds the features with weights
        of 1. The flag of missing values counts as one more level, or has half of the
        variance of a category beside a number.
        """
        # In the order of their size, so that sums do not depend on that of rows.
        others = block.T[int(self.is_quantity) :]
        spread = [float(np.var(np.sort(feature))) for feature in others]
        has_flag = self.flags_missing and not self.has_levels
        flag = spread.pop() if has_flag else 0.0
        rest = sum(spread)
        share = unit if self.is_quantity or self.periods else unit * LEVELS_SHARE
        if self.periods:  # a date also has its number of days
            share *= len(self.periods) / (self.is_quantity + len(self.periods))
        weight = _factor(share, rest)
        flag_weight = _factor(unit * _FLAG_SHARE, flag) if has_flag else weight
        return replace(self, weight=weight, flag_weight=flag_weight)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        state = asdict(self)
        return {**state, **{name: list(state[name]) for name in _TUPLES}}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """The column that :meth:`to_dict` described."""
        fixed = {name: tuple(state[name]) for name in _TUPLES}
        known = {"cycle": (*CYCLES,), "date": (None, *FORMATS)}
        how = state["date_format"]
        if how not in known.get(str(state["form"]), (None,)):
            raise ValueError(f"column {state['name']!r} has an unknown form {how!r}")
        if len(fixed["rarity"]) not in (0, len(fixed["levels"])):
            raise ValueError(f"column {state['name']!r} lacks weights of words")
        return cls(**{**state, **fixed})


# A block of little variance, such as a level of three rows in a thousand, is not
# enlarged without end: its rows would be the farthest of all.
_LEAST_SPREAD = 0.05
# Levels are clumps with gaps between them, which numbers are not: with the variance of
# a number, a meaningless category splits clear clusters. Of 1/4, 1/8, 1/16 and 1/32 the
# third was best on the choosing half of benchmarks/mixed.py. The view in which members
# see every feature with the variance 1 gives categories their full weight.
LEVELS_SHARE = 0.0625
_FLAG_SHARE = LEVELS_SHARE / 2
# Numbers are as few as levels if there are at most this many, each in this many rows on
# average.
_FEW_VALUES, _ROWS_A_VALUE = 10, 5


def _factor(share: float, spread: float) -> float:
    return float(np.sqrt(share / max(spread, _LEAST_SPREAD)))
