"""``graphtailor bench``: run a plan, and go on where it was."""

import time
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any, Self

from rich import progress as rich_progress
from rich.console import Console
from rich.table import Column
from rich.text import Text

from graphtailor.bench import (
    DamagedStore,
    Progress,
    Store,
    export,
    load_plan,
    recover_store,
    run_plan,
)
from graphtailor.bench.run import illustrations
from graphtailor.cli import options as o
from graphtailor.cli.show import say_notes, show

_INSTEAD = "Instead of the plan's own: all, or names with commas between them."
# Runs of one benchmark differ much in length, so their speed is taken over this time.
_SPEED_SECONDS = 600.0


@dataclass(frozen=True, kw_only=True)
class BenchOptions:
    """The options of ``graphtailor bench``."""

    plan_file: Path | None = o.argument(
        "[PLAN]", "A plan as a TOML file, instead of a preset.", None
    )
    preset: str = o.option(
        "--preset", "NAME", "A plan of ours: quick, paper-small or paper.", "quick"
    )
    methods: str | None = o.option("--methods", "NAMES", _INSTEAD)
    datasets: str | None = o.option("--datasets", "NAMES", _INSTEAD)
    output: Path = o.option(
        "--output -o",
        "FOLDER",
        "Where the results are kept. What is there already is not run again.",
        Path("results"),
    )
    jobs: int = o.option("--jobs -j", "NUMBER", "Processes; -1 is all cores.", -1)
    dask: str | None = o.option(
        "--dask",
        "ADDRESS",
        "Run on a Dask cluster: its scheduler's address, or local:N for N new workers "
        "here.",
    )
    retry_failed: bool = o.option(
        "--retry-failed", None, "Run again what failed before."
    )
    export_to: list[Path] | None = o.option(
        "--export",
        "FILE",
        "Also write all runs to a .csv or .parquet file (the latter with labels); may "
        "be given several times.",
    )
    illustrate: bool = o.option(
        "--illustrate",
        None,
        "Afterwards make the fits that the report's figures of graphs and of the "
        "objective need.",
    )
    quiet: bool = o.quiet_option()


@o.with_options
def bench(options: BenchOptions) -> None:
    """Compare methods on data sets: methods x data sets x settings x repeats.

    It may be stopped at any moment, even killed: the same command continues it.
    """
    plan = load_plan(
        options.plan_file or options.preset,
        methods=_names(options.methods),
        datasets=_names(options.datasets),
    )
    targets = options.export_to or []
    for path in targets:
        if path.suffix not in (".csv", ".parquet"):
            raise ValueError(f"--export: {path} must end in .csv or .parquet.")
    display: Any = nullcontext()
    if not options.quiet:
        display = BenchDisplay(Console(stderr=True, highlight=False))
    with _opened(options.output) as store:
        with display as watch:
            progress = run_plan(
                plan,
                store,
                jobs=options.jobs,
                dask=options.dask,
                retry_failed=options.retry_failed,
                watch=watch,
            )
        for path in targets:
            export(store, path)
        if options.illustrate:
            illustrations.illustrate(store, options.jobs)
    if not options.quiet:
        _tell(progress, options.output)


def _opened(output: Path) -> Store:
    """The store; a damaged one is replaced by the rows of it that are whole."""
    try:
        return Store(output)
    except DamagedStore as error:
        found = recover_store(error.path)
        if found is not None:
            note = (
                f"{error.path} was damaged: {found.n_runs} runs were recovered, and "
                "the others are run again. The damaged file is kept as "
                f"{found.kept}."
            )
            say_notes([note])
        return Store(output)


def _names(text: str | None) -> list[str] | str | None:
    if text is None or text == "all":
        return text
    return [name.strip() for name in text.split(",") if name.strip()]


def _tell(progress: Progress, output: Path) -> None:
    notes = [f"{name} was left out: {why}" for name, why in progress.missing.items()]
    if progress.failed:
        notes.append(
            f"{progress.failed} runs failed; the report has the reasons. "
            "--retry-failed runs them again."
        )
    say_notes(notes)
    done = progress.done - progress.failed
    show(f"{done} runs in {output}, {progress.fresh} of them new.")
    show(f"Next: graphtailor report {output} -o report.html", soft_wrap=True)


class BenchDisplay:
    """Draws the progress of a benchmark; give it to `run_plan` as `watch`.

    On a terminal the bar is redrawn in place; elsewhere a line is written every ten
    seconds.
    """

    def __init__(self, console: Console) -> None:
        self._console = console
        # On a narrow terminal the words are cut off first, then the bar.
        rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)
        self._bar = rich_progress.Progress(
            rich_progress.MofNCompleteColumn(table_column=Column(no_wrap=True)),
            rich_progress.BarColumn(20),
            rich_progress.TimeRemainingColumn(table_column=Column(no_wrap=True)),
            rich_progress.TextColumn(
                "{task.description}", markup=False, table_column=rest
            ),
            console=console,
            expand=True,
            transient=True,
            speed_estimate_period=_SPEED_SECONDS,
        )
        self._task = self._bar.add_task("", total=None)
        self._written = float("-inf")
        self._failure = ""

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._console.is_terminal:
            self._bar.stop()

    def __call__(self, state: Progress) -> None:
        """Show a state."""
        self._bar.update(
            self._task,
            completed=state.done,
            total=state.total,
            description=describe(state),
        )
        if state.last_failure != self._failure:
            self._failure = state.last_failure
            self._write(Text(f"failed: {state.last_failure}", style="yellow"))
        # A pipe gets at most one line in this time.
        is_due = time.monotonic() - self._written > 10.0
        if not self._console.is_terminal and (is_due or state.done >= state.total):
            self._written = time.monotonic()
            seconds = self._bar.tasks[0].time_remaining
            left = "?" if seconds is None else timedelta(seconds=round(seconds))
            counts = f"{state.done}/{state.total}"
            self._write(Text(f"{counts}  {left} left  {describe(state)}"))

    def _write(self, text: Text) -> None:
        self._console.print(text, soft_wrap=not self._console.is_terminal)


def describe(state: Progress) -> str:
    """A state in words; what matters most comes first, as the end may be cut off."""
    failed = f"{state.failed} failed" if state.failed else ""
    parts = [failed, f"{state.running} running", state.phase, state.last]
    return "  ".join(part for part in parts if part)
