"""Clusterers that are quick, slow, or go wrong, for plans that name "module:Class"."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils.validation import check_memory


class Coin(ClusterMixin, BaseEstimator):
    """Random labels of a seed, after a pause."""

    def __init__(self, n_clusters=2, pause=0.0, shift=0, random_state=None):
        self.n_clusters = n_clusters
        self.pause = pause
        self.shift = shift
        self.random_state = random_state

    def fit(self, X, y=None):
        time.sleep(self.pause)
        rng = np.random.default_rng([int(self.shift), self.random_state])
        self.labels_ = rng.integers(0, self.n_clusters, len(X))
        return self


class Trouble(Coin):
    """Goes wrong on odd seeds in the way asked for."""

    def __init__(self, n_clusters=2, kind="error", random_state=None):
        super().__init__(n_clusters, random_state=random_state)
        self.kind = kind

    def fit(self, X, y=None):
        if self.random_state % 2:
            getattr(self, f"_{self.kind}")()
        self.objective_ = np.zeros(1)
        if self.random_state % 2 and self.kind == "diverged":
            self.objective_ = np.array([1.0, np.nan])
        rng = np.random.default_rng(self.random_state)
        self.labels_ = rng.integers(0, self.n_clusters, len(X))
        return self

    def _error(self):
        raise ValueError("no such luck")

    def _diverged(self):
        pass

    def _timeout(self):
        while True:
            sum(range(1000))

    def _memory(self):
        np.ones(10**10)

    def _crashed(self):
        os.kill(os.getpid(), signal.SIGKILL)


class Mended(Coin):
    """Fails until a file exists."""

    def __init__(self, n_clusters=2, flag="", random_state=None):
        super().__init__(n_clusters, random_state=random_state)
        self.flag = flag

    def fit(self, X, y=None):
        if not os.path.exists(self.flag):
            raise ValueError("not mended yet")
        return super().fit(X)


class Remembering(Coin):
    """Would read its labels from a cache, if it were given one."""

    def __init__(self, n_clusters=2, memory=None, random_state=None):
        super().__init__(n_clusters, random_state=random_state)
        self.memory = memory

    def fit(self, X, y=None):
        self.labels_ = check_memory(self.memory).cache(remembered)(len(X))
        return self


def remembered(n_samples):
    return np.arange(n_samples) % 2
