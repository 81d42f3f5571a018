"""Do one piece of work: fit, read the labels of every seed, score them."""

import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from graphtailor.baselines._readout import kmeans_labels
from graphtailor.bench.plan.plan import Setting
from graphtailor.bench.results.scores import imported, is_import_path, score_labels
from graphtailor.bench.run.data import BenchData, load_data
from graphtailor.bench.run.limits import TimeLimitPassed, memory_limit, time_limit
from graphtailor.bench.run.work_units import Unit
from graphtailor.linalg.threads import single_threaded
from graphtailor.registry import get_method

# The one fit that serves many seeds is made with this one.
_SEED_OF_SHARED_FIT = 0
_MOST_REASON = 500


class Diverged(Exception):
    """The objective is not finite."""


@dataclass(frozen=True)
class Run:
    """What became of one seed.

    The status is "done", "error", "diverged", "timeout", "memory" or "crashed"; the
    reason is why it is not done, or what a done one warned of.
    """

    seed: int
    status: str
    reason: str = ""
    seconds: float = 0.0
    n_iter: int | None = None
    labels: np.ndarray | None = None
    scores: dict[str, float] = field(default_factory=dict)


def execute(unit: Unit) -> list[Run]:
    """Run a unit within its limits; nothing it does raises.

    When something goes wrong, the seeds not yet done share the reason.
    """
    runs: list[Run] = []
    started = time.perf_counter()
    try:
        data = load_data(unit.data)
        if data.hash != unit.data_hash:
            raise ValueError("the data of this worker differ from the coordinator's")
        with (
            warnings.catch_warnings(record=True) as caught,
            single_threaded(),
            memory_limit(unit.megabytes),
            time_limit(unit.seconds),
        ):
            warnings.simplefilter("always")
            for run in _runs(unit, data, caught):
                runs.append(run)
    except Exception as error:
        status, reason = _failure(error)
        took = time.perf_counter() - started
        left = unit.seeds[len(runs) :]
        runs += [Run(seed, status, reason, took) for seed in left]
    return runs


def _failure(error: Exception) -> tuple[str, str]:
    kinds = {
        TimeLimitPassed: "timeout",
        MemoryError: "memory",
        Diverged: "diverged",
        FloatingPointError: "diverged",
    }
    found = (status for kind, status in kinds.items() if isinstance(error, kind))
    status = next(found, "error")
    text = " ".join(str(error).split()) or "no message"
    known = status in ("timeout", "diverged")
    reason = text if known else f"{type(error).__name__}: {text}"
    return status, reason[:_MOST_REASON]


def _runs(
    unit: Unit, data: BenchData, caught: list[warnings.WarningMessage]
) -> Iterator[Run]:
    model: BaseEstimator | None = None
    fit_seconds = 0.0
    for seed in unit.seeds:
        is_own = unit.method.randomness == "all"
        if is_own:
            model, fit_seconds = _fit(unit, data, seed)
        elif model is None:
            model, fit_seconds = _fit(unit, data, _SEED_OF_SHARED_FIT)
        started = time.perf_counter()
        labels = model.labels_ if is_own else _read_labels(unit, model, data, seed)
        labels = _checked(model, labels, len(data.y))
        # Every repeat would have paid for a fit that they share.
        seconds = fit_seconds + time.perf_counter() - started
        # Other warnings are not stored.
        is_unfinished = any(issubclass(w.category, ConvergenceWarning) for w in caught)
        reason = "did not converge" if is_unfinished else ""
        n_iter = getattr(model, "n_iter_", None)
        n_iter = None if n_iter is None else int(np.max(n_iter))
        scores = score_labels(data.y, labels, unit.metrics)
        yield Run(seed, "done", reason, seconds, n_iter, labels, scores)


def unfitted(uses: str, data: BenchData, params: Setting, seed: int) -> BaseEstimator:
    """A method as it is run on a data set."""
    estimator = imported(uses) if is_import_path(uses) else get_method(uses).estimator
    # Not given to the class, so that "solver__dtype" reaches the solver of the model.
    model = estimator().set_params(n_clusters=data.n_clusters, **params)
    # One process a core: threads inside would only be in each other's way.
    given = {"random_state": seed, "n_jobs": 1}
    known = model.get_params(deep=False)
    return model.set_params(**{name: given[name] for name in given if name in known})


def _fit(unit: Unit, data: BenchData, seed: int) -> tuple[BaseEstimator, float]:
    """The fitted model, and the seconds that the fit took."""
    model = unfitted(unit.method.uses, data, unit.params, seed)
    started = time.perf_counter()
    # A copy, so that a careless method cannot spoil the data of the next.
    model.fit(data.X.copy())
    return model, time.perf_counter() - started


def _read_labels(
    unit: Unit, model: BaseEstimator, data: BenchData, seed: int
) -> np.ndarray:
    if unit.method.randomness == "none":
        return model.labels_
    return kmeans_labels(
        model.embedding_,
        data.n_clusters,
        n_init=model.n_init,
        init=getattr(model, "init", "random"),
        random_state=seed,
    )


def _checked(model: BaseEstimator, labels: ArrayLike, n_samples: int) -> np.ndarray:
    objective = np.asarray(getattr(model, "objective_", 0.0), dtype=np.float64)
    if not np.isfinite(objective).all():
        raise Diverged("the objective is not finite")
    labels = np.asarray(labels)
    if labels.shape != (n_samples,) or not np.issubdtype(labels.dtype, np.integer):
        raise ValueError(f"labels_ is {labels.dtype} of shape {labels.shape}")
    return labels.astype(np.int32, copy=False)
