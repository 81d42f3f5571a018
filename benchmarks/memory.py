"""Peak memory of a default fit on the sparse support.

    python benchmarks/memory.py [--samples 20000] [--features 64]

Prints the peak resident memory of the whole process, what it held before the fit
(interpreter, libraries and data), the seconds and ACC.
"""

from __future__ import annotations

import argparse
import resource
import time

from sklearn.datasets import make_blobs

from graphtailor import GraphTailor
from graphtailor.metrics import clustering_accuracy


def peak_megabytes() -> float:
    """Peak resident memory of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--features", type=int, default=64)
    arguments = parser.parse_args()
    X, y = make_blobs(
        arguments.samples, arguments.features, centers=20, cluster_std=6, random_state=0
    )
    before = peak_megabytes()
    wall, cpu = time.perf_counter(), time.process_time()
    model = GraphTailor(20, random_state=0).fit(X)
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    print(
        f"n = {X.shape[0]}, d = {X.shape[1]}: peak {peak_megabytes():.0f} MB, "
        f"of which {before:.0f} MB before the fit; {wall:.1f} s wall, {cpu:.1f} s CPU, "
        f"ACC {clustering_accuracy(y, model.labels_):.3f}"
    )


if __name__ == "__main__":
    main()
