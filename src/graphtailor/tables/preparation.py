"""From the columns of a table to features, the same for fitted and for new rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from graphtailor.tables.messages import Message, did_you_mean, listed
from graphtailor.tables.parse_values import CLOCK, days, hours, numbers, texts, truths
from graphtailor.tables.source_table import RawTable

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
        The value that replaces a missing one; None refuses missing values.
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


@dataclass(frozen=True)
class Preparation:
    """The treatment of each column of a table, the same for fitted and for new rows.

    Attributes
    ----------
    columns : tuple of Column
        All of the table, in its order, also those that are left out.
    decimal : {".", ","}
        Decimal mark of numbers that are text.
    scale : str or None
        Scaling that is part of the preparation. It is where the table has 0/1
        features, which would lose their weights if the model scaled them; None leaves
        scaling to the model.
    id : str or None
        The column that names the rows.
    """

    columns: tuple[Column, ...]
    decimal: str = "."
    scale: str | None = None
    id: str | None = None

    @classmethod
    def of_numbers(cls, names: Sequence[str]) -> Self:
        """Columns that are taken as they are, without gaps.

        Examples
        --------
        >>> import pandas as pd
        >>> plain = Preparation.of_numbers(["a", "b"])
        >>> plain.apply(pd.DataFrame({"b": [1], "a": [2]}))
             a    b
        0  2.0  1.0
        """
        return cls(tuple(Column(n, "numeric", "as is", "number") for n in names))

    @property
    def used(self) -> list[Column]:
        """The columns that become features."""
        return [column for column in self.columns if column.is_used]

    def feature_names(self) -> list[str]:
        """Names of the features, none of them twice."""
        names: dict[str, None] = {}
        for column in self.used:
            for name in column.feature_names():
                free, count = name, 1
                while free in names:
                    count += 1
                    free = f"{name} ({count})"
                names[free] = None
        return list(names)

    def apply(self, frame: pd.DataFrame) -> pd.DataFrame:
        """The features of a table's rows.

        Parameters
        ----------
        frame : DataFrame
            With all columns that are used; others are not looked at.

        Returns
        -------
        DataFrame
            float32 if all columns are, and all are taken as they are; else float64.
        """
        used = self.used
        self._refuse_gaps(frame)
        blocks = [column.features(frame[column.name], self.decimal) for column in used]
        values = np.hstack(blocks)
        small = all(frame[column.name].dtype == np.float32 for column in used)
        if small and self.scale is None:
            values = values.astype(np.float32)
        features = pd.DataFrame(values, columns=self.feature_names(), copy=False)
        infinite = np.isinf(values).any(axis=0)
        refuse_infinite(features.columns[infinite].tolist())
        return features

    def _refuse_gaps(self, frame: pd.DataFrame) -> None:
        strict = [column for column in self.used if column.fill is None]
        bad = [
            column.name
            for column in strict
            if pd.isna(column.read(frame[column.name], self.decimal)).any()
        ]
        if bad:
            raise ValueError(
                f"source: missing values in {listed(bad)}, and the model was fitted "
                "without a rule that fills them. Fill them in, or fit the model "
                "again with 'graphtailor fit'."
            )

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        columns = [column.to_dict() for column in self.columns]
        return {**vars(self), "columns": columns}

    @classmethod
    def from_dict(cls, state: Mapping[str, Any]) -> Self:
        """The preparation that :meth:`to_dict` described."""
        columns = tuple(Column.from_dict(column) for column in state["columns"])
        return cls(**{**state, "columns": columns})


def refuse_infinite(names: Sequence[str]) -> None:
    """Refuse columns with infinite values, if there are any."""
    if names:
        raise ValueError(
            Message(
                "{source}: infinite values in {bad}. Correct them, or leave the "
                "columns out with {dropped}.",
                bad=listed(names),
                dropped=names,
            )
        )


def match_columns(
    frame: pd.DataFrame,
    raw: RawTable,
    preparation: Preparation,
    aside: Collection[str | None],
) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """The columns that a preparation uses: by their names, in arrays by their places.

    Parameters
    ----------
    frame : DataFrame
        The table, its columns plain.
    raw : RawTable
        Where it comes from.
    preparation : Preparation
        Of the table a model was fitted to.
    aside : collection of str or None
        Columns that are left out without a note.

    Returns
    -------
    frame : DataFrame
        With all columns that are used.
    notes : tuple of str
        What the user should know.
    """
    used = [column.name for column in preparation.used]
    if not raw.is_named:
        return _by_place(frame, preparation), ()
    missing = [name for name in used if name not in frame.columns]
    known = {*aside, *(column.name for column in preparation.columns)}
    others = [name for name in frame if name not in known]
    if missing:
        raise ValueError(
            f"source: the model was fitted to columns that are not there: "
            f"{listed(missing)}.{did_you_mean(missing[0], others)} "
            f"The columns are {listed(frame.columns)}."
        )
    for column in preparation.used:
        if column.from_text and raw.as_written is not None:
            written = raw.as_written(column.name, True)
            frame = frame.assign(**{column.name: written})
    note = f"Not columns of the model, left out: {listed(others)}."
    return frame, (note,) if others else ()


def _by_place(frame: pd.DataFrame, preparation: Preparation) -> pd.DataFrame:
    names = [column.name for column in preparation.columns]
    used = [column.name for column in preparation.used]
    for expected in (names, used):
        if len(expected) == frame.shape[1]:
            return frame.set_axis(expected, axis=1)
    raise ValueError(
        f"source: {frame.shape[1]} columns where the model was fitted to {len(used)}. "
        "Give the same columns in the same order, or both times with names."
    )
