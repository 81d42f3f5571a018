"""Peak memory of a default fit.

    python benchmarks/memory.py [--samples 20000] [--features 64] [--model JointModel]

Prints the peak resident memory of the whole process, what it held before the fit
(interpreter, libraries and data), the seconds and ACC. Rows are drawn in random order.
"""

from __future__ import annotations

import argparse

from sklearn.datasets import make_blobs

from graphtailor import GraphTailor, JointModel
from graphtailor.metrics import clustering_accuracy
from process import peak_megabytes, timed

MODELS = {"GraphTailor": GraphTailor, "JointModel": JointModel}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=20_000)
    parser.add_argument("--features", type=int, default=64)
    parser.add_argument("--model", choices=MODELS, default="GraphTailor")
    arguments = parser.parse_args()
    X, y = make_blobs(
        arguments.samples, arguments.features, centers=20, cluster_std=6, random_state=0
    )
    before = peak_megabytes()
    estimator = MODELS[arguments.model](20, random_state=0)
    model, took = timed(lambda: estimator.fit(X))
    print(
        f"{arguments.model}, n = {X.shape[0]}, d = {X.shape[1]}: "
        f"peak {peak_megabytes():.0f} MB, of which {before:.0f} MB before the fit; "
        f"{took.wall:.1f} s wall, {took.cpu:.1f} s CPU, "
        f"ACC {clustering_accuracy(y, model.labels_):.3f}"
    )


if __name__ == "__main__":
    main()
