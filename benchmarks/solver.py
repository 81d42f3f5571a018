"""Both solvers of the joint model on scikit-learn's digits, in one run.

    python benchmarks/solver.py [--iterations 300]

Prints seconds (wall and CPU), the objective and ACC of the study's Algorithm 1, which
has one start, and of coordinate descent from one start and from as many as it takes by
default, and the ratios of their times. The time that the first call of the descent
takes to compile, or to read from the cache of compiled code, is printed apart. Both
solvers get the same scaled data and weights.
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from graphtailor import GraphTailor
from graphtailor.metrics import clustering_accuracy


def timed(model: GraphTailor, X: Any) -> tuple[GraphTailor, float, float]:
    """Fit; wall and CPU seconds."""
    wall, cpu = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X)
    return model, time.perf_counter() - wall, time.process_time() - cpu


def show(name: str, model: GraphTailor, wall: float, cpu: float, y: Any) -> None:
    accuracy = clustering_accuracy(y, model.labels_)
    reached = model.objective_[-1]
    print(f"{name:34s} {wall:8.2f} {cpu:8.2f} {reached:11.2f} {accuracy:6.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    X, y = load_digits(return_X_y=True)
    common = {"n_clusters": 10, "alpha": 100.0, "beta": 100.0, "random_state": 0}

    _, first_call, _ = timed(GraphTailor(**common), X[:200])
    _, second_call, _ = timed(GraphTailor(**common), X[:200])
    print(
        f"first call of the descent: {first_call - second_call:.1f} s of compiling "
        "(or of reading compiled code from the cache)"
    )

    slow = GraphTailor(
        solver="multiplicative", max_iter=arguments.iterations, tol=0.0, **common
    )
    slow, slow_wall, slow_cpu = timed(slow, X)
    print(f"digits, n = {X.shape[0]}, d = {X.shape[1]}, alpha = beta = 100")
    print(f"{'solver':34s} {'wall s':>8s} {'CPU s':>8s} {'objective':>11s} {'ACC':>6s}")
    show(f"Algorithm 1, {slow.n_iter_} iterations", slow, slow_wall, slow_cpu, y)
    ratios = []
    for n_init in (1, "auto"):
        fits = [
            timed(GraphTailor(n_init=n_init, **common), X)
            for _ in range(arguments.repeats)
        ]
        descent, wall, cpu = min(fits, key=lambda fit: fit[1])
        starts = len(descent.starts_)
        name = f"descent, {starts} start{'s' if starts > 1 else ''}"
        show(name, descent, wall, cpu, y)
        ratios.append(f"{slow_wall / wall:.0f} in wall and {slow_cpu / cpu:.0f} in CPU")
    print("ratios of times: " + "; ".join(ratios))
    assert np.all(np.diff(slow.objective_) <= 1e-9 * slow.objective_[:-1])


if __name__ == "__main__":
    main()
