"""Run a plan: what is stored already is not run again."""

import json
import os
import platform
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from itertools import chain

import pandas as pd

from graphtailor.bench.plan.plan import Phase, Plan, PlannedMethod, Setting
from graphtailor.bench.results.chosen_setting import choose_setting, searched_scores
from graphtailor.bench.run.backends import Backend, DaskBackend, JoblibBackend
from graphtailor.bench.run.data import load_data
from graphtailor.bench.run.work_units import (
    Pair,
    Unit,
    environment,
    make_units,
    method_source,
)
from graphtailor.bench.store.store import Session, Store, rescore
from graphtailor.dask.cluster import dask_client

Settings = Sequence[Setting]


@dataclass
class Progress:
    """How far a benchmark is."""

    total: int = 0  # runs of the plan, as far as they are known
    done: int = 0  # stored runs
    failed: int = 0  # how many of these failed
    fresh: int = 0  # runs that this call added to the store
    running: int = 0  # units being worked on
    phase: Phase = "search"  # what the runs are for
    last: str = ""  # what was finished last
    last_failure: str = ""  # the newest failure and its reason
    # Data sets that are not here, and why.
    missing: dict[str, str] = field(default_factory=dict)


Watcher = Callable[[Progress], None]


def run_plan(
    plan: Plan,
    store: Store,
    *,
    jobs: int = -1,
    dask: str | None = None,
    retry_failed: bool = False,
    watch: Watcher | None = None,
) -> Progress:
    """Run the part of a plan that is not in the store yet.

    One data set after the other, in the plan's order: its grids are searched on the
    search seeds, then the settings chosen are run on the fresh report seeds. The call
    may be interrupted at any moment, and repeated.

    Parameters
    ----------
    plan : Plan
        What to run.
    store : Store
        Where the runs go.
    jobs : int, default=-1
        Processes on this machine; -1 is one for each core.
    dask : str or None, default=None
        Run on this Dask cluster instead: an address or "local:N".
    retry_failed : bool, default=False
        Run again what failed before.
    watch : callable or None, default=None
        Called with the :class:`Progress` after every unit.

    Returns
    -------
    Progress
        The last state.

    Examples
    --------
    >>> import tempfile
    >>> from graphtailor.bench import Store, parse_plan, run_plan
    >>> plan = parse_plan({"methods": ["PCA"], "datasets": ["iris"]})
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     progress = run_plan(plan, store, jobs=1)
    >>> progress.done, progress.failed
    (20, 0)
    """
    work = _Work(plan, store, retry_failed, watch or (lambda progress: None))
    with ExitStack() as stack:
        backend: Backend = JoblibBackend(jobs)
        if dask is not None:
            backend = DaskBackend(stack.enter_context(dask_client(dask)))
        work.run(backend)
    return work.progress


class _Work:
    """The state of one call of :func:`run_plan`."""

    def __init__(
        self, plan: Plan, store: Store, retry_failed: bool, watch: Watcher
    ) -> None:
        self.plan, self.store, self.watch = plan, store, watch
        self.progress = Progress()
        # The status of every run of the plan that is stored, by its key.
        self.states: dict[str, str] = {}
        self.retry_failed = retry_failed
        self.tried: set[str] = set()

    def run(self, backend: Backend) -> None:
        sets = self._load()
        # Runs of another plan may have other scores.
        rescore(self.store, self.plan.metrics)
        pairs = list(chain(*sets))
        known = self._units("search", pairs, self._searched)
        known += self._units("report", pairs, self._fixed)
        waiting = self._n_waiting(pairs)
        self._count(known, waiting)
        for of_set in sets:
            searched = self._units("search", of_set, self._searched)
            self._stage("search", searched, backend)
            scores = searched_scores(self.store, self.plan, self.session)
            chosen = self._units("report", of_set, partial(self._chosen, scores))
            known += chosen
            waiting -= self._n_waiting(of_set)
            self._count(known, waiting)
            fixed = self._units("report", of_set, self._fixed)
            self._stage("report", [*fixed, *chosen], backend)
        self._count(known, waiting)

    def _load(self) -> list[list[Pair]]:
        """Load all data once, for their checksums; leave out what is not here."""
        methods, sets = self.plan.methods, []
        for planned in self.plan.datasets:
            try:
                data = load_data(planned)
            except FileNotFoundError as error:
                self.progress.missing[planned.name] = str(error)
                continue
            self.store.add_data(data)
            suited = [
                m for m in methods if not m.needs_nonnegative or data.X.min() >= 0
            ]
            sets.append([(m.on(len(data.y)), planned, data.hash) for m in suited])
        machine = {
            "system": f"{platform.system()} {platform.release()}",
            "processor": platform.processor() or platform.machine(),
            "cores": os.cpu_count(),
        }
        self.session = Session(
            started=datetime.now(UTC).isoformat(timespec="seconds"),
            plan=self.plan.to_json(),
            environment=environment(),
            machine=json.dumps(machine),
            missing=json.dumps(self.progress.missing),
            sources=json.dumps({m.uses: method_source(m.uses) for m in methods}),
        )
        self.store.begin_session(self.session)
        return sets

    def _is_searched(self, method: PlannedMethod) -> bool:
        return "oracle" in self.plan.choices and len(method.settings()) > 1

    def _n_waiting(self, pairs: Iterable[Pair]) -> int:
        """Runs of settings that must be chosen first."""
        methods = (method for method, _, _ in pairs if self._is_searched(method))
        return sum(len(self.plan.seeds(method, "report")) for method in methods)

    def _units(
        self, phase: Phase, pairs: Iterable[Pair], choose: Callable[[Pair], Settings]
    ) -> list[Unit]:
        units = (make_units(self.plan, phase, pair, choose(pair)) for pair in pairs)
        return list(chain.from_iterable(units))

    def _searched(self, pair: Pair) -> Settings:
        return pair[0].searched_settings() if self._is_searched(pair[0]) else []

    def _fixed(self, pair: Pair) -> Settings:
        """Reported settings that need no search."""
        method = pair[0]
        settings = [method.params] if "blind" in self.plan.choices else []
        if "oracle" in self.plan.choices and not self._is_searched(method):
            settings += [s for s in method.settings() if s not in settings]
        return settings

    def _chosen(self, scores: pd.DataFrame, pair: Pair) -> Settings:
        """The reported setting that the search found, if it found one."""
        method, _, data_hash = pair
        if not self._is_searched(method):
            return []
        found = choose_setting(method, data_hash, "oracle", scores)
        return [] if found is None else [found]

    def _count(self, units: Iterable[Unit], waiting: int) -> None:
        """Count all units; `waiting` runs are not known before a setting is chosen."""
        keys = set(chain.from_iterable(unit.keys() for unit in units))
        self.states = {}
        self._look_up(keys)
        self.progress.total = len(keys) + waiting

    def _look_up(self, keys: Iterable[str]) -> None:
        """Take what is stored of these runs into the progress."""
        for key, state in self.store.states(keys).items():
            if state == "done" or key in self.tried or not self.retry_failed:
                self.states[key] = state
        self.progress.done = len(self.states)
        self.progress.failed = sum(state != "done" for state in self.states.values())

    def _stage(self, phase: Phase, units: list[Unit], backend: Backend) -> None:
        progress = self.progress
        progress.phase = phase
        self.watch(progress)
        for unit, runs, running in backend.run(self._left(units)):
            progress.fresh += self.store.add(unit, runs)
            self.tried.update(unit.keys())
            self._look_up(unit.keys())
            where = f"{unit.method.name} on {unit.data.name}"
            progress.running, progress.last = running, where
            for run in runs:
                if run.status != "done":
                    failure = f"{where}, seed {run.seed}: {run.status}, {run.reason}"
                    progress.last_failure = failure
            self.watch(progress)

    def _left(self, units: list[Unit]) -> Iterator[Unit]:
        """Units as they are needed: another process may have done some meanwhile."""
        for unit in units:
            self._look_up(unit.without(self.states).keys())
            left = unit.without(self.states)
            if left.seeds:
                yield left
