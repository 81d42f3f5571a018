"""
Is one method really better? Tests of significance
==================================================

A table of means invites the eye to pick the largest number. How much of it is luck? Two
questions, and the tests of :mod:`graphtailor.statistics` for each: on one data set,
does a method beat another beyond the luck of its seeds? And over many data sets, does
it rank higher than chance would have it?
"""

# %%
# Runs
# ----
# Five methods with default settings, five data sets of the library, eight seeds each.
# All see the same features, divided by their largest absolute value.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.preprocessing import maxabs_scale

from graphtailor.datasets import load_dataset
from graphtailor.metrics import clustering_accuracy
from graphtailor.registry import get_method
from graphtailor.statistics import (
    bootstrap_interval,
    friedman_test,
    holm,
    mark,
    rank_sum,
)

METHODS = ["K-means", "PCA", "SC", "SymNMF", "GraphTailor"]
DATASETS = ["iris", "wine", "ecoli", "ionosphere", "libras"]
scores = {}
for dataset in DATASETS:
    data = load_dataset(dataset)
    X, n_clusters = maxabs_scale(data.data), len(np.unique(data.target))
    for name in METHODS:
        make = get_method(name).estimator
        scores[dataset, name] = [
            clustering_accuracy(
                data.target, make(n_clusters, random_state=seed).fit_predict(X)
            )
            for seed in range(8)
        ]

# %%
# One data set
# ------------
# Dots are means, bars the interval that holds the true mean with a probability of 95 %,
# by the bootstrap. Where bars are a point, the method does not depend on its seed. Bars
# answer how sure a mean is; whether two methods differ, the rank-sum test says.

dataset = "libras"
fig, ax = plt.subplots(figsize=(6.6, 3), layout="constrained")
for place, name in enumerate(METHODS):
    low, high = bootstrap_interval(scores[dataset, name])
    ax.plot([low, high], [place, place], lw=3, color="tab:blue", alpha=0.5)
    ax.plot(np.mean(scores[dataset, name]), place, "o", color="tab:blue")
ax.set_yticks(range(len(METHODS)), METHODS)
ax.set(xlabel=f"ACC on {dataset}")
ax.grid(axis="x", alpha=0.3)
plt.show()

# %%
# Four comparisons are four chances to be fooled, so Holm's correction raises the
# p-values until all of them together err with a probability of 5 % at most.

ours = scores[dataset, "GraphTailor"]
others = METHODS[:-1]
p_values = [rank_sum(ours, scores[dataset, name]) for name in others]
pd.DataFrame(
    {
        "GraphTailor is": [mark(ours, scores[dataset, name]) for name in others],
        "p": p_values,
        "p, corrected": holm(p_values),
    },
    index=others,
).round(4)

# %%
# Many data sets
# --------------
# Friedman's test asks whether the methods' ranks differ at all; Nemenyi's critical
# difference says by how much mean ranks must differ. Methods whose grey bars overlap
# cannot be distinguished.

means = pd.DataFrame(
    {d: {name: np.mean(scores[d, name]) for name in METHODS} for d in DATASETS}
)
test = friedman_test(means)
print(f"p = {test.p_value:.3f}, critical difference {test.critical_difference:.2f}")
print("mean ranks", test.mean_ranks.round(2).to_dict())

fig, ax = plt.subplots(figsize=(6.6, 3), layout="constrained")
ranks, reach = test.mean_ranks, test.critical_difference / 2
for place, (_, rank) in enumerate(ranks.items()):
    ax.plot([rank - reach, rank + reach], [place, place], lw=3, color="0.75")
    ax.plot(rank, place, "o", color="tab:blue")
ax.set_yticks(range(len(ranks)), ranks.index)
ax.invert_yaxis()
ax.set(xlabel="mean rank (1 is best)")
ax.grid(axis="x", alpha=0.3)
plt.show()

# %%
# p is above 0.05, and no two bars are apart: five data sets are too few to say which of
# the methods ranks above which, whatever the means in this table seem to say.

means.round(3)
