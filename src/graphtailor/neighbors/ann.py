"""What the approximate engines share: exact distances, recall, effort."""

from abc import ABC, abstractmethod
from functools import cached_property

import numpy as np

from graphtailor.linalg.types import Matrix
from graphtailor.neighbors.exact import (
    SPARE_CANDIDATES,
    CandidateDistances,
    ExactIndex,
    keep_nearest,
)

# float32 holds the squares of what lies within this range.
_RANGE_OF_FLOAT32 = 1e15


class ApproximateIndex(ABC):
    """An engine that finds candidates; their distances are then computed exactly."""

    # The order in which queries for all samples are answered quickest.
    order: np.ndarray | None = None
    # Whether several threads may ask at the same time.
    thread_safe = False

    def __init__(
        self, X: Matrix, metric: str, seed: int, width: int, effort: int = 0
    ) -> None:
        self.X = X
        self.metric = metric
        self.seed = seed
        self.width = width
        self.effort = effort
        self._distances = CandidateDistances(X, metric)
        self._build()
        self._apply_effort()

    def nearest(
        self, queries: Matrix, k: int, own: np.ndarray | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """As :meth:`ExactIndex.nearest`, of the candidates that the engine found."""
        wanted = min(k + SPARE_CANDIDATES + (own is not None), self.X.shape[0])
        candidates = self._candidates(queries, wanted, own)
        distances = self._distances.of(queries, candidates)
        itself = np.full(len(candidates), -1) if own is None else own
        nearest, chosen = keep_nearest(distances, candidates, itself, k)
        short = np.flatnonzero(chosen[:, -1] < 0)
        if len(short):  # the few samples in the lists that were searched
            of_short = None if own is None else own[short]
            answer = self._exact.nearest(queries[short], k, of_short)
            nearest[short], chosen[short] = answer
        return nearest, chosen

    def recall(self, rows: np.ndarray, k: int) -> float:
        """Share of the true k nearest of these samples that :meth:`nearest` finds.

        Of samples at the same distance any is right.
        """
        queries = self.X[rows]
        _, true = self._exact.nearest(queries, k, own=rows)
        farthest = self._distances.of(queries, true).max(axis=1, keepdims=True)
        found, _ = self.nearest(queries, k, own=rows)
        return float(np.mean(found <= farthest * (1 + 1e-12)))

    def try_harder(self) -> bool:
        """Raise the effort, if that is possible."""
        if self.effort == self.most_effort:
            return False
        self.effort += 1
        self._apply_effort()
        return True

    @cached_property
    def _exact(self) -> ExactIndex:
        return ExactIndex(self.X, self.metric)

    @property
    @abstractmethod
    def most_effort(self) -> int:
        """The highest effort there is."""

    @abstractmethod
    def _build(self) -> None:
        """Make the engine's index."""

    @abstractmethod
    def _apply_effort(self) -> None:
        """Tell the engine of a new effort."""

    @abstractmethod
    def _candidates(
        self, queries: Matrix, wanted: int, own: np.ndarray | None
    ) -> np.ndarray:
        """Positions of samples that may be near each query."""


def centre_and_unit(sample: np.ndarray) -> tuple[np.ndarray, float]:
    """Where samples lie and how far apart; one wild sample does not move medians."""
    centre = np.median(sample, axis=0).astype(np.float64)
    away = np.abs(sample - centre)
    return centre, float(np.median(away[away > 0])) if away.any() else 1.0


def standardize(X: np.ndarray, centre: np.ndarray, unit: float) -> np.ndarray:
    """Samples in float64, moved and scaled in place: float32 has few digits."""
    X -= centre
    X /= unit
    return np.clip(X, -_RANGE_OF_FLOAT32, _RANGE_OF_FLOAT32, out=X)
