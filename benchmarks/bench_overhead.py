"""What a run of a benchmark costs beside the method: plan, store, display.

    python benchmarks/bench_overhead.py

Runs 10,000 units of a method and a metric that do nothing, in this process and in two,
with the live display on a terminal of its own, and prints milliseconds a run; then does
the same again, when everything is stored already. The four real metrics are timed
apart.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.base import BaseEstimator, ClusterMixin

from graphtailor.bench import Plan, Store, parse_plan, run_plan
from graphtailor.bench.results.scores import METRICS, score_labels
from graphtailor.bench.run.data import load_data
from graphtailor.cli.bench import BenchDisplay


class Nothing(ClusterMixin, BaseEstimator):
    """Puts sample i into cluster i mod n_clusters."""

    def __init__(self, n_clusters: int = 2, random_state: Any = None) -> None:
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Nothing:
        self.labels_ = np.arange(len(X)) % self.n_clusters
        return self


def no_score(y_true: Any, labels: Any) -> float:
    """A metric that does nothing."""
    return 0.0


def plan_of(n_runs: int) -> Plan:
    """As many units as runs: a seed each."""
    return parse_plan(
        {
            "datasets": ["iris"],
            "choices": ["blind"],
            "metrics": ["bench_overhead:no_score"],
            "method": {"Nothing": {"uses": "bench_overhead:Nothing"}},
            "seeds": {"report": {"first": 1000, "count": n_runs}},
            "limits": {"seconds": 60.0, "megabytes": 4000},
        }
    )


def milliseconds_a_run(plan: Plan, folder: str, jobs: int) -> float:
    """Wall time of a run."""
    console = Console(file=io.StringIO(), force_terminal=True, width=80)
    started = time.perf_counter()
    with Store(folder) as store, BenchDisplay(console) as watch:
        run_plan(plan, store, jobs=jobs, watch=watch)
    return 1000 * (time.perf_counter() - started) / len(plan.report_seeds)


def milliseconds_of_metrics(plan: Plan, repeats: int = 300) -> float:
    """Time of the four metrics of one run."""
    y = load_data(plan.datasets[0]).y
    labels = (np.arange(len(y)) % 3).astype(np.int32)
    started = time.perf_counter()
    for _ in range(repeats):
        score_labels(y, labels, METRICS)
    return 1000 * (time.perf_counter() - started) / repeats


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10_000)
    arguments = parser.parse_args()
    plan = plan_of(arguments.runs)
    for jobs in (1, 2):
        with tempfile.TemporaryDirectory() as folder:
            took = milliseconds_a_run(plan, folder, jobs)
            stored = milliseconds_a_run(plan, folder, jobs)
        print(
            f"{jobs} processes: {took:.2f} ms a run, {stored:.2f} when it is stored "
            "already",
            flush=True,
        )
    print(f"the four metrics: {milliseconds_of_metrics(plan):.2f} ms")


if __name__ == "__main__":
    main()
