"""Thousands of fits in one process: what they leave behind.

    python benchmarks/soak.py [--fits 10000]

Fits of all methods on small samples of changing size, dense and sparse, also with
anchors and on all pairs.
Prints resident memory after the first 500 fits and at the end, open files and threads.
"""

from __future__ import annotations

import argparse
import gc
import os
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from graphtailor import GraphTailor, JointModel
from graphtailor.registry import METHODS
from graphtailor.solvers import Descent

# Long iterations say nothing more about what is left behind.
FEW_ITERATIONS = 5


def makers() -> list[Callable[[int, int], Any]]:
    """Estimators by number of clusters and seed, of few iterations."""
    found: list[Callable[[int, int], Any]] = []
    for method in METHODS.values():
        short = "max_iter" in method.estimator().get_params()
        params = {**method.fixed, **({"max_iter": FEW_ITERATIONS} if short else {})}
        found.append(
            lambda c, seed, make=method.estimator, params=params: make(
                c, random_state=seed
            ).set_params(**params)
        )
    found += [
        lambda c, seed: GraphTailor(c, representatives=15, random_state=seed),
        lambda c, seed: JointModel(
            c, solver=Descent(support=None), n_init=3, random_state=seed
        ),
    ]
    return found


def fits(count: int) -> Iterator[Any]:
    """Fitted models, one after the other."""
    rng = np.random.default_rng(0)
    kinds = makers()
    for number in range(count):
        n, d = int(rng.integers(20, 61)), int(rng.integers(1, 9))
        X = rng.uniform(size=(n, d)) * (rng.uniform(size=(n, d)) < 0.9)
        X[0] = 1.0
        if number % 5 == 0:
            X = sparse.csr_array(X)
        make = kinds[number % len(kinds)]
        yield make(int(rng.integers(1, 5)), number).fit(X)


def left_behind() -> tuple[int, int, int]:
    """Resident bytes, open files and threads of this process (Linux)."""
    gc.collect()
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[1])
    files = len(os.listdir("/proc/self/fd"))
    return pages * os.sysconf("SC_PAGE_SIZE"), files, threading.active_count()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fits", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=500)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    began, cpu = time.perf_counter(), time.process_time()
    before = (0, 0, 0)
    for number, _ in enumerate(fits(arguments.fits), start=1):
        if number == arguments.first:
            before = left_behind()
            print(f"after {number} fits: {describe(before)}", flush=True)
    after = left_behind()
    growth = after[0] / before[0] - 1 if before[0] else float("nan")
    print(
        f"after {arguments.fits} fits: {describe(after)}; memory grew by {growth:.1%}; "
        f"{time.perf_counter() - began:.0f} s wall, "
        f"{time.process_time() - cpu:.0f} s CPU"
    )


def describe(left: tuple[int, int, int]) -> str:
    """The three numbers in words."""
    return f"{left[0] / 1e6:.1f} MB resident, {left[1]} files, {left[2]} threads"


if __name__ == "__main__":
    main()
