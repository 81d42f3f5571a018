"""The data of a benchmark: loaded, scaled and hashed, the same for all methods."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import sparse

from graphtailor.bench.plan.plan import PlannedData
from graphtailor.datasets import list_datasets, load_dataset
from graphtailor.datasets._loaders import content_sha256
from graphtailor.linalg.scaling import feature_scaler, scaling_named
from graphtailor.tables import read_table


@dataclass(frozen=True)
class BenchData:
    """A data set as the methods see it."""

    name: str
    scaling: str
    X: np.ndarray
    y: np.ndarray
    hash: str

    @property
    def n_clusters(self) -> int:
        """The number of classes."""
        return int(self.y.max()) + 1


@lru_cache(maxsize=4)
def load_data(planned: PlannedData) -> BenchData:
    """Load and scale a data set of a plan; the last few are remembered."""
    X, classes, scaling = _values(planned)
    if sparse.issparse(X):
        X = X.toarray()
    X = np.asarray(X, dtype=np.float64)
    scaler = feature_scaler(scaling_named(scaling), is_sparse=False)
    X = X if scaler is None else scaler.fit_transform(X)
    y = np.unique(classes, return_inverse=True)[1].astype(np.int64)
    return BenchData(planned.name, planned.scaling, X, y, content_sha256(X, y))


def _values(planned: PlannedData) -> tuple[Any, Any, str]:
    """Features, classes, and the scaling that is left to do."""
    if planned.source in [info.name for info in list_datasets()]:
        bunch = load_dataset(planned.source, impute=planned.impute)
        return bunch.data, bunch.target, planned.scaling
    table = read_table(planned.source, label=planned.label, scale=planned.scaling)
    if table.y is None:
        raise ValueError(
            f"data set {planned.name!r}: {planned.source} has no classes to score by. "
            f"Name their column by label in [data.{planned.name}]."
        )
    return table.X, table.y, table.scaling
