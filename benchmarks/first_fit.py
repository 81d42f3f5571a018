"""What a new user waits for: the first fit, the import and the command's help.

    python benchmarks/first_fit.py [--kernels 15]

Prints CPU seconds of GraphTailor's fit of wine (178 x 13) in a new process whose cache
of compiled code is empty, the same in a second process that finds the cache, and the
compiled functions that took longest. Then the shortest of five new processes each:
``import graphtailor``, the same with GraphTailor itself, and ``graphtailor --help``.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, NamedTuple

from numba.core import event

from process import timed

REPEATS = 5
# Packages that `import graphtailor` should not need.
HEAVY = ("pandas", "matplotlib", "numba", "sklearn")


class Kernel(NamedTuple):
    """A function that numba compiled.

    Attributes
    ----------
    name : str
        Module and name.
    seconds : float
        CPU seconds of its compilations, without the functions that it calls.
    total : float
        The same with these functions.
    count : int
        Number of compilations, one for each set of argument types.
    """

    name: str
    seconds: float
    total: float
    count: int


def kernels_of(events: Iterable[tuple[float, Any]]) -> list[Kernel]:
    """Functions by their compile time, from numba's events and when they happened.

    Numba compiles one function at a time, and others only inside it.
    """
    own: dict[str, float] = defaultdict(float)
    total: dict[str, float] = defaultdict(float)
    count: dict[str, int] = defaultdict(int)
    running: list[
        tuple[float, float]
    ] = []  # begin, and seconds of the functions inside
    for now, compiled in events:
        if compiled.is_start:
            running.append((now, 0.0))
            continue
        begin, inside = running.pop()
        function = compiled.data["dispatcher"].py_func
        name = f"{function.__module__}.{function.__qualname__}"
        own[name] += now - begin - inside
        total[name] += now - begin
        count[name] += 1
        if running:
            running[-1] = (running[-1][0], running[-1][1] + now - begin)
    found = [Kernel(name, own[name], total[name], count[name]) for name in own]
    return sorted(found, key=lambda kernel: -kernel.total)


class CompileClock(event.Listener):
    """Notes the CPU time of the compiling thread at each begin and end."""

    def __init__(self) -> None:
        self.times: list[tuple[float, event.Event]] = []

    def on_start(self, event: event.Event) -> None:
        self.times.append((time.thread_time(), event))

    def on_end(self, event: event.Event) -> None:
        self.times.append((time.thread_time(), event))


def fit_wine() -> None:
    """Fit in this process and print what it took, as a line of JSON."""
    from sklearn.datasets import load_wine

    from graphtailor import GraphTailor

    X, clock = load_wine().data, CompileClock()
    with event.install_listener("numba:compile", clock):
        _, took = timed(lambda: GraphTailor(3, random_state=0).fit(X))
    found = {
        "cpu": took.cpu,
        "wall": took.wall,
        "whole": time.process_time(),
        "kernels": kernels_of(clock.times),
    }
    print(json.dumps(found))


def in_new_process(cache: str) -> dict[str, Any]:
    """`fit_wine` in a new process with this cache."""
    environment = os.environ | {"NUMBA_CACHE_DIR": cache}
    command = [sys.executable, __file__, "--fit"]
    output = subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout
    return json.loads(output.splitlines()[-1])


def best_seconds(*arguments: str) -> float:
    """Wall seconds of the quickest of several new processes."""
    seconds = []
    for _ in range(REPEATS):
        began = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def imported_packages(statement: str) -> list[str]:
    """Heavy packages that a statement imports."""
    test = (
        f"import sys; {statement}; print(*[x for x in {HEAVY!r} if x in sys.modules])"
    )
    command = [sys.executable, "-c", test]
    return subprocess.check_output(command, text=True).split()


def show_fits(n_kernels: int) -> None:
    with tempfile.TemporaryDirectory() as cache:
        cold, warm = in_new_process(cache), in_new_process(cache)
    for name, fit in (("empty cache", cold), ("full cache", warm)):
        print(
            f"fit of wine, {name}: {fit['cpu']:.2f} CPU-s, {fit['wall']:.2f} s wall; "
            f"whole process {fit['whole']:.2f} CPU-s"
        )
    if warm["kernels"]:
        names = [Kernel(*kernel).name for kernel in warm["kernels"]]
        print(f"compiled again although there is a cache: {', '.join(names)}")
    kernels = [Kernel(*kernel) for kernel in cold["kernels"]]
    compiling = sum(kernel.seconds for kernel in kernels)
    print(f"\n{len(kernels)} functions compiled in {compiling:.2f} CPU-s")
    print(f"{'own s':>7}{'total s':>9}{'times':>7}  function")
    for kernel in kernels[:n_kernels]:
        print(
            f"{kernel.seconds:7.2f}{kernel.total:9.2f}{kernel.count:7}  {kernel.name}"
        )


def show_starts() -> None:
    bare = best_seconds("-c", "pass")
    print(f"\n{bare:.3f} s wall: python itself")
    for statement in ("import graphtailor", "from graphtailor import GraphTailor"):
        seconds = best_seconds("-c", statement)
        heavy = ", ".join(imported_packages(statement)) or "none"
        print(f"{seconds:.3f} s wall: {statement} (of {', '.join(HEAVY)}: {heavy})")
    print(
        f"{best_seconds('-m', 'graphtailor', '--help'):.3f} s wall: graphtailor --help"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kernels", type=int, default=15, help="how many to list")
    parser.add_argument("--fit", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.fit:
        fit_wine()
        return
    show_fits(arguments.kernels)
    show_starts()


if __name__ == "__main__":
    main()
