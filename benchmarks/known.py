"""How far a few known labels help, beside LabelSpreading and seeded k-means.

    GRAPHTAILOR_DATA=FOLDER python benchmarks/known.py [--seeds 3] [--sets NAME ...]

Of eight sets 0, 1, 2, 5 and 10 % of the rows, drawn at random, have a known class. All
methods are given the right number of clusters and the same features, divided by their
largest values. ACC is that of the other rows, after the best match of clusters and
classes, which counts classes without a known row as well.

- LabelSpreading: scikit-learn's, with 7 nearest neighbours;
- pairs: GraphTailor with the answers, together or apart, to 20 pairs of rows that
  ``ask_next`` asked about, at once or after four fits, and to 20 pairs drawn at random;
  no class is known, and ACC is that of the rows in none of the pairs;
- seeded k-means: k-means that starts at the means of the known classes and keeps known
  rows in them (Basu, Banerjee and Mooney, 2002), the other centres by k-means++.

Writes results/known.csv, which ``python tools/results_page.py`` puts into the
documentation, and its curves, docs/known.png.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import kmeans_plusplus
from sklearn.metrics import pairwise_distances_argmin
from sklearn.preprocessing import MaxAbsScaler
from sklearn.semi_supervised import LabelSpreading

from graphtailor import GraphTailor, ask_next
from graphtailor.datasets import load_dataset
from graphtailor.metrics import clustering_accuracy

# All of the ten whose data come with the package or can be fetched.
SETS = ("iris", "wine", "ecoli", "ionosphere", "libras", "soybean", "yeast", "isolet")
SHARES = (0.0, 0.01, 0.02, 0.05, 0.1)
ROOT = Path(__file__).parent.parent
OUTPUT, PICTURE = ROOT / "results" / "known.csv", ROOT / "docs" / "known.png"
N_PAIRS = 20
# How many pairs are asked about before the next fit.
PAIRS = {
    "20 pairs of ask_next": N_PAIRS,
    "four times 5 pairs of ask_next": 5,
    "20 random pairs": None,
}
MARKS = {"GraphTailor": "o", "seeded k-means": "s", "LabelSpreading": "^"}
COLORS = ("#0072b2", "#e69f00", "#009e73")


def draw_known(y: np.ndarray, share: float, seed: int) -> np.ndarray:
    """Classes of some rows, at least two; -1 for the others."""
    known = np.full(len(y), -1)
    number = max(round(share * len(y)), 2) if share else 0
    rows = np.random.RandomState(seed).permutation(len(y))[:number]
    known[rows] = y[rows]
    return known


def seeded_kmeans(X: np.ndarray, known: np.ndarray, c: int, seed: int) -> np.ndarray:
    """K-means from the means of known classes, whose rows stay in them."""
    classes, codes = np.unique(known[known >= 0], return_inverse=True)
    means = [X[known == k].mean(axis=0) for k in classes]
    drawn, _ = kmeans_plusplus(X, c, random_state=seed)
    far = np.argsort(
        [-min([np.sum((x - m) ** 2) for m in means] or [0]) for x in drawn]
    )
    centres = np.array([*means, *drawn[far[: c - len(means)]]])
    for _ in range(100):
        labels = pairwise_distances_argmin(X, centres)
        labels[known >= 0] = codes
        counts = np.bincount(labels, minlength=c)
        moved = np.array(
            [X[labels == k].mean(axis=0) if counts[k] else centres[k] for k in range(c)]
        )
        if np.allclose(moved, centres):
            break
        centres = moved
    return labels


def spread_labels(X: np.ndarray, known: np.ndarray, c: int, seed: int) -> np.ndarray:
    """scikit-learn's LabelSpreading."""
    return LabelSpreading(kernel="knn").fit(X, known).transduction_


def tailored(X: np.ndarray, known: np.ndarray, c: int, seed: int) -> np.ndarray:
    """GraphTailor with known rows."""
    return GraphTailor(c, random_state=seed).fit(X, known=known).labels_


def answered(
    X: np.ndarray, y: np.ndarray, c: int, seed: int, at_once: int | None
) -> float:
    """ACC of the rows in no pair, after the answers to 20 pairs."""
    model = GraphTailor(c, random_state=seed)
    drawn = np.random.RandomState(seed).permutation(len(y))[: 2 * N_PAIRS]
    pairs = drawn.reshape(-1, 2)[: 0 if at_once else N_PAIRS]
    for asked in range(0, N_PAIRS + 1, at_once or N_PAIRS + 1):
        same = y[pairs[:, 0]] == y[pairs[:, 1]]
        model.fit(X, must_link=pairs[same], cannot_link=pairs[~same])
        if asked < N_PAIRS and at_once:
            pairs = np.concatenate([pairs, ask_next(model, at_once)])
    others = np.setdiff1d(np.arange(len(y)), pairs)
    return clustering_accuracy(y[others], model.labels_[others])


METHODS = {
    "GraphTailor": tailored,
    "LabelSpreading": spread_labels,
    "seeded k-means": seeded_kmeans,
}


def scores(
    X: np.ndarray, y: np.ndarray, share: float, seed: int
) -> Iterator[tuple[str, Callable[[], float]]]:
    """What gives the ACC of each method with this share of known rows."""
    known, c = draw_known(y, share, seed), len(np.unique(y))

    def of(cluster: Callable[..., np.ndarray]) -> float:
        labels = cluster(X, known, c, seed)
        return clustering_accuracy(y[known < 0], labels[known < 0])

    for method, cluster in METHODS.items():
        if method != "LabelSpreading" or share:
            yield method, partial(of, cluster)
    if not share:
        for method, at_once in PAIRS.items():
            yield method, partial(answered, X, y, c, seed, at_once)


def run(sets: tuple[str, ...], seeds: int, output: Path) -> pd.DataFrame:
    """ACC of every set, share, seed and method; written after each set."""
    rows = []
    for name in sets:
        data = load_dataset(name)
        X, y = MaxAbsScaler().fit_transform(data.data), data.target
        for share, seed in product(SHARES, range(seeds)):
            for method, score in scores(X, y, share, seed):
                begin = time.perf_counter()
                accuracy = round(score(), 4)
                seconds = round(time.perf_counter() - begin, 2)
                about = {"data": name, "known": share, "seed": seed, "method": method}
                rows.append(about | {"ACC": accuracy, "seconds": seconds})
        pd.DataFrame(rows).to_csv(output, index=False)
    return pd.DataFrame(rows)


def draw(runs: pd.DataFrame, path: Path) -> None:
    """ACC against the share of known rows: a panel for each set."""
    sets = runs["data"].unique()
    figure, axes = plt.subplots(
        2, 4, figsize=(11, 5), sharex=True, layout="constrained"
    )
    for name, ax in zip(sets, axes.ravel(), strict=False):
        found = runs[runs["data"] == name].groupby(["method", "known"])["ACC"]
        for (method, marker), color in zip(MARKS.items(), COLORS, strict=True):
            curve = found.mean().loc[method]
            ax.plot(100 * curve.index, curve, marker=marker, color=color, label=method)
        ax.set_title(name)
        ax.grid(alpha=0.3)
    figure.supxlabel("known rows (%)")
    figure.supylabel("ACC of the other rows")
    axes[0, 0].legend(frameon=False, fontsize=8)
    figure.savefig(path, dpi=100)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--output", type=Path, default=OUTPUT)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    runs = run(tuple(arguments.sets), arguments.seeds, arguments.output)
    if tuple(arguments.sets) == SETS:
        draw(runs, PICTURE)
    means = runs.pivot_table(index=["data", "known"], columns="method", values="ACC")
    print(means.round(3).to_string())


if __name__ == "__main__":
    main()
