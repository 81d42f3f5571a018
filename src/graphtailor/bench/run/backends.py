"""Who does the work: processes on this machine by joblib, or a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from joblib import Parallel, delayed, effective_n_jobs, parallel_config
from joblib.externals.loky.process_executor import TerminatedWorkerError

from graphtailor.bench.run.execute import Run, execute
from graphtailor.bench.run.work_units import Unit

if TYPE_CHECKING:  # Dask is optional
    from distributed import Client, Future


class Outcome(NamedTuple):
    """A finished unit, and how many are being worked on."""

    unit: Unit
    runs: list[Run]
    running: int


class Backend(Protocol):
    """Takes units one by one, and gives them back as they are finished."""

    def run(self, units: Iterator[Unit]) -> Iterator[Outcome]: ...


class JoblibBackend:
    """Processes on this machine; 1 works in this process, -1 takes all cores."""

    def __init__(self, jobs: int) -> None:
        self.jobs = effective_n_jobs(jobs)

    def run(self, units: Iterator[Unit]) -> Iterator[Outcome]:
        """Run units; what may have killed a process is run again, alone."""
        at_work: dict[int, Unit] = {}
        numbered = enumerate(units)

        def begin() -> Iterator[Any]:
            for number, unit in numbered:
                at_work[number] = unit
                yield delayed(_numbered)(number, unit)

        while True:
            try:
                # No more is handed out than is worked on, so that after a crash it
                # is known what may have caused it.
                with parallel_config("loky", inner_max_num_threads=1):
                    parallel = Parallel(
                        self.jobs,
                        return_as="generator_unordered",
                        pre_dispatch="n_jobs",
                        batch_size=1,
                    )
                for number, runs in parallel(begin()):
                    unit = at_work.pop(number)
                    yield Outcome(unit, runs, min(len(at_work), self.jobs))
                return
            except TerminatedWorkerError:
                suspects = list(at_work.values())
                at_work.clear()
                yield from map(_alone, suspects)


def _numbered(number: int, unit: Unit) -> tuple[int, list[Run]]:
    return number, execute(unit)


def _alone(unit: Unit) -> Outcome:
    """Run a unit that may have killed its process in one of its own."""
    try:
        # Two workers at least: joblib would run a single one in this process.
        first, _ = Parallel(2, batch_size=1)(
            [delayed(execute)(unit), delayed(list)(())]
        )
        return Outcome(unit, first, 0)
    except TerminatedWorkerError:
        return Outcome(unit, crashed(unit), 0)


def crashed(unit: Unit) -> list[Run]:
    """The runs of a unit whose process died."""
    reason = "the process died; it may have run out of memory"
    return [Run(seed, "crashed", reason) for seed in unit.seeds]


class DaskBackend:
    """The workers of a Dask cluster."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def run(self, units: Iterator[Unit]) -> Iterator[Outcome]:
        """Take units one by one and give them back as they are finished."""
        from distributed import as_completed

        n_threads = max(sum(self.client.nthreads().values()), 1)
        at_work: dict[object, Unit] = {}

        def submit(unit: Unit) -> Future:
            future = self.client.submit(execute, unit, pure=False)
            at_work[future.key] = unit
            return future

        # One waits for each that is worked on, so that no worker is idle.
        futures = as_completed([submit(unit) for unit in islice(units, 2 * n_threads)])
        for future in futures:
            unit = at_work.pop(future.key)
            if future.status == "cancelled":
                future.result()  # the scheduler is lost, and this says so
            for following in islice(units, 1):
                futures.add(submit(following))
            running = min(len(at_work), n_threads)
            if future.status == "error":
                yield Outcome(unit, _dask_failure(unit, future.exception()), running)
            else:
                yield Outcome(unit, future.result(), running)


def _dask_failure(unit: Unit, error: BaseException) -> list[Run]:
    from distributed.scheduler import KilledWorker

    if isinstance(error, KilledWorker):
        return crashed(unit)
    reason = f"the cluster: {type(error).__name__}: {error}"
    return [Run(seed, "error", reason) for seed in unit.seeds]
