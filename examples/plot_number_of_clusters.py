"""
How many clusters are there?
============================

``GraphTailor()`` tries 2 to 20 clusters and takes the number whose clusters agree best
with its members, the many quick clusterings it is made of. Finer cuts agree a little
better with anything, so each number pays a price that grows with its logarithm. What
was tried is in ``decision_``, so that the choice can be looked at, and doubted.
"""

# %%
# Three data sets
# ---------------
# Six compact groups; three rings, which no centre describes; and one cloud without any
# clusters at all.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor

rng = np.random.default_rng(0)


def rings(radii: list[float], n: int) -> np.ndarray:
    """Noisy circles around one centre."""
    angle = rng.uniform(0, 2 * np.pi, size=(len(radii), n))
    circles = np.array(radii)[:, None, None] * np.stack(
        [np.cos(angle), np.sin(angle)], axis=2
    )
    return circles.reshape(-1, 2) + rng.normal(scale=0.08, size=(len(radii) * n, 2))


centers = 10 * np.column_stack(
    [np.cos(np.arange(6) * np.pi / 3), np.sin(np.arange(6) * np.pi / 3)]
)
data = {
    "six groups": make_blobs(420, centers=centers, random_state=0)[0],
    "three rings": rings([1.0, 2.0, 3.0], 400),
    "one cloud": rng.normal(size=(400, 2)),
}
models = {name: GraphTailor(random_state=0).fit(X) for name, X in data.items()}

# %%
# The choice, and the evidence for it
# -----------------------------------
# Above, the clusters that were found. Below, the score of each number that was tried:
# the mean correlation of its clusters with the members, less the price. The highest is
# taken. For the rings only one number has a score: where near neighbours show clusters
# that are separated and not compact there is nothing to vote on, and the finest
# separated cut is taken.

fig, axes = plt.subplots(2, 3, figsize=(10.5, 6.4), layout="constrained")
for (above, below), (name, X) in zip(axes.T, data.items(), strict=True):
    model = models[name]
    above.scatter(*X.T, c=model.labels_, s=8, cmap="tab20")
    above.set(title=f"{name}: {model.n_clusters_} found", xticks=[], yticks=[])
    above.set_aspect("equal")
    numbers, scores = zip(*model.decision_.scores, strict=True)
    below.plot(numbers, scores, marker="o", ms=4, lw=1.2)
    below.plot(model.n_clusters_, max(scores), "o", color="tab:red", ms=8)
    below.set(xlabel="number of clusters", xlim=(1, 21), ylim=(0, 1))
axes[1, 0].set_ylabel("score")
plt.show()

for name, model in models.items():
    best = max(score for _, score in model.decision_.scores)
    print(f"{name}: short list {model.decision_.suggestions}, best score {best:.2f}")

# %%
# What the model says about it
# ----------------------------
# ``decision_`` prints as sentences. The number of clusters is one of them.

for name, model in models.items():
    print(f"--- {name}\n{model.decision_}\n")

# %%
# Read it like this: one clear peak, as of the six groups, is a clear answer. The cloud
# gets a number as well, since some score is always the highest, but its best score is
# the lowest of the three, and the curve is flat. Then believe neither the number nor
# the clusters.
#
# The finest separated cut can be too fine: a sparse stretch of a ring separates its two
# sides as well as the gap between two rings does. Other draws of the same rings show
# how often.

found = [
    GraphTailor(random_state=0).fit(rings([1.0, 2.0, 3.0], 400)).n_clusters_
    for _ in range(4)
]
print("clusters in four other draws of three rings:", found)
