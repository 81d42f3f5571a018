"""Scaled rows, and everything that is needed to treat new rows alike."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse

from graphtailor.graphs.base import Input
from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.magnitude import check_squares
from graphtailor.linalg.scaling import (
    feature_scaler,
    root_mean_square_norm,
    scaled_rows,
    within_reach,
)
from graphtailor.linalg.types import Matrix, MatrixLike


@dataclass(frozen=True)
class Samples:
    """Rows as a model sees them."""

    # (n, d): rows with scaled features; affinities and distances as they are
    rows: Matrix
    scaler: Any  # fitted scaler of the features
    # The root mean square length of the scaled rows, by which they are divided for
    # self-expression so that alpha means the same on every data set; 1 where `scaling`
    # is None, which leaves X exactly as given.
    norm: float
    input: Input  # "samples", "affinities", "distances": what the rows hold
    equal: KnownRows  # finds rows that equal a fitted one

    @classmethod
    def of(cls, X: MatrixLike, scaling: str | None, input: Input = "samples") -> Self:
        """Scale the features of X, unless X holds affinities or distances."""
        scaler = None
        if input == "samples":
            scaler = feature_scaler(scaling, sparse.issparse(X))
        rows = X if scaler is None else scaler.fit_transform(X)
        plain = scaling is None or input != "samples"
        if plain and input == "samples":
            check_squares(X)
        norm = 1.0 if plain else root_mean_square_norm(rows)
        return cls(rows, scaler, norm, input, KnownRows(rows))

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return self.rows.shape[0]

    def scale(self, X: Any) -> Any:
        """Scale new rows as the fitted ones, dense or sparse as those are.

        Entries far beyond those of the fitted rows are brought nearer.
        """
        if sparse.issparse(self.rows):
            X = sparse.csr_array(X)
        elif sparse.issparse(X):
            X = X.toarray()
        return within_reach(scaled_rows(self.scaler, X), self.rows)

    def for_self_expression(self, rows: Matrix) -> Matrix:
        """Scaled rows divided by the norm; no features where X holds pairs."""
        if self.input != "samples":
            return np.empty((rows.shape[0], 0), dtype=rows.dtype)
        if self.norm == 1.0:
            return rows
        # SciPy divides sparse rows of float32 in float64.
        return (rows / rows.dtype.type(self.norm)).astype(rows.dtype, copy=False)
