"""Both solvers of the joint model on scikit-learn's digits, in one run.

    python benchmarks/solver.py [--iterations 300]

Prints seconds (wall and CPU), the objective and ACC of the paper's Algorithm 1, which
has one start, and of coordinate descent from one start and from the default number of
starts, and the ratios of their times. Both solvers get the same rows, shuffled and
divided by their root mean square length, the same graph, alpha = beta = 100, and
scaling=None, which leaves the rows as they are. The time that the first descent takes
to compile, or to read compiled code from the cache, is printed apart.
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import shuffle

from graphtailor import JointModel
from graphtailor.metrics import clustering_accuracy
from process import Seconds, timed

COMMON = {
    "n_clusters": 10,
    "alpha": 100.0,
    "beta": 100.0,
    "scaling": None,
    "random_state": 0,
}


def fit(X: np.ndarray, **params: object) -> tuple[JointModel, Seconds]:
    """A fitted model, and what the fit took."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return timed(lambda: JointModel(**COMMON | params).fit(X))


def show(name: str, model: JointModel, took: Seconds, y: np.ndarray) -> None:
    """One line of the table."""
    accuracy = clustering_accuracy(y, model.labels_)
    reached = model.objective_[-1]
    print(
        f"{name:34s} {took.wall:8.2f} {took.cpu:8.2f} {reached:11.2f} {accuracy:6.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    X, y = shuffle(*load_digits(return_X_y=True), random_state=0)
    X = X / np.sqrt(np.square(X).sum(axis=1).mean())

    first, second = (fit(X[:200])[1].wall for _ in range(2))
    print(
        f"first descent: {first - second:.1f} s of compiling (or of reading compiled "
        "code from the cache)"
    )
    limits = {"max_iter": arguments.iterations, "tol": 0.0}
    slow, slow_took = fit(X, solver="multiplicative", **limits)
    print(f"digits, n = {X.shape[0]}, d = {X.shape[1]}, alpha = beta = 100")
    print(f"{'solver':34s} {'wall s':>8s} {'CPU s':>8s} {'objective':>11s} {'ACC':>6s}")
    show(f"Algorithm 1, {slow.n_iter_} iterations", slow, slow_took, y)
    ratios = []
    for n_init in (1, JointModel().n_init):
        fits = [fit(X, n_init=n_init) for _ in range(arguments.repeats)]
        descent, took = min(fits, key=lambda pair: pair[1].wall)
        show(f"descent, {n_init} start{'s' if n_init > 1 else ''}", descent, took, y)
        wall, cpu = slow_took.wall / took.wall, slow_took.cpu / took.cpu
        ratios.append(f"{wall:.0f} in wall and {cpu:.0f} in CPU")
    print("ratios of times: " + "; ".join(ratios))


if __name__ == "__main__":
    main()
