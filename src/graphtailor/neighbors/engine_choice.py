"""Which engine searches for neighbours: by size, features, metric and density."""

import warnings
from importlib.util import find_spec

from scipy import sparse

from graphtailor.decide.sizes import SAMPLES_FOR_FAISS, SAMPLES_FOR_PYNNDESCENT
from graphtailor.linalg.types import Matrix
from graphtailor.neighbors.ann import FaissIndex, NNDescentIndex
from graphtailor.neighbors.exact import EUCLIDEAN, FEATURES_FOR_A_TREE, Metric

ENGINES: dict[str, type[FaissIndex] | type[NNDescentIndex]] = {
    "faiss": FaissIndex,
    "pynndescent": NNDescentIndex,
}

# Exact search of all pairs: CPU-seconds for a pair, and for each of its features,
# where BLAS compares them and where it cannot.
_SECONDS_PER_PAIR = 3e-9
_SECONDS_PER_FEATURE_BY_BLAS = 6e-11
_SECONDS_PER_FEATURE = 1e-9
# What "auto" may take for an exact search if no other engine is installed.
_MOST_SECONDS = 3600.0


def choose_engine(engine: str, X: Matrix, metric: Metric) -> str:
    """The engine to use: "exact", "faiss" or "pynndescent"."""
    if engine not in ("auto", "exact", *ENGINES):
        raise ValueError(
            f"engine must be 'auto', 'exact', 'faiss' or 'pynndescent', not {engine!r}."
        )
    if engine == "auto":
        return _best_engine(X, metric)
    if engine == "exact":
        return engine
    if not _serves(engine, X, metric):
        kind = "sparse" if sparse.issparse(X) else "dense"
        raise ValueError(
            f"engine={engine!r} cannot search {kind} samples with metric {metric!r}. "
            "Use engine='auto' or engine='exact'."
        )
    if not _installed(engine):
        raise ImportError(
            f"engine={engine!r} needs a package that is not installed: "
            "pip install 'graphtailor[ann]'"
        )
    return engine


def _best_engine(X: Matrix, metric: Metric) -> str:
    n, d = X.shape
    few = not sparse.issparse(X) and d <= FEATURES_FOR_A_TREE
    sizes = {"faiss": SAMPLES_FOR_FAISS, "pynndescent": SAMPLES_FOR_PYNNDESCENT}
    wanted = [e for e in ENGINES if n >= sizes[e] and _serves(e, X, metric)]
    if not wanted or (few and metric in EUCLIDEAN):
        return "exact"
    usable = [engine for engine in wanted if _installed(engine)]
    if usable:
        return usable[0]
    features = X.size / n  # only stored entries count in a sparse matrix
    by_blas = _serves("faiss", X, metric)
    per_feature = _SECONDS_PER_FEATURE_BY_BLAS if by_blas else _SECONDS_PER_FEATURE
    seconds = n * n * (_SECONDS_PER_PAIR + per_feature * features)
    situation = (
        f"Exact neighbours of {n} samples take about {seconds:.0f} CPU-seconds; "
        "approximate ones are quicker: pip install 'graphtailor[ann]'"
    )
    if seconds > _MOST_SECONDS:
        raise ImportError(f"{situation}. To wait for the exact ones: engine='exact'.")
    warnings.warn(situation, stacklevel=4)
    return "exact"


def _serves(engine: str, X: Matrix, metric: Metric) -> bool:
    if not isinstance(metric, str):
        return False
    if engine == "faiss":
        return not sparse.issparse(X) and metric in (*EUCLIDEAN, "cosine")
    if sparse.issparse(X):
        return metric in NNDescentIndex.sparse_metrics
    return metric in NNDescentIndex.dense_metrics


def _installed(engine: str) -> bool:
    return find_spec(engine) is not None
