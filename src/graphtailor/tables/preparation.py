"""From the columns of a table to features: what is learned once, and then repeated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from graphtailor.tables.column import Column
from graphtailor.tables.messages import drop_options, listed


@dataclass(frozen=True)
class Preparation:
    """What is done to each column of a table, the same for fitted and for new rows.

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
                f"DATA: missing values in {listed(bad)}, and the model was fitted "
                "without a word on how to fill them. Fill them in, or fit the model "
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
            f"DATA: infinite values in {listed(names)}. Correct them, or leave the "
            f"columns out with {drop_options(names)}."
        )
