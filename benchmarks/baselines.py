"""CPU seconds and peak memory of every method on every data set, on one core.

Each fit runs in a process of its own, forked after a warm-up, so that neither
imports nor compilation are timed and the memory is that of the fit alone. Ratios
are to scikit-learn's SpectralClustering on the same data, whose rows are shuffled.

    python benchmarks/baselines.py
    python benchmarks/baselines.py --methods SC GLPCA --datasets wine msra
"""

from __future__ import annotations

import argparse
import multiprocessing
import warnings
from time import process_time
from typing import Any

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.preprocessing import MaxAbsScaler
from threadpoolctl import threadpool_limits

from graphtailor.datasets import list_datasets, load_dataset
from graphtailor.neighbors import default_n_neighbors
from graphtailor.registry import METHODS, get_method
from process import peak_megabytes

REFERENCE = "sklearn SC"
# Methods that should be done within three seconds whatever the data set; all
# others within a minute.
QUICK = {"L2-Graph", "GLPCA", "PCA", "CAN", "SC", "K-means", "SymNMF"}
QUICK_LIMIT, LIMIT = 3.0, 60.0
TIMEOUT = 300.0


def main() -> None:
    args = parse_arguments()
    warnings.simplefilter("ignore")
    methods = [get_method(name).name for name in args.methods]
    warm_up(methods)
    misses = []
    for dataset in args.datasets:
        X, n_clusters = samples(dataset)
        print(f"\n{dataset}: n={X.shape[0]} d={X.shape[1]} c={n_clusters}")
        print(f"{'method':12} {'seconds':>9} {'ratio':>8} {'peak MB':>9}")
        reference = None
        for name in [REFERENCE, *methods]:
            if name != REFERENCE and METHODS[name].needs_nonnegative and X.min() < 0:
                print(f"{name:12} {'---':>9}")
                continue
            outcome = measure(name, X, n_clusters)
            if isinstance(outcome, str):
                print(f"{name:12} {outcome}")
                misses.append(f"{name} on {dataset}: {outcome}")
                continue
            seconds, megabytes = outcome
            reference = seconds if name == REFERENCE else reference
            ratio = f"{seconds / reference:8.2f}" if reference else " " * 8
            print(f"{name:12} {seconds:9.3f} {ratio} {megabytes:9.1f}", flush=True)
            limit = QUICK_LIMIT if name in QUICK else LIMIT
            if name != REFERENCE and seconds > limit:
                misses.append(f"{name} on {dataset}: {seconds:.1f} s > {limit:g} s")
    print("\n" + ("\n".join(misses) if misses else "All within their limits."))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    names = [info.name for info in list_datasets()]
    parser.add_argument("--methods", nargs="+", default=list(METHODS))
    parser.add_argument("--datasets", nargs="+", default=names, choices=names)
    return parser.parse_args()


def samples(dataset: str) -> tuple[np.ndarray, int]:
    """Scaled samples, and the number of classes.

    Features are divided by their largest magnitude; iris is left as it is.
    """
    bunch = load_dataset(dataset)
    X = np.random.default_rng(0).permutation(bunch.data)
    if dataset != "iris":
        X = MaxAbsScaler().fit_transform(X)
    return X, len(set(bunch.target))


def build(name: str, n_samples: int, n_clusters: int) -> Any:
    if name == REFERENCE:
        return SpectralClustering(
            n_clusters,
            affinity="nearest_neighbors",
            n_neighbors=default_n_neighbors(n_samples),
            random_state=0,
        )
    method = METHODS[name]
    model = method.estimator(n_clusters, random_state=0).set_params(**method.fixed)
    return model.set_params(n_jobs=1) if "n_jobs" in model.get_params() else model


def warm_up(methods: list[str]) -> None:
    """Import and compile everything before the first fork."""
    # Samples with few and with many features take different ways.
    X = np.random.default_rng(0).uniform(size=(40, 40))
    for name in [REFERENCE, *methods]:
        build(name, 40, 3).fit(X)
        build(name, 40, 3).fit(X[:, :5])


def measure(name: str, X: np.ndarray, n_clusters: int) -> tuple[float, float] | str:
    """Seconds and megabytes of one fit, or what went wrong."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=timed_fit, args=(name, X, n_clusters, sender))
    child.start()
    sender.close()
    try:
        if not receiver.poll(TIMEOUT):
            return f"timeout after {TIMEOUT:g} s"
        return receiver.recv()
    except EOFError:
        return "the process died"
    finally:
        child.kill()
        child.join()


def timed_fit(name: str, X: np.ndarray, n_clusters: int, sender: Any) -> None:
    model = build(name, X.shape[0], n_clusters)
    before = peak_megabytes()
    start = process_time()
    try:
        model.fit(X)
    except Exception as error:  # one method's failure must not end the table
        sender.send(f"{type(error).__name__}: {error}")
        return
    sender.send((process_time() - start, peak_megabytes() - before))


if __name__ == "__main__":
    with threadpool_limits(1):
        main()
