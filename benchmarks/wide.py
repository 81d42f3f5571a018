"""CPU seconds of every estimator on 200 rows of 20,000 features, dense and sparse.

    python benchmarks/wide.py [--only NAME ...]

No estimator may take more than ten seconds there: that is promised, and the last line
says whether it holds. Each fit runs on one thread in a process of its own, forked after
a warm-up. Tables are noise or three clusters, dense or with one entry in a hundred.
"""

from __future__ import annotations

import argparse
import multiprocessing
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from graphtailor import (
    DiffusedGraph,
    EnsembleGraph,
    GraphTailor,
    JointModel,
    KernelMap,
    LearnedGraph,
    NeighborGraph,
)
from graphtailor.registry import METHODS
from process import timed

LIMIT, TIMEOUT = 10.0, 120.0
N, D = 200, 20_000


def tables() -> Iterator[tuple[str, Any]]:
    """Noise and three clusters, nonnegative, dense and sparse."""
    rng = np.random.default_rng(0)
    centers = rng.uniform(size=(3, D))[np.arange(N) % 3]
    noise, drawn = rng.uniform(size=(2, N, D))
    kept = rng.uniform(size=(N, D)) < 0.02 * np.where(centers > 0.5, 0.9, 0.1)
    yield "dense noise", noise
    yield "dense clusters", centers + drawn
    yield "sparse noise", sparse.random_array((N, D), density=0.01, format="csr", rng=0)
    yield "sparse clusters", sparse.csr_array(kept * np.ceil(5 * drawn))


def estimators() -> dict[str, Any]:
    """All methods by name, and the public classes that are no method."""
    found = {
        name: method.estimator(3, random_state=0).set_params(**method.fixed)
        for name, method in METHODS.items()
    }
    return found | {
        "GraphTailor, number open": GraphTailor(random_state=0),
        "GraphTailor on anchors": GraphTailor(3, representatives=50, random_state=0),
        "JointModel, diffused": JointModel(3, graph=DiffusedGraph(), random_state=0),
        "KernelMap": KernelMap(),
        "LearnedGraph": LearnedGraph(GraphTailor(3, random_state=0)),
        "NeighborGraph": NeighborGraph(),
        "DiffusedGraph": DiffusedGraph(),
        "EnsembleGraph": EnsembleGraph(random_state=0),
    }


def measure(model: Any, X: Any) -> float | str:
    """CPU seconds of one fit in a forked process, or what went wrong."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=timed_fit, args=(model, X, sender))
    child.start()
    sender.close()
    try:
        return receiver.recv() if receiver.poll(TIMEOUT) else f"over {TIMEOUT:g} s"
    except EOFError:
        return "the process died"
    finally:
        child.kill()
        child.join()


def timed_fit(model: Any, X: Any, sender: Any) -> None:
    try:
        fitted, seconds = timed(lambda: model.fit(X))
    except Exception as error:  # one failure must not end the table
        sender.send(f"{type(error).__name__}: {error}")
        return
    embedding = getattr(fitted, "embedding_", np.zeros(1))
    sender.send(seconds.cpu if np.isfinite(embedding).all() else "not finite")


def main() -> None:
    """Print a row for each estimator, and those over the limit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    models = estimators()
    parser.add_argument("--only", nargs="+", default=list(models), choices=models)
    names = parser.parse_args().only
    warnings.simplefilter("ignore")
    samples = dict(tables())
    for name in names:  # imports and compilation are not timed
        for X in samples.values():
            models[name].fit(X[:40, :200])
    print(f"{'estimator':26}", *(f"{table:>15}" for table in samples))
    over = []
    for name in names:
        taken = [measure(models[name], X) for X in samples.values()]
        shown = [f"{t:15.2f}" if isinstance(t, float) else f"{t:>15}" for t in taken]
        print(f"{name:26}", *shown, flush=True)
        over += [name] * any(not isinstance(t, float) or t > LIMIT for t in taken)
    print("Over the limit: " + ", ".join(over) if over else f"All within {LIMIT:g} s.")


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
