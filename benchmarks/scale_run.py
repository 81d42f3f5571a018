"""One fit in a process of its own, with its seconds and its memory.

`measure` starts this file as a script::

    python benchmarks/scale_run.py FOLDER METHOD N_CLUSTERS N_ANCHORS SEED

It fits X.npy of the folder, compares with y.npy and prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from scale_methods import METHODS, OURS, Task

# A method that asks for more is stopped before the machine starts to swap.
MEMORY_LIMIT = 14 * 2**30


def measure(
    folder: Path,
    method: str,
    task: Task,
    seconds: float,
    environment: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Fit in a new process; its figures, and a status that is "ok" or why not."""
    numbers = (task.n_clusters, task.n_anchors, task.seed)
    command = [sys.executable, __file__, str(folder), method, *map(str, numbers)]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=seconds,
            env=os.environ | (environment or {}),
        )
    except subprocess.TimeoutExpired:
        return {"status": f"stopped after {seconds:.0f} s"}
    if done.returncode < 0:
        return {"status": f"killed by signal {-done.returncode}"}
    if done.returncode:
        reason = (done.stderr.strip() or "no message").splitlines()[-1]
        return {"status": reason[:200]}
    return json.loads(done.stdout.splitlines()[-1])


def cpu_seconds() -> float:
    """User and system time of this process, its threads and its ended children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def peak_megabytes() -> float:
    """Peak resident memory so far.

    On Linux ru_maxrss starts at what the parent held, so that the peak of the memory
    of this program alone is read from the kernel's own file.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if "VmHWM" in x)
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def warm_up(method: str) -> None:
    """Compile, or read compiled code, with fits of very few rows in every tier.

    From 20,000 rows on the sparse tier has code of its own.
    """
    wide = np.random.default_rng(0).normal(size=(400, 100)).astype(np.float32)
    wide[::2] += 5
    X = np.ascontiguousarray(wide[:, :4])
    if not method.startswith(OURS):
        for rows in (X, wide):  # some compile other code for many features
            METHODS[method].make(rows, Task(2, 20)).fit(rows)
        return
    from graphtailor import GraphTailor
    from graphtailor.decide.tiers import TIERS

    for tier in TIERS:
        GraphTailor(2, tier=tier, random_state=0).fit(X)
    GraphTailor(2, tier="sparse", random_state=0).fit(wide)
    many = np.random.default_rng(0).normal(size=(20_000, 2)).astype(np.float32)
    GraphTailor(2, tier="sparse", n_init=1, random_state=0).fit(many)


def fit(folder: Path, method: str, task: Task) -> dict[str, Any]:
    """What one fit took, and how well it did."""
    warnings.simplefilter("ignore")
    METHODS[method].make(np.zeros((2, 1), np.float32), task)  # imports, not timed
    first_wall, first_cpu = time.perf_counter(), cpu_seconds()
    warm_up(method)
    first_wall, first_cpu = time.perf_counter() - first_wall, cpu_seconds() - first_cpu
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    before = peak_megabytes()
    wall, cpu = time.perf_counter(), cpu_seconds()
    model = METHODS[method].make(X, task).fit(X)
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    found = {
        "status": "ok",
        "tier": getattr(model, "tier_", ""),
        "cpu_s": cpu,
        "wall_s": wall,
        "peak_mb": peak_megabytes(),
        "before_fit_mb": before,
        "data_mb": X.nbytes / 2**20,
        "warm_up_cpu_s": first_cpu,
        "warm_up_wall_s": first_wall,
    }
    if METHODS[method].scored:
        from graphtailor.metrics import clustering_accuracy, normalized_mutual_info

        found["ACC"] = clustering_accuracy(y, model.labels_)
        found["NMI"] = normalized_mutual_info(y, model.labels_)
    return found


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    folder, method, *numbers = sys.argv[1:]
    print(json.dumps(fit(Path(folder), method, Task(*map(int, numbers)))))


if __name__ == "__main__":
    main()
