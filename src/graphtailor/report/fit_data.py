"""What a report is based on: a fit, and its rows in the words and units of the user."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor.columns.frames import as_frame
from graphtailor.diagnostics.certainty import Certainty, by_memberships, certainty_of
from graphtailor.diagnostics.effects import described_frame
from graphtailor.diagnostics.formatting import RowNames
from graphtailor.diagnostics.levels import Levels
from graphtailor.diagnostics.model_access import FittedView, Matrix, scaled_features
from graphtailor.linalg.scaling import scaling_named
from graphtailor.tables import Column, Table


@dataclass(frozen=True)
class FitData:
    """A fit and its data."""

    view: FittedView  # the fitted model
    # (n, d): features on the scale on which the model compared them.
    features: Matrix | None
    scaling: str | None  # how they were scaled here; None if they were not
    # (n, k): columns that describe the rows, in the units of the user.
    frame: pd.DataFrame | Matrix | None
    names: RowNames  # names of the rows
    columns: tuple[Column, ...]  # how each column was read; may be empty
    y: np.ndarray | None  # (n,): known classes
    certainty: Certainty | None  # how certain the clusters of the rows are

    def certainties(self, levels: Levels, rows: np.ndarray) -> list[Certainty | None]:
        """How certain the clusters of some rows are, at each level."""
        found: list[Certainty | None] = []
        for place, number in enumerate(levels.numbers):
            shares = self.view.layer_indicator(number, rows)
            if place == levels.chosen and self.certainty is not None:
                found.append(self.certainty.of_rows(rows))
            elif shares is not None:
                found.append(by_memberships(shares, levels.labels[place][rows]))
            else:
                found.append(None)
        return found


def fit_data(view: FittedView, X: Any, table: Table | None = None) -> FitData:
    """Put together what is known about a fit; the rest is None or empty.

    X is what the model was fitted to, and `table` is where X comes from.
    """
    n = len(view.labels)
    if X is not None and X.shape[0] != n:
        raise ValueError(
            f"X has {X.shape[0]} rows, but the model was fitted to {n}. Give the X "
            "that it was fitted to."
        )
    scaling = view.scaling
    if not view.scales:
        scaling = "maxabs" if table is None else scaling_named(table.scaling)
    if table is not None and X is table.X:
        # These are the features that the model's blocks made of the columns.
        view = replace(view, blocks=None)
    features = scaled_features(view, X, scaling)
    frame = None if view.takes_pairs else X
    if table is not None and table.frame is not None:
        frame = described_frame(table.frame, table.columns, table.label)
    elif view.blocks is not None and X is not None:
        frame = described_frame(as_frame(X), view.blocks.columns_)
    ids = X.index if isinstance(X, pd.DataFrame) else None
    y = None if table is None else table.y
    return FitData(
        view,
        features,
        scaling,
        sparse.csr_array(frame) if sparse.issparse(frame) else frame,
        RowNames(ids if table is None else table.ids),
        () if table is None else table.columns,
        None if y is None else np.asarray(y).astype(str),
        certainty_of(view, features),
    )
