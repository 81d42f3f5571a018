"""Pieces of work: one fit, or one fit that serves several seeds."""

import hashlib
import json
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version
from platform import python_version
from typing import Self

from graphtailor.bench.plan.plan import Phase, Plan, PlannedData, PlannedMethod, Setting
from graphtailor.bench.run.method_source import method_source

# A method as it is run on the data, the data, and their checksum.
Pair = tuple[PlannedMethod, PlannedData, str]
# A change of any of them may change a label.
_PACKAGES = ("graphtailor", "numba", "numpy", "scikit-learn", "scipy")


@cache
def environment() -> str:
    """Versions of Python and of the packages below, as JSON."""
    versions = {package: version(package) for package in _PACKAGES}
    return json.dumps({"python": python_version(), **versions}, sort_keys=True)


@dataclass(frozen=True)
class Unit:
    """One setting of one method on one data set, for some seeds."""

    method: PlannedMethod
    params: Setting
    data: PlannedData
    data_hash: str
    seeds: tuple[int, ...]
    metrics: tuple[str, ...]
    seconds: float | None = None
    megabytes: float | None = None

    def keys(self) -> list[str]:
        """The keys of the runs in the store, one for each seed."""
        return [
            run_key(self.method.uses, self.params, self.data_hash, seed)
            for seed in self.seeds
        ]

    def without(self, stored: Container[str]) -> Self:
        """The unit with the seeds whose keys are not stored."""
        pairs = zip(self.seeds, self.keys(), strict=True)
        return replace(self, seeds=tuple(s for s, key in pairs if key not in stored))


def run_key(uses: str, params: Setting, data_hash: str, seed: int) -> str:
    """The name of a run: a hash of method, setting, data, seed, versions and source.

    Runs with equal keys have equal labels. The versions are those of
    :func:`environment`, the source that of
    :func:`graphtailor.bench.run.method_source.method_source`.
    """
    setting = (uses, params_text(params), data_hash, int(seed))
    parts = (*setting, environment(), method_source(uses))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def params_text(params: Setting) -> str:
    """A setting as JSON that does not depend on the order of its names."""
    plain = {k: float(v) if type(v) is int else v for k, v in params.items()}
    return json.dumps(plain, sort_keys=True)


def make_units(
    plan: Plan, phase: Phase, pair: Pair, settings: Iterable[Setting]
) -> Iterator[Unit]:
    """The units of some settings, with as few fits as the method needs.

    A unit has one seed if the whole fit is random, and all seeds of the phase if one
    fit serves them.
    """
    method, planned, data_hash = pair
    seeds = plan.seeds(method, phase)
    groups = [(seed,) for seed in seeds] if method.randomness == "all" else [seeds]
    for params in settings:
        for group in groups:
            what = (method, params, planned, data_hash, group)
            yield Unit(*what, plan.metrics, plan.seconds, plan.megabytes)
