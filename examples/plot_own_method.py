"""
A method of your own, in the benchmark
======================================

You have an idea for a clustering method. What does it take to compare it with twenty
others, on equal terms? A class with ``fit`` and ``labels_``, and one entry in a plan.
The benchmark does the rest: the same data and scaling for all, seeds, a search over the
weights where wanted, scores, and tests of significance.
"""

# %%
# The method
# ----------
# Take the graph of neighbours, walk on it at random for a while, and apply K-means to
# the probabilities of where the walk ends: rows that lead to the same places are alike.
# It follows scikit-learn's conventions; ``ClusterMixin`` adds ``fit_predict``.

import sys
import tempfile

import matplotlib.pyplot as plt
import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans

from graphtailor.bench import Store, parse_plan, run_plan
from graphtailor.graphs import NeighborGraph
from graphtailor.statistics import mark, rank_sum


class WalkClustering(ClusterMixin, BaseEstimator):
    """K-means on where random walks of some length end."""

    def __init__(self, n_clusters=8, *, steps=16, random_state=None):
        self.n_clusters = n_clusters
        self.steps = steps
        self.random_state = random_state

    def fit(self, X, y=None):
        G = NeighborGraph().fit(X).weights_.toarray()
        P = G / G.sum(axis=1, keepdims=True)
        ends = np.linalg.matrix_power((np.eye(len(P)) + P) / 2, self.steps)
        # Walks spend more time at well-joined places; this makes all places equal.
        ends /= np.sqrt(G.sum(axis=1) / G.sum())
        kmeans = KMeans(self.n_clusters, n_init=5, random_state=self.random_state)
        self.labels_ = kmeans.fit_predict(ends)
        return self


# %%
# The plan
# --------
# A plan is a table of values, as in a TOML file (``graphtailor bench plan.toml``).
# Methods of the library go by their names, yours by ``"module:Class"``. An example has
# no module, so it lends one; with a file ``walks.py`` it would be
# ``"walks:WalkClustering"``.

sys.modules["walks"] = type(sys)("walks")
sys.modules["walks"].WalkClustering = WalkClustering

plan = parse_plan(
    {
        "methods": ["K-means", "SC", "Walks", "GraphTailor"],
        "datasets": ["iris", "wine", "ecoli"],
        "choices": ["blind"],
        "seeds": {"report": {"first": 1000, "count": 6}},
        "method": {"Walks": {"uses": "walks:WalkClustering"}},
    }
)
with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    progress = run_plan(plan, store, jobs=1)
    runs = store.runs().join(store.scores(), on="key")
print(f"{progress.done} runs, {progress.failed} failed")

# %%
# ``choices=["blind"]`` means that each method runs with its defaults. Every run is in
# the store, with its labels, so that metrics can be added later without running
# anything again.

names = {method.uses: method.name for method in plan.methods}
runs["method"] = runs["method"].map(names)
means = runs.pivot_table(index="dataset", columns="method", values="ACC", sort=False)
means.round(3)

# %%
# Is the difference real?
# -----------------------
# Dots are runs with different seeds. A method that spreads widely owes its best run to
# luck. Below, the Wilcoxon rank-sum test between the new method and each of the others.

fig, axes = plt.subplots(1, 3, figsize=(11, 3.4), sharey=True, layout="constrained")
jitter = np.random.default_rng(0).uniform(-0.12, 0.12, size=6)
for ax, (dataset, some) in zip(axes, runs.groupby("dataset", sort=False), strict=True):
    for place, name in enumerate(means.columns):
        scores = some.loc[some["method"] == name, "ACC"]
        ax.scatter(place + jitter[: len(scores)], scores, s=18, alpha=0.8)
        ax.hlines(scores.mean(), place - 0.3, place + 0.3, color="0.3")
    ax.set_xticks(range(len(means.columns)), means.columns, rotation=30)
    ax.set_title(dataset)
    ax.grid(axis="y", alpha=0.3)
axes[0].set_ylabel("ACC")
plt.show()

by_cell = runs.groupby(["dataset", "method"])["ACC"].apply(np.asarray)
for dataset in means.index:
    mine = by_cell[dataset, "Walks"]
    for name in ("K-means", "SC", "GraphTailor"):
        other = by_cell[dataset, name]
        print(
            f"{dataset:6} Walks is {mark(mine, other):6} than {name:11} "
            f"p = {rank_sum(mine, other):.3f}"
        )

# %%
# To make a method part of the library instead, see CONTRIBUTING.md: one file, one entry
# in the registry.
