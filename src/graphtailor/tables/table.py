"""A table that is ready to be clustered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from graphtailor.tables.column import Column
from graphtailor.tables.preparation import Preparation


@dataclass(frozen=True)
class Table:
    """Samples to cluster.

    Attributes
    ----------
    name : str
        Short name of the data.
    X : DataFrame, ndarray or csr_array of shape (n, d)
        What a model is fitted to; a DataFrame where features have names.
    ids : ndarray of shape (n,)
        Names of the rows; their numbers from 0 where no column gives them.
    y : ndarray of shape (n,) or None
        Known classes, as text.
    label, id : str or None
        Names of the columns of `y` and `ids`.
    frame : DataFrame or None
        All columns in the units of the user, also those that X leaves out.
    columns : tuple of Column
        Name, kind and treatment of each of them.
    preparation : Preparation or None
        How `frame` became X; None for sparse data.
    scaling : str
        Scaling that is left to the model: "none" where the preparation scales.
    notes : tuple of str
        What the user should know about how the data were read.
    """

    name: str
    X: Any
    ids: np.ndarray
    y: np.ndarray | None = None
    label: str | None = None
    id: str | None = None
    frame: pd.DataFrame | None = None
    columns: tuple[Column, ...] = ()
    preparation: Preparation | None = None
    scaling: str = "maxabs"
    notes: tuple[str, ...] = ()
