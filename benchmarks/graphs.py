"""How good are learned graphs themselves, before anything clusters them?

    python benchmarks/graphs.py [--datasets NAME ...] [--learners NAME ...]
        [--rows 500] [--draws 10] [--output results/graphs.csv]

Every learner sees the rows of a data set as the preset "paper" prepares them, and no
label. A larger set is represented by a random sample of `--rows` rows, the same for
all learners; the columns `rows` and `of` say so. Written for every graph:

within      share of the weight that joins rows of one class
by chance   what that share would be if the weight were spread over all pairs
modularity  of the classes
spreading   accuracy of scikit-learn's LabelSpreading on the other rows, from 5 % of the
            labels and at least one of each class: the mean over `--draws` draws
deviation   standard deviation of that accuracy over the draws
edges       edges of a row
cpu_s       CPU seconds of the learner

GraphTailor, JointModel and CAN are given the number of classes; it does not change the
graphs of the others.

Every graph is measured as it was learned (`kept` is "all") and with the
floor(log2 n + 1) strongest edges of each row ("strongest"). A file that is there keeps
its other rows.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.semi_supervised import LabelSpreading

from graphtailor import GraphTailor, JointModel, LearnedGraph
from graphtailor.baselines import (
    CAN,
    CGL,
    LRR,
    RSSA,
    RSSR,
    L1Graph,
    L2Graph,
    SelfTuningSpectralClustering,
    SmoothGraph,
    SpectralClusteringNJW,
)
from graphtailor.bench import load_plan
from graphtailor.bench.run.data import load_data
from graphtailor.graphs import normalize_affinity, precomputed_kernel
from graphtailor.models.learned_graph import strongest_edges
from graphtailor.neighbors import default_n_neighbors
from process import timed

LEARNERS: dict[str, Callable[..., BaseEstimator]] = {
    "neighbours": SpectralClusteringNJW,  # the given graph, for comparison
    "GraphTailor": GraphTailor,
    "JointModel": JointModel,
    "CAN": CAN,
    "CGL": CGL,
    "SmoothGraph": SmoothGraph,
    "L1-Graph": L1Graph,
    "L2-Graph": L2Graph,
    "Self-tuning": SelfTuningSpectralClustering,
    "LRR": LRR,
    "RSSA": RSSA,
    "RSSR": RSSR,
}
KNOWN, CLAMPING = 0.05, 0.9
KEYS = ["data", "learner", "kept"]
FIGURES = ["within", "modularity", "spreading", "edges", "cpu_s"]


def sampled(y: np.ndarray, most: int) -> np.ndarray:
    """Numbers of the rows that are taken, in their order."""
    if len(y) <= most:
        return np.arange(len(y))
    return np.sort(np.random.default_rng(0).choice(len(y), most, replace=False))


def graph_scores(A: sparse.csr_array, y: np.ndarray, draws: int) -> dict[str, float]:
    """What the classes say about a graph."""
    member = sparse.csr_array(np.eye(y.max() + 1)[y])
    between = (member.T @ A @ member).toarray() / A.sum()
    ends = between.sum(axis=1)
    pairs = np.bincount(y) @ (np.bincount(y) - 1) / (len(y) * (len(y) - 1))
    found = [spreading_accuracy(A, y, seed) for seed in range(draws)]
    return {
        "within": float(np.trace(between)),
        "by chance": float(pairs),
        "modularity": float(np.trace(between) - ends @ ends),
        "spreading": float(np.mean(found)),
        "deviation": float(np.std(found)),
        "edges": A.nnz / len(y),
    }


def spreading_accuracy(A: sparse.csr_array, y: np.ndarray, seed: int) -> float:
    """Accuracy on the other rows of labels that are spread from a few."""
    order = np.random.default_rng(seed).permutation(len(y))
    first = order[np.unique(y[order], return_index=True)[1]]  # one of each class
    others = order[~np.isin(order, first)]
    more = max(round(KNOWN * len(y)) - len(first), 0)
    known = np.concatenate([first, others[:more]])
    given = np.full(len(y), -1)
    given[known] = y[known]
    model = LabelSpreading(precomputed_kernel, alpha=CLAMPING, max_iter=300)
    hidden = given == -1
    return float(np.mean(model.fit(A, given).transduction_[hidden] == y[hidden]))


def measured(name: str, data: str, arguments: argparse.Namespace) -> Iterator[dict]:
    """Figures of one learner on one data set, with all edges and the strongest."""
    planned = {each.name: each for each in load_plan("paper").datasets}
    whole = load_data(planned[data])
    rows = sampled(whole.y, arguments.rows)
    y = np.unique(whole.y[rows], return_inverse=True)[1]
    learner = LEARNERS[name](n_clusters=y.max() + 1, random_state=0)
    whole_graph = LearnedGraph(learner, n_neighbors=None)
    graph, took = timed(lambda: whole_graph.fit(whole.X[rows]))
    few = strongest_edges(graph.weights_, default_n_neighbors(len(rows)))
    what = {"data": data, "rows": len(rows), "of": len(whole.y), "learner": name}
    for kept, weights in {"all": graph.weights_, "strongest": few}.items():
        scores = graph_scores(normalize_affinity(weights), y, arguments.draws)
        yield {**what, "kept": kept, **scores, "cpu_s": took.cpu}


def merged(rows: list[dict], path: Path) -> pd.DataFrame:
    """New rows over those of a file; all rows keep the places they had."""
    table = pd.DataFrame(rows).round(4)
    if path.exists():
        table = pd.concat([pd.read_csv(path), table])
    places = table.drop_duplicates(KEYS)[KEYS]
    return places.merge(table.drop_duplicates(KEYS, keep="last"))[table.columns]


def main() -> None:
    sets = [each.name for each in load_plan("paper").datasets]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--datasets", nargs="+", choices=sets, default=sets)
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=[*LEARNERS])
    parser.add_argument("--rows", type=int, default=500)
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--output", type=Path, default=None)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    found: list[dict] = []
    for data in arguments.datasets:
        for name in arguments.learners:
            for row in measured(name, data, arguments):
                found.append(row)
                figures = {k: v for k, v in row.items() if isinstance(v, float)}
                shown = "  ".join(f"{k} {v:.3f}" for k, v in figures.items())
                print(f"{data:11} {name:12} {row['kept']:10} {shown}", flush=True)
        if arguments.output:  # a run that is stopped leaves what it has
            merged(found, arguments.output).to_csv(arguments.output, index=False)
    groups = pd.DataFrame(found).groupby(["learner", "kept"], sort=False)
    print(groups[FIGURES].mean().round(3).to_string())


if __name__ == "__main__":
    main()
