"""One fit in a process of its own, with its seconds and its memory.

`measure` starts this module as a script::

    python -m scale.measure FOLDER METHOD N_CLUSTERS N_ANCHORS SEED

It fits X.npy of the folder, compares with y.npy and prints one line of JSON.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from process import peak_megabytes, timed
from scale.methods import METHODS, OURS, Task

# A method that asks for more is stopped before the machine starts to swap.
MEMORY_LIMIT = 14 * 2**30


def measure(folder: Path, method: str, task: Task, seconds: float) -> dict[str, Any]:
    """Fit in a new process; its figures, and a status that is "ok" or why not."""
    numbers = (task.n_clusters, task.n_anchors, task.seed)
    command = ["-m", "scale.measure", str(folder), method, *map(str, numbers)]
    try:
        done = subprocess.run(
            [sys.executable, *command],
            capture_output=True,
            text=True,
            timeout=seconds,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
    except subprocess.TimeoutExpired:
        return {"status": f"stopped after {seconds:.0f} s"}
    if done.returncode < 0:
        return {"status": f"killed by signal {-done.returncode}"}
    if done.returncode:
        reason = (done.stderr.strip() or "no message").splitlines()[-1]
        return {"status": reason[:200]}
    return json.loads(done.stdout.splitlines()[-1])


def warm_up(method: str) -> None:
    """Compile, or read compiled code, with fits of few rows."""
    wide = np.random.default_rng(0).normal(size=(400, 100)).astype(np.float32)
    wide[::2] += 5
    for rows in (np.ascontiguousarray(wide[:, :4]), wide):
        METHODS[method].make(rows, Task(2, 20)).fit(rows)
        if method == OURS:
            from graphtailor import GraphTailor

            GraphTailor(2, representatives=100, random_state=0).fit(rows)
    if method == "JointModel":
        from graphtailor import JointModel

        # From 20,000 rows on it has code of its own.
        many = np.random.default_rng(0).normal(size=(20_000, 2)).astype(np.float32)
        JointModel(2, n_init=1, random_state=0).fit(many)


def fit(folder: Path, method: str, task: Task) -> dict[str, Any]:
    """What one fit took, and how well it did."""
    warnings.simplefilter("ignore")
    METHODS[method].make(np.zeros((2, 1), np.float32), task)  # imports, not timed
    _, first = timed(lambda: warm_up(method))
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    before = peak_megabytes()
    model, took = timed(lambda: METHODS[method].make(X, task).fit(X))
    found = {
        "status": "ok",
        "cpu_s": took.cpu,
        "wall_s": took.wall,
        "peak_mb": peak_megabytes(),
        "before_fit_mb": before,
        "data_mb": X.nbytes / 2**20,
        "warm_up_cpu_s": first.cpu,
        "warm_up_wall_s": first.wall,
    }
    if method == OURS:
        found["representatives"] = len(model.representatives_)
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
